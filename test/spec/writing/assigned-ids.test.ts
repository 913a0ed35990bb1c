/** Assigned product ids: each follows every id ever used, and never repeats a deleted one. */
import { describe, expect, test } from 'bun:test';
import { INT4_MAX, INT4_MIN } from '../../../src/base/limits/declaration.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { expectRefusal, expectUntouched, ids, ownCatalogue, sendJson, TEN_FIELDS } from '../../support/stories.ts';

describe.each(TWO_ENGINES)('assigned ids on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const post = (body: unknown) =>
    catalogue.fetch('/products', sendJson('POST', body, { prefer: 'return=representation' }));
  const assignedId = async () => ids((await (await post({ product_name: 'Next' })).json()) as never)[0]!;
  const remove = (id: number) => catalogue.fetch(`/products/${id}`, { method: 'DELETE' });

  test('continue after the largest existing id', async () => {
    expect([await assignedId(), await assignedId()]).toEqual([78, 79]);
  });

  test('continue after an id that a client chose', async () => {
    await post({ ...TEN_FIELDS, id: 5000 });
    expect(await assignedId()).toBe(5001);
  });

  test('skip a gap that a client left, and ids below zero', async () => {
    await post([
      { ...TEN_FIELDS, id: 90 },
      { ...TEN_FIELDS, id: -90 },
    ]);
    expect(await assignedId()).toBe(91);
  });

  test.each([
    'missing=default',
    'missing=default, resolution=merge-duplicates',
    'missing=default, resolution=ignore-duplicates',
  ])('never equal an id that the same request chooses, with %s', async (preferences) => {
    const sent = [
      { product_name: 'a' },
      { id: 78, product_name: 'b' },
      { product_name: 'c' },
      { id: 80, product_name: 'd' },
    ];
    const prefer = { prefer: `return=representation, ${preferences}` };
    const answer = await catalogue.fetch('/products?columns=id,product_name', sendJson('POST', sent, prefer));
    expect(ids((await answer.json()) as never)).toEqual([81, 78, 82, 80]);
    expect(await catalogue.list()).toHaveLength(81);
  });

  test('never equal an id that the first request to an emptied catalogue chooses', async () => {
    await catalogue.fetch('/products?id=gt.0', { method: 'DELETE' });
    const sent = [{ product_name: 'a' }, { id: 500, product_name: 'b' }];
    const prefer = { prefer: 'return=representation, missing=default' };
    const answer = await catalogue.fetch('/products?columns=id,product_name', sendJson('POST', sent, prefer));
    expect(ids((await answer.json()) as never)).toEqual([501, 500]);
  });

  test('never repeat the id of a deleted product', async () => {
    const first = await assignedId();
    await remove(first);
    expect(await assignedId()).toBeGreaterThan(first);
    await post({ ...TEN_FIELDS, id: 300 });
    await remove(300);
    expect(await assignedId()).toBeGreaterThan(300);
  });

  test('never repeat the id of a deleted product that got its id from an update', async () => {
    await catalogue.fetch('/products/77', sendJson('PATCH', { id: 400 }));
    await remove(400);
    expect(await assignedId()).toBeGreaterThan(400);
  });

  test('a client can choose the largest and the smallest id', async () => {
    for (const id of [INT4_MAX, INT4_MIN]) {
      expect((await post({ ...TEN_FIELDS, id })).status).toBe(201);
      expect(await (await catalogue.fetch(`/products/${id}`)).json()).toEqual({ ...TEN_FIELDS, id });
    }
  });

  test('end with the largest possible id, as a sequence does, even if that product was deleted', async () => {
    await post({ ...TEN_FIELDS, id: INT4_MAX });
    await expectRefusal(await post({ product_name: 'Next' }), 400, '2200H');
    await remove(INT4_MAX);
    await expectRefusal(await post({ product_name: 'Next' }), 400, '2200H');
    expect((await post({ ...TEN_FIELDS, id: 500 })).status).toBe(201);
    expect(await catalogue.list()).toHaveLength(78);
  });

  test('an id beyond four bytes is rejected', async () => {
    for (const id of [INT4_MAX + 1, INT4_MIN - 1]) await expectRefusal(await post({ ...TEN_FIELDS, id }), 400, '22003');
    await expectUntouched(catalogue);
  });

  test('begin at the minimum of the key and end at its maximum', async () => {
    const id = { name: 'id', type: 'int8', minimum: 1000, maximum: 1001 };
    const catalogue = declareCatalogue({ collections: [{ name: 'orders', key: ['id'], fields: [id] }] });
    const orders = await openDeclared(engine, catalogue, { orders: [{}] });
    try {
      expect(await orders.list('/orders')).toEqual([{ id: 1000 }]);
      const answer = await orders.fetch('/orders', sendJson('POST', {}, { prefer: 'return=representation' }));
      expect(await answer.json()).toEqual([{ id: 1001 }]);
      await expectRefusal(await orders.fetch('/orders', sendJson('POST', {})), 400, '2200H');
    } finally {
      await orders.close();
    }
  });
});

describe.each(TWO_ENGINES)('a key that is also a reference, on %s', (engine) => {
  const draft = {
    collections: [
      { name: 'channels', key: ['id'], fields: [{ name: 'id', type: 'int8' }] },
      {
        name: 'feeds',
        key: ['id'],
        fields: [
          { name: 'id', type: 'int8', references: { collection: 'channels', onDelete: 'cascade' as const } },
          { name: 'url', type: 'text' },
        ],
      },
    ],
  };

  test('is never assigned: a new row must contain it', async () => {
    const { fetch, close } = await openDeclared(engine, declareCatalogue(draft));
    try {
      expect((await fetch('/channels', sendJson('POST', [{ id: 1 }, { id: 2 }]))).status).toBe(201);
      const refused = await fetch('/feeds', sendJson('POST', { url: 'a' }));
      expect((await expectRefusal(refused, 400, '23502')).details).toContain('id is required');
      expect((await fetch('/feeds', sendJson('POST', { id: 2, url: 'b' }))).status).toBe(201);
      await expectRefusal(await fetch('/feeds', sendJson('POST', { id: 9, url: 'c' })), 409, '23503');
      expect(await (await fetch('/feeds')).json()).toEqual([{ id: 2, url: 'b' }]);
      expect((await fetch('/channels?id=eq.2', { method: 'DELETE' })).status).toBe(204);
      expect(await (await fetch('/feeds')).json()).toEqual([]);
    } finally {
      await close();
    }
  });
});

/** The ids that products are given: after every id there ever was, and never one that was deleted, while there are such. */
import { describe, expect, test } from 'bun:test';
import { INT4_MAX, INT4_MIN } from '../../src/limits.ts';
import { ENGINES } from '../support/catalogue.ts';
import { expectRefusal, expectUntouched, ids, ownCatalogue, sendJson, TEN_FIELDS } from '../support/stories.ts';

describe.each(Object.keys(ENGINES))('the ids that are given on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const post = (body: unknown) =>
    catalogue.fetch('/products', sendJson('POST', body, { prefer: 'return=representation' }));
  const assignedId = async () => ids((await (await post({ product_name: 'Next' })).json()) as never)[0]!;
  const remove = (id: number) => catalogue.fetch(`/products/${id}`, { method: 'DELETE' });

  test('continue after the largest there is', async () => {
    expect([await assignedId(), await assignedId()]).toEqual([78, 79]);
  });

  test('continue after one that a client chose', async () => {
    await post({ ...TEN_FIELDS, id: 5000 });
    expect(await assignedId()).toBe(5001);
  });

  test('pass over a gap that a client left, and ids below zero', async () => {
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
  ])('are none that the same request chooses, with %s', async (preferences) => {
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

  test('are none that the first request to an emptied catalogue chooses', async () => {
    await catalogue.fetch('/products?id=gt.0', { method: 'DELETE' });
    const sent = [{ product_name: 'a' }, { id: 500, product_name: 'b' }];
    const prefer = { prefer: 'return=representation, missing=default' };
    const answer = await catalogue.fetch('/products?columns=id,product_name', sendJson('POST', sent, prefer));
    expect(ids((await answer.json()) as never)).toEqual([501, 500]);
  });

  test('are never those of a deleted product', async () => {
    const first = await assignedId();
    await remove(first);
    expect(await assignedId()).toBeGreaterThan(first);
    await post({ ...TEN_FIELDS, id: 300 });
    await remove(300);
    expect(await assignedId()).toBeGreaterThan(300);
  });

  test('are never those of a deleted product that had its id from a later change', async () => {
    await catalogue.fetch('/products/77', sendJson('PATCH', { id: 400 }));
    await remove(400);
    expect(await assignedId()).toBeGreaterThan(400);
  });

  test('the largest and the smallest id can be chosen', async () => {
    for (const id of [INT4_MAX, INT4_MIN]) {
      expect((await post({ ...TEN_FIELDS, id })).status).toBe(201);
      expect(await (await catalogue.fetch(`/products/${id}`)).json()).toEqual({ ...TEN_FIELDS, id });
    }
  });

  describe('after the largest possible one', () => {
    const take = (id: number) => post({ ...TEN_FIELDS, id });
    const several = async (count: number) =>
      ids((await (await post(Array.from({ length: count }, () => ({ product_name: 'Next' })))).json()) as never);

    test('continue where they were, whether it was deleted or is still there', async () => {
      await take(INT4_MAX);
      expect([await assignedId(), await assignedId()]).toEqual([78, 79]);
      await remove(INT4_MAX);
      expect([await assignedId(), await assignedId()]).toEqual([80, 81]);
      await take(INT4_MAX);
      await remove(INT4_MAX);
      expect(await assignedId()).toBe(82);
    });

    test('are still never those of a deleted product, and pass what a client chose', async () => {
      await take(INT4_MAX);
      await remove(await assignedId());
      expect(await assignedId()).toBe(79);
      await take(5000);
      expect(await assignedId()).toBe(5001);
    });

    test('begin with the highest gap, and go on with the next where it is full', async () => {
      for (const id of [INT4_MAX - 4, INT4_MAX - 1, INT4_MAX]) await take(id);
      expect([await assignedId(), await assignedId(), await assignedId()]).toEqual([INT4_MAX - 3, INT4_MAX - 2, 78]);
    });

    test('lie together for the products of one request', async () => {
      await take(INT4_MAX - 2);
      expect(await several(3)).toEqual([78, 79, 80]);
      await take(INT4_MAX);
      expect(await several(2)).toEqual([81, 82]);
    });

    test('are none that the same request chooses', async () => {
      await take(INT4_MAX);
      const sent = [{ product_name: 'a' }, { id: 78, product_name: 'b' }, { product_name: 'c' }];
      const prefer = { prefer: 'return=representation, missing=default' };
      const answer = await catalogue.fetch('/products?columns=id,product_name', sendJson('POST', sent, prefer));
      expect(ids((await answer.json()) as never)).toEqual([79, 78, 80]);
    });

    test('begin with 1 where nothing else is left', async () => {
      await catalogue.fetch('/products?id=gt.0', { method: 'DELETE' });
      await take(INT4_MAX);
      await take(-7);
      expect(await assignedId()).toBe(1);
    });

    test('are given by an update of an id, too, in an upsert, and once for an idempotency key', async () => {
      await catalogue.fetch('/products/77', sendJson('PATCH', { id: INT4_MAX }));
      const upsert = { prefer: 'return=representation, resolution=merge-duplicates' };
      const merged = await catalogue.fetch('/products', sendJson('POST', { product_name: 'New' }, upsert));
      expect({ status: merged.status, ids: ids((await merged.json()) as never) }).toEqual({ status: 201, ids: [77] });
      const once = () =>
        catalogue.fetch('/products', sendJson('POST', { product_name: 'Once' }, { 'idempotency-key': 'once' }));
      expect((await once()).headers.get('location')).toBe('/products?id=eq.78');
      expect((await once()).headers.get('location')).toBe('/products?id=eq.78');
      expect(await catalogue.list()).toHaveLength(79);
    });

    test('are found in a dry run, which stores nothing', async () => {
      await take(INT4_MAX);
      const dry = await catalogue.fetch(
        '/products',
        sendJson('POST', { product_name: 'Dry' }, { prefer: 'tx=rollback' }),
      );
      expect(dry.status).toBe(201);
      expect(await catalogue.list()).toHaveLength(78);
    });
  });

  test('beyond four bytes they are refused', async () => {
    for (const id of [INT4_MAX + 1, INT4_MIN - 1]) await expectRefusal(await post({ ...TEN_FIELDS, id }), 400, '22003');
    await expectUntouched(catalogue);
  });
});

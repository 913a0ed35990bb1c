/** The ids that products are given: after every id there ever was, and never one that was deleted. */
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

  test('after the largest none is left to give, which is said; a client can still choose one', async () => {
    await post({ ...TEN_FIELDS, id: INT4_MAX });
    const { hint } = await expectRefusal(await post({ product_name: 'One more' }), 400, '2200H');
    expect(hint).toContain('id');
    expect((await post({ ...TEN_FIELDS, id: 100 })).status).toBe(201);
    expect(await catalogue.list()).toHaveLength(79);
  });

  test('beyond four bytes they are refused', async () => {
    for (const id of [INT4_MAX + 1, INT4_MIN - 1]) await expectRefusal(await post({ ...TEN_FIELDS, id }), 400, '22003');
    await expectUntouched(catalogue);
  });
});

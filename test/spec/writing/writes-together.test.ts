/** Concurrent writes: each write is atomic, and an invalid write does not affect the writes of other clients. */
import { describe, expect, test } from 'bun:test';
import { REFERENCE_PRODUCTS, WITH_MEMORY } from '../../support/engines/catalogue.ts';
import { ids, ownCatalogue, reference, sendJson, TEN_FIELDS } from '../../support/stories.ts';

describe.each(WITH_MEMORY)('concurrent writes on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const post = (body: unknown) => catalogue.fetch('/products', sendJson('POST', body));
  const patch = (path: string, body: unknown) => catalogue.fetch(path, sendJson('PATCH', body));
  const remove = (path: string) => catalogue.fetch(path, { method: 'DELETE' });
  const many = <T>(count: number, make: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index)));
  const statuses = (answers: readonly Response[]) => answers.map(({ status }) => status);

  test('300 products without ids get 300 ids, and each Location names its own product', async () => {
    const answers = await many(300, (index) => post({ product_name: `Jar ${index}`, units_in_stock: index }));
    expect(new Set(statuses(answers))).toEqual(new Set([201]));
    const stored = await catalogue.list();
    const names = new Map(stored.map(({ id, product_name }) => [`/products?id=eq.${id}`, product_name]));
    const named = answers.map(({ headers }) => names.get(headers.get('location')!));
    expect(named).toEqual(answers.map((_, index) => `Jar ${index}`));
    const [last] = await catalogue.list(answers.at(-1)!.headers.get('location')!);
    expect(last?.product_name).toBe('Jar 299');
    expect(stored).toHaveLength(377);
  });

  test('every second write is invalid: the others are stored, the invalid ones are not', async () => {
    const answers = await many(100, (index) => {
      const good = { ...TEN_FIELDS, id: 1000 + index };
      if (index % 2 === 0) return post(good);
      // The first row is valid, and must be rolled back with the duplicate.
      return post([good, { ...TEN_FIELDS, id: 1 + (index % 77) }]);
    });
    expect(statuses(answers)).toEqual(Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? 201 : 409)));
    const expected = Array.from({ length: 50 }, (_, index) => 1000 + index * 2);
    expect(ids(await catalogue.list('/products?id=gte.1000'))).toEqual(expected);
    expect(await catalogue.list('/products?id=lt.1000')).toEqual([...REFERENCE_PRODUCTS]);
  });

  test('invalid writes of all kinds between valid ones', async () => {
    const strict = { prefer: 'handling=strict, max-affected=1' };
    const answers = await Promise.all([
      patch('/products/1', { unit_price: 101 }),
      patch('/products?id=in.(2,3)', { id: 500 }),
      patch('/products/2', { unit_price: 102 }),
      catalogue.fetch('/products?id=in.(3,4)', sendJson('PATCH', { unit_price: 0 }, strict)),
      patch('/products', [
        { id: 5, unit_price: 0 },
        { id: 5000, unit_price: 0 },
      ]),
      remove('/products/77'),
      remove('/products/7700'),
      patch('/products?id=eq.6', { product_name: null }),
      post({ ...TEN_FIELDS, id: 77 }),
      catalogue.fetch('/products/8', sendJson('PATCH', { unit_price: 0 }, { 'if-match': '"old"' })),
      catalogue.fetch('/products?id=lt.60', { method: 'DELETE', headers: { prefer: 'tx=rollback' } }),
      patch('/products/3', { unit_price: 103 }),
    ]);
    expect(statuses(answers)).toEqual([204, 409, 204, 400, 404, 204, 404, 400, 201, 412, 204, 204]);
    expect(await catalogue.list()).toEqual([
      ...[1, 2, 3].map((id) => ({ ...reference(id), unit_price: 100 + id })),
      ...REFERENCE_PRODUCTS.slice(3, 76),
      { ...TEN_FIELDS, id: 77 },
    ]);
  });

  test('exactly one of many writes with the same id succeeds', async () => {
    const answers = await many(50, (index) => post({ ...TEN_FIELDS, product_name: `Claim ${index}` }));
    const winners = answers.flatMap(({ status }, index) => (status === 201 ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(statuses(answers).filter((status) => status === 409)).toHaveLength(49);
    expect((await catalogue.list('/products?id=eq.1001'))[0]?.product_name).toBe(`Claim ${winners[0]}`);
  });

  test('exactly one of many deletes of the same product succeeds', async () => {
    const answers = await many(20, () => remove('/products/50'));
    expect(statuses(answers).sort()).toEqual([204, ...Array(19).fill(404)]);
  });

  test('a write is visible to its client immediately after the response', async () => {
    await many(60, async (index) => {
      const id = 2000 + index;
      expect((await post({ ...TEN_FIELDS, id })).status).toBe(201);
      expect((await catalogue.fetch(`/products/${id}`)).status).toBe(200);
      expect((await patch(`/products/${id}`, { units_in_stock: index })).status).toBe(204);
      expect(await catalogue.list(`/products?id=eq.${id}&select=units_in_stock`)).toEqual([{ units_in_stock: index }]);
      expect((await remove(`/products/${id}`)).status).toBe(204);
      expect((await catalogue.fetch(`/products/${id}`)).status).toBe(404);
    });
    expect(await catalogue.list()).toEqual([...REFERENCE_PRODUCTS]);
  });

  test('a reader sees either all of a write or nothing of it', async () => {
    const flip = many(20, (index) => patch('/products?id=lte.40', { reorder_level: 900 + index }));
    const seen = await many(40, () => catalogue.list('/products?id=lte.40&select=reorder_level'));
    expect(new Set(statuses(await flip))).toEqual(new Set([204]));
    seen.push(await catalogue.list('/products?id=lte.40&select=reorder_level'));
    for (const rows of seen) {
      const levels = new Set(rows.map(({ reorder_level }) => Number(reorder_level)));
      const untouched = [...levels].every((level) => level < 900);
      expect(untouched || levels.size === 1).toBe(true);
    }
    expect(seen.at(-1)?.every(({ reorder_level }) => Number(reorder_level) >= 900)).toBe(true);
  });
});

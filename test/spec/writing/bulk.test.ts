/** Bulk requests: all products of a request are created or changed, or none. */
import { describe, expect, test } from 'bun:test';
import { REFERENCE_PRODUCTS, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import {
  expectRefusal,
  expectUntouched,
  ids,
  ownCatalogue,
  reference,
  sendJson,
  TEN_FIELDS,
} from '../../support/stories.ts';

const numbered = (count: number, first: number) =>
  Array.from({ length: count }, (_, index) => ({ ...TEN_FIELDS, id: first + index, product_name: `Jar ${index}` }));

describe.each(TWO_ENGINES)('bulk requests on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const post = (body: unknown, prefer?: string) =>
    catalogue.fetch('/products', sendJson('POST', body, prefer === undefined ? {} : { prefer }));

  describe('bulk create', () => {
    test('stores the 77 reference products in an empty catalogue', async () => {
      await catalogue.fetch('/products?id=gt.0', { method: 'DELETE' });
      expect((await post(REFERENCE_PRODUCTS)).status).toBe(201);
      await expectUntouched(catalogue);
    });

    test('stores 4,000 products', async () => {
      const rows = numbered(4_000, 1000);
      expect((await post(rows)).status).toBe(201);
      expect(await catalogue.list('/products?id=gte.1000')).toEqual(rows);
    });

    test('numbers 4,000 products without ids in the order of the body', async () => {
      const rows = numbered(4_000, 0).map(({ id: _, ...rest }) => rest);
      const response = await post(rows, 'return=headers-only, count=exact');
      expect(response.status).toBe(201);
      expect(response.headers.get('content-range')).toBe('*/4000');
      expect(await catalogue.list('/products?id=gt.77')).toEqual(
        rows.map((row, index) => ({ ...row, id: 78 + index })),
      );
    });

    test('with an empty array answers 201 and stores nothing', async () => {
      expect((await post([])).status).toBe(201);
      await expectUntouched(catalogue);
    });
  });

  describe('a rejected array stores nothing', () => {
    const good = numbered(500, 2000);

    test.each([
      ['an id that exists', { ...TEN_FIELDS, id: 44 }, 409, '23505'],
      ['an id that the array has already', { ...TEN_FIELDS, id: 2004 }, 409, '23505'],
      ['a text in place of a price', { ...TEN_FIELDS, unit_price: 'dear' }, 400, '22P02'],
      ['a missing name', { ...TEN_FIELDS, product_name: null }, 400, '23502'],
      ['a field that does not exist', { ...TEN_FIELDS, colour: 'red' }, 400, 'PGRST102'],
      ['no object', 7, 400, 'PGRST102'],
      ['null', null, 400, 'PGRST102'],
    ])('because of %s, even in the last row', async (_, bad, status, code) => {
      await expectRefusal(await post([...good, bad]), status, code);
      await expectUntouched(catalogue);
    });
  });

  describe('bulk update: PATCH with an array and without a filter', () => {
    const patch = (body: unknown, prefer?: string) =>
      catalogue.fetch('/products', sendJson('PATCH', body, prefer === undefined ? {} : { prefer }));

    test('changes each product by its id, each with its own fields, and no other product', async () => {
      const response = await patch([
        { id: 70, unit_price: 16.5 },
        { id: 2, units_in_stock: 0, units_on_order: 80 },
        { id: 33, quantity_per_unit: null },
      ]);
      expect(response.status).toBe(204);
      const changes = new Map<unknown, object>([
        [70, { unit_price: 16.5 }],
        [2, { units_in_stock: 0, units_on_order: 80 }],
        [33, { quantity_per_unit: null }],
      ]);
      expect(await catalogue.list()).toEqual(
        REFERENCE_PRODUCTS.map((product) => ({ ...product, ...changes.get(product.id) })),
      );
    });

    test('return=representation returns each changed product in the order of the body', async () => {
      const response = await patch(
        [{ id: 9, discontinued: 0 }, { id: 4, discontinued: 1 }, { id: 5 }],
        'return=representation',
      );
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual([
        { ...reference(9), discontinued: 0 },
        { ...reference(4), discontinued: 1 },
        reference(5),
      ]);
    });

    test('an id that does not exist rejects the whole request, and the error names it', async () => {
      const problem = await expectRefusal(
        await patch([
          { id: 1, unit_price: 1 },
          { id: 808, unit_price: 1 },
          { id: 2, unit_price: 1 },
        ]),
        404,
        'CAT404',
      );
      expect(problem.message).toContain('808');
      expect(problem.details).toContain('row 2');
      await expectUntouched(catalogue);
    });

    test.each([
      ['without an id', { unit_price: 2 }, '21000'],
      ['whose id is null', { id: null, unit_price: 2 }, '21000'],
      ['whose id is not an integer', { id: 'five', unit_price: 2 }, '22P02'],
      ['with a bad value', { id: 5, unit_price: 'two' }, '22P02'],
      ['that empties a required field', { id: 5, product_name: null }, '23502'],
      ['with an unknown field', { id: 5, price: 2 }, 'PGRST204'],
      ['that is not an object', 5, 'PGRST102'],
    ])('an object %s rejects the whole request', async (_, bad, code) => {
      await expectRefusal(await patch([{ id: 1, unit_price: 1 }, bad]), 400, code);
      await expectUntouched(catalogue);
    });

    test('the error for an invalid value names its row and field', async () => {
      const { details } = await expectRefusal(await patch([{ id: 1 }, { id: 2, unit_price: 'two' }]), 400, '22P02');
      expect(details).toStartWith('row 2, field unit_price:');
    });

    test('changes 2,500 products in one request', async () => {
      await post(numbered(2_500, 10_000));
      const response = await patch(
        Array.from({ length: 2_500 }, (_, index) => ({ id: 10_000 + index, units_in_stock: index })),
      );
      expect(response.status).toBe(204);
      const rows = await catalogue.list('/products?id=gte.10000&select=id,units_in_stock');
      expect(rows.filter(({ id, units_in_stock }) => units_in_stock !== Number(id) - 10_000)).toEqual([]);
      expect(rows).toHaveLength(2_500);
    });

    test('with a filter, an array of one object changes the matching products', async () => {
      const response = await catalogue.fetch('/products?category_id=eq.7', sendJson('PATCH', [{ reorder_level: 2 }]));
      expect(response.status).toBe(204);
      expect(ids(await catalogue.list('/products?reorder_level=eq.2'))).toEqual(
        ids(REFERENCE_PRODUCTS.filter(({ category_id }) => category_id === 7)),
      );
    });
  });
});

/**
 * Safe writes: no write changes every product by accident, and a write with a limit changes no more rows than
 * requested.
 */
import { describe, expect, test } from 'bun:test';
import { REFERENCE_PRODUCTS, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { expectRefusal, expectUntouched, ids, ownCatalogue, sendJson } from '../../support/stories.ts';

const DELETE = { method: 'DELETE' };
const idsBy = (
  compare: (one: (typeof REFERENCE_PRODUCTS)[number], other: (typeof REFERENCE_PRODUCTS)[number]) => number,
) => ids(REFERENCE_PRODUCTS.toSorted(compare));

describe.each(TWO_ENGINES)('writes on %s', (engine) => {
  describe('without a filter', () => {
    const catalogue = ownCatalogue(engine);

    test.each([
      '/products',
      '/products?',
      '/products?select=id',
      '/products?order=id',
      '/products?offset=5',
      '/products?columns=unit_price',
    ])('PATCH and DELETE %s are rejected, nothing changes, and the hint shows the alternative', async (path) => {
      for (const write of [DELETE, sendJson('PATCH', { unit_price: 0 })]) {
        const { details, hint } = await expectRefusal(await catalogue.fetch(path, write), 400, '21000');
        expect(details).toBe('Nothing was changed.');
        expect(hint).toContain('id=eq.1');
      }
      await expectUntouched(catalogue);
    });

    test('a filter that matches every product makes the write explicit', async () => {
      expect((await catalogue.fetch('/products?id=not.is.null', sendJson('PATCH', { discontinued: 2 }))).status).toBe(
        204,
      );
      expect(await catalogue.list('/products?discontinued=eq.2')).toHaveLength(77);
      expect((await catalogue.fetch('/products?id=not.is.null', DELETE)).status).toBe(204);
      expect(await catalogue.list()).toEqual([]);
    });

    test('a mistyped filter is rejected as such, not as a missing filter', async () => {
      await expectRefusal(await catalogue.fetch('/products?idd=eq.5', DELETE), 400, '42703');
      await expectRefusal(await catalogue.fetch('/products?id=5', DELETE), 400, 'PGRST100');
      await expectRefusal(await catalogue.fetch('/products?id', DELETE), 400, 'PGRST100');
      await expectUntouched(catalogue);
    });
  });

  describe('with an invalid pattern or search', () => {
    const catalogue = ownCatalogue(engine);

    test.each([
      ['product_name=like.*%5C', '22025'],
      ['product_name=match.(', '2201B'],
      ['product_name=fts.a%20b', '42601'],
      ['product_name=fts(klingon).a', '42704'],
    ])('%s are rejected as a client error, not as a database failure', async (filter, code) => {
      for (const write of [DELETE, sendJson('PATCH', { unit_price: 0 })]) {
        await expectRefusal(await catalogue.fetch(`/products?${filter}`, write), 400, code);
      }
      await expectUntouched(catalogue);
    });

    test('of several mistakes the first is reported', async () => {
      const [search, pattern] = ['product_name=fts.a%20b', 'quantity_per_unit=match.('];
      for (const init of [{}, DELETE]) {
        await expectRefusal(await catalogue.fetch(`/products?${search}&${pattern}`, init), 400, '42601');
        await expectRefusal(await catalogue.fetch(`/products?${pattern}&${search}`, init), 400, '2201B');
      }
    });
  });

  describe('with the setting that allows them', () => {
    const catalogue = ownCatalogue(engine, { allowUnfilteredWrites: true });

    test('PATCH without a filter changes every product', async () => {
      expect((await catalogue.fetch('/products', sendJson('PATCH', { reorder_level: 1 }))).status).toBe(204);
      expect(await catalogue.list()).toEqual(REFERENCE_PRODUCTS.map((product) => ({ ...product, reorder_level: 1 })));
    });

    test('DELETE without a filter removes every product', async () => {
      expect((await catalogue.fetch('/products', DELETE)).status).toBe(204);
      expect(await catalogue.list()).toEqual([]);
    });
  });

  describe('with a limit', () => {
    const catalogue = ownCatalogue(engine);
    const byPrice = idsBy(
      (one, other) => Number(other.unit_price) - Number(one.unit_price) || Number(one.id) - Number(other.id),
    );

    test('DELETE with a limit and no filter removes the first by id', async () => {
      expect((await catalogue.fetch('/products?limit=3', DELETE)).status).toBe(204);
      expect(ids(await catalogue.list())).toEqual(ids(REFERENCE_PRODUCTS).slice(3));
    });

    test('DELETE with an order removes the first in that order', async () => {
      await catalogue.fetch('/products?order=unit_price.desc&limit=5', DELETE);
      expect(ids(await catalogue.list('/products?order=unit_price.desc'))).toEqual(byPrice.slice(5));
    });

    test('PATCH with an order, an offset and a limit changes just that page', async () => {
      const prefer = { prefer: 'return=representation, count=exact' };
      const response = await catalogue.fetch(
        '/products?order=unit_price.desc&limit=4&offset=10&select=id',
        sendJson('PATCH', { discontinued: 8 }, prefer),
      );
      expect(response.status).toBe(200);
      expect(response.headers.get('content-range')).toBe('0-3/4');
      expect(ids(await catalogue.list('/products?discontinued=eq.8&order=unit_price.desc'))).toEqual(
        byPrice.slice(10, 14),
      );
    });

    test('ties in the order are resolved by id', async () => {
      await catalogue.fetch('/products?order=discontinued.desc&limit=4', DELETE);
      expect(ids(await catalogue.list('/products?discontinued=neq.0'))).toEqual([17, 24, 28, 29, 42, 53]);
    });

    test('a limit applies only to products that match the filter', async () => {
      await catalogue.fetch('/products?category_id=eq.1&limit=2&offset=1', DELETE);
      const beverages = ids(REFERENCE_PRODUCTS.filter(({ category_id }) => category_id === 1));
      expect(ids(await catalogue.list('/products?category_id=eq.1'))).toEqual([beverages[0]!, ...beverages.slice(3)]);
      expect(await catalogue.list()).toHaveLength(75);
    });

    test('an offset with a filter skips the first matches', async () => {
      await catalogue.fetch('/products?discontinued=neq.0&offset=8', DELETE);
      expect(ids(await catalogue.list('/products?discontinued=neq.0'))).toEqual([1, 2, 5, 9, 17, 24, 28, 29]);
    });

    test('limit=0 and an offset past the end change nothing', async () => {
      for (const bound of ['limit=0', 'limit=5&offset=77', 'id=gt.0&offset=1000']) {
        expect((await catalogue.fetch(`/products?${bound}`, DELETE)).status).toBe(204);
      }
      await expectUntouched(catalogue);
    });

    test('a limit larger than the number of matches changes all matches', async () => {
      await catalogue.fetch('/products?category_id=eq.6&limit=1000', sendJson('PATCH', { category_id: 60 }));
      expect(await catalogue.list('/products?category_id=eq.60')).toHaveLength(6);
    });

    test('an invalid limit is rejected, not ignored', async () => {
      for (const bound of ['limit=all', 'limit=3&order=price', 'limit=3&order=id.up']) {
        const { status } = await catalogue.fetch(`/products?id=gt.0&${bound}`, DELETE);
        expect(status).toBe(400);
      }
      await expectRefusal(await catalogue.fetch('/products?id=gt.0&limit=-1', DELETE), 416, 'PGRST103');
      await expectRefusal(await catalogue.fetch('/products?limit=-1'), 416, 'PGRST103');
      await expectUntouched(catalogue);
    });
  });
});

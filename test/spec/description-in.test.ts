/**
 * The description, the `in` filter: it returns the existing records with one of the listed values, in ascending id
 * order.
 */
import { describe, expect, test } from 'bun:test';
import { ENGINES, REFERENCE_PRODUCTS } from '../support/catalogue.ts';
import { expectRefusal, ids, ownCatalogue, sendJson, sharedCatalogue, TEN_FIELDS } from '../support/stories.ts';

const FIELDS = Object.keys(TEN_FIELDS);

describe.each(Object.keys(ENGINES))('the description, in.(…), on %s', (engine) => {
  describe('over the reference products', () => {
    const catalogue = sharedCatalogue(engine);

    test.each(FIELDS)('%s=in.(…) returns the products with one of the listed values', async (field) => {
      const wanted = [70, 3, 45].map((id) => REFERENCE_PRODUCTS[id - 1]![field]!);
      expect(await catalogue.list(`/products?${field}=in.(${wanted.join(',')})`)).toEqual(
        REFERENCE_PRODUCTS.filter((product) => wanted.includes(product[field]!)),
      );
    });

    test.each(FIELDS)('%s=in.(…) with one value is the same as eq', async (field) => {
      const value = REFERENCE_PRODUCTS[30]![field];
      expect(await catalogue.list(`/products?${field}=in.(${value})`)).toEqual(
        await catalogue.list(`/products?${field}=eq.${value}`),
      );
    });

    describe('behaviour 1: only records that exist', () => {
      test.each(FIELDS)('a listed value of %s that matches no record adds nothing', async (field) => {
        const value = REFERENCE_PRODUCTS[58]![field];
        const absent = typeof value === 'number' ? [-4711, 999_999] : ['Bread', 'No such thing'];
        expect(await catalogue.list(`/products?${field}=in.(${absent[0]},${value},${absent[1]})`)).toEqual(
          REFERENCE_PRODUCTS.filter((product) => product[field] === value),
        );
      });

      test('if no listed value matches, the response is 200 and an empty array', async () => {
        const response = await catalogue.fetch('/products?id=in.(78,79,80)');
        expect(response.status).toBe(200);
        expect(await response.json()).toEqual([]);
      });

      test('a value listed twice returns its record once', async () => {
        expect(ids(await catalogue.list('/products?id=in.(6,6,6)'))).toEqual([6]);
      });

      test('an empty list returns nothing', async () => {
        expect(await catalogue.list('/products?id=in.()')).toEqual([]);
      });
    });

    describe('behaviour 2: ascending id order', () => {
      test('for any order of the list', async () => {
        expect(ids(await catalogue.list('/products?id=in.(71,8,33,2,50)'))).toEqual([2, 8, 33, 50, 71]);
      });

      test('on a text field', async () => {
        expect(ids(await catalogue.list('/products?product_name=in.(Tunnbröd,Konbu,Ikura)'))).toEqual([10, 13, 23]);
      });

      test('if one value matches many records', async () => {
        const found = ids(await catalogue.list('/products?category_id=in.(8,3)'));
        expect(found).toEqual(found.toSorted((one, other) => one - other));
        expect(found).toHaveLength(25);
      });
    });

    describe('syntax of text values', () => {
      test('without quotes, with spaces', async () => {
        const found = await catalogue.list('/products?product_name=in.(Aniseed Syrup,Filo Mix,Röd Kaviar)');
        expect(ids(found)).toEqual([3, 52, 73]);
      });

      test('percent-encoded, or with a plus for a space', async () => {
        const found = await catalogue.list('/products?product_name=in.(P%C3%A2t%C3%A9%20chinois,Alice+Mutton)');
        expect(ids(found)).toEqual([17, 55]);
      });

      test('in double quotes, which may contain commas and parentheses', async () => {
        expect(ids(await catalogue.list('/products?product_name=in.("Chai",Chang)'))).toEqual([1, 2]);
        expect(await catalogue.list('/products?product_name=in.("Chai,Chang","(Tofu)")')).toEqual([]);
      });

      test('with an unescaped apostrophe', async () => {
        expect(ids(await catalogue.list("/products?product_name=in.(Sirop d'érable,Sir Rodney's Scones)"))).toEqual([
          21, 61,
        ]);
      });
    });

    test('an unclosed list, or a value that is not a list, is rejected', async () => {
      for (const filter of ['in.(1,2', 'in.1,2', 'in.', 'in', 'in.[1,2]']) {
        await expectRefusal(await catalogue.fetch(`/products?id=${filter}`), 400, 'PGRST100');
      }
    });
  });

  describe('over created products', () => {
    const catalogue = ownCatalogue(engine);
    const create = (...products: object[]) => catalogue.fetch('/products', sendJson('POST', products));

    test('records created later with a smaller id come first', async () => {
      await create(TEN_FIELDS, { ...TEN_FIELDS, id: -3 });
      expect(ids(await catalogue.list('/products?id=in.(1001,1,-3)'))).toEqual([-3, 1, 1001]);
    });

    test('an empty text is found with other values; alone it is an empty list, as in PostgREST', async () => {
      await create({ ...TEN_FIELDS, quantity_per_unit: '' });
      expect(ids(await catalogue.list('/products?quantity_per_unit=in.("","10 pkgs.")'))).toEqual([48, 1001]);
      expect(await catalogue.list('/products?quantity_per_unit=in.("")')).toEqual([]);
    });

    test('quoted names with commas, quotes, backslashes and parentheses are found', async () => {
      const names = ['Salt, fine', 'The "best" tea', 'back\\slash', '(unnamed)', ' spaced '];
      await create(...names.map((product_name, index) => ({ ...TEN_FIELDS, id: 200 + index, product_name })));
      for (const [index, name] of names.entries()) {
        const quoted = `"${name.replace(/["\\]/g, '\\$&')}"`;
        const found = await catalogue.list(`/products?product_name=in.(${encodeURIComponent(quoted)},Chai)`);
        expect(ids(found)).toEqual([1, 200 + index]);
      }
    });
  });
});

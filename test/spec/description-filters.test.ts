/** The description, filters: eq, neq and is.null on all ten fields, alone and together. */
import { describe, expect, test } from 'bun:test';
import type { Value } from '../../src/collection/value.ts';
import { ENGINES, REFERENCE_PRODUCTS } from '../support/catalogue.ts';
import { expectRefusal, ids, ownCatalogue, sendJson, sharedCatalogue, TEN_FIELDS } from '../support/stories.ts';

const FIELDS = Object.keys(TEN_FIELDS);
const REQUIRED = ['id', 'product_name', 'discontinued'];
const OPTIONAL = FIELDS.filter((field) => !REQUIRED.includes(field));

const valuesOf = (field: string) => [...new Set(REFERENCE_PRODUCTS.map((product) => product[field] as Value))];
const productsWhere = (holds: (product: (typeof REFERENCE_PRODUCTS)[number]) => boolean) =>
  REFERENCE_PRODUCTS.filter(holds);
/** A value of each field that no reference product has. */
const ABSENT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FIELDS.map((field) => [field, '-4711'])),
  product_name: 'No such product',
  quantity_per_unit: '0 boxes',
  unit_price: '0.0001',
};

describe.each(Object.keys(ENGINES))('the description, filters, on %s', (engine) => {
  describe('over the reference products', () => {
    const catalogue = sharedCatalogue(engine);
    const filtered = async (...filters: readonly (readonly [string, string])[]) => {
      const query = filters.map(([field, filter]) => `${field}=${encodeURIComponent(filter)}`).join('&');
      const response = await catalogue.fetch(`/products?${query}`);
      expect(response.status).toBe(200);
      return response.json();
    };

    test.each(FIELDS)(
      '%s=eq.<value> returns exactly the products with that value, for each existing value',
      async (field) => {
        for (const value of valuesOf(field)) {
          expect(await filtered([field, `eq.${value}`])).toEqual(productsWhere((product) => product[field] === value));
        }
      },
    );

    test.each(FIELDS)('%s=neq.<value> returns exactly the products with another value', async (field) => {
      for (const value of valuesOf(field)) {
        expect(await filtered([field, `neq.${value}`])).toEqual(productsWhere((product) => product[field] !== value));
      }
    });

    test.each(FIELDS)('%s=eq.<a value no product has> returns 200 and an empty array', async (field) => {
      expect(await filtered([field, `eq.${ABSENT[field]}`])).toEqual([]);
    });

    test.each(FIELDS)('%s=neq.<a value no product has> returns every product', async (field) => {
      expect(await filtered([field, `neq.${ABSENT[field]}`])).toEqual([...REFERENCE_PRODUCTS]);
    });

    test.each(FIELDS)('%s=is.null returns 200 and an empty array if no value is null', async (field) => {
      expect(await filtered([field, 'is.null'])).toEqual([]);
    });

    test('neq that matches nothing returns 200 and an empty array', async () => {
      expect(await filtered(['id', 'eq.14'], ['product_name', 'neq.Tofu'])).toEqual([]);
    });

    test('several filters apply together', async () => {
      const found = await filtered(['category_id', 'eq.4'], ['supplier_id', 'neq.5'], ['unit_price', 'eq.34']);
      expect(found).toEqual(
        productsWhere(
          ({ category_id, supplier_id, unit_price }) => category_id === 4 && supplier_id !== 5 && unit_price === 34,
        ),
      );
      expect(found).toHaveLength(1);
    });

    test('one field can be filtered twice', async () => {
      expect(await filtered(['discontinued', 'neq.0'], ['discontinued', 'neq.1'])).toEqual([]);
    });

    test.each([
      ['spaces as they are', 'eq.Chef Anton%27s Gumbo Mix', 5],
      ['a plus for a space', 'eq.Gravad+lax', 37],
      ['%20 for a space', 'eq.Tarte%20au%20sucre', 62],
      ['letters outside ASCII as they are', 'eq.Rössle Sauerkraut', 28],
      ['letters outside ASCII percent-encoded', 'eq.C%C3%B4te%20de%20Blaye', 38],
      ['a dash', 'eq.NuNuCa Nuß-Nougat-Creme', 25],
    ])('a text value may be written with %s', async (_, filter, id) => {
      expect(ids(await catalogue.list(`/products?product_name=${filter}`))).toEqual([id]);
    });

    test('a text value may contain dots, commas, quotes and parentheses', async () => {
      expect(ids(await catalogue.list('/products?quantity_per_unit=eq.10 pkgs.'))).toEqual([48]);
      expect(await filtered(['product_name', 'eq.a,b'])).toEqual([]);
      expect(await filtered(['product_name', 'eq."(quoted)"'])).toEqual([]);
    });

    test('a price is compared as a number, in any notation', async () => {
      for (const written of ['62.5', '62.50', '062.5', '6.25e1', '+62.5']) {
        expect(ids((await filtered(['unit_price', `eq.${written}`])) as never)).toEqual([18]);
      }
    });

    test('text is compared exactly, including case and spaces', async () => {
      expect(await filtered(['product_name', 'eq.tofu'])).toEqual([]);
      expect(await filtered(['product_name', 'eq.Tofu '])).toEqual([]);
    });

    test('an unknown field is rejected, and the error names the nearest one', async () => {
      const { hint } = await expectRefusal(await catalogue.fetch('/products?unit_prize=eq.4'), 400, '42703');
      expect(hint).toContain('unit_price');
    });

    test('a value without an operator is rejected, and the error shows the correct syntax', async () => {
      const { hint } = await expectRefusal(await catalogue.fetch('/products?category_id=4'), 400, 'PGRST100');
      expect(hint).toContain('category_id=eq.4');
    });

    test.each(['equals.4', 'EQ.4', 'eq4', 'eq', '.4', '='])('the operator of "%s" is rejected', async (filter) => {
      await expectRefusal(await catalogue.fetch(`/products?category_id=${filter}`), 400, 'PGRST100');
    });

    test.each(FIELDS.filter((field) => typeof TEN_FIELDS[field as 'id'] === 'number'))(
      'a word is not a value of %s',
      async (field) => {
        for (const filter of ['eq.many', 'neq.many', 'in.(1,many)', 'eq.']) {
          await expectRefusal(await catalogue.fetch(`/products?${field}=${filter}`), 400, '22P02');
        }
      },
    );

    test('an integer beyond four bytes is not a value of an integer field', async () => {
      await expectRefusal(await catalogue.fetch('/products?units_in_stock=eq.2147483648'), 400, '22003');
    });
  });

  describe('with null values', () => {
    const catalogue = ownCatalogue(engine);

    test.each(OPTIONAL)(
      '%s=is.null returns exactly the products without a value, and eq and neq never return them',
      async (field) => {
        const unknown = { ...TEN_FIELDS, [field]: null };
        expect((await catalogue.fetch('/products', sendJson('POST', unknown))).status).toBe(201);
        expect(await catalogue.list(`/products?${field}=is.null`)).toEqual([unknown]);
        const known = TEN_FIELDS[field as keyof typeof TEN_FIELDS];
        for (const filter of [`eq.${known}`, `neq.${known}`, `in.(${known})`]) {
          expect(ids(await catalogue.list(`/products?${field}=${filter}`))).not.toContain(TEN_FIELDS.id);
        }
      },
    );
  });
});

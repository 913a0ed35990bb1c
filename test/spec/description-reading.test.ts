/** The description, reading: one product by id, the list, the ten fields, the reference data. */
import { describe, expect, test } from 'bun:test';
import { ENGINES, REFERENCE_PRODUCTS } from '../support/catalogue.ts';
import { ids, reference, sharedCatalogue } from '../support/stories.ts';

const FIELDS = {
  id: 'integer',
  product_name: 'string',
  discontinued: 'integer',
  supplier_id: 'integer',
  category_id: 'integer',
  quantity_per_unit: 'string',
  unit_price: 'number',
  units_in_stock: 'integer',
  units_on_order: 'integer',
  reorder_level: 'integer',
};

function typeAsSent(value: unknown): string {
  return Number.isInteger(value) ? 'integer' : typeof value;
}

describe.each(Object.keys(ENGINES))('the description, reading, on %s', (engine) => {
  const catalogue = sharedCatalogue(engine);

  describe('GET /products/<id>', () => {
    test.each([1, 9, 38, 61, 77])('product %d returns 200 and one object, not a list', async (id) => {
      const response = await catalogue.fetch(`/products/${id}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await response.json()).toEqual(reference(id));
    });

    test('every product of the list can be read by its id', async () => {
      for (const product of await catalogue.list()) {
        expect(await (await catalogue.fetch(`/products/${product.id}`)).json()).toEqual(product);
      }
    });
  });

  describe('GET /products', () => {
    test('returns 200 and a JSON array of products', async () => {
      const response = await catalogue.fetch('/products');
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await response.json()).toEqual([...REFERENCE_PRODUCTS]);
    });

    test('needs no credentials, and treats a trailing question mark as no filter', async () => {
      expect(await catalogue.list('/products?')).toHaveLength(77);
    });

    test('returns ascending id order by default', async () => {
      expect(ids(await catalogue.list())).toEqual(Array.from({ length: 77 }, (_, index) => index + 1));
    });

    test('returns 200 and an empty array if nothing matches', async () => {
      const response = await catalogue.fetch('/products?product_name=eq.Bread&units_in_stock=eq.3');
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('[]');
    });
  });

  describe('the fields of a product', () => {
    test('are the ten of the description, in its order', async () => {
      for (const product of await catalogue.list()) expect(Object.keys(product)).toEqual(Object.keys(FIELDS));
    });

    test.each(Object.entries(FIELDS))('%s is sent as %s', async (field, type) => {
      const accepted = type === 'number' ? ['integer', 'number'] : [type];
      for (const product of await catalogue.list()) expect(accepted).toContain(typeAsSent(product[field]));
    });

    test('a price without cents has no decimal point, and a price with cents is a fraction', async () => {
      expect(await (await catalogue.fetch('/products?id=eq.20&select=unit_price')).text()).toBe('[{"unit_price":81}]');
      expect(await (await catalogue.fetch('/products?id=eq.29&select=unit_price')).text()).toBe(
        '[{"unit_price":123.79}]',
      );
    });
  });

  describe('the reference data set', () => {
    test('holds 77 products', async () => {
      expect(await catalogue.list()).toHaveLength(77);
    });

    test('has 10 products with a non-zero discontinued', async () => {
      const discontinued = await catalogue.list('/products?discontinued=neq.0');
      expect(ids(discontinued)).toEqual([1, 2, 5, 9, 17, 24, 28, 29, 42, 53]);
    });

    test('has no null unit_price', async () => {
      const response = await catalogue.fetch('/products?unit_price=is.null');
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual([]);
    });

    test('preserves the letters of its names in every alphabet', async () => {
      const [frankfurter] = await catalogue.list('/products?id=eq.77');
      expect(frankfurter?.product_name).toBe('Original Frankfurter grüne Soße');
    });
  });
});

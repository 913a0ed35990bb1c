/** The description, writing: create, update and delete, and the effect on later reads. */
import { describe, expect, test } from 'bun:test';
import { ENGINES, REFERENCE_PRODUCTS } from '../support/catalogue.ts';
import { ids, ownCatalogue, reference, sendJson, TEN_FIELDS } from '../support/stories.ts';

/** A new value for each field except the id. */
const CHANGES = {
  product_name: 'Renamed, with a comma',
  discontinued: 3,
  supplier_id: 99,
  category_id: 44,
  quantity_per_unit: 'one by one',
  unit_price: 0.05,
  units_in_stock: -2,
  units_on_order: 1234567,
  reorder_level: 0,
};

describe.each(Object.keys(ENGINES))('the description, writing, on %s', (engine) => {
  const catalogue = ownCatalogue(engine);

  describe('POST /products', () => {
    test('a product with all ten fields: 201', async () => {
      const response = await catalogue.fetch('/products', sendJson('POST', TEN_FIELDS));
      expect(response.status).toBe(201);
      expect(await response.text()).toBe('');
      expect(response.headers.get('location')).toBe('/products?id=eq.1001');
    });

    test('the product then appears in the list, which has one more product', async () => {
      await catalogue.fetch('/products', sendJson('POST', TEN_FIELDS));
      expect(await catalogue.list()).toEqual([...REFERENCE_PRODUCTS, TEN_FIELDS]);
    });

    test('the product then appears in the id=eq.<id> filter and at its URL', async () => {
      await catalogue.fetch('/products', sendJson('POST', { ...TEN_FIELDS, id: 345 }));
      expect(await catalogue.list('/products?id=eq.345')).toEqual([{ ...TEN_FIELDS, id: 345 }]);
      expect(await (await catalogue.fetch('/products/345')).json()).toEqual({ ...TEN_FIELDS, id: 345 });
    });

    test('a product without an id gets one, and Location names it', async () => {
      const { id: _, ...unnumbered } = TEN_FIELDS;
      const response = await catalogue.fetch('/products', sendJson('POST', unnumbered));
      expect(response.status).toBe(201);
      expect(await catalogue.list(response.headers.get('location')!)).toEqual([{ ...TEN_FIELDS, id: 78 }]);
    });

    test('a product needs only its name: other fields are null, and it is not discontinued', async () => {
      await catalogue.fetch('/products', sendJson('POST', { product_name: 'Plain' }));
      const empty = Object.fromEntries(Object.keys(TEN_FIELDS).map((field) => [field, null]));
      expect(await catalogue.list('/products?id=gt.77')).toEqual([
        { ...empty, id: 78, product_name: 'Plain', discontinued: 0 },
      ]);
    });

    test('the order of the fields in the body does not matter', async () => {
      const reversed = Object.fromEntries(Object.entries(TEN_FIELDS).reverse());
      await catalogue.fetch('/products', sendJson('POST', reversed));
      expect(await (await catalogue.fetch('/products/1001')).text()).toBe(JSON.stringify(TEN_FIELDS));
    });
  });

  describe('PATCH /products?<filter>', () => {
    test('returns 204 and no body', async () => {
      const response = await catalogue.fetch('/products?id=eq.8', sendJson('PATCH', { product_name: 'Cranberries' }));
      expect(response.status).toBe(204);
      expect(await response.text()).toBe('');
    });

    test.each(Object.entries(CHANGES))(
      '%s changes on the matching record, and no other field does',
      async (name, value) => {
        await catalogue.fetch('/products?id=eq.52', sendJson('PATCH', { [name]: value }));
        expect(await catalogue.list('/products?id=eq.52')).toEqual([{ ...reference(52), [name]: value }]);
        expect(await catalogue.list('/products?id=neq.52')).toEqual(REFERENCE_PRODUCTS.filter(({ id }) => id !== 52));
      },
    );

    test('all fields can change at once', async () => {
      await catalogue.fetch('/products?id=eq.9', sendJson('PATCH', CHANGES));
      expect(await catalogue.list('/products?id=eq.9')).toEqual([{ id: 9, ...CHANGES }]);
    });

    test('a later GET with the same filter returns the new values', async () => {
      const filter = '/products?category_id=in.(1,7)&discontinued=eq.0';
      const before = await catalogue.list(filter);
      await catalogue.fetch(filter, sendJson('PATCH', { reorder_level: 17, quantity_per_unit: 'crates' }));
      const expected = before.map((product) => ({ ...product, reorder_level: 17, quantity_per_unit: 'crates' }));
      expect(expected.length).toBeGreaterThan(10);
      expect(await catalogue.list(filter)).toEqual(expected);
    });

    test('a filter that matches nothing changes nothing and returns 204', async () => {
      const response = await catalogue.fetch('/products?id=eq.5000', sendJson('PATCH', { unit_price: 1 }));
      expect(response.status).toBe(204);
      expect(await catalogue.list()).toEqual([...REFERENCE_PRODUCTS]);
    });

    test.each(['product_name=eq.Konbu', 'unit_price=eq.6', 'product_name=in.(Konbu,No such)'])(
      'the filter may use any field: %s',
      async (filter) => {
        await catalogue.fetch(`/products?${filter}`, sendJson('PATCH', { units_on_order: 77 }));
        expect(ids(await catalogue.list('/products?units_on_order=eq.77'))).toEqual([13]);
      },
    );

    test('is.null matches products without a price, which can then be set', async () => {
      await catalogue.fetch('/products?id=in.(4,40)', sendJson('PATCH', { unit_price: null }));
      expect(ids(await catalogue.list('/products?unit_price=is.null'))).toEqual([4, 40]);
      await catalogue.fetch('/products?unit_price=is.null', sendJson('PATCH', { unit_price: 3.2 }));
      expect(ids(await catalogue.list('/products?unit_price=eq.3.2'))).toEqual([4, 40]);
    });
  });

  describe('DELETE /products?<filter>', () => {
    test('returns 204 and no body', async () => {
      const response = await catalogue.fetch('/products?id=eq.64', { method: 'DELETE' });
      expect(response.status).toBe(204);
      expect(await response.text()).toBe('');
    });

    test('a later list does not contain the product, and has one product fewer', async () => {
      await catalogue.fetch('/products?id=eq.64', { method: 'DELETE' });
      expect(await catalogue.list()).toEqual(REFERENCE_PRODUCTS.filter(({ id }) => id !== 64));
      expect((await catalogue.fetch('/products/64')).status).toBe(404);
    });

    test.each([
      ['discontinued=neq.0', 10],
      ['category_id=eq.5&supplier_id=neq.26', 5],
      ['id=in.(1,2,3,400)', 3],
      ['unit_price=is.null', 0],
    ])('?%s: the list has as many products fewer as were removed, %d', async (filter, removed) => {
      expect((await catalogue.fetch(`/products?${filter}`, { method: 'DELETE' })).status).toBe(204);
      expect(await catalogue.list(`/products?${filter}`)).toEqual([]);
      expect(await catalogue.list()).toHaveLength(77 - removed);
    });

    test('a created product can be deleted and created again', async () => {
      await catalogue.fetch('/products', sendJson('POST', TEN_FIELDS));
      await catalogue.fetch('/products?id=eq.1001', { method: 'DELETE' });
      expect(await catalogue.list()).toHaveLength(77);
      expect((await catalogue.fetch('/products', sendJson('POST', TEN_FIELDS))).status).toBe(201);
      expect(await catalogue.list()).toHaveLength(78);
    });
  });
});

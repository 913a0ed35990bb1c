/** One product at its own URL: read, update, replace, delete. */
import { describe, expect, test } from 'bun:test';
import { ENGINES, REFERENCE_PRODUCTS } from '../../support/engines/catalogue.ts';
import {
  expectRefusal,
  expectUntouched,
  ownCatalogue,
  reference,
  send,
  sendJson,
  TEN_FIELDS,
} from '../../support/stories.ts';

const { id: _, ...UNNUMBERED } = TEN_FIELDS;
const mergePatch = (body: unknown) => send('PATCH', 'application/merge-patch+json', JSON.stringify(body));

describe.each(Object.keys(ENGINES))('the URL of one product on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const read = async (id: number) => (await catalogue.fetch(`/products/${id}`)).json();

  describe('GET and HEAD', () => {
    test('HEAD has the status and headers of GET, and no body', async () => {
      const got = await catalogue.fetch('/products/31');
      const head = await catalogue.fetch('/products/31', { method: 'HEAD' });
      expect(head.status).toBe(200);
      expect(await head.text()).toBe('');
      for (const name of ['etag', 'content-type']) expect(head.headers.get(name)).toBe(got.headers.get(name)!);
    });

    test('select chooses the returned fields', async () => {
      const response = await catalogue.fetch('/products/31?select=product_name,price:unit_price');
      expect(await response.json()).toEqual({ product_name: 'Gorgonzola Telino', price: 12.5 });
    });

    test('a filter that does not match the product gives 404', async () => {
      expect((await catalogue.fetch('/products/1?discontinued=eq.1')).status).toBe(200);
      await expectRefusal(await catalogue.fetch('/products/1?discontinued=eq.0'), 404, 'CAT404');
    });
  });

  describe('of a product that does not exist', () => {
    const absent = ['78', '0', '-1', '2147483647', '-2147483648'];

    test.each(absent)('%s: every method except OPTIONS returns 404', async (id) => {
      await expectRefusal(await catalogue.fetch(`/products/${id}`), 404, 'CAT404');
      expect((await catalogue.fetch(`/products/${id}`, { method: 'HEAD' })).status).toBe(404);
      await expectRefusal(
        await catalogue.fetch(`/products/${id}`, sendJson('PATCH', { unit_price: 1 })),
        404,
        'CAT404',
      );
      await expectRefusal(await catalogue.fetch(`/products/${id}`, sendJson('PUT', UNNUMBERED)), 404, 'CAT404');
      await expectRefusal(await catalogue.fetch(`/products/${id}`, { method: 'DELETE' }), 404, 'CAT404');
      await expectUntouched(catalogue);
    });
  });

  describe('with an invalid id', () => {
    test.each([
      ['tofu', '22P02'],
      ['1.5', '22P02'],
      ['1e1', '22P02'],
      ['%201x', '22P02'],
      ['eq.1', '22P02'],
      ['%00', '22021'],
      ['2147483648', '22003'],
      ['-2147483649', '22003'],
      ['99999999999999999999999', '22003'],
    ])('%s: 400 for every method', async (id, code) => {
      await expectRefusal(await catalogue.fetch(`/products/${id}`), 400, code);
      expect((await catalogue.fetch(`/products/${id}`, { method: 'HEAD' })).status).toBe(400);
      await expectRefusal(await catalogue.fetch(`/products/${id}`, sendJson('PATCH', { unit_price: 1 })), 400, code);
      await expectRefusal(await catalogue.fetch(`/products/${id}`, sendJson('PUT', UNNUMBERED)), 400, code);
      await expectRefusal(await catalogue.fetch(`/products/${id}`, { method: 'DELETE' }), 400, code);
      await expectUntouched(catalogue);
    });
  });

  describe('PATCH', () => {
    test('returns 204 and changes only the given fields', async () => {
      const response = await catalogue.fetch('/products/12', sendJson('PATCH', { unit_price: 39.5, reorder_level: 3 }));
      expect(response.status).toBe(204);
      expect(await response.text()).toBe('');
      expect(await read(12)).toEqual({ ...reference(12), unit_price: 39.5, reorder_level: 3 });
      expect(await catalogue.list('/products?id=neq.12')).toEqual(REFERENCE_PRODUCTS.filter(({ id }) => id !== 12));
    });

    test('return=representation returns the changed product', async () => {
      const change = sendJson('PATCH', { units_in_stock: 0 }, { prefer: 'return=representation' });
      const response = await catalogue.fetch('/products/12', change);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual([{ ...reference(12), units_in_stock: 0 }]);
    });

    test('a JSON merge patch (RFC 7396) sets fields, and null clears them', async () => {
      const response = await catalogue.fetch(
        '/products/12',
        mergePatch({ units_on_order: 8, quantity_per_unit: null }),
      );
      expect(response.status).toBe(204);
      expect(await read(12)).toEqual({ ...reference(12), units_on_order: 8, quantity_per_unit: null });
    });

    test('a merge patch that clears a required field is rejected', async () => {
      const { message } = await expectRefusal(
        await catalogue.fetch('/products/12', mergePatch({ product_name: null })),
        400,
        '23502',
      );
      expect(message).toContain('product_name');
      await expectUntouched(catalogue);
    });

    test.each(['application/json', 'application/merge-patch+json'])(
      'an empty patch (%s) changes nothing',
      async (type) => {
        const response = await catalogue.fetch('/products/12', send('PATCH', type, '{}'));
        expect(response.status).toBe(204);
        await expectUntouched(catalogue);
        await expectRefusal(await catalogue.fetch('/products/500', send('PATCH', type, '{}')), 404, 'CAT404');
      },
    );

    test('the id can change, unless another product has the new id', async () => {
      expect((await catalogue.fetch('/products/12', sendJson('PATCH', { id: 1200 }))).status).toBe(204);
      expect(await read(1200)).toEqual({ ...reference(12), id: 1200 });
      expect((await catalogue.fetch('/products/12')).status).toBe(404);
      await expectRefusal(await catalogue.fetch('/products/1200', sendJson('PATCH', { id: 13 })), 409, '23505');
    });
  });

  describe('PUT', () => {
    test('replaces the whole product: missing fields take their default', async () => {
      const response = await catalogue.fetch('/products/5', sendJson('PUT', { product_name: 'Gumbo', unit_price: 20 }));
      expect(response.status).toBe(204);
      const empty = Object.fromEntries(Object.keys(TEN_FIELDS).map((field) => [field, null]));
      expect(await read(5)).toEqual({ ...empty, id: 5, product_name: 'Gumbo', discontinued: 0, unit_price: 20 });
    });

    test('the body may repeat the id of the URL', async () => {
      expect((await catalogue.fetch('/products/5', sendJson('PUT', { ...TEN_FIELDS, id: 5 }))).status).toBe(204);
      expect(await read(5)).toEqual({ ...TEN_FIELDS, id: 5 });
    });

    test('a different id in the body is rejected', async () => {
      await expectRefusal(await catalogue.fetch('/products/5', sendJson('PUT', TEN_FIELDS)), 400, 'PGRST115');
      await expectUntouched(catalogue);
    });

    test('a missing required field is rejected, and the error names it', async () => {
      const { details } = await expectRefusal(
        await catalogue.fetch('/products/5', sendJson('PUT', { unit_price: 3 })),
        400,
        '23502',
      );
      expect(details).toContain('product_name');
      await expectUntouched(catalogue);
    });

    test('sent twice has the same effect as sent once', async () => {
      const once = await catalogue.fetch('/products/5', sendJson('PUT', UNNUMBERED));
      const twice = await catalogue.fetch('/products/5', sendJson('PUT', UNNUMBERED));
      expect([once.status, twice.status]).toEqual([204, 204]);
      expect(await read(5)).toEqual({ ...UNNUMBERED, id: 5 });
    });
  });

  describe('DELETE', () => {
    test('returns 204 and removes only this product', async () => {
      const response = await catalogue.fetch('/products/40', { method: 'DELETE' });
      expect(response.status).toBe(204);
      expect(await catalogue.list()).toEqual(REFERENCE_PRODUCTS.filter(({ id }) => id !== 40));
    });

    test('the second time returns 404', async () => {
      await catalogue.fetch('/products/40', { method: 'DELETE' });
      await expectRefusal(await catalogue.fetch('/products/40', { method: 'DELETE' }), 404, 'CAT404');
      expect(await catalogue.list()).toHaveLength(76);
    });

    test('return=representation returns the deleted product', async () => {
      const headers = { prefer: 'return=representation' };
      const response = await catalogue.fetch('/products/40', { method: 'DELETE', headers });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual([reference(40)]);
    });
  });
});

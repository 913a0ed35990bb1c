/** Prefer (RFC 7240): the response content, counting, limits on changed rows, and dry runs. */
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

describe.each(TWO_ENGINES)('preferences on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const write = (method: string, path: string, prefer: string, body?: unknown) =>
    catalogue.fetch(path, body === undefined ? { method, headers: { prefer } } : sendJson(method, body, { prefer }));
  const applied = (response: Response) => (response.headers.get('preference-applied') ?? '').split(', ').sort();

  describe('return', () => {
    test('minimal, or no preference: no body', async () => {
      for (const prefer of ['return=minimal', 'count=exact']) {
        const response = await write('PATCH', '/products?id=eq.1', prefer, { unit_price: 19 });
        expect(response.status).toBe(204);
        expect(await response.text()).toBe('');
      }
    });

    test('headers-only: Location of the new product, and no body', async () => {
      const response = await write('POST', '/products', 'return=headers-only', TEN_FIELDS);
      expect(response.status).toBe(201);
      expect(response.headers.get('location')).toBe('/products?id=eq.1001');
      expect(await response.text()).toBe('');
    });

    test('representation: the current rows, with the fields that select names', async () => {
      const path = '/products?id=in.(5,4)&select=id,unit_price&order=id.desc';
      const response = await write('PATCH', path, 'return=representation', { unit_price: 2.5 });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual([
        { id: 5, unit_price: 2.5 },
        { id: 4, unit_price: 2.5 },
      ]);
      expect(applied(response)).toEqual(['return=representation']);
    });

    test('representation of deleted rows: their last state', async () => {
      const response = await write('DELETE', '/products?id=eq.20', 'return=representation');
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual([reference(20)]);
    });

    test('representation of an update without matches: an empty list', async () => {
      const response = await write('PATCH', '/products?id=eq.2000', 'return=representation', { unit_price: 2.5 });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual([]);
    });
  });

  describe('count', () => {
    test('exact: the number of written rows', async () => {
      const changed = await write('PATCH', '/products?discontinued=neq.0', 'count=exact', { reorder_level: 0 });
      expect(changed.headers.get('content-range')).toBe('0-9/10');
      const removed = await write('DELETE', '/products?discontinued=neq.0', 'count=exact');
      expect(removed.headers.get('content-range')).toBe('*/10');
      expect(applied(removed)).toEqual(['count=exact']);
    });

    test.each(['planned', 'estimated'])('%s: the exact total of a small list', async (kind) => {
      const response = await catalogue.fetch('/products?limit=5', { headers: { prefer: `count=${kind}` } });
      expect(response.headers.get('content-range')).toMatch(/^0-4\/\d+$/);
      expect(applied(response)).toEqual([`count=${kind}`]);
    });
  });

  describe('resolution', () => {
    const rows = [{ ...TEN_FIELDS, id: 3, product_name: 'Syrup' }, TEN_FIELDS];

    test('merge-duplicates updates existing products and creates the others', async () => {
      const response = await write('POST', '/products', 'resolution=merge-duplicates', rows);
      expect(response.status).toBe(201);
      expect(applied(response)).toEqual(['resolution=merge-duplicates']);
      expect(await catalogue.list('/products?id=in.(3,1001)')).toEqual(rows);
    });

    test('merge-duplicates does not change missing fields', async () => {
      const change = [{ id: 3, product_name: 'Syrup' }];
      expect((await write('POST', '/products', 'resolution=merge-duplicates', change)).status).toBe(200);
      expect(await catalogue.list('/products?id=eq.3')).toEqual([{ ...reference(3), product_name: 'Syrup' }]);
    });

    test('ignore-duplicates keeps existing products and creates the others', async () => {
      const prefer = 'resolution=ignore-duplicates, return=representation';
      expect(ids((await (await write('POST', '/products', prefer, rows)).json()) as never)).toEqual([1001]);
      expect(await catalogue.list('/products?id=in.(3,1001)')).toEqual([reference(3), TEN_FIELDS]);
    });
  });

  describe('missing', () => {
    test('default: a field in columns that the object lacks takes its default, not null', async () => {
      const path = '/products?columns=product_name,discontinued,unit_price';
      await expectRefusal(await write('POST', path, 'missing=null', { product_name: 'Tea' }), 400, '23502');
      expect((await write('POST', path, 'missing=default', { product_name: 'Tea' })).status).toBe(201);
      expect(await catalogue.list('/products?id=gt.77&select=discontinued,unit_price')).toEqual([
        { discontinued: 0, unit_price: null },
      ]);
    });
  });

  describe('max-affected', () => {
    const strict = (count: number) => `handling=strict, max-affected=${count}`;

    test('with strict handling, a write that matches more rows is rejected, and nothing changes', async () => {
      const tooMany = await write('DELETE', '/products?discontinued=neq.0', strict(9));
      const { details } = await expectRefusal(tooMany, 400, 'PGRST124');
      expect(details).toContain('10');
      await expectRefusal(await write('PATCH', '/products?id=lt.4', strict(2), { unit_price: 0 }), 400, 'PGRST124');
      await expectUntouched(catalogue);
    });

    test('a write up to the limit is applied, and Preference-Applied names the preference', async () => {
      const response = await write('DELETE', '/products?discontinued=neq.0', strict(10));
      expect(response.status).toBe(204);
      expect(applied(response)).toEqual(['handling=strict', 'max-affected=10']);
      expect(await catalogue.list()).toHaveLength(67);
    });

    test('without strict handling it is ignored, and Preference-Applied does not name it', async () => {
      const response = await write('DELETE', '/products?discontinued=neq.0', 'max-affected=1');
      expect(response.status).toBe(204);
      expect(response.headers.get('preference-applied')).toBeNull();
    });

    test('limit keeps a write below it', async () => {
      expect((await write('DELETE', '/products?discontinued=neq.0&limit=9', strict(9))).status).toBe(204);
      expect(await catalogue.list()).toHaveLength(68);
    });
  });

  describe('handling', () => {
    test.each(['return=everything', 'count=all', 'max-affected=few', 'colour=red', 'tx=maybe', 'respond-async'])(
      'strict: %s is rejected and named; lenient: it is ignored',
      async (unknown) => {
        const { details } = await expectRefusal(
          await write('DELETE', '/products?id=eq.1', `handling=strict, ${unknown}`),
          400,
          'PGRST122',
        );
        expect(details).toContain(unknown);
        await expectUntouched(catalogue);
        expect((await write('DELETE', '/products?id=eq.1', `handling=lenient, ${unknown}`)).status).toBe(204);
        expect((await write('DELETE', '/products?id=eq.2', unknown)).status).toBe(204);
      },
    );

    test('strict also applies to reads', async () => {
      const headers = { prefer: 'handling=strict, count=roughly' };
      await expectRefusal(await catalogue.fetch('/products', { headers }), 400, 'PGRST122');
    });
  });

  describe('tx=rollback: a dry run', () => {
    test.each([
      ['GET', '/products?id=eq.1', undefined],
      ['POST', '/products', { product_name: 'Tea' }],
      ['PUT', '/products?id=eq.1', { id: 1, product_name: 'Tea' }],
      ['PATCH', '/products?id=eq.1', { product_name: 'Tea' }],
      ['PATCH', '/products/1', { product_name: 'Tea' }],
      ['DELETE', '/products?id=eq.1', undefined],
    ])('%s %s names it in Preference-Applied', async (method, path, body) => {
      for (const tx of ['tx=rollback', 'tx=commit']) {
        const response = await write(method, path, `${tx}, handling=strict`, body);
        expect(response.headers.get('preference-applied')).toBe(`${tx}, handling=strict`);
      }
    });

    test.each([
      ['POST', '/products', TEN_FIELDS, 201],
      ['POST', '/products', [TEN_FIELDS, { ...TEN_FIELDS, id: 1002 }], 201],
      ['PATCH', '/products?discontinued=neq.0', { unit_price: 0 }, 200],
      ['PATCH', '/products', [{ id: 5, unit_price: 0 }], 200],
      ['PUT', '/products?id=eq.5', { ...TEN_FIELDS, id: 5 }, 200],
      ['PATCH', '/products/5', { unit_price: 0 }, 200],
      ['PUT', '/products/5', { ...TEN_FIELDS, id: 5 }, 200],
      ['DELETE', '/products?id=lt.70', undefined, 200],
      ['DELETE', '/products/5', undefined, 200],
    ])('%s %s returns the same response as the real write, and stores nothing', async (method, path, body, status) => {
      const dry = await write(method, path, 'tx=rollback, return=representation', body);
      expect(dry.status).toBe(status);
      const said = await dry.json();
      await expectUntouched(catalogue);
      const real = await write(method, path, 'return=representation', body);
      expect(real.status).toBe(status);
      expect(await real.json()).toEqual(said);
      expect(await catalogue.list()).not.toEqual([...REFERENCE_PRODUCTS]);
    });

    test('errors are still detected', async () => {
      await expectRefusal(await write('POST', '/products', 'tx=rollback', { ...TEN_FIELDS, id: 7 }), 409, '23505');
      await expectRefusal(await write('DELETE', '/products/700', 'tx=rollback'), 404, 'CAT404');
    });
  });
});

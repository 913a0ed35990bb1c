/** Methods and paths: allowed methods, cross-origin access, and errors for unknown paths. */
import { describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { expectRefusal, sendJson, sharedCatalogue } from '../../support/stories.ts';

const ON_THE_COLLECTION = 'OPTIONS, GET, HEAD, POST, PUT, PATCH, DELETE';
const ON_A_PRODUCT = 'OPTIONS, GET, HEAD, PUT, PATCH, DELETE';

describe.each(TWO_ENGINES)('methods and paths on %s', (engine) => {
  const catalogue = sharedCatalogue(engine);

  describe('a method that the path does not support', () => {
    test.each(['PROPFIND', 'TRACE', 'LOCK', 'QUERY'])(
      '%s: 405, and Allow names the supported methods',
      async (method) => {
        for (const [path, allow] of [
          ['/products', ON_THE_COLLECTION],
          ['/products/5', ON_A_PRODUCT],
        ] as const) {
          const response = await catalogue.fetch(path, { method });
          expect(response.headers.get('allow')).toBe(allow);
          await expectRefusal(response, 405, 'PGRST117');
        }
      },
    );

    test('POST to a product: 405, whether it exists or not', async () => {
      for (const path of ['/products/5', '/products/5000']) {
        const response = await catalogue.fetch(path, sendJson('POST', { product_name: 'Tea' }));
        expect(response.headers.get('allow')).toBe(ON_A_PRODUCT);
        await expectRefusal(response, 405, 'PGRST117');
      }
    });

    test('PUT to the collection without the id of one product: 405', async () => {
      const products = { id: 5, product_name: 'Tea' };
      for (const query of ['', '?id=gt.5', '?id=eq.5&unit_price=eq.3', '?product_name=eq.Tea', '?id=in.(5)']) {
        const response = await catalogue.fetch(`/products${query}`, sendJson('PUT', products));
        expect(response.headers.get('allow')).not.toContain('PUT');
        await expectRefusal(response, 405, 'PGRST105');
      }
    });
  });

  describe('OPTIONS', () => {
    test.each([
      ['/products', ON_THE_COLLECTION],
      ['/products/5', ON_A_PRODUCT],
      ['/products?id=eq.5', ON_THE_COLLECTION],
    ])('%s: 200, no body, Allow: %s', async (path, allow) => {
      const response = await catalogue.fetch(path, { method: 'OPTIONS' });
      expect(response.status).toBe(200);
      expect(response.headers.get('allow')).toBe(allow.replaceAll(' ', ''));
      expect(await response.text()).toBe('');
    });

    test('a path that does not exist: 404', async () => {
      await expectRefusal(await catalogue.fetch('/suppliers', { method: 'OPTIONS' }), 404, 'PGRST205');
    });
  });

  describe('a page from another origin', () => {
    const origin = { origin: 'https://shop.example' };
    const listed = (header: string | null) => (header ?? '').toLowerCase().split(/, */);

    test('may read every response, including errors, and the relevant headers', async () => {
      const answers = [
        await catalogue.fetch('/products?limit=1', { headers: origin }),
        await catalogue.fetch('/products/1', { headers: origin }),
        await catalogue.fetch('/products/1', { method: 'HEAD', headers: origin }),
        await catalogue.fetch('/products/1', { headers: { ...origin, 'if-none-match': '*' } }),
        await catalogue.fetch('/products?id=eq.0', sendJson('PATCH', { unit_price: 1 }, origin)),
        await catalogue.fetch('/products?nothing=eq.1', { headers: origin }),
        await catalogue.fetch('/nowhere', { headers: origin }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 304, 204, 400, 404]);
      for (const { headers } of answers) {
        expect(headers.get('access-control-allow-origin')).toBe('*');
        const exposed = listed(headers.get('access-control-expose-headers'));
        for (const name of ['content-range', 'location', 'etag', 'preference-applied']) expect(exposed).toContain(name);
      }
    });

    test.each(['POST', 'PATCH', 'PUT', 'DELETE'])('gets permission in a preflight for %s', async (method) => {
      const response = await catalogue.fetch('/products', {
        method: 'OPTIONS',
        headers: {
          ...origin,
          'access-control-request-method': method,
          'access-control-request-headers': 'content-type, prefer, x-own',
        },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(listed(response.headers.get('access-control-allow-methods'))).toContain(method.toLowerCase());
      expect(listed(response.headers.get('access-control-allow-headers'))).toContain('x-own');
      expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0);
    });

    test('gets the allowed headers if its preflight names none', async () => {
      const response = await catalogue.fetch('/products', {
        method: 'OPTIONS',
        headers: { ...origin, 'access-control-request-method': 'PATCH' },
      });
      const allowed = listed(response.headers.get('access-control-allow-headers'));
      for (const name of ['content-type', 'prefer', 'range', 'if-match', 'idempotency-key']) {
        expect(allowed).toContain(name);
      }
    });
  });

  describe('a path that does not exist', () => {
    test.each([
      ['/product', 'products'],
      ['/Products', 'products'],
      ['/produkts', 'products'],
      ['/', '/products'],
      ['/suppliers', '/products'],
    ])('%s: 404, and a hint that names %s', async (path, hinted) => {
      const { hint } = await expectRefusal(await catalogue.fetch(path), 404, 'PGRST205');
      expect(hint).toContain(hinted);
    });

    test.each(['/products/', '/products/1/', '/products/1/name', '/v1/products', '//products', '/rpc/a/b', '/rpc/'])(
      '%s: 404, and a hint that lists the existing paths',
      async (path) => {
        const { hint } = await expectRefusal(await catalogue.fetch(path), 404, 'PGRST125');
        expect(hint).toContain('/products');
      },
    );

    test('the error for a function says that the service has no functions', async () => {
      const { hint } = await expectRefusal(await catalogue.fetch('/rpc/total', { method: 'POST' }), 404, 'PGRST202');
      await expectRefusal(await catalogue.fetch('/rpc/total?a=1'), 404, 'PGRST202');
      expect(hint).toBe('There are no functions here. Declare queries.');
    });

    test('a write to it is rejected in the same way', async () => {
      await expectRefusal(await catalogue.fetch('/product?id=eq.1', { method: 'DELETE' }), 404, 'PGRST205');
      await expectRefusal(
        await catalogue.fetch('/products/', sendJson('POST', { product_name: 'x' })),
        404,
        'PGRST125',
      );
    });

    test('a path in invalid UTF-8 is rejected with 400', async () => {
      await expectRefusal(await catalogue.fetch('/products/%ff'), 400, '22021');
      await expectRefusal(await catalogue.fetch('/%c3%28'), 400, '22021');
    });
  });

  describe('HEAD', () => {
    const counted = { prefer: 'count=exact' };

    test.each([
      ['/products', {}],
      ['/products', counted],
      ['/products?limit=5&offset=3', counted],
      ['/products?discontinued=neq.0&order=unit_price.desc', {}],
      ['/products?id=eq.0', counted],
      ['/products/17', {}],
      ['/products/17?select=id', { accept: 'text/csv' }],
      ['/products?limit=3&offset=1000', counted],
      ['/products/1700', {}],
      ['/products?idd=eq.4', {}],
      ['/nowhere', {}],
    ])('%s returns the headers of GET without a body', async (path, headers) => {
      const got = await catalogue.fetch(path, { headers });
      const head = await catalogue.fetch(path, { method: 'HEAD', headers });
      expect(head.status).toBe(got.status);
      // The HTTP server adds Content-Length to a GET response when it sends the body.
      const { 'content-length': length, ...sent } = Object.fromEntries(head.headers);
      expect(sent).toEqual(Object.fromEntries(got.headers));
      expect(await head.text()).toBe('');
      const body = await got.arrayBuffer();
      expect(body.byteLength).toBeGreaterThan(0);
      expect(length).toBe(String(body.byteLength));
    });
  });
});

/** The service behind a proxy that adds a path prefix: every URL in a response includes the prefix. */
import { afterAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { MAX_PREFIX_LENGTH } from '../../../src/base/limits/http.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import { consolePages, startPath } from '../../../src/console/pages.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { firstPage } from '../../../src/http/pages.ts';
import { describe as describeCatalogue } from '../../../src/openapi/described.ts';
import { openApiPages } from '../../../src/openapi/pages.ts';
import { ENGINES, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { expectRefusal, ownCatalogue, sendJson, sharedCatalogue, TEN_FIELDS } from '../../support/stories.ts';

const forwarded = (prefix: string, more: Record<string, string> = {}) => ({
  headers: { 'x-forwarded-prefix': prefix, ...more },
});
const linksOf = (response: Response) =>
  Object.fromEntries(
    [...(response.headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url, rel]) => [rel, url]),
  );

describe.each(TWO_ENGINES)('X-Forwarded-Prefix on %s', (engine) => {
  const catalogue = ownCatalogue(engine);

  test('is prepended to every URL of a list', async () => {
    const response = await catalogue.fetch('/products?limit=5&offset=5', forwarded('/api'));
    expect(response.headers.get('content-location')).toBe('/api/products?limit=5&offset=5');
    const { first, prev, next } = linksOf(response);
    expect([first, prev]).toEqual(['/api/products?limit=5', '/api/products?limit=5']);
    expect(next).toStartWith('/api/products?');
    expect(response.headers.get('vary')!.split(', ')).toContain('X-Forwarded-Prefix');
  });

  test('is prepended to the URL of a created product, and to URLs in hints', async () => {
    const created = await catalogue.fetch('/products', sendJson('POST', TEN_FIELDS, forwarded('/api').headers));
    expect(created.headers.get('location')).toBe('/api/products?id=eq.1001');
    const init = sendJson('PATCH', { unit_price: 1 }, { 'if-match': '"x"', ...forwarded('/api').headers });
    const { hint } = await expectRefusal(await catalogue.fetch('/products?id=eq.1', init), 412, 'CAT412');
    expect(hint).toContain('/api/products/<id>');
    const lost = await expectRefusal(await catalogue.fetch('/nowhere/at/all', forwarded('/api')), 404, 'PGRST125');
    expect(lost.hint).toContain('Available: /api/products,');
  });

  test('of one client never appears in a response to another client', async () => {
    const prefixes = ['/one', '/two', '/one/two', undefined];
    for (let time = 0; time < 4; time++) {
      for (const prefix of prefixes) {
        const response = await catalogue.fetch('/products?limit=3', prefix === undefined ? {} : forwarded(prefix));
        expect(response.headers.get('content-location')).toBe(`${prefix ?? ''}/products?limit=3`);
        const tag = { 'if-none-match': response.headers.get('etag')! };
        const known = await catalogue.fetch(
          '/products?limit=3',
          prefix === undefined ? { headers: tag } : forwarded(prefix, tag),
        );
        expect(known.status).toBe(304);
        expect(known.headers.get('content-location')).toBe(`${prefix ?? ''}/products?limit=3`);
      }
    }
  });

  test.each([
    ['/api/', '/api'],
    ['/', ''],
    ['', ''],
    ['/a/b.c/d_e~f-9', '/a/b.c/d_e~f-9'],
    ['/outer, /inner', '/outer/inner'],
    ['/outer/,/inner/', '/outer/inner'],
  ])('%p is normalized to %p', async (header, prefix) => {
    const response = await catalogue.fetch('/products?limit=1', forwarded(header));
    expect(response.headers.get('content-location')).toBe(`${prefix}/products?limit=1`);
  });

  test.each([
    '//evil.example',
    '/a//b',
    'api',
    'https://evil.example/',
    '/../secret',
    '/a/..',
    '/./a',
    '/<script>',
    '/a"b',
    '/a>; rel="next", </b',
    '/a b',
    '/a?b',
    '/a%0d%0ab',
    '/é',
    `/${'a'.repeat(MAX_PREFIX_LENGTH)}`,
  ])('%p is rejected, and changes nothing', async (header) => {
    await expectRefusal(await catalogue.fetch('/products?limit=1', forwarded(header)), 400, 'CAT400');
    const post = sendJson('POST', TEN_FIELDS, { 'x-forwarded-prefix': header });
    await expectRefusal(await catalogue.fetch('/products', post), 400, 'CAT400');
    expect(await catalogue.list()).toHaveLength(77);
  });

  test('a retried write through another prefix is treated as the same write', async () => {
    const send = (prefix: string) =>
      catalogue.fetch(
        '/products',
        sendJson('POST', TEN_FIELDS, { 'idempotency-key': 'k', 'x-forwarded-prefix': prefix }),
      );
    expect((await send('/one')).headers.get('location')).toBe('/one/products?id=eq.1001');
    const again = await send('/two');
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(again.headers.get('location')).toBe('/two/products?id=eq.1001');
  });
});

describe.each(TWO_ENGINES)('a base path on %s', (engine) => {
  const catalogue = sharedCatalogue(engine, { basePath: '/shop/api' });

  test.each([
    ['a proxy that leaves it', '/shop/api/products?limit=2', undefined, '/shop/api/products?limit=2'],
    ['a proxy that strips it', '/products?limit=2', undefined, '/shop/api/products?limit=2'],
    ['a proxy that strips it and says so', '/products?limit=2', '/shop/api', '/shop/api/products?limit=2'],
    ['a proxy before that one', '/shop/api/products?limit=2', '/all', '/all/shop/api/products?limit=2'],
    ['a proxy that strips something else', '/products?limit=2', '/other', '/other/products?limit=2'],
    ['supabase-js', '/shop/api/rest/v1/products?limit=2', undefined, '/shop/api/rest/v1/products?limit=2'],
  ])('%s', async (_, path, prefix, seen) => {
    for (let time = 0; time < 3; time++) {
      const response = await catalogue.fetch(path, prefix === undefined ? {} : forwarded(prefix));
      expect(response.status).toBe(200);
      expect(response.headers.get('content-location')).toBe(seen);
      expect(linksOf(response).next).toStartWith(`${seen}&`);
    }
  });

  test('a path that only starts with the same characters is not below it', async () => {
    await expectRefusal(await catalogue.fetch('/shop/apis/products'), 404, 'PGRST125');
    await expectRefusal(await catalogue.fetch('/shop/products'), 404, 'PGRST125');
    await expectRefusal(await catalogue.fetch('/shop/api/shop/api/products'), 404, 'PGRST125');
  });
});

describe.each(TWO_ENGINES)('/rest/v1, the path that supabase-js uses, on %s', (engine) => {
  const catalogue = ownCatalogue(engine);

  test('serves every path of the service', async () => {
    expect(await catalogue.list('/rest/v1/products')).toHaveLength(77);
    expect((await catalogue.fetch('/rest/v1/products/1')).status).toBe(200);
    const created = await catalogue.fetch('/rest/v1/products', sendJson('POST', TEN_FIELDS));
    expect([created.status, created.headers.get('location')]).toEqual([201, '/rest/v1/products?id=eq.1001']);
    const location = await catalogue.list(created.headers.get('location')!);
    expect(location).toEqual([TEN_FIELDS]);
    await expectRefusal(await catalogue.fetch('/rest/v2/products'), 404, 'PGRST125');
    await expectRefusal(await catalogue.fetch('/rest/v1/prodcts'), 404, 'PGRST205');
  });
});

describe('pages behind a prefix', () => {
  const described = describeCatalogue(BUILT_IN);
  const pages = firstPage(openApiPages(described, startPath), consolePages(described));
  const engines: Engine[] = [];
  afterAll(() => Promise.all(engines.map((engine) => engine.close())));
  const app = async (basePath = '') => {
    const engine = await ENGINES.SQLite!();
    engines.push(engine);
    const { fetch } = createApp({
      catalogue: BUILT_IN.catalogue,
      engine,
      maxBodyBytes: 1024,
      allowUnfilteredWrites: false,
      basePath,
      pages,
    });
    return async (path: string, init?: RequestInit) => fetch(new Request(`http://catalogue${path}`, init));
  };
  const serversOf = async (response: Response) =>
    ((await response.json()) as { servers: { url: string }[] }).servers.slice(0, 1);

  test('the OpenAPI document names the server URL that the client sees', async () => {
    const ask = await app('/api');
    const basePath = async (response: Response) => ((await response.json()) as { basePath: string }).basePath;
    const urls: readonly [string, RequestInit | undefined, string][] = [
      ['', undefined, '/api'],
      ['/api', undefined, '/api'],
      ['', forwarded('/other'), '/other'],
      ['/rest/v1', undefined, '/api/rest/v1'],
    ];
    for (const [before, init, url] of urls) {
      expect(await serversOf(await ask(`${before}/openapi.json`, init))).toEqual([{ url }]);
      expect(await basePath(await ask(`${before}/`, init))).toBe(url);
    }
    expect(await basePath(await ask('/api'))).toBe('/api');
    expect(await serversOf(await (await app())('/openapi.json'))).toEqual([{ url: '/' }]);
  });

  test('each of many prefixes gets its own URLs', async () => {
    const ask = await app();
    for (let time = 0; time < 2; time++) {
      for (let index = 0; index < 20; index++) {
        const response = await ask('/openapi.json', forwarded(`/p${index}`));
        expect(await serversOf(response)).toEqual([{ url: `/p${index}` }]);
        expect(response.headers.get('vary')!.split(', ')).toContain('X-Forwarded-Prefix');
      }
    }
  });

  test('a browser is redirected to the console below the prefix', async () => {
    const accept = 'text/html,application/xhtml+xml';
    const ask = await app('/api');
    expect((await ask('/', { headers: { accept } })).headers.get('location')).toBe('/api/console');
    expect((await ask('/', forwarded('/b', { accept }))).headers.get('location')).toBe('/b/console');
  });

  test.each(['/console', '/console/', '/docs'])('%s loads its scripts from a relative path', async (page) => {
    const ask = await app();
    // Resolves the URLs like a browser behind a proxy that the service does not know.
    const html = await (await ask(page)).text();
    const scripts = [...html.matchAll(/ src="([^"]+)"/g)].map(
      ([, src]) => new URL(src!, `http://x/api${page}`).pathname,
    );
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) {
      expect(script).toStartWith('/api/console/assets/');
      expect((await ask(script.slice('/api'.length))).status).toBe(200);
    }
  });
});

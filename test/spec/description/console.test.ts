/** The pages of the console and of the API reference, as the service delivers them. */
import { afterAll, describe, expect, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../../src/base/errors.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { products } from '../../../src/collection/products.ts';
import { type Assets, packAssets, unpackAssets } from '../../../src/console/assets.ts';
import { buildAssets } from '../../../src/console/bundle.ts';
import { loadCachedBundle } from '../../../src/console/bundle-cache.ts';
import { consolePages } from '../../../src/console/pages.ts';
import { storeFile } from '../../../src/http/stored-file.ts';
import { callOf } from '../../support/call.ts';
import { DESCRIBED } from '../../support/openapi.ts';
import { cleanUp, temporaryFolder } from '../../support/processes/process.ts';

afterAll(cleanUp);

const built = await buildAssets();
const pages = consolePages(DESCRIBED);
const ask = async (path: string, init?: RequestInit): Promise<Response> =>
  (await pages(path, { call: callOf(new Request(`http://catalogue${path}`, init)) }))!;
const scriptsOf = (html: string) =>
  [...html.matchAll(/<script type="module" src="([^"]+)"/g)].map(
    ([, src]) => new URL(src!, 'http://catalogue/console').pathname,
  );

/** The size limits of the console and of the API reference page, in transferred bytes. */
const MAX_CONSOLE_BYTES = 400_000;
/** The limit of the scripts and styles that every page loads at first, and of the fonts. */
const MAX_FIRST_BYTES = 200_000;
const MAX_FONT_BYTES = 60_000;
const MAX_REFERENCE_BYTES = 520_000;

test.each(['/console', '/docs'])('%s cannot be framed by another page, and sends no referrer', async (path) => {
  const { headers } = await ask(path);
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
});

describe('the console', () => {
  test('has a content security policy that allows only its own scripts and styles', async () => {
    const response = await ask('/console');
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toContain('unsafe');
    const nonce = /'nonce-(\w+)'/.exec(policy)![1]!;
    expect(await response.text()).toContain(`<style nonce="${nonce}">`);
    expect((await ask('/console')).headers.get('content-security-policy')).not.toBe(policy);
  });

  test.each(['/console', '/console/', '/console/c/products', '/console/c/products/a%2Fb'])(
    '%s loads the same files relative to its own address',
    async (path) => {
      const html = await (await ask(path)).text();
      const files = [...html.matchAll(/(?:src=|rel="stylesheet" href=|url\()"([^"]+)"/g)].map(
        ([, file]) => new URL(file!, `http://catalogue/api${path}`).pathname,
      );
      expect(files.map((file) => file.slice('/api/console/assets/'.length)).sort()).toEqual(
        [...built.pages.console].sort(),
      );
    },
  );

  test('contains the complete declaration of the collections', async () => {
    const html = await (await ask('/console')).text();
    const data = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)![1]!;
    expect(JSON.parse(data)).toEqual({
      root: '.',
      collections: [JSON.parse(JSON.stringify(products.draft))],
      version: DESCRIBED.version,
    });
  });

  test('loads gzipped scripts that caches may keep forever, below the total size limit', async () => {
    for (const script of scriptsOf(await (await ask('/console')).text())) {
      const headers = { 'accept-encoding': 'gzip' };
      const response = await ask(script, { headers });
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('content-encoding')).toBe('gzip');
      const tag = response.headers.get('etag')!;
      expect((await ask(script, { headers: { ...headers, 'if-none-match': tag } })).status).toBe(304);
    }
    const { files, pages: loaded } = built;
    const others = [...loaded.docs, ...loaded.guide];
    const own = [...files].filter(([name]) => !others.includes(name));
    const sizes = await Promise.all(own.map(async ([, file]) => (await file.inCoding('gzip')).byteLength));
    const size = sizes.reduce((sum, each) => sum + each, 0);
    expect(size).toBeGreaterThan(100_000);
    expect(size).toBeLessThan(MAX_CONSOLE_BYTES);
    const isFont = (name: string) => name.endsWith('.woff2');
    const first = (isChosen: (name: string) => boolean) =>
      own.reduce((sum, [name], at) => sum + (loaded.console.includes(name) && isChosen(name) ? sizes[at]! : 0), 0);
    expect(first((name) => !isFont(name))).toBeLessThan(MAX_FIRST_BYTES);
    expect(first(isFont)).toBeGreaterThan(20_000);
    expect(first(isFont)).toBeLessThan(MAX_FONT_BYTES);
  });

  test('has a font of its own with its licence, which the policy allows', async () => {
    const page = await ask('/console');
    expect(page.headers.get('content-security-policy')).toContain("font-src 'self'");
    const [, first] = /<link rel="preload" href="([^"]+)" as="font" type="font\/woff2" crossorigin>/.exec(
      await page.text(),
    )!;
    const font = await ask(new URL(first!, 'http://catalogue/console').pathname);
    expect(font.headers.get('content-type')).toBe('font/woff2');
    // As packed in an executable.
    const bytes = new Uint8Array(await font.arrayBuffer());
    expect(unpackAssets(packAssets(built)).files.get(first!.split('/').at(-1)!)!.bytes).toEqual(bytes);
    expect(new TextDecoder().decode(bytes.slice(0, 4))).toBe('wOF2');
    expect(await (await ask('/console/assets/inter-licence.txt')).text()).toContain('SIL OPEN FONT LICENSE');
  });

  test('loads the texts of another language on demand', () => {
    const isFirst = (name: string) => built.pages.console.includes(name);
    const filesWith = (text: string) =>
      [...built.files].filter(([, { bytes }]) => new TextDecoder().decode(bytes).includes(text)).map(([name]) => name);
    expect(filesWith('Try again').some(isFirst)).toBe(true);
    expect(filesWith('Erneut versuchen').map(isFirst)).toEqual([false]);
  });

  test('accepts only reads, and has no other files', async () => {
    expect(() =>
      pages('/console', { call: callOf(new Request('http://catalogue/console', { method: 'POST' })) }),
    ).toThrow(ApiError);
    await expect(ask('/console/assets/nothing.js')).rejects.toThrow(ApiError);
    expect(pages('/nowhere', { call: callOf(new Request('http://catalogue/nowhere')) })).toBeUndefined();
  });
});

describe('the API reference', () => {
  test('loads only files of its own, and its policy allows nothing else', async () => {
    const response = await ask('/docs');
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-\w+';/);
    expect(policy).not.toContain('unsafe');
    const html = await response.text();
    const loaded = [...html.matchAll(/(?:src|rel="stylesheet" href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(loaded.length).toBeGreaterThan(1);
    // The paths are relative, so that a proxy can serve them under a prefix.
    for (const path of loaded) {
      expect((await ask(new URL(path, 'http://catalogue/docs').pathname)).status).toBe(200);
    }
    expect(html).not.toContain(' style=');
  });

  test('has a viewer below its size limit', async () => {
    const sizes = built.pages.docs.map(async (name) => (await built.files.get(name)!.inCoding('gzip')).byteLength);
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(100_000);
    expect(total).toBeLessThan(MAX_REFERENCE_BYTES);
  });

  test('redirects from its path with a trailing slash', async () => {
    const response = await ask('/docs/');
    expect([response.status, response.headers.get('location')]).toEqual([308, '../docs']);
  });
});

test('the console offers settings to roles with every right, but not to anonymous callers', async () => {
  const roles = ['admin', 'anonymous'].map((name) => ({ name, isAll: true, rules: [] }));
  const { draft } = DESCRIBED.catalogue;
  const catalogue = declareCatalogue({ ...draft, roles: [...roles, { name: 'viewer', rules: [] }] });
  const offers = async (role: string) => {
    const show = consolePages({ ...DESCRIBED, catalogue }, { accountOf: async () => ({ role }), hasSettings: true });
    const page = await show('/console', { call: callOf(new Request('http://catalogue/console')) });
    return (await page!.text()).includes('"settings":true');
  };
  expect(await Promise.all(['admin', 'anonymous', 'viewer'].map(offers))).toEqual([true, false, false]);
});

describe('the guide', () => {
  const read = async (path: string) => {
    const response = await ask(path);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    return response.text();
  };
  const linksIn = (path: string, text: string) =>
    [...text.matchAll(/(?:href|action)="([^"]+)"/g)].map(([, link]) => new URL(link!, `http://catalogue${path}`));

  test('has a page for every file of the documentation, and every link leads to a page and its heading', async () => {
    const redirected = await ask('/docs/guide');
    expect([redirected.status, redirected.headers.get('location')]).toEqual([308, './guide/index']);
    const texts = new Map<string, string>();
    const waiting = ['/docs/guide/index'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (texts.has(path)) continue;
      const text = await read(path);
      texts.set(path, text);
      for (const { host, pathname } of linksIn(path, text)) {
        if (host === 'catalogue' && pathname.startsWith('/docs/guide/')) waiting.push(pathname);
      }
    }
    expect(texts.size).toBe(Object.keys(built.guide).length);
    expect(texts.has('/docs/guide/how-to/follow-changes')).toBe(true);
    for (const [path, text] of texts) {
      for (const { protocol, pathname, hash } of linksIn(path, text)) {
        if (hash === '' || !protocol.startsWith('http') || !texts.has(pathname)) continue;
        expect(texts.get(pathname)).toContain(`id="${hash.slice(1)}"`);
      }
      for (const { pathname } of linksIn(path, text).filter(({ pathname }) => pathname.includes('/assets/'))) {
        expect((await ask(pathname)).status).toBe(200);
      }
    }
  });

  test('lists the pages by the headings of the index, in its order', async () => {
    const navigation = /<nav[\s\S]*<\/nav>/.exec(await read('/docs/guide/reference/queries'))![0];
    expect(navigation).toContain('<a href="queries" aria-current="page">');
    const groups = [...navigation.matchAll(/<ul aria-label="([^"]+)">/g)].map(([, heading]) => heading);
    expect(groups).toEqual([...built.guide.index!.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading));
    const hrefs = [...navigation.matchAll(/<li><a href="([^"]+)"/g)].map(([, href]) => href!);
    expect(hrefs.indexOf('../tutorial/pictures')).toBeLessThan(hrefs.indexOf('../how-to/follow-changes'));
  });

  test('finds the sections that contain all words, in any case', async () => {
    const found = await (await pages('/docs/guide/index', {
      call: callOf(new Request('http://catalogue/?q=DECREMENT+stock')),
    }))!.text();
    expect(found).toMatch(/<li><a href="reference\/writing#[^"]+">/);
    const odd = await (await pages('/docs/guide/index', {
      call: callOf(new Request('http://catalogue/?q=<b>zzz')),
    }))!.text();
    expect(odd).toContain('Nothing contains “&#60;b&#62;zzz”');
  });

  test.each([
    ['place an order', 'how-to/order-from-a-browser'],
    ['sign up', 'how-to/let-visitors-sign-up'],
    ['export excel', 'how-to/export-to-excel'],
  ])('finds a section whose heading has the words first: %s', async (words, page) => {
    const request = new Request(`http://catalogue/?${new URLSearchParams({ q: words })}`);
    const found = await (await pages('/docs/guide/index', { call: callOf(request) }))!.text();
    expect(/<main[\s\S]*?<li><a href="([^"#]+)/.exec(found)![1]).toBe(page);
  });

  test('a search of many words gets 400', async () => {
    const search = new URLSearchParams({ q: 'e '.repeat(200_000) });
    const response = pages('/docs/guide/index', { call: callOf(new Request(`http://catalogue/?${search}`)) })!;
    await expect(response).rejects.toMatchObject({
      code: '54000',
      message: 'a search of the guide may have 200 characters',
    });
    const again = await pages('/docs/guide/index', { call: callOf(new Request('http://catalogue/?q=undo+undo')) })!;
    expect(again.status).toBe(200);
  });

  test.each(['/docs/guide/nothing', '/docs/guide/../access', '/docs/guide/img/docs.png'])('has no %s', async (path) => {
    await expect(ask(path)).rejects.toMatchObject({ code: 'PGRST125' });
  });
});

test('assets packed for an executable are unchanged after unpacking', async () => {
  const unpacked = unpackAssets(packAssets(built));
  expect(unpacked.pages).toEqual(built.pages);
  expect(unpacked.guide).toEqual(built.guide);
  expect([...unpacked.files].map(([name, { tag }]) => [name, tag])).toEqual(
    [...built.files].map(([name, { tag }]) => [name, tag]),
  );
});

test('a build is cached for the next start, and repeated if a source has changed or the cache is damaged', async () => {
  const sources = temporaryFolder();
  const packages = temporaryFolder();
  writeFileSync(join(sources, 'page.ts'), 'one');
  const small: Assets = {
    files: new Map([['page.js', storeFile('run()', 'text/javascript')]]),
    pages: { console: ['page.js'], docs: [], guide: [] },
    guide: { first: '# First' },
  };
  let builds = 0;
  const load = () =>
    loadCachedBundle({ sources, packages }, async () => {
      builds++;
      return small;
    });
  const kept = () =>
    join(packages, '.cache/product-catalogue', readdirSync(join(packages, '.cache/product-catalogue'))[0]!);

  await load();
  expect([...(await load()).files.keys()]).toEqual(['page.js']);
  expect(builds).toBe(1);
  writeFileSync(join(sources, 'page.ts'), 'two');
  await load();
  expect(builds).toBe(2);
  writeFileSync(kept(), 'not what was kept');
  await load();
  expect(builds).toBe(3);
  await load();
  expect(builds).toBe(3);
});

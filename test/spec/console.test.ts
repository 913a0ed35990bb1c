/** The pages of the console and of the API reference, as the service hands them out. */
import { afterAll, describe, expect, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN } from '../../src/collection/built-in.ts';
import { products } from '../../src/collection/products.ts';
import { type Assets, packAssets, unpackAssets } from '../../src/console/assets.ts';
import { buildAssets } from '../../src/console/bundle.ts';
import { keptOrBuilt } from '../../src/console/kept-bundle.ts';
import { consolePages } from '../../src/console/pages.ts';
import { Refusal } from '../../src/errors.ts';
import { storeFile } from '../../src/http/stored-file.ts';
import { describe as describeCatalogue } from '../../src/openapi/described.ts';
import { cleanUp, temporaryFolder } from '../support/process.ts';

afterAll(cleanUp);

const built = await buildAssets();
const DESCRIBED = describeCatalogue(BUILT_IN);
const pages = consolePages(DESCRIBED);
const ask = async (path: string, init?: RequestInit): Promise<Response> =>
  (await pages(path, new Request(`http://catalogue${path}`, init), ''))!;
const scriptsOf = (html: string) =>
  [...html.matchAll(/<script type="module" src="([^"]+)"/g)].map(
    ([, src]) => new URL(src!, 'http://catalogue/console').pathname,
  );

/** The most the console may weigh on its way to a browser. */
const MAX_CONSOLE_BYTES = 700_000;

describe('the console', () => {
  test('comes with a policy that lets no script or style in but its own', async () => {
    const response = await ask('/console');
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toContain('unsafe');
    const nonce = /'nonce-(\w+)'/.exec(policy)![1]!;
    expect(await response.text()).toContain(`<style nonce="${nonce}">`);
    expect((await ask('/console')).headers.get('content-security-policy')).not.toBe(policy);
  });

  test('carries the declaration of the collection, whole', async () => {
    const html = await (await ask('/console')).text();
    const data = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)![1]!;
    expect(JSON.parse(data)).toEqual({ collection: JSON.parse(JSON.stringify(products)), version: DESCRIBED.version });
  });

  test('loads scripts that may be kept for ever, gzipped; all of them together are below their limit', async () => {
    for (const script of scriptsOf(await (await ask('/console')).text())) {
      const headers = { 'accept-encoding': 'gzip' };
      const response = await ask(script, { headers });
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('content-encoding')).toBe('gzip');
      const tag = response.headers.get('etag')!;
      expect((await ask(script, { headers: { ...headers, 'if-none-match': tag } })).status).toBe(304);
    }
    const { files, scripts } = built;
    const own = [...files].filter(([name]) => !scripts.docs.includes(name));
    const sizes = await Promise.all(own.map(async ([, file]) => (await file.inCoding('gzip')).byteLength));
    const size = sizes.reduce((sum, each) => sum + each, 0);
    expect(size).toBeGreaterThan(100_000);
    expect(size).toBeLessThan(MAX_CONSOLE_BYTES);
  });

  test('is read only, and has nothing else', async () => {
    expect(() => pages('/console', new Request('http://catalogue/console', { method: 'POST' }), '')).toThrow(Refusal);
    expect(ask('/console/assets/nothing.js')).rejects.toThrow(Refusal);
    expect(pages('/nowhere', new Request('http://catalogue/nowhere'), '')).toBeUndefined();
  });
});

test('the API reference loads nothing from elsewhere', async () => {
  const response = await ask('/docs');
  expect(response.headers.get('content-security-policy')).toContain(
    "script-src 'self'; style-src 'self' 'unsafe-inline'",
  );
  const scripts = scriptsOf(await response.text());
  expect(scripts).toHaveLength(2);
  for (const script of scripts) expect((await ask(script)).status).toBe(200);
});

test('assets that were packed for an executable are the same when unpacked', async () => {
  const unpacked = unpackAssets(packAssets(built));
  expect(unpacked.scripts).toEqual(built.scripts);
  expect([...unpacked.files].map(([name, { tag }]) => [name, tag])).toEqual(
    [...built.files].map(([name, { tag }]) => [name, tag]),
  );
});

test('a build is kept for the next start, and made again when a source has changed or what was kept is damaged', async () => {
  const sources = temporaryFolder();
  const packages = temporaryFolder();
  writeFileSync(join(sources, 'page.ts'), 'one');
  const small: Assets = {
    files: new Map([['page.js', storeFile('run()', 'text/javascript')]]),
    scripts: { console: ['page.js'], docs: [] },
  };
  let builds = 0;
  const load = () =>
    keptOrBuilt({ sources, packages }, async () => {
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

/** The schema in a request: the configured name is accepted, and any other name is rejected, as in PostgREST. */
import { describe, expect, test } from 'bun:test';
import { startPath } from '../../../src/console/pages.ts';
import { openApiPages } from '../../../src/openapi/pages.ts';
import { WITH_MEMORY } from '../../support/engines/catalogue.ts';
import { openDeclared, thingsOf } from '../../support/engines/shop.ts';
import { expectRefusal, expectUntouched, sendJson, sharedCatalogue } from '../../support/stories.ts';

const OTHER = { 'accept-profile': 'other', 'content-profile': 'other' };
const OWN = { 'accept-profile': 'public', 'content-profile': 'public' };
const ROW = { product_name: 'Tea' };

describe.each(WITH_MEMORY)('the schema of a request on %s', (engine) => {
  const catalogue = sharedCatalogue(engine);

  const requests: readonly [name: string, path: string, init: RequestInit][] = [
    ['GET', '/products', {}],
    ['GET of a row', '/products/1', {}],
    ['POST', '/products', sendJson('POST', ROW)],
    ['an upsert', '/products', sendJson('POST', ROW, { prefer: 'resolution=merge-duplicates' })],
    ['PATCH', '/products?id=eq.1', sendJson('PATCH', ROW)],
    ['PATCH of a row', '/products/1', sendJson('PATCH', ROW)],
    ['PUT', '/products?id=eq.1', sendJson('PUT', { id: 1, ...ROW })],
    ['DELETE', '/products?id=eq.1', { method: 'DELETE' }],
    ['a collection that does not exist', '/nothing', {}],
    ['OPTIONS', '/products', { method: 'OPTIONS' }],
  ];
  test.each(requests)('%s with the name of another schema is rejected, and changes nothing', async (_, path, init) => {
    const response = await catalogue.fetch(path, { ...init, headers: { ...init.headers, ...OTHER } });
    expect(await expectRefusal(response, 406, 'PGRST106')).toEqual({
      code: 'PGRST106',
      message: 'Invalid schema: other',
      details: null,
      hint: 'Only the following schemas are exposed: public',
    });
    await expectUntouched(catalogue);
  });

  test('HEAD is rejected', async () => {
    expect((await catalogue.fetch('/products', { method: 'HEAD', headers: OTHER })).status).toBe(406);
  });

  test('a cached response is not served for another schema', async () => {
    for (let times = 0; times < 3; times++) expect(await catalogue.list('/products?limit=3')).toHaveLength(3);
    await expectRefusal(await catalogue.fetch('/products?limit=3', { headers: OTHER }), 406, 'PGRST106');
  });

  test('the response to a request that names the schema repeats it', async () => {
    const profileOf = async (path: string, init: RequestInit = {}) =>
      (await catalogue.fetch(path, init)).headers.get('content-profile');
    for (let times = 0; times < 3; times++) {
      expect(await profileOf('/products?limit=2', { headers: OWN })).toBe('public');
      expect(await profileOf('/products?limit=2')).toBeNull();
    }
    expect(await profileOf('/products/1', { headers: OWN })).toBe('public');
    expect(await profileOf('/products', { method: 'OPTIONS', headers: OWN })).toBe('public');
    expect(await profileOf('/products', { method: 'OPTIONS', headers: { 'content-profile': 'other' } })).toBeNull();
    expect(await profileOf('/products', sendJson('POST', ROW, { prefer: 'tx=rollback', ...OWN }))).toBe('public');
    expect(await profileOf('/products', sendJson('POST', ROW, { prefer: 'tx=rollback' }))).toBeNull();
  });

  test('reads use Accept-Profile, and writes use Content-Profile', async () => {
    expect((await catalogue.fetch('/products', { headers: { ...OWN, 'content-profile': 'other' } })).status).toBe(200);
    const dryRun = { prefer: 'tx=rollback', ...OWN };
    const write = sendJson('POST', ROW, { ...dryRun, 'accept-profile': 'other' });
    expect((await catalogue.fetch('/products', write)).status).toBe(201);
  });
});

test('the description at / is rejected for another schema', async () => {
  const declaration = thingsOf({});
  const pages = openApiPages({ catalogue: declaration, rows: () => [], version: '1.0.0', license: 'MIT' }, startPath);
  const catalogue = await openDeclared('SQLite', declaration, {}, { pages });
  const described = (name: string) =>
    catalogue.fetch('/', { headers: { accept: 'application/openapi+json', 'accept-profile': name } });
  await expectRefusal(await described('other'), 406, 'PGRST106');
  const response = await described('public');
  expect([response.status, response.headers.get('content-profile')]).toEqual([200, 'public']);
  await catalogue.close();
});

test('the setting determines the schema name', async () => {
  const catalogue = await openDeclared('SQLite', thingsOf({}), {}, { schema: 'shop' });
  const named = (name: string) => catalogue.fetch('/things', { headers: { 'accept-profile': name } });
  expect((await named('shop')).status).toBe(200);
  const { hint } = await expectRefusal(await named('public'), 406, 'PGRST106');
  expect(hint).toBe('Only the following schemas are exposed: shop');
  await catalogue.close();
});

/** While PostgreSQL cannot be reached, every request that needs it gets 503, and every other one its answer. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { type SilentProxy, startSilentProxy } from '../../support/network/silent-proxy.ts';
import { gradient } from '../../support/pictures.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';

const SECRET = 'a secret of the tests, long enough for HS256';
const DECLARATION = `collections:
  products:
    fields:
      id: int4
      name: { type: text, required: true }
      image: image
      images: 'image[]'
      maker: { type: int4, references: makers }
  makers: { fields: { id: int4, name: { type: text, unique: true } } }
queries:
  of_maker: { parameters: { maker: int4 }, read: 'products?maker=eq.{maker}' }
roles: { admin: all }
`;
const NOBODY = 'cat_0000000000000000000000000000000000000000000';
const PICTURE = gradient(8, 8);
const FILE = '0b0e7a5c-0000-4000-8000-000000000000';

type Request = readonly [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>];

const NEEDS_DATABASE: readonly Request[] = [
  ['GET', '/products'],
  ['HEAD', '/products'],
  ['GET', '/products/1'],
  ['GET', '/products?select=name,makers(name)&order=name', undefined, { prefer: 'count=exact' }],
  ['GET', '/products', undefined, { accept: 'text/csv' }],
  ['GET', '/products', undefined, { accept: 'application/vnd.pgrst.plan+json' }],
  ['GET', '/products', undefined, { accept: 'text/event-stream' }],
  ['GET', '/products', undefined, { prefer: 'as-of=2026-01-01T00:00:00Z' }],
  ['POST', '/products', { name: 'Chai' }],
  ['POST', '/products', { name: 'Chai' }, { prefer: 'tx=rollback' }],
  ['POST', '/products', { name: 'Chai' }, { 'idempotency-key': 'one' }],
  ['POST', '/products', { name: 'Chai' }, { prefer: 'errors=all' }],
  ['POST', '/products', [{ name: 'Chai' }, { name: null }], { prefer: 'errors=all' }],
  ['POST', '/products?on_conflict=id', [{ id: 1, name: 'Chai' }], { prefer: 'resolution=merge-duplicates' }],
  ['PATCH', '/products', [{ id: 1, name: 'Chai' }]],
  ['PATCH', '/products', [{ id: 1, name: null }], { prefer: 'errors=all' }],
  ['PATCH', '/products?id=eq.1', { name: 'Chai' }],
  ['PATCH', '/products/1', { name: 'Chai' }, { 'if-match': '"1"' }],
  ['PATCH', '/makers/1', { name: null, id: 'x' }, { prefer: 'errors=all, tx=rollback' }],
  ['PUT', '/products/1', { id: 1, name: 'Chai' }],
  ['DELETE', '/products/1'],
  ['DELETE', '/products?id=eq.1'],
  ['GET', '/rpc/of_maker?maker=1'],
  ['POST', '/rpc/of_maker', { maker: 1 }],
  ['POST', '/batch', [{ method: 'POST', path: '/products', body: { name: 'Chai' } }]],
  ['POST', '/batch', [{ method: 'DELETE', path: '/products?id=eq.1' }], { prefer: 'tx=rollback' }],
  ['GET', '/changes'],
  ['POST', '/changes/undo?seq=eq.1'],
  ['POST', '/changes/undo?seq=eq.1', undefined, { prefer: 'tx=rollback' }],
  ['GET', '/files'],
  ['GET', `/files/${FILE}`],
  ['GET', `/files/${FILE}/tea.png?width=320`],
  ['POST', '/files', PICTURE, { 'content-type': 'image/png' }],
  ['PUT', '/products/1/image', PICTURE, { 'content-type': 'image/png' }],
  ['POST', '/products/1/images', PICTURE, { 'content-type': 'image/png' }],
  ['GET', '/catalogue/views'],
  ['POST', '/catalogue/views', { collection: 'products', name: 'Mine', query: '' }],
  ['DELETE', '/catalogue/views?name=eq.Mine'],
  ['GET', '/catalogue/presence'],
  ['POST', '/catalogue/presence', { collection: 'products', key: '1' }],
  ['POST', '/auth/login', { name: 'ada', password: 'a long password' }],
  ['GET', '/products', undefined, { authorization: `Bearer ${NOBODY}` }],
  ['GET', '/openapi.json', undefined, { authorization: `Bearer ${NOBODY}` }],
  ['GET', '/catalogue/users'],
  ['POST', '/catalogue/users', { name: 'ada', role: 'admin', password: 'a long password' }],
  ['PATCH', '/catalogue/users/ada', { role: 'admin' }],
  ['DELETE', '/catalogue/users/ada'],
  ['GET', '/catalogue/keys'],
  ['POST', '/catalogue/keys', { name: 'till', role: 'admin' }],
  ['DELETE', '/catalogue/keys/till'],
  ['PATCH', '/catalogue/declaration', { collections: { makers: { fields: { city: 'text' } } } }],
  ['PATCH', '/catalogue/declaration', { collections: { makers: { title: 'Makers' } } }, { prefer: 'tx=rollback' }],
  ['GET', '/ready'],
];

const WITHOUT_DATABASE: readonly Request[] = [
  ['GET', '/live'],
  ['GET', '/metrics'],
  ['GET', '/openapi.json'],
  ['GET', '/docs'],
  ['GET', '/docs/guide'],
  ['OPTIONS', '/products'],
  ['GET', '/catalogue/declaration'],
];

describe.each(['at the start', 'after the start'])('PostgreSQL cannot be reached %s', (moment) => {
  let proxy: SilentProxy;
  let service: Service;
  let token: string;
  beforeAll(async () => {
    const { hostname, port } = new URL(testServer.url);
    const isDown = moment === 'at the start';
    proxy = await startSilentProxy(isDown ? 1 : Number(port), hostname);
    const cwd = temporaryFolder();
    await Bun.write(join(cwd, 'collections.yaml'), DECLARATION);
    const database = Object.assign(new URL(testServer.url), { host: `127.0.0.1:${proxy.port}` }).href;
    service = await startService({
      cwd,
      args: ['--edit-declaration', '--plans', '--jwt-secret', SECRET],
      env: { DATABASE_URL: database, CATALOGUE_SCHEMA: newSchema() },
    });
    token = await new SignJWT({ role: 'admin', sub: 'ada' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(SECRET));
    if (isDown) return;
    expect((await send(['GET', '/products'])).status).toBe(200);
    proxy.leadTo(1);
    proxy.cut();
    await until('the loss', async () => (await send(['GET', '/products'])).status === 503);
  });
  afterAll(async () => {
    await cleanUp();
    proxy.close();
  });

  const send = ([method, path, body, headers]: Request) => {
    const isText = body === undefined || body instanceof Uint8Array;
    return service.fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(isText ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isText ? (body as Uint8Array<ArrayBuffer> | undefined) : JSON.stringify(body),
    });
  };

  test('every request that needs it gets 503 and the time to try again', async () => {
    const others: string[] = [];
    for (const each of NEEDS_DATABASE) {
      const response = await send(each);
      const text = await response.text();
      const isExpected = response.status === 503 && Number(response.headers.get('retry-after')) > 0;
      if (!isExpected)
        others.push(`${each[0]} ${each[1]} ${JSON.stringify(each[3] ?? {})}: ${response.status} ${text}`);
    }
    expect(others).toEqual([]);
  });

  test('every other request is answered', async () => {
    const others: string[] = [];
    for (const each of WITHOUT_DATABASE) {
      const response = await send(each);
      if (response.status !== 200) others.push(`${each[0]} ${each[1]}: ${response.status} ${await response.text()}`);
    }
    expect(others).toEqual([]);
  });

  test('no path of the description gets an unexpected error', async () => {
    const { paths } = (await (await send(['GET', '/openapi.json'])).json()) as { paths: Record<string, object> };
    const others: string[] = [];
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods).filter((name) => /^(get|post|put|patch|delete)$/.test(name))) {
        const filled = path.replaceAll(/\{[^}]+\}/g, '1');
        const body = method === 'get' ? undefined : { id: 1, name: 'Chai' };
        const response = await send([method.toUpperCase(), filled, body]);
        await response.body?.cancel();
        if (response.status >= 500 && response.status !== 503) others.push(`${method} ${filled}: ${response.status}`);
      }
    }
    expect(others).toEqual([]);
  });
});

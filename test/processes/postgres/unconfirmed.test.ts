/**
 * Writes with an unconfirmed commit: the connection breaks after the service has sent the commit and before the
 * response. The write may be stored or not. The service never reports it as done, and a client can repeat it with its
 * key.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { type CuttingProxy, type Moment, startCuttingProxy } from '../../support/network/cutting-proxy.ts';

/** The end of the message of a commit. Settings such as `synchronous_commit` do not contain it. */
const COMMIT = 'commit\0';
const MOMENTS: readonly Moment[] = ['before it arrives', 'before it is answered'];

describe('when the connection breaks at the commit', () => {
  const schema = newSchema();
  let proxy: CuttingProxy;
  let engine: PostgresEngine;
  let ask: (path: string, init?: RequestInit) => Promise<Response>;

  beforeAll(async () => {
    const { hostname, port } = new URL(testServer.url);
    proxy = await startCuttingProxy(Number(port || 5432), hostname);
    const url = testServer.url.replace(/@[^/]*/, `@127.0.0.1:${proxy.port}`);
    engine = openPostgres({ ...TEST_SETTINGS, url, schema, firstRows: () => [] });
    await engine.opened;
    const app = createApp({ catalogue: BUILT_IN.catalogue, engine, maxBodyBytes: 1e6, allowUnfilteredWrites: false });
    ask = async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init));
  });
  afterAll(async () => {
    await engine.close();
    proxy.close();
  });

  const send = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(path, { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });

  /** Reads the stored rows as another client of the database. */
  async function stored(name: string): Promise<{ id: number; units_in_stock: number }[]> {
    const table = `"${schema}".products`;
    const rows = await testServer.admin.unsafe(
      `select id, units_in_stock from ${table} where product_name = $1 order by id`,
      [name],
    );
    return [...rows];
  }

  /** Repeats a request while the answer is 503. */
  async function again(request: () => Promise<Response>): Promise<Response> {
    for (;;) {
      const response = await request();
      if (response.status !== 503) return response;
      await Bun.sleep(50);
    }
  }

  async function expectUnconfirmed(response: Response): Promise<void> {
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ code: 'CAT503', message: 'the database did not confirm the write' });
  }

  test('a write that breaks before its commit was sent runs again, and its client sees no failure', async () => {
    for (const moment of MOMENTS) {
      const name = `broken ${moment}`;
      await again(() => ask('/products?limit=1'));
      const cut = proxy.cut(name, moment);
      const posted = await send('POST', '/products', { product_name: name }, { 'idempotency-key': `key of ${name}` });
      await cut;
      expect(posted.status).toBe(201);
      expect(await stored(name)).toHaveLength(1);
    }
  });

  for (const moment of MOMENTS) {
    const isStored = moment === 'before it is answered';

    test(`${moment}, a POST with a key gets 503, and its retry stores it exactly once`, async () => {
      const name = `posted ${moment}`;
      const post = () => send('POST', '/products', { product_name: name }, { 'idempotency-key': name });
      await again(() => ask('/products?limit=1'));
      const cut = proxy.cut(COMMIT, moment);
      const first = await post();
      await cut;
      await expectUnconfirmed(first);
      expect(await stored(name)).toHaveLength(isStored ? 1 : 0);

      const repeated = await again(post);
      expect(repeated.status).toBe(201);
      expect(repeated.headers.get('idempotency-replayed')).toBe(isStored ? 'true' : null);
      const [row, ...others] = await stored(name);
      expect(others).toEqual([]);
      expect(repeated.headers.get('location')).toBe(`/products?id=eq.${row!.id}`);
      expect((await post()).headers.get('location')).toBe(`/products?id=eq.${row!.id}`);
      expect(await stored(name)).toHaveLength(1);
    });

    test(`${moment}, a PATCH that checks its version gets 503, and If-Match shows on the retry whether it was stored`, async () => {
      const name = `guarded ${moment}`;
      await again(() => send('POST', '/products', { product_name: name, units_in_stock: 1 }));
      const [row] = await stored(name);
      const path = `/products/${row!.id}`;
      const tag = (await again(() => ask(path))).headers.get('etag')!;
      const patch = () => send('PATCH', path, { units_in_stock: 2 }, { 'if-match': tag });
      const cut = proxy.cut(COMMIT, moment);
      const first = await patch();
      await cut;
      await expectUnconfirmed(first);
      expect((await again(patch)).status).toBe(isStored ? 412 : 204);
      expect((await stored(name)).map((row) => row.units_in_stock)).toEqual([2]);
    });

    test(`${moment}, a single-statement write gets 503 and is not repeated`, async () => {
      const name = `alone ${moment}`;
      await again(() => ask('/products?limit=1'));
      const cut = proxy.cut(name, moment);
      const first = await send('POST', '/products', { product_name: name });
      await cut;
      await expectUnconfirmed(first);
      expect(await stored(name)).toHaveLength(isStored ? 1 : 0);
    });
  }
});

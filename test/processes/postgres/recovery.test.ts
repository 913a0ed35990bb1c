/** Recovery: full servers, silent connections and networks, and a primary that is gone. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import type { PostgresOptions } from '../../../src/engine/postgres/database.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { type SilentProxy, startSilentProxy } from '../../support/network/silent-proxy.ts';
import { cleanUp, startService, temporaryFolder, until } from '../../support/processes/process.ts';

const { admin } = testServer;

interface Opened {
  readonly engine: PostgresEngine;
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
}

describe('a service that lost its connections', () => {
  const schema = newSchema();
  const opened: PostgresEngine[] = [];
  let proxy: SilentProxy;

  beforeAll(async () => {
    const { hostname, port } = new URL(testServer.url);
    proxy = await startSilentProxy(Number(port || 5432), hostname);
    const engine = openPostgres({ ...TEST_SETTINGS, url: testServer.url, schema, firstRows: () => [] });
    await engine.opened;
    await engine.close();
  });
  afterEach(async () => {
    proxy.speak();
    for (const engine of opened.splice(0)) await engine.close();
  });
  afterAll(() => proxy.close());

  async function open(more: Partial<PostgresOptions> = {}): Promise<Opened> {
    const url = testServer.url.replace(/@[^/]*/, `@127.0.0.1:${proxy.port}`);
    const engine = openPostgres({ ...TEST_SETTINGS, url, schema, firstRows: () => [], querySeconds: 2, ...more });
    opened.push(engine);
    await engine.opened;
    const app = createApp({ catalogue: BUILT_IN.catalogue, engine, maxBodyBytes: 1e6, allowUnfilteredWrites: false });
    return { engine, ask: async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init)) };
  }

  function post(ask: Opened['ask'], product_name: string): Promise<Response> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': product_name };
    return ask('/products', { method: 'POST', headers, body: JSON.stringify({ product_name }) });
  }

  const reads = (ask: Opened['ask']) => ask('/products?limit=1').then(({ status }) => status);

  test('with a role limited to its pool size goes on when one connection ends', async () => {
    await admin.unsafe(`drop role if exists limited; create role limited login password 'limited' connection limit 3;
        grant usage on schema ${schema} to limited; grant all on all tables in schema ${schema} to limited;
        grant all on all sequences in schema ${schema} to limited`);
    const { ask } = await open({ url: testServer.url.replace(/:\/\/[^@]*@/, '://limited:limited@') });
    await Promise.all(Array.from({ length: 12 }, (_, index) => post(ask, `filling the pool ${index}`)));
    for (let round = 0; round < 3; round++) {
      const busy = Array.from({ length: 6 }, () => reads(ask));
      await admin.unsafe(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'limited' order by pid limit 1`,
      );
      expect([...new Set(await Promise.all(busy))]).toEqual([200]);
      expect(await reads(ask)).toBe(200);
      expect((await post(ask, `after round ${round}`)).status).toBe(201);
    }
  });

  test('waits while the server is full, then answers 503, and goes on when there is room', async () => {
    await admin.unsafe(`drop role if exists crowded; create role crowded login password 'crowded' connection limit 1;
        grant usage on schema ${schema} to crowded; grant all on all tables in schema ${schema} to crowded`);
    const url = testServer.url.replace(/:\/\/[^@]*@/, '://crowded:crowded@');
    const { ask } = await open({ url });
    await until('the first to be there', async () => (await reads(ask)) === 200);
    await admin.unsafe('alter role crowded connection limit 0');
    await admin.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'crowded'`);
    await until('the refusal', async () => (await reads(ask)) === 503);
    const refused = await ask('/products?limit=1');
    expect(await refused.json()).toMatchObject({ details: expect.stringContaining('too many connections') });
    await admin.unsafe('alter role crowded connection limit 1');
    await until('room', async () => (await reads(ask)) === 200);
  });

  test('starts although its first connection is silent, and serves when the network is back', async () => {
    proxy.silence();
    const { ask } = await open({ connectSeconds: 1 });
    expect(await reads(ask)).toBe(503);
    proxy.speak();
    await until('the recovery', async () => (await reads(ask)) === 200);
  });

  test('gives up a silent server before a slow statement, and searches again if the next one goes silent', async () => {
    // The time limit of a statement does not matter here.
    const { ask } = await open({ querySeconds: 3_600, connectSeconds: 1 });
    expect((await post(ask, 'before the silence')).status).toBe(201);
    proxy.silence();
    const [read, written] = [reads(ask), post(ask, 'into the silence')];
    expect((await written).status).toBe(503);
    expect(await read).toBe(503);
    // The next connection falls silent during the checks after connecting.
    const silent = proxy.silenceAt('pg_catalog.pg_namespace');
    proxy.speak();
    await silent;
    await until('the recovery', async () => (await reads(ask)) === 200);
    let again = await post(ask, 'into the silence');
    while (again.status === 503) again = await post(ask, 'into the silence');
    expect(again.status).toBe(201);
    expect(await (await ask('/products?product_name=eq.into the silence')).json()).toHaveLength(1);
  });

  test('does not end a slow statement while the server answers others', async () => {
    const { ask } = await open({ querySeconds: 10 });
    const held = await admin.reserve();
    await held.unsafe(`begin; lock table ${schema}.products in access exclusive mode`);
    const written = post(ask, 'behind a lock');
    await Bun.sleep(100);
    const many = Array.from({ length: 12 }, () => reads(ask));
    // The pause is longer than the detection of a silent connection.
    await Bun.sleep(5_500);
    await held.unsafe('commit');
    await held.release();
    expect([...new Set(await Promise.all(many))]).toEqual([200]);
    expect((await written).status).toBe(201);
  });
});

describe('a connection that goes silent while its server is well', () => {
  const schema = newSchema();
  const notices: string[] = [];
  let proxy: SilentProxy;
  let engine: PostgresEngine;
  let ask: Asking;
  type Asking = (path: string, init?: RequestInit) => Promise<Response>;
  let connect: (querySeconds: number) => Promise<{ readonly engine: PostgresEngine; readonly ask: Asking }>;

  beforeAll(async () => {
    const { hostname, port } = new URL(testServer.url);
    proxy = await startSilentProxy(Number(port || 5432), hostname);
    const url = testServer.url.replace(/@[^/]*/, `@127.0.0.1:${proxy.port}`);
    const notice = (_: string, message: string) => notices.push(message);
    connect = async (querySeconds) => {
      const settings = { ...TEST_SETTINGS, querySeconds, poolSize: 10 };
      const opened = openPostgres({ ...settings, url, schema, firstRows: () => [], notice });
      await opened.opened;
      const { catalogue } = BUILT_IN;
      const app = createApp({ catalogue, engine: opened, maxBodyBytes: 4e6, allowUnfilteredWrites: false });
      return { engine: opened, ask: async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init)) };
    };
    ({ engine, ask } = await connect(2));
    for (let made = 0; made < 5; made++) await post(`made before ${made}`);
  });
  afterAll(async () => {
    await engine.close();
    proxy.close();
  });

  function post(product_name: string, key?: string): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) };
    return ask('/products', { method: 'POST', headers, body: JSON.stringify({ product_name }) });
  }

  const stored = async (name: string) =>
    ((await (await ask(`/products?product_name=eq.${name}`)).json()) as unknown[]).length;

  test('costs no read, and a write on it is answered as not confirmed', async () => {
    const silent = async <T>(text: string, when: 'before' | 'after', work: () => Promise<T>): Promise<Promise<T>[]> => {
      const silence = proxy.silenceAt(text, when);
      const done = work();
      await silence;
      return [done];
    };
    const [quick] = await silent('as_quick', 'before', () => ask('/products?select=as_quick:product_name&id=eq.1'));
    const [answered] = await silent('as_done', 'after', () => ask('/products?select=as_done:product_name&id=eq.1'));
    const [costly] = await silent('%stly%', 'before', () => ask('/products?product_name=ilike.*stly*'));
    const [lost] = await silent('never arrives', 'before', () => post('never arrives'));
    const [done] = await silent('is stored', 'after', () => post('is stored'));
    const [taken] = await silent('key of its own', 'before', () => post('in a transaction', 'key of its own'));
    const [committed] = await silent('commit\0', 'after', () => post('is kept once', 'another key'));

    for (const read of [quick, answered, costly]) expect((await read)!.status).toBe(200);
    for (const write of [lost, done, committed]) {
      expect((await write)!.status).toBe(503);
      expect(await (await write)!.json()).toMatchObject({ message: 'the database did not confirm the write' });
    }
    // The service did not ask for its commit.
    expect((await taken)!.status).toBe(503);
    expect(await (await taken)!.json()).toMatchObject({ details: expect.stringContaining('Nothing was changed') });
    expect(await stored('never arrives')).toBe(0);
    expect(await stored('is stored')).toBe(1);
    const again = await post('is kept once', 'another key');
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(await stored('is kept once')).toBe(1);
    expect((await post('goes on')).status).toBe(201);
    expect(notices.filter((line) => line.includes('lost the primary'))).toEqual([]);
  });

  test('a connection that returned long rows of a dry run or a batch is replaced, to release its memory', async () => {
    await testServer.admin.unsafe(`insert into ${schema}.products (product_name, quantity_per_unit)
      values ('long row', repeat('x', 1200000))`);
    const change = { method: 'PATCH', path: '/products?product_name=eq.long row', body: { units_in_stock: 1 } };
    const headers = { 'content-type': 'application/json', prefer: 'return=representation' };
    const requests: readonly [string, RequestInit][] = [
      [
        change.path,
        {
          method: 'PATCH',
          headers: { ...headers, prefer: 'return=representation, tx=rollback' },
          body: JSON.stringify(change.body),
        },
      ],
      ['/batch', { method: 'POST', headers, body: JSON.stringify([change, change]) }],
    ];
    const url = testServer.url.replace(/@[^/]*/, `@127.0.0.1:${proxy.port}`);
    const single = openPostgres({ ...TEST_SETTINGS, poolSize: 1, url, schema, firstRows: () => [] });
    await single.opened;
    const app = createApp({
      catalogue: BUILT_IN.catalogue,
      engine: single,
      maxBodyBytes: 4e6,
      allowUnfilteredWrites: false,
    });
    for (const [path, init] of requests) {
      const before = proxy.opened();
      const answer = await app.fetch(new Request(`http://catalogue${path}`, init));
      expect(answer.status).toBe(200);
      expect((await answer.text()).length).toBeGreaterThan(1_200_000);
      await until('a new connection', async () => {
        expect((await app.fetch(new Request('http://catalogue/products?limit=1&select=id'))).status).toBe(200);
        return proxy.opened() > before;
      });
    }
    await single.close();
  });

  test('long messages do not make the service probe the server', async () => {
    // Each long message costs one new connection of the pool. A probe would open a second one.
    const ROUNDS = 10;
    // On a busy machine, a long message may take seconds.
    await engine.close();
    ({ engine, ask } = await connect(60));
    const headers = { 'content-type': 'application/json' };
    const quantity_per_unit = 'x'.repeat(900_000);
    const before = proxy.opened();
    for (let round = 0; round < ROUNDS; round++) {
      const row = { product_name: `long ${round}`, quantity_per_unit };
      const body = JSON.stringify([row, row]);
      const posted = await ask('/products', { method: 'POST', headers, body });
      expect(posted.status).toBe(201);
    }
    // The next read makes the pool open what it lacks.
    expect((await ask('/products?limit=1')).status).toBe(200);
    await Bun.sleep(1_000);
    expect(proxy.opened() - before).toBeLessThanOrEqual(ROUNDS);
  });
});

describe('a primary that goes silent', () => {
  test('is noticed without a request, and costs one log line, not one per waiting request', async () => {
    const { hostname, port } = new URL(testServer.url);
    const proxy = await startSilentProxy(Number(port || 5432), hostname);
    const url = testServer.url.replace(/@[^/]*/, `@127.0.0.1:${proxy.port}`);
    const service = await startService({
      args: ['--schema', newSchema(), '--slow-query-ms', '500', '--connect-timeout', '1', '--query-timeout', '5'],
      cwd: temporaryFolder(),
      env: { DATABASE_URL: url },
    });
    const isUp = async () => (await (await service.fetch('/metrics')).text()).includes('catalogue_database_up 1');
    expect(await isUp()).toBe(true);
    proxy.silence();
    await until('the service to notice', async () => !(await isUp()));
    await until('the log to say so', () => service.stderr().includes(`lost the primary 127.0.0.1:${proxy.port}: `));
    proxy.speak();
    await until('the recovery', isUp);
    const found = () => service.stderr().split(`found the primary 127.0.0.1:${proxy.port} `).length - 1;
    await until('the log to say so', () => found() === 1);
    proxy.silence();
    const reads = Array.from({ length: 5 }, () => service.fetch('/products?limit=1'));
    expect([...new Set((await Promise.all(reads)).map(({ status }) => status))]).toEqual([503]);
    proxy.speak();
    await until('the second recovery', () => found() === 2);
    expect(service.stderr().split('lost the primary').length - 1).toBe(2);
    expect(service.stderr().includes('slow query')).toBe(false);
    await cleanUp();
    proxy.close();
  });
});

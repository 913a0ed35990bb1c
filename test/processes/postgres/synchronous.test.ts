/**
 * A commit that waits for a synchronous standby that is down. The service never reports the write as done, whatever
 * ends the wait. The idempotency key of an instance that vanished is free again soon.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { createApp } from '../../../src/app.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { newServer, type OwnServer, TEST_SETTINGS } from '../../support/engines/postgres.ts';
import { until } from '../../support/processes/process.ts';

describe('a commit that waits for a standby', () => {
  let server: OwnServer;
  let admin: SQL;
  const notices: string[] = [];
  let engine: PostgresEngine;
  let ask: (path: string, init?: RequestInit) => Promise<Response>;

  beforeAll(async () => {
    server = await newServer();
    admin = new SQL(server.url, { max: 2 });
    engine = openPostgres({
      ...TEST_SETTINGS,
      url: server.url,
      schema: 'public',
      firstRows: () => [],
      querySeconds: 3,
      notice: (_, message) => notices.push(message),
    });
    await engine.opened;
    const app = createApp({ catalogue: BUILT_IN.catalogue, engine, maxBodyBytes: 1e6, allowUnfilteredWrites: false });
    ask = async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init));
  });
  afterAll(async () => {
    await waitForStandby(false);
    await engine.close();
    await admin.close({ timeout: 0 });
    await server.stop();
  });

  async function waitForStandby(isNeeded: boolean): Promise<void> {
    await admin.unsafe(`alter system set synchronous_standby_names = '${isNeeded ? 'nobody' : ''}'`);
    await admin.unsafe('select pg_reload_conf()');
    await until('the server to know', async () => {
      const [row] = await admin.unsafe('show synchronous_standby_names');
      return (row.synchronous_standby_names === 'nobody') === isNeeded && (await waits()) === isNeeded;
    });
  }

  /** Whether commits wait. The process that decides it reads its settings later than the connections do. */
  async function waits(): Promise<boolean> {
    let isDone = false;
    const commit = admin.unsafe("select pg_logical_emit_message(true, 'test', '')").then(() => {
      isDone = true;
    });
    let isWaiting = false;
    while (!isDone && !isWaiting) {
      const [row] = await admin.unsafe(
        `select count(pg_cancel_backend(pid))::int4 as count from pg_stat_activity where wait_event = 'SyncRep'`,
      );
      isWaiting = row.count > 0;
    }
    await commit.catch(() => undefined);
    return isWaiting;
  }

  const post = (product_name: string, more: Record<string, string> = {}) =>
    ask('/products', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...more },
      body: JSON.stringify({ product_name }),
    });

  for (const [kind, headers] of [
    ['of one statement', {}],
    ['with a key', { 'idempotency-key': 'cancelled' }],
  ] as const) {
    test(`${kind} is not confirmed when it is cancelled`, async () => {
      await waitForStandby(true);
      const posted = post(`cancelled ${kind}`, headers);
      let cancelled = 0;
      await until('it to wait', async () => {
        const [row] = await admin.unsafe(
          `select count(pg_cancel_backend(pid))::int4 as count from pg_stat_activity
              where wait_event = 'SyncRep' and query_start < now() - interval '0.5s'`,
        );
        cancelled += row.count;
        return cancelled > 0;
      });
      const response = await posted;
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ message: 'the database did not confirm the write' });
      await waitForStandby(false);
      const rows = await (await ask(`/products?product_name=eq.cancelled ${kind}`)).json();
      // It was stored without confirmation: a retry with its key shows that.
      expect(rows).toHaveLength(1);
      if ('idempotency-key' in headers) {
        expect((await post(`cancelled ${kind}`, headers)).headers.get('idempotency-replayed')).toBe('true');
      }
    });
  }

  test('is answered as not confirmed at its deadline, and the service goes on with the same primary', async () => {
    await waitForStandby(true);
    const response = await post('waits too long');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ message: 'the database did not confirm the write' });
    expect((await ask('/products?limit=1')).status).toBe(200);
    await waitForStandby(false);
    expect((await post('does not wait')).status).toBe(201);
    expect(notices).toEqual([]);
  });

  test('a key that another request holds gives 409, and is free when that request ends', async () => {
    const other = await admin.reserve();
    await other.unsafe(`begin; set local idle_in_transaction_session_timeout = '4s';
        insert into idempotency_keys (key, fingerprint, created_at)
        select replace(key, 'cancelled', 'held'), 'x', now() from idempotency_keys`);
    const refused = await post('held', { 'idempotency-key': 'held' });
    expect(refused.status).toBe(409);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'CAT409' });
    await until('the other to be ended', async () => {
      return (await post('held', { 'idempotency-key': 'held' })).status === 201;
    });
    // Keeps a reference to the connection until here. Otherwise it could be garbage-collected and closed earlier.
    await other.close({ timeout: 0 }).catch(() => undefined);
  });
});

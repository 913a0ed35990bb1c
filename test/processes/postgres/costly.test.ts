/** PostgreSQL: even as many costly reads and writes as there are connections do not block reads and writes by key. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { createApp } from '../../../src/app.ts';
import {
  DRY_RUN_YIELD_MS,
  MAX_ROWS_PER_VALUE,
  MAX_SHARED_ROWS,
  SMALL_TABLE_ROWS,
} from '../../../src/base/limits/engine.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { connectionLimits, Semaphore } from '../../../src/engine/postgres/connections/connection-limits.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { PlanCost } from '../../../src/engine/postgres/read/plan-cost.ts';
import { WHOLE_ROW_JSON } from '../../../src/plan/read/read.ts';
import { firstRowsOf } from '../../../src/plan/write/first-rows.ts';
import type { WritePlan } from '../../../src/plan/write-plan.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { until } from '../../support/processes/process.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const fields = [
  { name: 'id', type: 'int4' },
  { name: 'name', type: 'text' },
  { name: 'group', type: 'int4', indexed: true },
] as const;
const catalogue = declareCatalogue({
  collections: ['quiet', 'locked'].map((name) => ({ name, key: ['id'], fields: [...fields] })),
});
/** The table has more rows than a small table, so not every read of it is cheap. */
const rows = Array.from({ length: SMALL_TABLE_ROWS + 100 }, (_, index) => ({
  id: index + 1,
  name: `row ${index + 1}`,
  group: index % 9,
}));

const newRows = rows.slice(0, MAX_SHARED_ROWS + 1).map(({ name }) => ({ name }));

describe.each([3, 4, 10])('with %d connections', (poolSize) => {
  const schema = newSchema();
  let engine: PostgresEngine;
  let other: SQL;
  let fetch: (path: string, init?: RequestInit) => Promise<Response>;
  beforeAll(async () => {
    const firstRows = firstRowsOf({ catalogue, rows: () => rows });
    engine = openPostgres({ ...TEST_SETTINGS, poolSize, catalogue, url: testServer.url, schema, firstRows });
    await engine.opened;
    other = new SQL(testServer.url, { max: 1 });
    const app = createApp({ catalogue, engine, maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false });
    fetch = async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init));
  });
  afterAll(async () => {
    await other.close({ timeout: 0 });
    await engine.close();
  });

  /** Runs `work` while a table is locked. Every costly statement on that table takes until the lock is released. */
  async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
    const connection = await other.reserve();
    await connection.unsafe(`begin; lock table "${schema}".locked in access exclusive mode`);
    try {
      return await work();
    } finally {
      await connection.unsafe('rollback');
      await connection.release();
    }
  }

  /** Returns the status of a response after reading its whole body. */
  async function statusOf(path: string, init?: RequestInit): Promise<number> {
    const answer = await fetch(path, init);
    await answer.text();
    return answer.status;
  }

  const costly: readonly [string, () => Promise<number>][] = [
    ['searches', () => statusOf('/locked?name=match.row')],
    [
      'lists of keys, of which only the first follows the index,',
      () => statusOf('/locked?id=not.in.(1,2)&id=in.(1,2)'),
    ],
    ['lists of many values', () => statusOf(`/locked?id=in.(1,2)&group=in.(${rows.map(({ id }) => id).join()})`)],
    ['counts', () => statusOf('/locked?select=count()')],
    ['exports', () => statusOf('/locked')],
    ['writes by a filter', () => statusOf('/locked?name=like.row 9*', sendJson('PATCH', { name: 'row' }))],
    ['inserts of many rows', () => statusOf('/locked', sendJson('POST', newRows))],
    [
      'dry runs by a filter',
      () => statusOf('/locked?name=like.row*', { method: 'DELETE', headers: { prefer: 'tx=rollback' } }),
    ],
  ];
  test.each(costly)('%s that take long do not delay reads and writes by key', async (_, ask) => {
    const under = await whileLocked(async () => {
      const begun = Array.from({ length: poolSize + 2 }, ask);
      for (let round = 0; round < 5; round++) {
        expect((await fetch('/quiet/1')).status).toBe(200);
        expect((await fetch('/quiet?limit=2')).status).toBe(200);
        expect((await fetch('/quiet/2', sendJson('PATCH', { name: `changed ${round}` }))).status).toBe(204);
        const read = await fetch('/quiet/3');
        const headers = { 'if-match': read.headers.get('etag')! };
        expect((await fetch('/quiet/3', sendJson('PATCH', { name: `changed ${round}` }, headers))).status).toBe(204);
        expect((await fetch('/quiet', sendJson('POST', { name: 'new' }))).status).toBe(201);
      }
      return begun;
    });
    for (const status of await Promise.all(under)) expect(status).toBeLessThan(300);
  });

  test('writes that wait for a locked row do not delay reads', async () => {
    const connection = await other.reserve();
    await connection.unsafe(`begin; select * from "${schema}".quiet where id = 4 for update`);
    const begun = Array.from({ length: poolSize + 2 }, () =>
      statusOf('/quiet/4', sendJson('PATCH', { name: 'changed' })),
    );
    for (let id = 1; id <= 20; id++) expect(await statusOf(`/quiet/${id}`)).toBe(200);
    expect(await statusOf('/quiet?name=match.row')).toBe(200);
    await connection.unsafe('rollback');
    await connection.release();
    expect(await Promise.all(begun)).toEqual(begun.map(() => 204));
  });

  // With three connections, only one serves all costly statements.
  if (poolSize > 3) {
    test('filtered writes that wait for a locked row do not delay costly reads', async () => {
      const connection = await other.reserve();
      await connection.unsafe(`begin; select * from "${schema}".quiet where id = 4 for update`);
      const begun = Array.from({ length: poolSize }, () =>
        statusOf('/quiet?name=match.^changed$', sendJson('PATCH', { group: 1 })),
      );
      expect(await statusOf('/quiet?name=match.row')).toBe(200);
      await connection.unsafe('rollback');
      await connection.release();
      expect(await Promise.all(begun)).toEqual(begun.map(() => 204));
    });
  }

  test('a hundred concurrent costly reads are all answered, one after the other', async () => {
    const burst = Array.from({ length: 100 }, () => statusOf('/quiet?name=match.row.1&limit=1'));
    expect(await Promise.all(burst)).toEqual(burst.map(() => 200));
  });

  test('pages by an indexed field are quick and do not wait for costly reads', async () => {
    const under = await whileLocked(async () => {
      const begun = Array.from({ length: poolSize + 2 }, () => statusOf('/locked?name=match.row'));
      expect(await statusOf('/quiet?group=eq.3&limit=10')).toBe(200);
      expect(await statusOf('/quiet?order=group&limit=10')).toBe(200);
      return begun;
    });
    for (const status of await Promise.all(under)) expect(status).toBe(200);
  });
});

describe('that depend on statistics', () => {
  const keys = { quiet: 'id', alike: 'id', long: 'id', named: 'name' };
  const described = declareCatalogue({
    collections: Object.entries(keys).map(([name, key]) => ({ name, key: [key], fields: [...fields] })),
  });
  const schema = newSchema();
  const firstRows = firstRowsOf({ catalogue: described, rows: () => rows.slice(0, 10) });
  const open = async () => {
    const settings = { ...TEST_SETTINGS, poolSize: 10, catalogue: described, url: testServer.url, schema, firstRows };
    const engine = openPostgres(settings);
    await engine.opened;
    return engine;
  };
  beforeAll(async () => {
    await (await open()).close();
    const { admin } = testServer;
    await admin.unsafe(`insert into "${schema}".alike (id, name, "group")
      select n, 'x', 1 from generate_series(100, ${MAX_ROWS_PER_VALUE} + 200) n`);
    await admin.unsafe(`alter table "${schema}".long alter name set storage external`);
    await admin.unsafe(`insert into "${schema}".long (id, name)
      select n, repeat('x', 30000) from generate_series(100, 200) n`);
    await admin.unsafe(`insert into "${schema}".named (id, name) select n, 'n' || n from generate_series(100, 3000) n`);
    for (const name of Object.keys(keys)) await admin.unsafe(`vacuum analyze "${schema}".${name}`);
  });

  test.each([
    ['rows of a frequent value', '/alike?group=eq.1&limit=2'],
    ['rows in the order of a frequent value', '/alike?order=group&limit=2'],
    ['few long texts', '/long?order=name&limit=2'],
  ])('reads of %s do not delay reads of few rows', async (_, path) => {
    const engine = await open();
    const app = createApp({ catalogue: described, engine, maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false });
    const statusOf = async (asked: string) => (await app.fetch(new Request(`http://catalogue${asked}`))).status;
    const other = new SQL(testServer.url, { max: 1 });
    await other.unsafe(`begin; lock table "${schema}".alike, "${schema}".long in access exclusive mode`);
    const begun = Array.from({ length: 12 }, () => statusOf(path));
    expect(await statusOf('/quiet/1')).toBe(200);
    expect(await statusOf('/quiet?name=eq.x')).toBe(200);
    for (const page of ['limit=2', 'order=name.desc&limit=2', 'name=gt.n2&limit=2']) {
      expect(await statusOf(`/named?${page}`)).toBe(200);
    }
    await other.unsafe('rollback');
    expect(new Set(await Promise.all(begun))).toEqual(new Set([200]));
    await other.close();
    await engine.close();
  });
});

describe('writes that wait for a connection longer than the statement time limit', () => {
  const schema = newSchema();
  const other = new SQL(testServer.url, { max: 1 });
  const firstRows = firstRowsOf({ catalogue, rows: () => rows.slice(0, 10) });
  const settings = {
    ...TEST_SETTINGS,
    poolSize: 2,
    querySeconds: 1,
    catalogue,
    url: testServer.url,
    schema,
    firstRows,
  };
  const engine = openPostgres(settings);
  const app = createApp({ catalogue, engine, maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false });
  const patch = async (id: number, headers = {}) =>
    (await app.fetch(new Request(`http://catalogue/quiet/${id}`, sendJson('PATCH', { group: 5 }, headers)))).status;
  afterAll(async () => {
    await other.close({ timeout: 0 });
    await engine.close();
  });

  test('are reported as stored once they are stored', async () => {
    await engine.opened;
    const connection = await other.reserve();
    await connection.unsafe(`begin; select * from "${schema}".quiet where id < 3 for update`);
    // Each write holds the only connection for writes until its time limit.
    const slow = [patch(1), patch(2)];
    const waiting = [patch(3), patch(4, { 'if-match': '*' })];
    expect(await Promise.all(slow)).toEqual([504, 504]);
    expect(await Promise.all(waiting)).toEqual([204, 204]);
    await connection.unsafe('rollback');
    await connection.release();
  });
});

describe('during a dry run that waits for a row, and locks others', () => {
  const setUp = async (dryRunSeconds: number, poolSize: number = TEST_SETTINGS.poolSize) => {
    const schema = newSchema();
    const other = new SQL(testServer.url, { max: 1 });
    const firstRows = firstRowsOf({ catalogue, rows: () => rows });
    const url = testServer.url;
    const engine = openPostgres({ ...TEST_SETTINGS, dryRunSeconds, poolSize, catalogue, url, schema, firstRows });
    await engine.opened;
    const app = createApp({ catalogue, engine, maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false });
    const patch = (path: string, group: number, headers = {}) =>
      app.fetch(new Request(`http://catalogue${path}`, sendJson('PATCH', { group }, headers)));
    const connection = await other.reserve();
    await connection.unsafe(`begin; select * from "${schema}".quiet where id = ${SMALL_TABLE_ROWS} for update`);
    const dryRun = patch('/quiet?id=gt.0', 70, { prefer: 'tx=rollback' });
    // The dry run locks rows in key order.
    const pids = async () =>
      connection.unsafe<{ pid: number }[]>(`select pid from pg_locks where not granted
      and pg_backend_pid() = any (pg_blocking_pids(pid))`);
    await until('the dry run waits', async () => (await pids()).length > 0);
    const { pid } = (await pids())[0]!;
    const unlock = () => connection.unsafe('rollback');
    const changed = async () =>
      (await app.fetch(new Request('http://catalogue/quiet?group=gt.9&select=id,group'))).json();
    const end = async () => {
      await connection.release();
      await other.close({ timeout: 0 });
      await engine.close();
    };
    return { patch, dryRun, pid, unlock, changed, end };
  };

  test('other writes of its rows go on when its time is up', async () => {
    const { patch, dryRun, unlock, changed, end } = await setUp(1);
    expect((await patch('/quiet/5', 80)).status).toBe(204);
    const { hint } = await expectRefusal(await dryRun, 504, '57014');
    expect(hint).toBe('A dry run may take 1 s (--dry-run-timeout). Try it on fewer rows.');
    await unlock();
    expect(await changed()).toEqual([{ id: 5, group: 80 }]);
    await end();
  });

  test('other writes of its rows are answered before it ends, and it starts again', async () => {
    const { patch, dryRun, unlock, changed, end } = await setUp(50);
    expect((await patch('/quiet/5', 80)).status).toBe(204);
    expect((await patch('/quiet/6', 81)).status).toBe(204);
    expect(await Promise.race([dryRun, 'still waits'])).toBe('still waits');
    await unlock();
    expect((await dryRun).status).toBe(204);
    expect(await changed()).toEqual([
      { id: 5, group: 80 },
      { id: 6, group: 81 },
    ]);
    await end();
  });

  test('it ends when it can, also on the only connection of its pool', async () => {
    const { dryRun, pid, unlock, changed, end } = await setUp(50, 1);
    await Bun.sleep(2 * DRY_RUN_YIELD_MS);
    await unlock();
    expect((await dryRun).status).toBe(204);
    expect(await changed()).toEqual([]);
    // The server would have ended a transaction that hangs.
    expect(await testServer.admin.unsafe(`select pid from pg_stat_activity where pid = ${pid}`)).toHaveLength(1);
    await end();
  });
});

test('a bulk update of many statements ends at its time limit and changes nothing', async () => {
  const schema = newSchema();
  const firstRows = firstRowsOf({ catalogue, rows: () => rows.slice(0, 40) });
  const engine = openPostgres({
    ...TEST_SETTINGS,
    querySeconds: 1,
    catalogue,
    url: testServer.url,
    schema,
    firstRows,
  });
  await engine.opened;
  const other = new SQL(testServer.url, { max: 1 });
  // Each statement alone stays far below the time limit.
  await other.unsafe(`create function "${schema}".slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.1); return null; end';
    create trigger slow after update on "${schema}".quiet for each statement execute function "${schema}".slow()`);
  const app = createApp({ catalogue, engine, maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false });
  // Adjacent rows set different fields, so that the bulk update needs many statements.
  const changes = rows.slice(0, 40).map(({ id }) => (id % 2 === 0 ? { id, name: 'new' } : { id, group: 70 }));
  const answer = await app.fetch(new Request('http://catalogue/quiet', sendJson('PATCH', changes)));
  expect([answer.status, await answer.json()]).toEqual([504, expect.objectContaining({ code: '57014' })]);
  const found = await app.fetch(new Request('http://catalogue/quiet?or=(name.eq.new,group.eq.70)'));
  expect(await found.json()).toEqual([]);
  await other.close({ timeout: 0 });
  await engine.close();
});

test('the first reads of a process know which tables are small', async () => {
  const few = firstRowsOf({ catalogue, rows: () => rows.slice(0, 50) });
  const settings = { ...TEST_SETTINGS, poolSize: 3, catalogue, url: testServer.url, schema: newSchema() };
  const maker = openPostgres({ ...settings, firstRows: few });
  await maker.opened;
  await maker.close();
  const other = new SQL(testServer.url, { max: 1 });
  await other.unsafe(`analyze "${settings.schema}".quiet`);
  await other.close();
  const pool = new SQL(testServer.url, { max: 1 });
  const quick = new PlanCost(settings.schema);
  const quiet = catalogue.collections.get('quiet')!;
  const everything = { kind: 'delete', into: quiet, where: { kind: 'all', terms: [] } } as unknown as WritePlan;
  expect(await quick.areCheapWrites(pool, [{ plan: everything, encoding: WHOLE_ROW_JSON }])).toBe(true);
  await pool.close();
});

test('if the queue of costly reads is full, the next one is rejected at once with its own message', async () => {
  const slots = new Semaphore(1, 1);
  const giveBack = await slots.take('costly read');
  const waiting = slots.take('costly read');
  const refused = await slots.take('costly read').catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'CAT503', details: expect.stringContaining('costly reads are waiting') });
  giveBack();
  (await waiting)();
});

test('a pool reserves some connections for quick reads and some for writes', async () => {
  const freeIn = async (slots: Semaphore): Promise<number> => {
    for (let count = 0; ; count++) {
      const outcome = await Promise.race([
        slots.take('write').then(() => 'taken'),
        Promise.resolve().then(() => 'none'),
      ]);
      if (outcome === 'none') return count;
    }
  };
  for (let connections = 3; connections <= 50; connections++) {
    const { write, read: _, lookup, ...slow } = connectionLimits(connections);
    const [forWrites, all] = write as [Semaphore, Semaphore];
    const own = new Set(Object.values(slow).map(([first]) => first!));
    let forSlow = 0;
    for (const each of own) forSlow += await freeIn(each);
    const inAll = await freeIn(all);
    const inWrites = await freeIn(forWrites);
    expect(await freeIn(lookup[0]!)).toBe(1);
    expect([connections, inAll < connections, forSlow < inAll, inWrites < inAll]).toEqual([
      connections,
      true,
      true,
      true,
    ]);
  }
});

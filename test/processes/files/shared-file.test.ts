/** Several processes on one catalogue file: each notices the writes of the others. */
import { Database, type SQLQueryBindings } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../../src/app.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { ChangeCounter, Engine } from '../../../src/engine/engine.ts';
import { openSqlite } from '../../../src/engine/sqlite/engine.ts';
import { prepareSchema } from '../../../src/engine/sqlite/schema/migrate.ts';
import { checkOwner } from '../../../src/engine/sqlite/schema/schema.ts';
import { catalogueOn } from '../../support/engines/catalogue.ts';
import { cleanUp, integrityOf, run, startService, temporaryFolder } from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

afterEach(cleanUp);

test.skipIf(process.platform !== 'linux')('a service holds its lock on the WAL index as long as it runs', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  const inode = statSync(join(cwd, 'catalogue.db-shm')).ino;
  const isHeld = () =>
    readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .some((line) => line.includes(` ${service.pid} `) && line.includes(`:${inode} `));
  expect(isHeld()).toBe(true);
  expect((await service.fetch('/products', { method: 'POST', body: '{"product_name":"Written"}' })).status).toBe(201);
  expect(await run({ cwd, args: ['check'] })).toMatchObject({ exitCode: 0 });
  expect(isHeld()).toBe(true);
});

test('a write waits for another process with a long transaction, such as an import, and succeeds', async () => {
  const cwd = temporaryFolder();
  const service = await startService({ cwd });
  const other = new Database(join(cwd, 'catalogue.db'));
  // The service may still write after its start.
  other.run('pragma busy_timeout = 60000');
  other.run('begin immediate');
  other.run("insert into products (product_name) values ('Imported')");
  let isOver = false;
  const writes = Array.from({ length: 5 }, async (_, index) => {
    const body = JSON.stringify({ product_name: `Waited ${index}` });
    const { status } = await service.fetch('/products', { method: 'POST', body });
    return { status, waited: isOver };
  });
  // A second service can start in the meantime.
  const second = await startService({ cwd });
  expect(second.stdout()).toContain('\nRows      products 77\n');
  await Bun.sleep(6_000);
  isOver = true;
  other.run('commit');
  other.close();
  expect(await Promise.all(writes)).toEqual(Array(5).fill({ status: 201, waited: true }));
  expect(await (await second.fetch('/products?select=count()')).json()).toEqual([{ count: 83 }]);
});

test('a search waits for another process that writes, and gets 503 if that takes too long', async () => {
  const path = join(temporaryFolder(), 'catalogue.db');
  const [id, name] = [{ name: 'id', type: 'int4' } as const, { name: 'name', type: 'text' } as const];
  const search = { language: 'simple', fields: [{ name: 'name', path: ['name'], weight: 1 }] } as const;
  const catalogue = declareCatalogue({ collections: [{ name: 'hats', key: ['id'], fields: [id, name], search }] });
  const serve = (queueSeconds: number) => {
    const engine = openSqlite({ path, catalogue, firstRows: () => [], retryHours: 1, querySeconds: 60, queueSeconds });
    const app = createApp({
      catalogue,
      engine,
      maxBodyBytes: 1024,
      allowUnfilteredWrites: false,
      plans: false,
      basePath: '',
    });
    return {
      engine,
      ask: async (query: string, init?: RequestInit) => app.fetch(new Request(`http://catalogue/hats?${query}`, init)),
    };
  };
  const [patient, impatient] = [serve(60), serve(0.1)];
  // Their threads are open afterwards.
  expect((await patient.ask('', sendJson('POST', { id: 2, name: 'Cap' }))).status).toBe(201);
  expect((await impatient.ask('', sendJson('POST', { id: 3, name: 'Hood' }))).status).toBe(201);
  const other = new Database(path);
  other.run('pragma busy_timeout = 60000');
  const isStale = () => other.query('select 1 from _hats_search_stale').get() !== null;
  // Again if a service has indexed the row in between.
  do {
    if (other.inTransaction) other.run('rollback');
    other.run("insert or replace into hats values (1, 'Straw hat')");
    other.run('begin immediate');
  } while (!isStale());
  const late = await impatient.ask('search=wfts.straw');
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await late.json()).toMatchObject({ code: 'CAT503' });
  const waiting = patient.ask('search=wfts.straw&select=id');
  expect((await patient.ask('')).status).toBe(200);
  other.run('commit');
  other.close();
  expect(await (await waiting).json()).toEqual([{ id: 1 }]);
  await Promise.all([patient, impatient].map(({ engine }) => engine.close()));
});

/** A script that holds the write lock until its input ends. */
const HOLDS_LOCK = `
const { Database } = require('bun:sqlite');
const db = new Database(process.argv[1]);
db.run('begin immediate');
process.stdout.write('held');
for await (const _ of process.stdin);
db.run('rollback');
db.close();`;

test('a write that waits too long for another process gets 503, is not stored, and succeeds later', async () => {
  const path = join(temporaryFolder(), 'catalogue.db');
  const { catalogue } = BUILT_IN;
  const engine = openSqlite({ path, catalogue, firstRows: () => [], retryHours: 1, querySeconds: 5, queueSeconds: 1 });
  const served = catalogueOn(engine);
  const other = Bun.spawn([process.execPath, '-e', HOLDS_LOCK, path], { stdin: 'pipe', stdout: 'pipe' });
  await other.stdout.getReader().read();
  const post = (name: string) => served.fetch('/products', sendJson('POST', { product_name: name }));
  // The second write waits in the queue.
  const first = post('First');
  await new Promise(setImmediate);
  for (const refused of await Promise.all([first, post('Second')])) {
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ code: 'CAT503', details: 'Nothing was changed.' });
  }
  expect(await served.list()).toEqual([]);
  other.stdin.end();
  expect(await other.exited).toBe(0);
  expect((await post('Third')).status).toBe(201);
  expect(await served.list('/products?select=product_name')).toEqual([{ product_name: 'Third' }]);
  await served.close();
});

/**
 * A script that opens and closes the file until it is killed. Its connection is often the last one, which removes the
 * WAL index.
 */
const COMES_AND_GOES = `
const { Database } = require('bun:sqlite');
for (;;) {
  const db = new Database(process.argv[1]);
  db.run('pragma busy_timeout = 5000');
  db.query('select count(*) from products').all();
  db.close();
}`;

test('a service notices the writes of processes that open and close the file while it starts', async () => {
  const path = join(temporaryFolder(), 'catalogue.db');
  const open = () =>
    openSqlite({
      path,
      catalogue: BUILT_IN.catalogue,
      firstRows: () => [],
      retryHours: 1,
      querySeconds: 5,
    }) as Engine & {
      readonly changes: ChangeCounter;
    };
  await open().close();
  const others = [1, 2].map(() => Bun.spawn([process.execPath, '-e', COMES_AND_GOES, path], { stderr: 'inherit' }));
  try {
    for (let round = 0; round < 30; round++) {
      const engine = open();
      const before = engine.changes.current();
      const other = new Database(path);
      other.run('pragma busy_timeout = 5000');
      other.run("insert into products (product_name) values ('Noticed')");
      other.close();
      expect(engine.changes.current()).not.toBe(before);
      await engine.close();
    }
  } finally {
    for (const other of others) other.kill('SIGKILL');
    await Promise.all(others.map((other) => other.exited));
  }
});

describe('a new file that several processes create at once', () => {
  test('is one catalogue for all of them, and has the reference products once', async () => {
    for (let round = 0; round < 5; round++) {
      const cwd = temporaryFolder();
      const services = await Promise.all([1, 2, 3, 4].map(() => startService({ cwd })));
      for (const service of services) {
        expect(service.stdout()).toContain('\nRows      products 77\n');
        service.kill('SIGTERM');
      }
      expect(await Promise.all(services.map(({ exited }) => exited))).toEqual([0, 0, 0, 0]);
      expect(integrityOf(join(cwd, 'catalogue.db'))).toBe('ok');
    }
  });

  test('is not mistaken for a file of another program by a process that looks during its creation', () => {
    const path = join(temporaryFolder(), 'catalogue.db');
    const other = new Database(path);
    other.run('pragma journal_mode = wal');
    class Interrupted extends Database {
      private looks = 0;
      /** Lets the other process create the catalogue between the first and the second statement. */
      override prepare<Result, Params extends SQLQueryBindings | SQLQueryBindings[]>(sql: string) {
        if (++this.looks === 2) prepareSchema(other, { catalogue: BUILT_IN.catalogue, firstRows: () => [] });
        return super.prepare<Result, Params>(sql);
      }
    }
    const db = new Interrupted(path);
    expect(checkOwner(db)).toBe(true);
    expect(prepareSchema(db, { catalogue: BUILT_IN.catalogue, firstRows: () => [] })).toEqual([]);
    db.close();
    other.close();
  });
});

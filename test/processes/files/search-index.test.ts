/** Searches of a large catalogue use an index. The service maintains it by itself, whichever program writes. */
import { Database } from 'bun:sqlite';
import { afterEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../support/generated/runs.ts';
import {
  cleanUp,
  integrityOf,
  run,
  type Service,
  startService,
  temporaryFolder,
  until,
} from '../../support/processes/process.ts';

afterEach(cleanUp);

/** More rows than the service searches without an index. */
const MANY = 3_000;

async function serviceWithMany(cwd: string): Promise<Service> {
  const service = await startService({ cwd, args: ['--plans'] });
  const rows = Array.from({ length: MANY }, (_, index) => ({ product_name: `Filler ${index} hamper` }));
  expect((await service.fetch('/products', { method: 'POST', body: JSON.stringify(rows) })).status).toBe(201);
  return service;
}

/** The batch size of the indexer. It leaves fewer rows than this for its next run. */
const BATCH = 500;

async function untilIndexed(cwd: string): Promise<void> {
  const db = new Database(join(cwd, 'catalogue.db'));
  const pending = db.query<{ count: number }, []>('select count(*) as count from _products_search_pending');
  await until('the rows are indexed', () => pending.get()!.count < BATCH);
  db.close();
}

async function namesOf(service: Service, filter: string): Promise<string[]> {
  const response = await service.fetch(`/products?${filter}&select=product_name`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { product_name: string }[]).map(({ product_name }) => product_name);
}

test('a search has the same result before and after its rows are indexed, and through the index', async () => {
  const cwd = temporaryFolder();
  const service = await serviceWithMany(cwd);
  const filters = ['product_name=fts.chais', 'product_name=ilike.*KÖÖRI*', 'product_name=wfts.chef -gumbo'];
  const expected = [['Chai'], ['Lakkalikööri'], ["Chef Anton's Cajun Seasoning"]];
  const ask = () => Promise.all(filters.map((filter) => namesOf(service, filter)));
  expect(await ask()).toEqual(expected);
  await untilIndexed(cwd);
  expect(await ask()).toEqual(expected);
  const headers = { accept: 'application/vnd.pgrst.plan+text' };
  const plan = await (await service.fetch('/products?product_name=fts.chais', { headers })).text();
  expect(plan).toContain('SCAN _products_search VIRTUAL TABLE');
});

test('a collection is indexed while another keeps changing', async () => {
  const cwd = temporaryFolder();
  const text = { id: 'int4', text: 'text' };
  const collections = { busy: { fields: text }, quiet: { fields: text } };
  writeFileSync(join(cwd, 'collections.json'), JSON.stringify({ collections }));
  const service = await startService({ cwd });
  const store = async (name: string, rows: readonly object[]) => {
    const headers = { prefer: 'resolution=merge-duplicates' };
    const answer = await service.fetch(`/${name}`, { method: 'POST', headers, body: JSON.stringify(rows) });
    expect(answer.status).toBeLessThan(300);
  };
  const rowsWith = (text: string) => Array.from({ length: 2 * BATCH }, (_, index) => ({ id: index + 1, text }));
  await store('busy', rowsWith('first'));
  await store('quiet', rowsWith('first'));
  const db = new Database(join(cwd, 'catalogue.db'));
  const pending = db.query<{ count: number }, []>('select count(*) as count from _quiet_search_pending');
  let round = 0;
  await until('the quiet collection is indexed', async () => {
    await store('busy', rowsWith(`round ${round++}`));
    return pending.get()!.count < BATCH;
  });
  db.close();
});

test('rows that another program writes are found at once', async () => {
  const cwd = temporaryFolder();
  const service = await serviceWithMany(cwd);
  await untilIndexed(cwd);
  const other = new Database(join(cwd, 'catalogue.db'));
  other.run('pragma busy_timeout = 5000');
  other.run("insert into products (product_name) values ('Sea buckthorn jam')");
  other.run("update products set product_name = 'Buckthorn cordial' where id = 1");
  other.run("insert or replace into products (id, product_name) values (2, 'Dried buckthorn')");
  other.run("update products set id = 90000 where product_name like 'Lakka%'");
  other.run('delete from products where id = 3');
  other.close();
  const check = async () => {
    expect(await namesOf(service, 'product_name=fts.buckthorns')).toEqual([
      'Buckthorn cordial',
      'Dried buckthorn',
      'Sea buckthorn jam',
    ]);
    expect(await namesOf(service, 'product_name=ilike.*köör*')).toEqual(['Lakkalikööri']);
    expect(await namesOf(service, 'product_name=fts.chai')).toEqual([]);
    expect(await namesOf(service, 'product_name=fts.aniseed')).toEqual([]);
  };
  await check();
  await untilIndexed(cwd);
  await check();
});

test('updates and deletes by a search affect exactly the rows that the search finds', async () => {
  const cwd = temporaryFolder();
  const service = await serviceWithMany(cwd);
  await untilIndexed(cwd);
  const body = '{"reorder_level":99}';
  expect((await service.fetch('/products?product_name=fts.tofu', { method: 'PATCH', body })).status).toBe(204);
  expect(await namesOf(service, 'reorder_level=eq.99')).toEqual(['Tofu', 'Longlife Tofu']);
  expect((await service.fetch('/products?product_name=plfts.hampers', { method: 'DELETE' })).status).toBe(204);
  expect(await namesOf(service, 'order=id')).toHaveLength(77);
});

test('a catalogue without the index gets it when the service starts, and check reports it', async () => {
  const cwd = temporaryFolder();
  const first = await serviceWithMany(cwd);
  first.kill('SIGTERM');
  await first.exited;
  const db = new Database(join(cwd, 'catalogue.db'));
  for (const event of ['insert', 'update', 'delete']) db.run(`drop trigger _products_search_${event}`);
  db.run('drop table _products_search');
  db.run('drop table _products_search_pending');
  db.run("update products set product_name = 'Green chai' where id = 1");
  db.close();
  const check = () => run({ cwd, args: ['check'] });
  expect(await check()).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/index of texts +missing; the service creates it/),
  });
  const second = await startService({ cwd });
  expect(await namesOf(second, 'product_name=fts.chais')).toEqual(['Green chai']);
  await untilIndexed(cwd);
  expect(await namesOf(second, 'product_name=fts.chais')).toEqual(['Green chai']);
  expect(await check()).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/index of texts +\d+ changed rows not indexed/),
  });
});

const ROUNDS = 3;

test('the index is correct after a kill at any time', async () => {
  const cwd = temporaryFolder();
  const random = seededRandom();
  const expected: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const service = await startService({ cwd, args: ['--log-level', 'error'] });
    const names = Array.from({ length: 700 }, (_, index) => `Crate ${round} of saffron ${index}`);
    const body = JSON.stringify(names.map((product_name) => ({ product_name })));
    expect((await service.fetch('/products', { method: 'POST', body })).status).toBe(201);
    const renamed = '{"product_name":"Barrel"}';
    const filter = `product_name=eq.${encodeURIComponent(names[0]!)}`;
    expect((await service.fetch(`/products?${filter}`, { method: 'PATCH', body: renamed })).status).toBe(204);
    expected.push(...names.slice(1));
    // The indexer looks for new rows once per second.
    await Bun.sleep(800 + random() * 600);
    service.kill('SIGKILL');
    await service.exited;
  }
  expect(integrityOf(join(cwd, 'catalogue.db'))).toBe('ok');
  const service = await startService({ cwd });
  for (const _ of ['as it was left', 'when all is indexed']) {
    expect(await namesOf(service, 'product_name=fts.saffron&order=id')).toEqual(expected);
    expect(await namesOf(service, 'product_name=fts.barrels')).toHaveLength(ROUNDS);
    await untilIndexed(cwd);
  }
});

test('imported, copied and exported rows are found, and the index itself is not transferred', async () => {
  const cwd = temporaryFolder();
  const service = await serviceWithMany(cwd);
  await untilIndexed(cwd);
  const command = (...args: string[]) => run({ cwd, args });
  const rows = Array.from({ length: 1_000 }, (_, index) => `${index + 1},Buckthorn ${index}`);
  writeFileSync(join(cwd, 'more.csv'), `id,product_name\n${rows.join('\n')}\n`);
  expect(await command('import', 'more.csv', '--on-conflict', 'merge')).toMatchObject({ exitCode: 0 });
  for (const _ of ['before it is indexed', 'after']) {
    expect(await namesOf(service, 'product_name=fts.buckthorns')).toHaveLength(1_000);
    expect(await namesOf(service, 'product_name=fts.chai')).toEqual([]);
    await untilIndexed(cwd);
  }
  expect(await command('copy', '--from', 'catalogue.db', '--to', 'other.db')).toMatchObject({ exitCode: 0 });
  const other = await startService({ cwd, env: { DATABASE_URL: 'sqlite:other.db' } });
  expect(await namesOf(other, 'product_name=fts.buckthorns')).toHaveLength(1_000);
  const { stdout } = await command('export', 'product_name=fts.buckthorn&limit=1');
  expect(stdout).toContain('Buckthorn 0');
});

test('restored rows are found, and rows missing from the backup are not', async () => {
  const cwd = temporaryFolder();
  const service = await serviceWithMany(cwd);
  await untilIndexed(cwd);
  expect(await run({ cwd, args: ['backup', 'copy.db'] })).toMatchObject({ exitCode: 0 });
  const body = '{"product_name":"Buckthorn"}';
  expect((await service.fetch('/products?product_name=fts.chai', { method: 'PATCH', body })).status).toBe(204);
  await untilIndexed(cwd);
  expect(await run({ cwd, args: ['restore', 'copy.db', '--force'] })).toMatchObject({ exitCode: 0 });
  for (const _ of ['before it is indexed', 'after']) {
    expect(await namesOf(service, 'product_name=fts.chai')).toEqual(['Chai']);
    expect(await namesOf(service, 'product_name=fts.buckthorn')).toEqual([]);
    await untilIndexed(cwd);
  }
  expect(await run({ cwd, args: ['check'] })).toMatchObject({ exitCode: 0 });
});

test('the SQLite planner statistics leave out the index, because its early size would mislead the planner', async () => {
  const cwd = temporaryFolder();
  const tables = () => {
    const db = new Database(join(cwd, 'catalogue.db'));
    const rows = db.query('select distinct tbl from sqlite_stat1').values().flat();
    db.close();
    return rows;
  };
  const first = await serviceWithMany(cwd);
  await untilIndexed(cwd);
  first.kill('SIGTERM');
  await first.exited;
  const db = new Database(join(cwd, 'catalogue.db'));
  db.run('analyze');
  db.close();
  expect(tables()).toContain('_products_search_data');
  await startService({ cwd });
  await until('the statistics are those of the collections', () => !tables().includes('_products_search_data'));
  expect(tables()).toContain('products');
});

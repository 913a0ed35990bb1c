/**
 * A service that runs while another process migrates its database. It never shows or stores data that it would
 * misinterpret.
 */

import { Database } from 'bun:sqlite';
import { afterEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../../src/app.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { openPostgres } from '../../../src/engine/postgres/engine.ts';
import { NO_ROWS } from '../../../src/plan/write/first-rows.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { cleanUp, run, startService, temporaryFolder } from '../../support/processes/process.ts';

afterEach(cleanUp);

const collections = (price: string, more = '') =>
  `collections:\n  items:\n    fields:\n      id: int4\n      price: ${price}\n${more}`;

async function shop() {
  const cwd = temporaryFolder();
  const write = (text: string) => writeFileSync(join(cwd, 'collections.yaml'), text);
  write(collections('decimal(12,4)'));
  writeFileSync(join(cwd, 'items.json'), '[{"id":1,"price":18.5}]');
  await run({ cwd, args: ['import', 'items.json'] });
  const service = await startService({ cwd });
  const send = (method: string, body: string) =>
    service.fetch('/items?id=eq.1', { method, headers: { 'content-type': 'application/json' }, body });
  return { cwd, write, service, send, migrate: (...args: string[]) => run({ cwd, args: ['migrate', ...args] }) };
}

test('after a change of type, the service reads and writes nothing until it is restarted', async () => {
  const { cwd, write, service, send, migrate } = await shop();
  expect(await (await service.fetch('/items')).json()).toEqual([{ id: 1, price: 18.5 }]);
  write(collections('decimal(18,4)'));
  expect(await migrate('--allow', 'convert:items.price')).toMatchObject({ exitCode: 0 });
  for (const response of [
    await service.fetch('/items'),
    await service.fetch('/items/1'),
    await send('PATCH', '{"price":20}'),
  ]) {
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      code: 'CAT503',
      details: expect.stringContaining('items.price has another type'),
    });
  }
  expect((await service.fetch('/ready')).status).toBe(503);
  service.kill('SIGTERM');
  await service.exited;
  const again = await startService({ cwd });
  expect(await (await again.fetch('/items')).json()).toEqual([{ id: 1, price: 18.5 }]);
});

test('after a field is added, the service continues, and after a rename it names the field that it lacks', async () => {
  const { write, service, send, migrate } = await shop();
  const added = collections('decimal(12,4)', '      note: text\n');
  write(added);
  expect(await migrate()).toMatchObject({ exitCode: 0 });
  expect((await send('PATCH', '{"price":20}')).status).toBe(204);
  expect(await (await service.fetch('/items')).json()).toEqual([{ id: 1, price: 20 }]);
  expect((await service.fetch('/ready')).status).toBe(200);
  write(added.replace('price: decimal(12,4)', "cost: { type: 'decimal(12,4)', was: price }"));
  expect(await migrate()).toMatchObject({ exitCode: 0 });
  expect(await (await service.fetch('/items')).json()).toMatchObject({
    code: 'CAT503',
    details: expect.stringContaining('while the service ran: items.price is missing.'),
    hint: expect.stringContaining('Start the service again'),
  });
  expect(await (await service.fetch('/ready')).text()).toContain('items.price is missing');
});

test('views and triggers of other programs survive the rebuild of a table', async () => {
  const { cwd, write, service, migrate } = await shop();
  service.kill('SIGTERM');
  await service.exited;
  const db = new Database(join(cwd, 'catalogue.db'));
  db.run('create view cheap as select id from items where price < 20');
  db.run('create table audit (n integer)');
  db.run('create trigger counted after insert on audit begin update items set price = price; end');
  write(collections('decimal(18,4)'));
  expect(await migrate('--allow', 'convert:items.price')).toMatchObject({ exitCode: 0, stderr: '' });
  const names = db.query("select name from sqlite_schema where name in ('cheap', 'counted') order by name").all();
  expect(names).toEqual([{ name: 'cheap' }, { name: 'counted' }]);
  db.close();
});

test('a PostgreSQL instance that reconnects does not revert the migration of a newer instance', async () => {
  const schema = newSchema();
  const declare = (rules: object) =>
    declareCatalogue({
      collections: [
        {
          name: 'items',
          key: ['id'],
          fields: [
            { name: 'id', type: 'int4' },
            { name: 'code', type: 'text', ...rules },
          ],
        },
      ],
    });
  const open = async (rules: object) => {
    const catalogue = declare(rules);
    const engine = openPostgres({ ...TEST_SETTINGS, catalogue, url: testServer.url, schema, firstRows: NO_ROWS });
    await engine.opened;
    const app = createApp({ catalogue, engine, maxBodyBytes: 1_000_000, allowUnfilteredWrites: false });
    const headers = { 'content-type': 'application/json' };
    const ask = async (init?: RequestInit) => app.fetch(new Request('http://catalogue/items?limit=9', init));
    const post = async () => (await ask({ method: 'POST', headers, body: '{"code":"x"}' })).status;
    return { engine, post, get: async () => (await ask()).status };
  };
  const old = await open({});
  const newer = await open({ unique: true });
  expect([await newer.post(), await newer.post()]).toEqual([201, 409]);
  await testServer.admin.unsafe(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query like '%"items"%'`,
  );
  expect(await old.get()).toBe(200);
  expect(await newer.post()).toBe(409);
  await old.engine.close();
  await newer.engine.close();
});

test('a missing column or table in PostgreSQL is not reported as a client error, and nothing is written', async () => {
  const { url, admin } = testServer;
  const schema = newSchema();
  const fields = ['id', 'amount', 'note'].map((name) => ({ name, type: 'int4' }));
  const catalogue = declareCatalogue({ collections: [{ name: 'items', key: ['id'], fields }] });
  const engine = openPostgres({ ...TEST_SETTINGS, url, schema, catalogue, firstRows: NO_ROWS });
  await engine.opened;
  const app = createApp({ catalogue, engine, maxBodyBytes: 1024, allowUnfilteredWrites: false });
  const ask = async (path: string, init?: RequestInit) => app.fetch(new Request(`http://catalogue${path}`, init));
  const write = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"id":1}' };
  for (const change of ['alter table items drop column note', 'drop table items']) {
    await admin.unsafe(change.replace('items', `"${schema}".items`));
    for (const answer of [await ask('/items'), await ask('/items?note=gt.1'), await ask('/items', write)]) {
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({
        code: 'CAT503',
        message: expect.stringContaining('does not exist'),
        hint: expect.stringContaining('start it again with the declaration of the migration'),
      });
    }
  }
  await engine.close();
});

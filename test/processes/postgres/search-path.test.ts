/** Extensions and helpers in another schema than the tables: `--extra-search-path` names it, by default `public`. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { describeDatabase } from '../../../src/engine/open.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { NO_ROWS } from '../../../src/plan/write/first-rows.ts';
import { DATABASE_SETTINGS } from '../../../src/settings/database.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';

const { url, admin } = testServer;
const schema = newSchema();
const SETTINGS = {
  ...TEST_SETTINGS,
  schema,
  collections: '',
  replicas: [],
  replicaLagSeconds: 10,
  idempotencyHours: 24,
  historyDays: 30,
};
const engines: PostgresEngine[] = [];

async function serve(extraSearchPath?: readonly string[]): Promise<(path: string) => Promise<[number, unknown]>> {
  const settings = extraSearchPath === undefined ? SETTINGS : { ...SETTINGS, extraSearchPath };
  const { collections, functions = [] } = await describeDatabase(url, settings);
  const catalogue = declareCatalogue({ collections: collections.map(({ draft }) => draft), functions });
  const engine = openPostgres({ ...settings, url, catalogue, firstRows: NO_ROWS });
  engines.push(engine);
  await engine.opened;
  const app = createApp({ catalogue, engine, maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false });
  return async (path) => {
    const response = await app.fetch(new Request(`http://catalogue${path}`));
    return [response.status, await response.json()];
  };
}

beforeAll(async () => {
  await admin.unsafe(`
    create extension citext schema public;
    create extension hstore schema public;
    create function public.k47_helper() returns text language sql as $$ select 'helped' $$;
    create schema "${schema}";
    create table "${schema}".people (id integer primary key, email public.citext, traits public.hstore);
    create function "${schema}".ask() returns text language plpgsql as $$ begin return k47_helper(); end $$;
    insert into "${schema}".people values (1, 'Ann@Example.com', 'eyes => blue, hair => red'), (2, 'Bob@Example.com', '')`);
});
afterAll(async () => {
  for (const engine of engines) await engine.close();
  await admin.unsafe(`drop schema "${schema}" cascade; drop function public.k47_helper();
    drop extension citext; drop extension hstore`);
});

test('operators and functions of the schema public are found', async () => {
  const get = await serve();
  expect(await get('/people?email=eq.ann@example.com&select=id')).toEqual([200, [{ id: 1 }]]);
  expect(await get('/people?email=in.(ann@example.com,BOB@example.com)&select=id')).toEqual([
    200,
    [{ id: 1 }, { id: 2 }],
  ]);
  expect(await get('/people?traits=cs.eyes%3D%3Eblue&select=id')).toEqual([200, [{ id: 1 }]]);
  expect(await get('/rpc/ask')).toEqual([200, 'helped']);
});

test('a value that an extension cannot read is an error of the client', async () => {
  const get = await serve();
  // PostgreSQL 15 reports an internal error, later versions a syntax error.
  for (const value of ['%7B%22a%22:%221%22%7D', 'a', '%22']) {
    expect(await get(`/people?traits=cs.${value}`)).toEqual([
      400,
      expect.objectContaining({ code: expect.any(String) }),
    ]);
  }
});

test('without an extra search path only the schema of the tables is in it', async () => {
  const { read } = DATABASE_SETTINGS.extraSearchPath;
  const get = await serve(read('', '--extra-search-path'));
  expect(await get('/rpc/ask')).toEqual([400, expect.objectContaining({ code: '42883' })]);
  expect(read(' public, My schema ', '--extra-search-path')).toEqual(['public', 'My schema']);
});

test('a migration changes no index of the schema public', async () => {
  const collections = (indexed: boolean) => [
    {
      name: 'k47_boats',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'hull', type: 'text', indexed },
      ],
    },
  ];
  await admin.unsafe(`create table public.k47_boats (id integer, hull text);
    create index k47_boats_hull_idx on public.k47_boats (hull)`);
  const open = async (indexed: boolean) => {
    const catalogue = declareCatalogue({ collections: collections(indexed) });
    const engine = openPostgres({ ...SETTINGS, url, catalogue, firstRows: NO_ROWS });
    engines.push(engine);
    await engine.opened;
  };
  const indexes = async () => {
    const rows = await admin.unsafe(`select schemaname, indexname from pg_indexes where tablename = 'k47_boats'
      and indexname not like '%_pkey' order by schemaname = 'public'`);
    return rows.map(({ schemaname }: { schemaname: string }) => schemaname);
  };
  await open(false);
  expect(await indexes()).toEqual(['public']);
  await open(true);
  expect(await indexes()).toEqual([schema, 'public']);
  const [{ name }] = await admin.unsafe(`select indexname as name from pg_indexes where schemaname = '${schema}'
    and tablename = 'k47_boats' and indexname not like '%_pkey'`);
  await admin.unsafe(`drop index public.k47_boats_hull_idx; create index "${name}" on public.k47_boats (hull);
    drop index "${schema}"."${name}"`);
  await open(true);
  expect(await indexes()).toEqual([schema, 'public']);
  await open(false);
  expect(await indexes()).toEqual(['public']);
  await admin.unsafe('drop table public.k47_boats');
});

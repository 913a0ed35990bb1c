/** Adopted tables that another program changes while a service with a declaration runs. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { NO_ROWS } from '../../../src/plan/write/first-rows.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { until } from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

const { url, admin } = testServer;
const schema = newSchema();
const notices: string[] = [];
let engine: PostgresEngine;
let fetch: (path: string, init?: RequestInit) => Promise<{ status: number; body: Record<string, unknown> }>;

beforeAll(async () => {
  await admin.unsafe(`create schema ${schema};
    create table ${schema}.boats (id int primary key, name text, hull text);
    create table ${schema}.docks (id int primary key, name text);
    insert into ${schema}.boats values (1, 'Ann', 'oak')`);
  const fields = ['name', 'hull'].map((name) => ({ name, type: 'text' }));
  const id = { name: 'id', type: 'int4' };
  const catalogue = declareCatalogue({
    collections: [
      { name: 'boats', key: ['id'], fields: [id, ...fields] },
      { name: 'docks', key: ['id'], fields: [id, fields[0]!] },
    ],
    functions: [{ name: 'size', parameters: [], volatility: 'stable', returns: { type: 'int4' } }],
  });
  const notice = (_: string, message: string) => void notices.push(message);
  engine = openPostgres({ ...TEST_SETTINGS, url, schema, catalogue, firstRows: NO_ROWS, serves: true, notice });
  await engine.opened;
  const app = createApp({ catalogue, engine, maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false });
  fetch = async (path, init) => {
    const response = await app.fetch(new Request(`http://catalogue${path}`, init));
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  };
});
afterAll(() => engine.close());

test('a dropped column is a clear error of the requests that need it, and the log names it', async () => {
  await admin.unsafe(`alter table ${schema}.boats drop column hull`);
  const missing = { status: 400, body: { code: '42703', hint: expect.stringContaining('have changed') } };
  expect(await fetch('/boats')).toMatchObject(missing);
  expect(await fetch('/boats', sendJson('POST', { id: 2, hull: 'ash' }))).toMatchObject(missing);
  expect(await fetch('/boats?select=name')).toMatchObject({ status: 200, body: [{ name: 'Ann' }] });
  await until('the log', () => notices.some((each) => each.includes('hull is missing): change the declaration')));
});

test('a column that comes back is served again, also with another type', async () => {
  await admin.unsafe(
    `alter table ${schema}.boats add column hull text default 'elm'; alter table ${schema}.boats alter id type int8`,
  );
  expect(await fetch('/boats')).toMatchObject({ status: 200, body: [{ name: 'Ann', hull: 'elm' }] });
  await until('the log', () => notices.some((each) => each.includes('id is bigint, not int4')));
});

test('a dropped table gets 404, and works when it is back', async () => {
  expect(await fetch('/rpc/size')).toMatchObject({ status: 400, body: { code: '42883' } });
  await admin.unsafe(
    `create function ${schema}.size() returns int language sql stable as 'select 7'; drop table ${schema}.docks`,
  );
  expect(await fetch('/rpc/size')).toMatchObject({ status: 200, body: 7 as never });
  expect(await fetch('/docks')).toMatchObject({ status: 404, body: { code: '42P01' } });
  await until('the log', () => notices.some((each) => each.includes('create table docks')));
  await admin.unsafe(`create table ${schema}.docks (id int primary key, name text)`);
  expect(await fetch('/docks')).toMatchObject({ status: 200 });
});

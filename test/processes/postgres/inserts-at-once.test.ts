/** Rows of requests at once share a statement on PostgreSQL. Nothing else of them is shared. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { requestIds } from '../../../src/observe/request-id.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { declaredBy, identify } from '../../support/engines/roles.ts';
import { until } from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

const fields = '{ fields: { id: int4, name: text } }';
const catalogue = declaredBy(`
collections: { plain: ${fields}, followed: ${fields}, checked: ${fields}, locked: ${fields}, earlier: ${fields}, copies: ${fields} }
roles: { editor: all }
`);
const schema = newSchema();
const { admin, url } = testServer;
let engine: PostgresEngine;
let fetch: (path: string, init?: RequestInit) => Promise<Response>;

beforeAll(async () => {
  engine = openPostgres({ ...TEST_SETTINGS, catalogue, url, schema, firstRows: () => [], querySeconds: 1 });
  await engine.opened;
  const options = { maxBodyBytes: 1e6, allowUnfilteredWrites: false, requestIds: requestIds(false), identify };
  const app = createApp({ catalogue, engine, ...options });
  fetch = async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init));
  await admin.unsafe(`create sequence ${schema}.copied;
    create function ${schema}.copy_name(text) returns boolean language plpgsql as
      $$ begin insert into ${schema}.copies (id, name) values (nextval('${schema}.copied'), $1); return true; end $$;
    create function ${schema}.copy_row() returns trigger language plpgsql as
      $$ begin perform ${schema}.copy_name(new.name); return new; end $$`);
});
afterAll(() => engine.close());

const post = (collection: string, name: string) =>
  fetch(
    `/${collection}`,
    sendJson('POST', { name }, { 'x-role': 'editor', 'x-claims': JSON.stringify({ sub: name }), 'x-request-id': name }),
  );

/** Posts rows that have the name of their user, and returns what the log says of rows with such names. */
async function postAtOnce(collection: string, logged = collection, prefix = collection) {
  const names = Array.from({ length: 8 }, (_, index) => `${prefix}-${index}`);
  const answers = await Promise.all(names.map((name) => post(collection, name)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  const path = `/changes?select=actor,request_id,name:after->>name&collection=eq.${logged}&after->>name=like.${prefix}-*`;
  const found = (await (await fetch(path, { headers: { 'x-role': 'editor' } })).json()) as {
    readonly actor: string | null;
    readonly request_id: string | null;
    readonly name: string;
  }[];
  expect(found.map(({ name }) => name).sort()).toEqual(names);
  return found;
}

const own = ({ name }: { readonly name: string }) => ({ actor: name, request_id: name, name });

test('rows that a trigger writes have the origin of their request, also if it was added while the service runs', async () => {
  const before = await postAtOnce('followed');
  expect(before).toEqual(before.map(own));
  await admin.unsafe(
    `create trigger copied after insert on ${schema}.followed for each row execute function ${schema}.copy_row()`,
  );
  for (const prefix of ['first', 'second']) {
    const copied = await postAtOnce('followed', 'copies', prefix);
    expect(copied).toEqual(copied.map(own));
  }
});

test('rows that the function of a check writes never have the origin of another request', async () => {
  await admin.unsafe(`alter table ${schema}.checked add check (${schema}.copy_name(name))`);
  const copied = await postAtOnce('checked', 'copies');
  expect(copied).toEqual(
    copied.map((each) => (each.actor === null ? { ...own(each), actor: null, request_id: null } : own(each))),
  );
});

test('short rows share statements, and a long row has its own', async () => {
  const statements = async () => (await admin.unsafe(`select distinct xmin::text from ${schema}.plain`)).length;
  const short = await postAtOnce('plain');
  expect(short).toEqual(short.map(own));
  const shared = await statements();
  expect(shared).toBeLessThan(short.length);
  const answers = await Promise.all([1, 2, 3].map((each) => post('plain', `${each}`.repeat(20_000))));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(await statements()).toBe(shared + 3);
});

test('rows that wait for a locked table fail at their time limit, and do not wait again', async () => {
  const waiting = new Set<string>();
  const answers = await admin.begin(async (transaction) => {
    await transaction.unsafe(`lock table ${schema}.locked in access exclusive mode`);
    const all = Promise.all(Array.from({ length: 8 }, (_, index) => post('locked', `locked-${index}`)));
    let isAnswered = false;
    all.finally(() => (isAnswered = true));
    await until('the answers', async () => {
      const found = await admin.unsafe(
        `select pid || ' ' || query_start as statement from pg_stat_activity where wait_event_type = 'Lock' and query like '%"locked"%'`,
      );
      for (const { statement } of found) waiting.add(statement);
      return isAnswered;
    });
    return all;
  });
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 504));
  expect(waiting.size).toBeGreaterThan(0);
  // On a busy machine, none may share a statement.
  expect(waiting.size).toBeLessThanOrEqual(8);
});

test('rows have the origin of their request while an earlier version has replaced the function of the log', async () => {
  const [{ body }] = await admin.unsafe(
    `select prosrc as body from pg_proc where proname = 'catalogue_log' and pronamespace = '${schema}'::regnamespace`,
  );
  const earlier = body.replaceAll('shared_origins', 'unknown').replace(`request ->> 'table' = tg_table_name`, 'false');
  await admin.unsafe(`create or replace function ${schema}.catalogue_log() returns trigger language plpgsql security definer
    set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $body$${earlier}$body$`);
  const logged = await postAtOnce('earlier');
  expect(logged).toEqual(logged.map(own));
});

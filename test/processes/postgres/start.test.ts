/**
 * Starting on PostgreSQL: schemas that are created, adopted or rejected, roles with few privileges, and masked
 * passwords.
 */

import { afterEach, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../../src/app.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { products } from '../../../src/collection/products.ts';
import type { Row } from '../../../src/collection/value.ts';
import { EMPTY_QUERY } from '../../../src/dialect/query.ts';
import { openPostgres } from '../../../src/engine/postgres/engine.ts';
import { planRead, WHOLE_ROW_JSON } from '../../../src/plan/read/read.ts';
import { firstRowsOf } from '../../../src/plan/write/first-rows.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { cleanUp, run, startService, temporaryFolder } from '../../support/processes/process.ts';

afterEach(cleanUp);

const { url, admin } = testServer;
const allRows = planRead(products, EMPTY_QUERY, { offset: 0 }, undefined);

function open(schema: string, more: { url?: string; firstRows?: () => [] } = {}) {
  return openPostgres({ ...TEST_SETTINGS, url, schema, firstRows: firstRowsOf(BUILT_IN), ...more });
}

async function tablesIn(schema: string): Promise<string[]> {
  const tables = await admin.unsafe(`select tablename from pg_tables where schemaname = '${schema}' order by 1`);
  return tables.map(({ tablename }: { tablename: string }) => tablename);
}

const FITTING = `(id serial primary key, product_name text collate "C" not null, discontinued int not null,
  supplier_id int, category_id int, quantity_per_unit text collate "C", unit_price numeric(12,4), units_in_stock int,
  units_on_order int, reorder_level int, colour text)`;

describe('catalogue serve on PostgreSQL', () => {
  test('explains once why rows are not counted, for any number of collections, also with roles', async () => {
    const cwd = temporaryFolder();
    const fields = '{ fields: { id: int4 } }';
    const collections = `collections: { notes: ${fields}, tags: ${fields} }\nroles: { admin: all }\n`;
    writeFileSync(join(cwd, 'collections.yaml'), collections);
    const service = await startService({ cwd, env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' } });
    expect(service.stdout()).toMatch(/^Rows {6}notes, tags not known yet: PostgreSQL cannot be reached: [^:]+$/m);
    expect(service.stderr()).not.toContain('WARNING');
  });

  test('distinguishes an unknown host from a refused connection', async () => {
    const check = (database: string) => run({ cwd: temporaryFolder(), args: ['check', '--database', database] });
    expect((await check('postgres://nobody@nohost.invalid/none')).stderr).toContain(
      "PostgreSQL cannot be reached: host 'nohost.invalid' cannot be resolved",
    );
    expect((await check('postgres://nobody@127.0.0.1:1/none')).stderr).toContain('the connection is refused');
  });

  test('creates its schema, prints its location, and never shows the password', async () => {
    const schema = newSchema();
    const secret = url.replace(/:\/\/([^:]*):[^@]*@/, '://$1:secret@');
    const service = await startService({
      args: ['--schema', schema],
      cwd: temporaryFolder(),
      env: { DATABASE_URL: secret },
    });
    expect(service.stdout()).toContain(`(schema ${schema})`);
    expect(service.stdout()).toContain('Rows      products 77');
    expect(await (await service.fetch('/products?id=eq.1&select=product_name')).json()).toEqual([
      { product_name: 'Chai' },
    ]);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(service.stdout() + service.stderr()).not.toContain('secret');
  });

  test('exits with one sentence for a wrong password', async () => {
    await admin.unsafe(`drop role if exists locked_out; create role locked_out login password 'right'`);
    const wrong = url.replace(/:\/\/[^@]*@/, '://locked_out:wrong-one@');
    const { exitCode, stderr } = await run({
      args: ['serve', '--port', '0', '--database', wrong],
      cwd: temporaryFolder(),
    });
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith('catalogue: PostgreSQL rejected the connection: ');
    expect(stderr).not.toContain('wrong-one');
  });
});

describe('a schema', () => {
  test('is created once, however many instances start at once', async () => {
    const schema = newSchema();
    const engines = Array.from({ length: 10 }, () => open(schema));
    await Promise.all(engines.map((engine) => engine.opened));
    expect(engines.filter((engine) => engine.steps.length > 0)).toHaveLength(1);
    expect((await engines[9]!.read(allRows, WHOLE_ROW_JSON)).returned).toBe(77);
    await Promise.all(engines.map((engine) => engine.close()));
  });

  test('with a matching table is adopted with its rows', async () => {
    const schema = newSchema();
    await admin.unsafe(`create schema ${schema}; create table ${schema}.products ${FITTING};
      insert into ${schema}.products (product_name, discontinued) values ('mine', 0)`);
    const engine = open(schema);
    await engine.opened;
    expect((await engine.read(allRows, WHOLE_ROW_JSON)).body).toContain('"product_name":"mine"');
    expect(engine.steps).toEqual([]);
    expect(await tablesIn(schema)).toEqual(['products']);
    await engine.close();
  });

  test('with a table that does not match is rejected with every difference and left unchanged', async () => {
    const schema = newSchema();
    await admin.unsafe(`create schema ${schema};
      create table ${schema}.products (id int, product_name varchar(40) not null, discontinued bool, owner int not null)`);
    const engine = open(schema);
    const refusal = await engine.opened.then(
      () => '',
      (error: Error) => error.message,
    );
    for (const difference of [
      'discontinued is boolean, not int4',
      'discontinued may be null in it',
      'unit_price is missing',
      'id is not unique by itself',
    ]) {
      expect(refusal).toContain(difference);
    }
    expect(await tablesIn(schema)).toEqual(['products']);
    await engine.close();
  });

  test('of a newer version is rejected', async () => {
    const schema = newSchema();
    const engine = open(schema);
    await engine.opened;
    await engine.close();
    await admin.unsafe(`update ${schema}.catalogue_schema set version = 99`);
    await expect(open(schema).opened).rejects.toThrow('newer version');
  });

  test('that lacks a declared field gets it', async () => {
    const schema = newSchema();
    const first = open(schema);
    await first.opened;
    await first.close();
    await admin.unsafe(`alter table ${schema}.products drop column reorder_level`);
    const second = open(schema);
    await second.opened;
    expect(second.steps).toEqual(['add field products.reorder_level']);
    await second.close();
  });
});

describe('a role without DDL rights', () => {
  test('serves an up-to-date schema, and reports what is missing in another', async () => {
    const [ready, bare] = [newSchema(), newSchema()];
    const { exitCode, stdout } = await run({
      args: ['migrate', '--database', url, '--schema', ready],
      cwd: temporaryFolder(),
    });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('create table products');
    await admin.unsafe(`drop role if exists modest; create role modest login password 'modest'; create schema ${bare};
      grant usage on schema ${ready}, ${bare} to modest;
      grant select, insert, update, delete on all tables in schema ${ready} to modest;
      grant usage, select, update on all sequences in schema ${ready} to modest`);
    const modest = url.replace(/:\/\/[^@]*@/, '://modest:modest@');
    const service = await startService({
      args: ['--schema', ready],
      cwd: temporaryFolder(),
      env: { DATABASE_URL: modest },
    });
    const posted = await service.fetch('/products', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: '{"id": 500, "product_name": "by a modest role"}',
    });
    expect(posted.status).toBe(201);
    service.kill('SIGTERM');
    await service.exited;
    const engine = open(bare, { url: modest });
    await expect(engine.opened).rejects.toThrow('Run catalogue migrate with a role that may');
    await engine.close();
    await admin.unsafe(`drop owned by modest; drop role modest`);
  });
});

test('floats keep all their digits, whatever extra_float_digits the database sets', async () => {
  const name = newSchema();
  await admin.unsafe(`create database ${name}`);
  await admin.unsafe(`alter database ${name} set extra_float_digits = 0`);
  const catalogue = declareCatalogue({
    collections: [{ name: 'things', key: ['id'], fields: ['id', 'f'].map((each) => ({ name: each, type: 'float8' })) }],
  });
  const own = new URL(url);
  own.pathname = `/${name}`;
  const firstRows = firstRowsOf({ catalogue, rows: () => [{ id: 1, f: 0.30000000000000004 }] });
  const engine = openPostgres({ ...TEST_SETTINGS, url: own.href, schema: 'public', catalogue, firstRows });
  await engine.opened;
  const app = createApp({ catalogue, engine, maxBodyBytes: 1024, allowUnfilteredWrites: false });
  for (const path of ['/things', '/things?select=id,f::text']) {
    const answer = await app.fetch(new Request(`http://catalogue${path}`));
    expect(String(((await answer.json()) as Row[])[0]!.f)).toBe('0.30000000000000004');
  }
  await engine.close();
  await admin.unsafe(`drop database ${name} with (force)`);
});

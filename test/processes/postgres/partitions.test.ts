/** A partitioned table that its owner created works like any other table, for every kind of write and its response. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { sendJson } from '../../support/stories.ts';

describe('a partitioned table', () => {
  const schema = newSchema();
  let engine: PostgresEngine;
  let ask: (path: string, init?: RequestInit) => Promise<Response>;

  beforeAll(async () => {
    const table = `${schema}.products`;
    // An identity column in a partitioned table needs PostgreSQL 17. A serial column works in older versions.
    await testServer.admin.unsafe(`create schema ${schema};
      create table ${table} (id serial primary key, product_name text collate "C" not null,
        discontinued integer not null default 0, supplier_id integer, category_id integer,
        quantity_per_unit text collate "C", unit_price numeric(12,4), units_in_stock integer,
        units_on_order integer, reorder_level integer) partition by hash (id);
      create table ${table}_0 partition of ${table} for values with (modulus 2, remainder 0);
      create table ${table}_1 partition of ${table} for values with (modulus 2, remainder 1)`);
    engine = openPostgres({ ...TEST_SETTINGS, url: testServer.url, schema, firstRows: () => [] });
    await engine.opened;
    const app = createApp({ catalogue: BUILT_IN.catalogue, engine, maxBodyBytes: 1e6, allowUnfilteredWrites: false });
    ask = async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init));
  });
  afterAll(() => engine.close());

  const stored = async () => (await ask('/products?select=id,product_name')).json();

  test('accepts new products, including assigned ids', async () => {
    const created = await ask('/products', sendJson('POST', [{ product_name: 'a' }, { product_name: 'b' }]));
    expect(created.status).toBe(201);
    expect(await stored()).toEqual([
      { id: 1, product_name: 'a' },
      { id: 2, product_name: 'b' },
    ]);
  });

  test('distinguishes new products from existing ones', async () => {
    const shown = { prefer: 'return=representation' };
    const put = (id: number) => ask(`/products?id=eq.${id}`, sendJson('PUT', { id, product_name: 'put' }, shown));
    expect((await put(3)).status).toBe(201);
    expect((await put(3)).status).toBe(200);
    const merge = { prefer: 'resolution=merge-duplicates' };
    const rows = [
      { id: 3, product_name: 'merged' },
      { id: 4, product_name: 'new' },
    ];
    expect((await ask('/products', sendJson('POST', rows, merge))).status).toBe(201);
    expect((await ask('/products', sendJson('POST', rows, merge))).status).toBe(200);
  });

  test('supports updates, moves between partitions, and deletes', async () => {
    expect((await ask('/products?id=gt.0', sendJson('PATCH', { units_in_stock: 1 }))).status).toBe(204);
    expect((await ask('/products?id=eq.4', sendJson('PATCH', { id: 77 }))).status).toBe(204);
    expect((await ask('/products?id=in.(1,77)', { method: 'DELETE' })).status).toBe(204);
    expect(await stored()).toEqual([
      { id: 2, product_name: 'b' },
      { id: 3, product_name: 'merged' },
    ]);
  });
});

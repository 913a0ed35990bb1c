/**
 * @supabase/supabase-js with a running service: an unmodified `createClient(url, key)`, with the types that `catalogue
 * types` prints.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { ORDER_ROWS, ORDERS_YAML } from '../support/engines/order-actions.ts';
import { newSchema, testServer } from '../support/engines/postgres.ts';
import {
  cleanUp,
  type Environment,
  type Service,
  startService,
  temporaryFolder,
} from '../support/processes/process.ts';
import type { Database } from '../types/database.ts';

const ENGINES: readonly (readonly [string, () => Environment])[] = [
  ['SQLite', () => ({ CATALOGUE_SCHEMA: 'public' })],
  ['PostgreSQL', () => ({ DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: newSchema() })],
];

describe.each(ENGINES)('supabase-js on %s', (_, env) => {
  let service: Service;
  let client: SupabaseClient<Database>;

  beforeAll(async () => {
    const environment = env();
    service = await startService({ cwd: temporaryFolder(), args: ['--log-level', 'error'], env: environment });
    // The client sends the schema name with every request, `public` by default.
    const schema = environment.CATALOGUE_SCHEMA as 'public';
    client = createClient<Database>(service.url, 'any key', { db: { schema } });
  });
  afterAll(cleanUp);

  test('reads, filters, counts and pages', async () => {
    const { data, count, error } = await client
      .from('products')
      .select('id, product_name', { count: 'exact' })
      .ilike('product_name', '%tofu%')
      .order('id');
    expect(error).toBeNull();
    expect(data).toEqual([
      { id: 14, product_name: 'Tofu' },
      { id: 74, product_name: 'Longlife Tofu' },
    ]);
    expect(count).toBe(2);
    const page = await client.from('products').select('id').order('id').range(10, 12);
    expect(page.data).toEqual([{ id: 11 }, { id: 12 }, { id: 13 }]);
    const head = await client.from('products').select('*', { count: 'exact', head: true });
    expect([head.error, head.count]).toEqual([null, 77]);
  });

  test('inserts, updates and deletes', async () => {
    const row = { id: 900, product_name: 'Cloudberry Jam', unit_price: 9.5 };
    const inserted = await client.from('products').insert(row).select().single();
    expect(inserted.error).toBeNull();
    expect(inserted.data).toMatchObject(row);
    const changed = await client.from('products').update({ unit_price: 10 }).eq('id', 900).select('unit_price');
    expect(changed.data).toEqual([{ unit_price: 10 }]);
    const merged = await client
      .from('products')
      .upsert({ ...row, unit_price: 11 })
      .select('unit_price')
      .single();
    expect(merged.data).toEqual({ unit_price: 11 });
    expect((await client.from('products').delete().eq('id', 900)).status).toBe(204);
    expect((await client.from('products').select().eq('id', 900).maybeSingle()).data).toBeNull();
  });

  test('cannot write to a schema that is not served', async () => {
    const other = client.schema('other' as 'public').from('products');
    const { error, status } = await other.insert({ id: 901, product_name: 'Lost' });
    expect([status, error?.code, error?.message]).toEqual([406, 'PGRST106', 'Invalid schema: other']);
    expect((await other.select()).status).toBe(406);
    expect((await client.from('products').select().eq('id', 901)).data).toEqual([]);
  });

  test('receives error details', async () => {
    const { error, status } = await client.from('products').insert({ id: 1, product_name: 'Chai' });
    expect([status, error?.code]).toEqual([409, '23505']);
  });
});

describe.each(ENGINES)('actions and search with supabase-js on %s', (_, env) => {
  afterAll(cleanUp);

  test('rpc() places an order and gets its row, or the error; textSearch() finds products', async () => {
    const cwd = temporaryFolder();
    const yaml = ORDERS_YAML.replace(/\nroles:[\s\S]*/, '\n').replaceAll("'{claims.customer_id}'", '1');
    const search = '    search: { fields: { name: 1 }, language: english }\n  orders:';
    const declaration = yaml.replace('{claims.customer_id}', '1').replace('  orders:', search);
    writeFileSync(join(cwd, 'collections.yaml'), declaration);
    const environment = env();
    const service = await startService({ cwd, args: ['--log-level', 'error'], env: environment });
    const schema = environment.CATALOGUE_SCHEMA as 'public';
    const client = createClient(service.url, 'any key', { db: { schema } });
    for (const [name, rows] of Object.entries(ORDER_ROWS)) {
      expect((await service.fetch(`/${name}`, { method: 'POST', body: JSON.stringify(rows) })).status).toBe(201);
    }
    const placed = await client.rpc('place_order', { lines: [{ product: 1, quantity: 2 }], note: 'gift' });
    expect([placed.error, placed.data]).toEqual([null, expect.objectContaining({ customer_id: 1, note: 'gift' })]);
    const single = await client.rpc('place_order', { lines: [{ product: 2, quantity: 1 }] }).single();
    expect(single.data).toMatchObject({ customer_id: 1 });
    const refused = await client.rpc('place_order', { lines: [{ product: 3, quantity: 1 }] });
    expect([refused.status, refused.error?.code]).toEqual([412, 'CAT412']);
    expect((await client.from('orders').select('id')).data).toHaveLength(2);
    const shoes = ['Red running shoe', 'Blue shoe', 'Red hat'].map((name, index) => ({
      id: 91 + index,
      name,
      stock: 1,
    }));
    expect((await client.from('products').insert(shoes)).error).toBeNull();
    const products = () => client.from('products').select('name,search', { count: 'exact' });
    const found = await products().textSearch('search', 'red shoes', { type: 'websearch' });
    expect([found.count, found.data]).toEqual([1, [{ name: 'Red running shoe', search: expect.any(Number) }]]);
    const best = await products().textSearch('search', 'shoe -blue or hat', { type: 'websearch', config: 'english' });
    expect(best.data?.map(({ name }) => name)).toEqual(['Red hat', 'Red running shoe']);
  });
});

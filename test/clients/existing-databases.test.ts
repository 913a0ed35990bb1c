/**
 * Databases that other tools made: one as Prisma makes it (capitals, enums, numeric, timestamps, composite keys, join
 * tables), and a music shop like Chinook. They are declared, served, read and written with supabase-js, with the types
 * that `catalogue types` prints; `npm run check` compiles this file with them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { newSchema, testServer } from '../support/engines/postgres.ts';
import { cleanUp, run, startService, temporaryFolder } from '../support/processes/process.ts';
import type { Database, Enums, Tables, TablesInsert, TablesUpdate } from '../types/existing-database.ts';

const TABLES = readFileSync(new URL('../data/existing.sql', import.meta.url), 'utf8');
const TYPES = new URL('../types/existing-database.ts', import.meta.url);
const { url, admin } = testServer;
const schema = newSchema();
const cwd = temporaryFolder();
const command = (...args: string[]) => run({ args: [...args, '--schema', schema], cwd });
let client: SupabaseClient<Database>;

beforeAll(async () => {
  await admin.unsafe(`create schema "${schema}"`);
  await admin.begin(async (transaction) => {
    await transaction.unsafe(`set local search_path = "${schema}"`);
    await transaction.unsafe(TABLES);
  });
  expect(await command('declare', url, '--functions')).toMatchObject({ exitCode: 0, stderr: '' });
  const service = await startService({ cwd, args: ['--schema', schema], env: { DATABASE_URL: url } });
  client = createClient<Database>(service.url, 'any key', { db: { schema: schema as 'public' } });
});
afterAll(cleanUp);

test('nothing is left out, the file matches, and the types are those that this test compiles with', async () => {
  expect(readFileSync(join(cwd, 'collections.yaml'), 'utf8')).not.toMatch(/left out/i);
  expect(await command('declare', url, '--check')).toMatchObject({ exitCode: 0 });
  const { stdout } = await run({ args: ['types'], cwd });
  expect(stdout).toBe(await Bun.file(TYPES).text());
});

test('the types have short names, enums, views, and functions with their types', async () => {
  const status: Enums<'OrderStatus'> = 'open';
  const created: TablesInsert<'Order'> = { shopId: 9, number: 1, status };
  const changed: TablesUpdate<'Order'> = { status: 'paid' };
  await client.from('Order').insert(created).throwOnError();
  await client.from('Order').update(changed).eq('shopId', 9).throwOnError();
  const { data } = await client.from('Order').select().eq('shopId', 9).single();
  const order: Tables<'Order'> | null = data;
  expect(order).toMatchObject({ status: 'paid' });
  await client.from('Order').delete().eq('shopId', 9).throwOnError();
  const { data: last } = await client.rpc('lastStatus');
  const lastStatus: Enums<'OrderStatus'> | null = last;
  expect(lastStatus).toBe('sent');
  const { data: rows } = await client.rpc('setStatus', { to: 'paid' });
  const first: Enums<'OrderStatus'> | null | undefined = rows?.[0]?.status;
  expect([rows?.[0]?.number, first]).toEqual([1, 'paid']);
  const sales: Tables<'Sales'>[] | null = (await client.from('Sales').select()).data;
  expect(sales).toHaveLength(1);
  const { data: albums } = await client.from('Album').select('Title, longTracks(Name)').eq('AlbumId', 1).single();
  const names: string[] | undefined = albums?.longTracks.map((track) => track.Name);
  expect(names).toEqual(['For Those About To Rock']);
});

describe('a database of Prisma', () => {
  test('is written and read with its enums, timestamps and exact numbers', async () => {
    const updatedAt = '2026-01-02T03:04:05.678';
    const user = await client.from('User').insert({ id: 'u1', email: 'a@example.com', updatedAt }).select().single();
    expect(user).toMatchObject({ error: null, data: { id: 'u1', role: 'USER', updatedAt, name: null } });
    const taken = await client.from('User').insert({ id: 'u2', email: 'a@example.com', updatedAt });
    expect(taken.error).toMatchObject({ code: '23505', details: 'Key (email)=(a@example.com) already exists.' });
    const role = await client.from('User').update({ role: 'ADMIN' }).eq('id', 'u1').select('role').single();
    expect(role.data).toEqual({ role: 'ADMIN' });
    const none = await client.from('User').select('id').gt('role', 'ADMIN');
    expect(none).toMatchObject({ error: null, data: [] });
    const order = await client
      .from('Order')
      .insert({ shopId: 1, number: 7, total: 12.5, status: 'paid' })
      .select()
      .single();
    expect(order.data).toEqual({ shopId: 1, number: 7, total: 12.5, status: 'paid' });
    expect((await client.from('Order').select('number').gte('total', 9).order('total')).data).toEqual([{ number: 7 }]);
  });

  test('embeds rows through its references, join tables and composite keys', async () => {
    const post = { title: 'First', authorId: 'u1', order: 3, meta: { tags: ['x'] } };
    const created = await client.from('Post').insert(post).select('id, order, viewCount').single();
    expect(created).toMatchObject({ error: null, data: { order: 3, viewCount: 0 } });
    const { data: category } = await client.from('Category').insert({ name: 'News' }).select().single();
    const joined = await client.from('_CategoryToPost').insert({ A: category!.id, B: created.data!.id });
    expect(joined.error).toBeNull();
    const posts = await client.from('Post').select('title, User(email, role), Category(name)').eq('order', 3);
    expect(posts.error?.code).toBe('PGRST100');
    const ordered = await client
      .from('Post')
      .select('title, User(email, role), Category(name)')
      .gt('"order"' as 'order', 2);
    expect(ordered.data).toEqual([
      { title: 'First', User: { email: 'a@example.com', role: 'ADMIN' }, Category: [{ name: 'News' }] },
    ]);
    await client.from('OrderLine').insert([
      { shopId: 1, orderNumber: 7, line: 1, sku: 'A' },
      { shopId: 1, orderNumber: 7, line: 2, sku: 'B' },
    ]);
    const orders = await client.from('Order').select('status, OrderLine(sku)').eq('shopId', 1).single();
    expect(orders.data).toEqual({ status: 'paid', OrderLine: [{ sku: 'A' }, { sku: 'B' }] });
    const lines = await client.from('OrderLine').select('line, Order(total)').eq('line', 2).single();
    expect(lines.data).toEqual({ line: 2, Order: { total: 12.5 } });
    const lost = await client.from('OrderLine').insert({ shopId: 2, orderNumber: 1, line: 1, sku: 'A' });
    expect(lost.error).toMatchObject({
      code: '23503',
      details: 'Key (shopId, orderNumber)=(2, 1) is not present in table "Order".',
    });
    await client.from('Order').delete().eq('shopId', 1);
    expect((await client.from('OrderLine').select('line')).data).toEqual([]);
  });
});

describe('a music shop', () => {
  test('is read with embedding, filters on embedded rows, and a view', async () => {
    const albums = await client
      .from('Album')
      .select('Title, Artist!inner(Name), Track(Name, UnitPrice)')
      .eq('Artist.Name', 'AC/DC')
      .order('AlbumId');
    expect(albums.data).toEqual([
      {
        Title: 'For Those About To Rock',
        Artist: { Name: 'AC/DC' },
        Track: [{ Name: 'For Those About To Rock', UnitPrice: 0.99 }],
      },
      { Title: 'Let There Be Rock', Artist: { Name: 'AC/DC' }, Track: [{ Name: 'Go Down', UnitPrice: 1.29 }] },
    ]);
    const playlists = await client.from('Playlist').select('Name, Track(Name)').order('PlaylistId');
    expect(playlists.data).toEqual([
      { Name: 'Music', Track: [{ Name: 'For Those About To Rock' }, { Name: 'Go Down' }] },
      { Name: 'Quiet', Track: [] },
    ]);
    const chiefs = await client.from('Employee').select('LastName, chief:ReportsTo(LastName)').order('EmployeeId');
    expect(chiefs.data).toEqual([
      { LastName: 'Adams', chief: null },
      { LastName: 'Edwards', chief: { LastName: 'Adams' } },
    ] as never);
    const listed = await client.from('Track List').select('Name, Album(Title)').gt('UnitPrice', 1);
    expect(listed.data).toEqual([{ Name: 'Go Down', Album: { Title: 'Let There Be Rock' } }]);
  });

  test('is changed: insert, merge, update, delete', async () => {
    const row = { TrackId: 99, Name: 'New', AlbumId: 4, MediaTypeId: 1, Milliseconds: 1, UnitPrice: 2 };
    expect((await client.from('Track').insert(row)).error).toBeNull();
    const merged = await client
      .from('Track')
      .upsert({ ...row, Name: 'Newer' })
      .select('Name, Bytes')
      .single();
    expect(merged.data).toEqual({ Name: 'Newer', Bytes: null });
    const changed = await client
      .from('Track')
      .update({ UnitPrice: { increment: 0.5 } })
      .eq('TrackId', 99)
      .select('UnitPrice');
    expect(changed.data).toEqual([{ UnitPrice: 2.5 }]);
    const kept = await client.from('Album').delete().eq('AlbumId', 4);
    expect(kept.error).toMatchObject({ code: '23503', message: expect.stringContaining('"FK_TrackAlbumId"') });
    expect((await client.from('Track').delete().eq('TrackId', 99).select('Name')).data).toEqual([{ Name: 'Newer' }]);
  });
});

test('a copy to SQLite stores types of PostgreSQL as text, and says so', async () => {
  const copied = await command('copy', '--from', url, '--to', 'copy.db');
  expect(copied).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Copied \d+ rows /) });
  expect(copied.stderr).toContain(
    'User.role is pg:"Role", which SQLite does not have. It is stored as text: declare it so\n',
  );
  expect(copied.stderr).toContain('Track List has no key. It is not copied\n');
  const { Database: File } = await import('bun:sqlite');
  using file = new File(join(cwd, 'copy.db'), { readonly: true });
  expect(file.query('select role from "User"').values()).toEqual([['ADMIN']]);
});

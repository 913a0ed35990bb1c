/** Computed fields: the database computes them with every write, and reads treat them like other fields. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { viewOf } from '../../../src/collection/access/views.ts';
import type { Row } from '../../../src/collection/value.ts';
import { isChosen } from '../../support/engines/chosen.ts';
import { serveFeeds } from '../../support/engines/feed-service.ts';
import { declaredBy, identify, openRoled, ROLE_ENGINES, type Roled } from '../../support/engines/roles.ts';
import { openDeclaredEngine } from '../../support/engines/shop.ts';
import { documentOf } from '../../support/openapi.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  products:
    fields:
      id: int4
      name: { type: text, required: true, translations: [de] }
      size: text
      price: { type: 'decimal(12,2)', default: 10 }
      cost: 'decimal(12,2)'
      stock: { type: int4, default: 0 }
      reorder_level: int4
      weight: float8
      margin: { type: 'decimal(12,2)', computed: price - cost, indexed: true }
      share: { type: 'decimal(5,1)', computed: 100 * (price - cost) / price }
      low: { type: boolean, computed: stock < reorder_level }
      label: { type: text, computed: "name || ', ' || size", unique: true, maxLength: 30 }
      stock_value: { type: 'decimal(15,2)', computed: price * stock, maximum: 1000000 }
      completeness: { type: int4, required: true, computed: 'filled(name, size, cost, reorder_level) * 25' }
      total_weight: { type: float8, computed: 'round(weight * stock, 3)' }
    search: { fields: { label: 2 } }
  floats:
    fields:
      id: int4
      weight: float8
      third: { type: float8, computed: weight / 3 }
      narrow: { type: float4, computed: weight * weight }
      heavy: { type: boolean, computed: weight > 1 }
  choices:
    fields:
      id: int4
      f: float8
      first: { type: float8, computed: 'coalesce(f, f * f)' }
      both: { type: boolean, computed: f < 1000 and f * f > 1 }
      either: { type: boolean, computed: f > 1000 or f * f > 1 }
actions:
  add:
    parameters: { name: { type: text }, size: { type: text }, cost: { type: int4 } }
    batch: [{ method: POST, path: /products, body: { name: '{name}', size: '{size}', cost: '{cost}', price: 1 } }]
roles:
  admin: all
  buyer: { products: { read: { fields: [id, name, price, margin] } } }
  clerk: { call: [add], products: { read: { fields: [id, name, price] }, create: { fields: [name, price, cost] }, update: { fields: [price, cost] } } }
  cheap: { products: { read: { where: 'margin=lt.5' }, create: { where: 'margin=lt.5' }, update: { where: 'margin=lt.5' } } }
`);
const ROWS: readonly Row[] = [
  {
    id: 1,
    name: 'Tent',
    name_de: 'Zelt',
    size: 'L',
    price: 199.99,
    cost: 120.5,
    stock: 3,
    reorder_level: 5,
    weight: 2.5,
  },
  { id: 2, name: 'Rope', size: null, price: 12.3, cost: 12.29, stock: 10, reorder_level: 5, weight: null },
  { id: 3, name: 'Mug', size: 'S', price: 0, cost: 4, stock: 0, reorder_level: null, weight: 0.1 },
];

describe.each(ROLE_ENGINES)('computed fields on %s', (engine) => {
  let shop: Roled;
  beforeAll(async () => {
    shop = await openRoled(engine, SHOP, { products: ROWS });
  });
  afterAll(() => shop.close());
  const admin = (path: string, init?: RequestInit) => shop.as('admin').fetch(path, init);
  const list = (path: string) => shop.as('admin').list(path);
  const ids = async (query: string) => (await list(`/products?select=id&${query}`)).map(({ id }) => id);
  const write = (method: string, path: string, body: unknown, headers?: Record<string, string>) =>
    admin(path, sendJson(method, body, headers));

  test('have exact values, null where a value is missing or a divisor is zero', async () => {
    expect(
      await list('/products?select=margin,share,low,label,stock_value,completeness,total_weight&order=id&id=lte.3'),
    ).toEqual([
      {
        margin: 79.49,
        share: 39.7,
        low: true,
        label: 'Tent, L',
        stock_value: 599.97,
        completeness: 100,
        total_weight: 7.5,
      },
      { margin: 0.01, share: 0.1, low: false, label: null, stock_value: 123, completeness: 75, total_weight: null },
      { margin: -4, share: null, low: null, label: 'Mug, S', stock_value: 0, completeness: 75, total_weight: 0 },
    ]);
  });

  test('can be filtered, ordered, counted, searched and translated around', async () => {
    expect(await ids('low=is.true')).toEqual([1]);
    expect(await ids('margin=gte.0.01&order=margin.desc&id=lte.3')).toEqual([1, 2]);
    expect(await ids('search=wfts.mug')).toEqual([3]);
    expect(await list('/products?select=stock_value.sum()&id=lte.3')).toEqual([{ sum: 722.97 }]);
    expect(await list('/products?select=name,label&id=eq.1&lang=de')).toEqual([{ name: 'Zelt', label: 'Tent, L' }]);
    const csv = await shop
      .as('admin')
      .text('/products?select=id,margin,label&id=eq.1', { headers: { accept: 'text/csv' } });
    expect(csv).toBe('id,margin,label\n1,79.49,"Tent, L"\n');
  });

  test('follow every write: defaults, operations, upserts, batches', async () => {
    const returned = { prefer: 'return=representation' };
    const created = await write('POST', '/products', { id: 10, name: 'Stove', cost: 3 }, returned);
    expect(await created.json()).toMatchObject([{ price: 10, margin: 7, stock_value: 0, label: null }]);
    const changed = await write('PATCH', '/products?id=eq.10', { stock: { increment: 4 }, price: 2.5 }, returned);
    expect(await changed.json()).toMatchObject([{ margin: -0.5, stock_value: 10 }]);
    const merged = await write(
      'POST',
      '/products',
      { id: 10, name: 'Stove', size: 'M' },
      { prefer: 'return=representation,resolution=merge-duplicates' },
    );
    expect(await merged.json()).toMatchObject([{ label: 'Stove, M', margin: expect.anything() }]);
    const batch = await write('POST', '/batch', [
      { method: 'PATCH', path: '/products?id=eq.10', body: { cost: 1, price: 9 } },
    ]);
    expect(batch.status).toBe(200);
    expect(await list('/products?select=margin&id=eq.10')).toEqual([{ margin: 8 }]);
    expect(
      (await write('PUT', '/products?id=eq.10', { id: 10, name: 'Stove', size: 'XL', cost: 2 })).status,
    ).toBeLessThan(300);
    expect(await list('/products?select=label,margin&id=eq.10')).toEqual([{ label: 'Stove, XL', margin: 8 }]);
  });

  test('follow the values that a batch takes from an earlier request', async () => {
    const first = { method: 'POST', path: '/products?select=id,name,cost', body: { id: 30, name: 'Kit', cost: 2 } };
    const from = (field: string) => ({ $from: 0, field });
    const after = (body: object) => write('POST', '/batch', [first, { method: 'POST', path: '/products', body }]);
    const taken = await after({ id: 31, name: from('name'), size: 'L', cost: from('cost'), price: 7 });
    expect(taken.status).toBe(200);
    expect(await list('/products?select=label,margin,completeness&id=eq.31')).toEqual([
      { label: 'Kit, L', margin: 5, completeness: 75 },
    ]);
    await admin('/products?id=in.(30,31)', { method: 'DELETE' });
    // The rules of computed fields apply to them.
    const refused = async (body: object) => {
      const response = await after(body);
      return [response.status, ((await response.json()) as Row).code];
    };
    expect(await refused({ name: from('name'), size: 'L'.repeat(30) })).toEqual([400, '23514']);
    expect(await refused({ name: 'Kit', stock: 600000, price: from('cost') })).toEqual([400, '23514']);
    expect(await refused({ name: 'Kit', price: 0.01, cost: from('id') })).toEqual([400, '22003']);
    expect(await ids('id=gte.30')).toEqual([]);
  });

  test('identify a row for an upsert, also with a value of an earlier request', async () => {
    const size = { $from: 0, field: 'size' };
    const upsert = (...rows: object[]) => [
      {
        method: 'PATCH',
        path: '/products?id=eq.1&select=size',
        body: { weight: 2.5 },
        headers: { prefer: 'return=representation' },
      },
      {
        method: 'POST',
        path: '/products?on_conflict=label&select=id,label',
        body: rows,
        headers: { prefer: 'resolution=merge-duplicates,return=representation' },
      },
    ];
    const batch = await write('POST', '/batch', upsert({ name: 'Tent', size }));
    const [, merged] = (await batch.json()) as { status: number; body: unknown }[];
    expect(merged).toMatchObject({ status: 200, body: [{ id: 1, label: 'Tent, L' }] });
    const twice = await write('POST', '/batch', upsert({ name: 'Tent', size }, { name: 'Tent', size }));
    expect(await twice.json()).toMatchObject({ code: '21000', request: 1 });
  });

  test('cannot be written', async () => {
    const inserted = await write('POST', '/products', { name: 'X', margin: 5 });
    await expectRefusal(inserted, 400, '428C9');
    const message = (answer: Response) => answer.json() as Promise<{ message: string; details: string }>;
    const updated = await message(await write('PATCH', '/products?id=eq.1', { margin: 5 }));
    expect(updated.message).toBe('column "margin" can only be updated to DEFAULT');
    expect(updated.details).toBe('margin is computed, so leave it out; nothing was changed.');
    await expectRefusal(await admin('/products', send('POST', 'text/csv', 'name,margin\nX,5\n')), 400, '428C9');
    expect((await admin('/products?columns=name', send('POST', 'text/csv', 'name,margin\nCsv,5\n'))).status).toBe(201);
  });

  test('obey their rules: unique, required, maximum, length, and the bounds of their type', async () => {
    const refused = async (answer: Response, code: string, field: string) => {
      const problem = (await answer.json()) as Row;
      expect([answer.status < 500, problem.code, problem.field ?? problem.hint]).toEqual([true, code, field]);
    };
    const post = (body: object) => write('POST', '/products', body);
    const patch = (body: object) => write('PATCH', '/products?id=eq.2', body);
    await expectRefusal(await post({ name: 'Tent', size: 'L' }), 409, '23505');
    await refused(await post({ name: 'A', price: 9000, stock: 1000 }), '23514', 'stock_value');
    await refused(await patch({ price: 9000, stock: 1000 }), '23514', 'stock_value');
    await refused(await post({ name: 'A'.repeat(30), size: 'L' }), '23514', 'label');
    await refused(await post({ name: 'A', price: 1, cost: 1000 }), '22003', 'share');
    await refused(await patch({ price: 1, cost: 1000 }), '22003', 'share');
    expect((await list('/products?select=price,cost&id=eq.2'))[0]).toEqual({ price: 12.3, cost: 12.29 });
    const all = await write(
      'POST',
      '/products',
      [
        { name: 'A', price: 9000, stock: 1000 },
        { name: 'B', cost: 'x' },
      ],
      { prefer: 'errors=all' },
    );
    expect(all.status).toBe(400);
  });

  test('are in the log, and undo and as-of reads have them', async () => {
    await write('POST', '/products', { id: 20, name: 'Lamp', size: 'S', price: 5, cost: 1 });
    await write('PATCH', '/products?id=eq.20', { price: 6 }, { 'x-request-id': `raise-${engine}` });
    const [change, inserted] = await list(
      '/changes?select=at,from:before->margin,to:after->margin&collection=eq.products&order=seq.desc&limit=2',
    );
    expect(change).toMatchObject({ from: 4, to: 5 });
    const headers = { prefer: `as-of=${inserted!.at}` };
    expect(await (await admin('/products?select=margin&id=eq.20', { headers })).json()).toEqual([{ margin: 4 }]);
    await admin('/products?id=eq.20', { method: 'DELETE' });
    const [deleted] = await list('/changes?select=seq&collection=eq.products&order=seq.desc&limit=1');
    const undone = await admin(`/changes/undo?seq=eq.${deleted!.seq}`, { method: 'POST' });
    expect(await undone.json()).toEqual({ undone: 1, skipped: [] });
    expect(await list('/products?select=label,margin&id=eq.20')).toEqual([{ label: 'Lamp, S', margin: 5 }]);
  });

  test('have rights of their own, and rules use them', async () => {
    expect(await shop.as('buyer').list('/products?id=eq.1')).toEqual([
      { id: 1, name: 'Tent', price: 199.99, margin: 79.49 },
    ]);
    const cheap = shop.as('cheap');
    expect((await cheap.list('/products?select=id&id=lte.3')).map(({ id }) => id)).toEqual([2, 3]);
    expect((await cheap.fetch('/products', sendJson('POST', { name: 'N', price: 7, cost: 1 }))).status).toBe(403);
    expect((await cheap.fetch('/products', sendJson('POST', { name: 'N', price: 7, cost: 6 }))).status).toBe(201);
    expect((await cheap.fetch('/products?id=eq.2', sendJson('PATCH', { cost: 1 }))).status).toBe(403);
  });

  test('of floats are computed as doubles, with the special values of PostgreSQL', async () => {
    const weights = [0.1, 'NaN', '-Infinity', 3, null];
    await write(
      'POST',
      '/floats',
      weights.map((weight, id) => ({ id, weight })),
    );
    expect(await list('/floats?select=third,narrow,heavy&order=id')).toEqual([
      { third: 0.03333333333333333, narrow: 0.01, heavy: false },
      { third: 'NaN', narrow: 'NaN', heavy: true },
      { third: '-Infinity', narrow: 'Infinity', heavy: false },
      { third: 1, narrow: 9, heavy: true },
      { third: null, narrow: null, heavy: null },
    ]);
    for (const weight of [1e300, 1e-200, 1e25]) {
      await expectRefusal(await write('PATCH', '/floats?id=eq.0', { weight }), 400, '22003');
    }
  });

  test('compute no argument after the one that decides', async () => {
    expect((await write('POST', '/choices', { id: 1, f: 1e300 })).status).toBe(201);
    expect((await write('POST', '/choices', { id: 2 })).status).toBe(201);
    expect((await write('PATCH', '/choices?id=eq.1', { f: 2e300 })).status).toBe(204);
    expect(await list('/choices?order=id')).toEqual([
      { id: 1, f: 2e300, first: 2e300, both: false, either: true },
      { id: 2, f: null, first: null, both: null, either: null },
    ]);
    await expectRefusal(await write('PATCH', '/choices?id=eq.1', { f: -1e300 }), 400, '22003');
  });

  test('that a role cannot read are not named when a result does not fit', async () => {
    const clerk = shop.as('clerk');
    const body = { price: 1, cost: 1000 };
    for (const answer of [
      await clerk.fetch('/products', sendJson('POST', { name: 'A', ...body })),
      await clerk.fetch('/products', sendJson('POST', [{ name: 'A', ...body }], { prefer: 'errors=all' })),
      await clerk.fetch('/products?id=eq.2', sendJson('PATCH', body)),
      await clerk.fetch('/rpc/add', sendJson('POST', { name: 'A', size: 'XL', cost: 1000 })),
    ]) {
      const text = await answer.text();
      expect([answer.status, text]).toEqual([400, expect.stringContaining('"code":"22003"')]);
      expect(text).not.toContain('share');
    }
    const taken = await clerk.fetch('/rpc/add', sendJson('POST', { name: 'Tent', size: 'L', cost: 1 }));
    expect([taken.status, await taken.text()]).toEqual([409, expect.not.stringContaining('label')]);
    expect(await (await write('POST', '/products', { name: 'A', ...body })).text()).toContain('"field":"share"');
  });
});

test.each(['SQLite', 'PostgreSQL'].filter(isChosen))('feeds of computed fields on %s', async (engine) => {
  const feeds = serveFeeds(await openDeclaredEngine(engine, SHOP, { products: ROWS }), SHOP, { identify });
  const path = '/products?select=id,margin&margin=gt.50';
  const feed = await feeds.follow(path, { 'x-role': 'admin' });
  expect(feed.take()[0]).toEqual(['row', { id: 1, margin: 79.49 }]);
  await feeds.fetch('/products?id=eq.2', sendJson('PATCH', { price: 100 }, { 'x-role': 'admin' }));
  expect(await feed.next()).toEqual([['insert', { id: 2, margin: 87.71 }]]);
  await feeds.close();
});

test('the OpenAPI document has them read-only, and their expression only for readers of all its fields', () => {
  const margin = (role: string) => {
    const catalogue = role === 'admin' ? SHOP : viewOf(SHOP, SHOP.roles!.get(role)!);
    const { schemas } = documentOf({ catalogue, rows: () => [] }).components;
    return Object.values(schemas).flatMap(({ properties }) => properties?.margin ?? [])[0];
  };
  expect(margin('admin')).toMatchObject({ readOnly: true, description: 'Computed: `price - cost`.' });
  expect(margin('buyer')).toMatchObject({ readOnly: true });
  expect(margin('buyer')).not.toHaveProperty('description');
});

/** Prefer: errors=all. A rejected body is checked completely, and the response lists the errors of all rows. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { slicesRun } from '../../../src/base/cooperative.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { type Client, declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { send, sendJson } from '../../support/stories.ts';

const CATALOGUE = declaredBy(`
collections:
  categories:
    fields: { id: int4, name: { type: text, required: true } }
  products:
    unique: [[shelf, place]]
    fields:
      id: int4
      name: { type: text, required: true }
      sku: { type: text, unique: true }
      price: { type: 'decimal(12,2)', minimum: 0 }
      stock: { type: int4, required: true, default: 0 }
      shelf: text
      place: int4
      category_id: { type: int4, references: categories }
      parent_id: { type: int4, references: products }
      code: { type: text, readOnly: true }
roles:
  supplier:
    products:
      read: { where: 'shelf=eq.A', fields: [id, name, sku, shelf, place] }
      create: { where: 'shelf=eq.A', fields: [name, sku, shelf, place] }
      update: { where: 'shelf=eq.A', fields: [name, sku, place] }
  admin: all
`);

const ROWS = {
  categories: [{ id: 1, name: 'Tea' }],
  products: [
    { id: 1, name: 'Assam', sku: 'a-1', shelf: 'A', place: 1, category_id: 1 },
    { id: 2, name: 'Sencha', sku: 'a-2', shelf: 'B', place: 2 },
    { id: 3, name: 'Oolong', sku: 'a-3', shelf: 'A', place: 3 },
  ],
};

interface Listed {
  readonly code: string;
  readonly message: string;
  readonly total: number;
  readonly errors: readonly {
    readonly code: string;
    readonly message: string;
    readonly index?: number;
    readonly field?: string;
    readonly value?: unknown;
  }[];
}

const MERGE = 'resolution=merge-duplicates';
const IGNORE = 'resolution=ignore-duplicates';

describe.each(TWO_ENGINES)('Prefer: errors=all on %s', (engine) => {
  let catalogue: Roled;
  let admin: Client;
  let before: unknown;
  beforeEach(async () => {
    catalogue = await openRoled(engine, CATALOGUE, ROWS);
    admin = catalogue.as('admin');
    before = await admin.list('/products');
  });
  afterEach(() => catalogue.close());

  async function listed(path: string, init: RequestInit, client = admin): Promise<Listed> {
    const response = await client.fetch(path, init);
    expect(response.status).toBe(400);
    expect(response.headers.get('preference-applied')).toBe('errors=all');
    const problem = (await response.json()) as Listed;
    expect(problem.code).toBe('CAT400R');
    expect(problem.errors).toHaveLength(Math.min(problem.total, 1000));
    expect(await admin.list('/products')).toEqual(before as never);
    return problem;
  }
  const short = ({ errors }: Listed) =>
    errors.map(({ index, field, code }) => [index, field, code].filter((each) => each !== undefined).join(' '));
  const request = (method: string, body: unknown, prefer = '') =>
    sendJson(method, body, { prefer: ['errors=all', prefer].filter((each) => each !== '').join(', ') });
  const post = async (body: unknown, path = '/products', prefer?: string, client?: Client) =>
    short(await listed(path, request('POST', body, prefer), client));
  const patch = async (body: unknown, path = '/products') => short(await listed(path, request('PATCH', body)));

  test('stores a valid body and says so', async () => {
    const response = await admin.fetch('/products', request('POST', [{ name: 'Pu-erh' }]));
    expect(response.status).toBe(201);
    expect(response.headers.get('preference-applied')).toBe('errors=all');
  });

  test('lists the errors of every row, several of one row, with their values', async () => {
    const { total, errors } = await listed(
      '/products',
      request('POST', [
        { name: 'Pu-erh', price: 'abc', stock: 1.5 },
        { name: 'Keemun', price: 1, stock: 1 },
        { name: null, price: -1, stock: null },
      ]),
    );
    expect(total).toBe(5);
    expect(errors.map(({ index, field, code, value }) => [index, field, code, value])).toEqual([
      [0, 'price', '22P02', 'abc'],
      [0, 'stock', '22P02', 1.5],
      [2, 'name', '23502', null],
      [2, 'price', '23514', -1],
      [2, 'stock', '23502', null],
    ]);
  });

  test('lists conflicts with stored rows and within the body, and references to no row', async () => {
    expect(
      await post([
        { id: 1, name: 'x', sku: 'b-1', shelf: null, place: null, category_id: null },
        { id: 50, name: 'x', sku: 'a-2', shelf: 'B', place: 2, category_id: 7 },
        { id: 51, name: 'x', sku: 'b-1', shelf: null, place: 2, category_id: 1 },
        { id: 51, name: 'x', sku: null, shelf: null, place: 2, category_id: 8 },
      ]),
    ).toEqual([
      '0 id 23505',
      '1 sku 23505',
      '1 shelf,place 23505',
      '1 category_id 23503',
      '2 sku 23505',
      '3 id 23505',
      '3 category_id 23503',
    ]);
  });

  test('also lists the conflicts of a row with an invalid value', async () => {
    const rows = [
      { name: 'x', sku: 'a-1', price: 'abc' },
      { name: 'x', sku: 'b-1', price: 1 },
    ];
    expect(await post(rows)).toEqual(['0 price 22P02', '0 sku 23505']);
  });

  test('accepts references to rows of the same body, also to rows with errors', async () => {
    const rows = [
      { id: 60, name: 'x', parent_id: 61 },
      { id: 61, name: null, parent_id: 62 },
    ];
    expect(await post(rows)).toEqual(['1 name 23502', '1 parent_id 23503']);
    const circle = [
      { id: 60, name: 'x', parent_id: 61 },
      { id: 61, name: 'x', parent_id: 60 },
    ];
    expect(await (await admin.fetch('/products', request('POST', circle))).json()).toMatchObject({
      errors: [{ code: '23514' }],
    });
  });

  test('lists an unknown or read-only field once, and checks the others', async () => {
    const rows = [
      { name: 'x', colour: 'red', code: 'y', price: 1 },
      { name: 'x', colour: 'red', code: 'y', price: -1 },
    ];
    expect(await post(rows)).toEqual(['colour PGRST204', 'code 428C9', '1 price 23514']);
  });

  test('lists rows with other keys, and rows that are not objects', async () => {
    expect(await post([{ name: 'x', price: 'y' }, { name: 'x' }, 7, { name: 'x', price: -1 }])).toEqual([
      '0 price 22P02',
      '1 price PGRST102',
      '2 PGRST102',
      '3 price 23514',
    ]);
  });

  test('takes CSV, columns and missing=default', async () => {
    const csv = 'name,price,stock\nx,abc,\n,1,2\nx,1,many\n';
    const table = await listed('/products', send('POST', 'text/csv', csv, { prefer: 'errors=all' }));
    expect(short(table)).toEqual(['0 price 22P02', '1 name 23502', '2 stock 22P02']);
    const rows = [{ name: 'x' }, { name: 'x', price: 'abc', colour: 'red' }];
    expect(await post(rows, '/products?columns=name,price,stock', 'missing=default')).toEqual(['1 price 22P02']);
    expect(await post(rows, '/products?columns=name,price,stock')).toEqual([
      '0 stock 23502',
      '1 price 22P02',
      '1 stock 23502',
    ]);
  });

  describe('an upsert', () => {
    test('conflicts only in other fields than those of on_conflict', async () => {
      const rows = [
        { sku: 'a-1', name: 'x', shelf: 'B', place: 2 },
        { sku: 'a-2', name: null, shelf: 'C', place: 1 },
        { sku: 'b-1', name: 'x', shelf: 'A', place: 3 },
        { sku: 'a-1', name: 'x', shelf: 'D', place: 1 },
      ];
      expect(await post(rows, '/products?on_conflict=sku', MERGE)).toEqual([
        '0 shelf,place 23505',
        '1 name 23502',
        '2 shelf,place 23505',
        '3 sku 21000',
      ]);
    });

    test('may take values that an earlier row of the body releases, and not those that a later one does', async () => {
      const free = [
        { id: 1, name: 'x', shelf: 'Z', place: 1 },
        { id: 2, name: 'x', shelf: 'A', place: 1 },
      ];
      expect(await post(free.toReversed(), '/products', MERGE)).toEqual(['0 shelf,place 23505']);
      expect((await admin.fetch('/products', request('POST', free, MERGE))).status).toBe(200);
    });

    test('combines given values with those of the stored row', async () => {
      expect(await post([{ id: 3, name: 'x', place: 1 }], '/products', MERGE)).toEqual(['0 shelf,place 23505']);
    });

    test('does not check rows that it ignores', async () => {
      const rows = [
        { id: 1, name: 'x', sku: 'a-2', category_id: 9 },
        { id: 70, name: 'x', sku: 'a-2', category_id: 9 },
        { id: 70, name: 'x', sku: 'a-2', category_id: 9 },
      ];
      expect(await post(rows, '/products', IGNORE)).toEqual(['1 sku 23505', '1 category_id 23503']);
    });
  });

  describe('a bulk PATCH', () => {
    test('lists rows that do not exist, and the errors of the others', async () => {
      expect(
        await patch([
          { id: 1, price: 'abc', stock: 'many' },
          { id: 99, price: 1 },
          { id: 2, name: null, sku: 'a-1', category_id: 7 },
          { price: 1 },
          { id: 'x' },
          { id: 3, colour: 'red' },
          { id: 2 },
          7,
        ]),
      ).toEqual([
        '0 price 22P02',
        '0 stock 22P02',
        '1 id CAT404',
        '2 name 23502',
        '2 sku 23505',
        '2 category_id 23503',
        '3 id 21000',
        '4 id 22P02',
        '5 colour PGRST204',
        '6 id 21000',
        '7 PGRST102',
      ]);
    });

    test('finds rows by unique fields', async () => {
      const rows = [
        { sku: 'a-1', place: 3 },
        { sku: 'b-1', place: 3 },
        { sku: 'a-2', price: -1 },
      ];
      expect(await patch(rows, '/products?on_conflict=sku')).toEqual([
        '0 shelf,place 23505',
        '1 sku CAT404',
        '2 price 23514',
      ]);
    });
  });

  test('a filtered PATCH and a PUT list the errors of their fields', async () => {
    expect(await patch({ price: 'abc', stock: 'many', colour: 'red' }, '/products?id=eq.1')).toEqual([
      'colour PGRST204',
      'price 22P02',
      'stock 22P02',
    ]);
    expect(await patch({ sku: 'a-2' }, '/products?id=eq.1')).toEqual(['sku 23505']);
    const put = async (path: string, body: unknown) => short(await listed(path, request('PUT', body)));
    expect(await put('/products?id=eq.1', { id: 1, price: -1, sku: 'a-2' })).toEqual([
      '0 name 23502',
      '0 price 23514',
      '0 sku 23505',
    ]);
    expect(await put('/products/1', { price: -1, stock: 'x' })).toEqual([
      '0 stock 22P02',
      '0 name 23502',
      '0 price 23514',
    ]);
  });

  test('an operation whose result breaks a rule is listed', async () => {
    expect(
      await patch([
        { id: 1, price: 1 },
        { id: 2, stock: { increment: 2147483647.5 } },
      ]),
    ).toHaveLength(1);
    const rows = [
      { id: 1, sku: 'b-1' },
      { id: 2, stock: { divide: 0 } },
    ];
    expect(await patch(rows)).toEqual(['1 stock 22012']);
  });

  test('a dry run lists errors, and stores nothing without any', async () => {
    const dry = (body: unknown) => request('POST', body, 'tx=rollback');
    expect(short(await listed('/products', dry([{ name: 'x', sku: 'a-1' }])))).toEqual(['0 sku 23505']);
    expect((await admin.fetch('/products', dry([{ name: 'x', sku: 'b-1' }]))).status).toBe(201);
    expect(await admin.list('/products')).toEqual(before as never);
  });

  test('an Idempotency-Key stores no errors, and repeats a success', async () => {
    const send = (sku: string) => {
      const headers = { prefer: 'errors=all', 'idempotency-key': 'k-1' };
      return admin.fetch('/products', sendJson('POST', [{ name: 'x', sku }], headers));
    };
    expect((await send('a-1')).status).toBe(400);
    expect((await send('b-1')).status).toBe(201);
    const again = await send('b-1');
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  });

  test('errors of the whole request keep their own form', async () => {
    for (const [path, body, code] of [
      ['/products?on_conflict=price', [{ name: 'x' }], '42P10'],
      ['/products', 7, 'PGRST102'],
      ['/products?select=nope', [{ name: 'x' }], '42703'],
    ] as const) {
      const response = await admin.fetch(path, request('POST', body, MERGE));
      expect(((await response.json()) as Listed).code).toBe(code);
    }
  });

  describe('for a role', () => {
    const supplier = () => catalogue.as('supplier');

    test('lists rows that its rules do not allow, and hides their conflicts', async () => {
      const rows = [
        { name: 'x', sku: 'a-2', shelf: 'B' },
        { name: 'x', sku: 'a-2', shelf: 'A' },
        { name: null, sku: 'a-2', shelf: 'B' },
        { name: 'x', sku: 'b-1', shelf: 'A' },
      ];
      const role = supplier();
      expect(await post(rows, '/products', '', role)).toEqual(['0 42501', '1 sku 23505', '2 name 23502']);
    });

    test('lists fields that it may not write', async () => {
      const rows = [{ name: 'x', price: 1, shelf: 'A' }];
      expect(await post(rows, '/products', '', supplier())).toEqual(['price 42501']);
    });

    test('does not find rows that it does not see', async () => {
      const rows = [
        { id: 1, place: 3 },
        { id: 2, place: 9 },
        { id: 99, place: 9 },
      ];
      const found = await listed('/products', request('PATCH', rows), supplier());
      // The role did not send the shelf of the conflict.
      expect(short(found)).toEqual(['0 23505', '1 id CAT404', '2 id CAT404']);
    });
  });

  test('10,000 bad rows are counted, the first 1,000 listed, and other requests run in between', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      name: 'x',
      sku: index % 2 === 0 ? 'a-1' : `b-${index}`,
      price: index % 2 === 0 ? 1 : 'abc',
      category_id: 7,
    }));
    const slices = slicesRun();
    const { total, errors } = await listed('/products', request('POST', rows));
    expect(total).toBe(10_000 + 5_000 + 5_000);
    expect(errors).toHaveLength(1000);
    expect(errors.at(-1)).toMatchObject({ index: 499, field: 'category_id', code: '23503', value: 7 });
    expect(slicesRun() - slices).toBeGreaterThan(60);
  });
});

/** Operations in a PATCH: the database computes the new value, so that clients need not read it first. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Row } from '../../../src/collection/value.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const FIELDS = `
collections:
  shelves:
    fields: { id: int4, name: text }
  goods:
    fields:
      id: int4
      sku: { type: text, unique: true }
      stock: { type: int4, required: true, minimum: 0, maximum: 1000 }
      small: int2
      views: int8
      price: 'decimal(12,2)'
      rate: 'decimal(18,6)'
      weight: float8
      ratio: float4
      tags: 'text[]'
      sizes: 'int4[]'
      shelf_id: { type: int4, references: shelves }
      note: text
      data: json
      since: date
      active: boolean
`;
const STOCK = declaredBy(FIELDS);
const STOCK_WITH_ROLES = declaredBy(`${FIELDS}
roles:
  counter: { goods: { read: { fields: [id, stock, sku] }, update: { fields: [stock, price], where: 'stock=lt.100' } } }
`);

const GOODS: readonly Readonly<Record<string, unknown>>[] = [
  { id: 1, sku: 'A', stock: 10, small: 5, views: 7, price: 19.99, rate: 0.333333, weight: 1.5, ratio: 0.25 },
  { id: 2, sku: 'B', stock: 0, price: 3.35, tags: null },
  { id: 3, sku: 'C', stock: 99, small: 32767, views: '9223372036854775807', price: 9999999999.99 },
];
const ROWS = {
  shelves: [{ id: 1, name: 'A' }],
  goods: GOODS.map((row) => ({ tags: ['new', 'sale'], sizes: [1, 2, 2], ...row })) as unknown as Row[],
};

describe.each(TWO_ENGINES)('operations on %s', (engine) => {
  let shop: Catalogue;
  beforeEach(async () => {
    shop = await openDeclared(engine, STOCK, ROWS);
  });
  afterEach(() => shop.close());

  const patch = (path: string, body: unknown, prefer = 'return=representation') =>
    shop.fetch(path, sendJson('PATCH', body, { prefer }));
  const changed = async (path: string, body: unknown) => {
    const response = await patch(path, body);
    const text = await response.text();
    expect({ status: response.status, text }).toEqual({ status: 200, text });
    return JSON.parse(text) as Row[];
  };
  const everything = async () => (await shop.fetch('/goods')).text();
  const refused = async (path: string, body: unknown, status: number, code: string) => {
    const before = await everything();
    const problem = await expectRefusal(await patch(path, body), status, code);
    expect(await everything()).toBe(before);
    return problem;
  };

  test.each<[string, unknown, unknown]>([
    ['stock', { decrement: 2 }, 8],
    ['stock', { increment: '5' }, 15],
    ['stock', { multiply: 1.25 }, 13],
    ['stock', { divide: 4 }, 3],
    ['stock', { multiply: 12.34, round: -1 }, 120],
    ['small', { multiply: -1 }, -5],
    ['views', { increment: 9_000_000_000 }, 9_000_000_007],
    ['price', { multiply: 1.05 }, 20.99],
    ['price', { divide: 3 }, 6.66],
    ['price', { divide: 3, round: 1 }, 6.7],
    ['price', { decrement: 0.005 }, 19.99],
    ['rate', { multiply: 3 }, 0.999999],
    ['weight', { multiply: 0.1 }, 0.15000000000000002],
    ['weight', { multiply: 0.1, round: 1 }, 0.2],
    ['ratio', { divide: 3 }, 0.083333336],
    ['tags', { append: 'best' }, ['new', 'sale', 'best']],
    ['tags', { append: ['a', null] }, ['new', 'sale', 'a', null]],
    ['tags', { remove: 'new' }, ['sale']],
    ['tags', { remove: ['new', 'sale', 'none'] }, []],
    ['sizes', { remove: 2 }, [1]],
    ['sizes', { append: [] }, [1, 2, 2]],
  ])('%s %j gives %j', async (field, operation, result) => {
    const [row] = await changed('/goods/1', { [field]: operation });
    expect(row).toEqual({ ...(await shop.list('/goods?id=eq.1'))[0]!, [field]: result as Row[string] });
  });

  test('round may be written as 1.0, as some clients print whole numbers', async () => {
    const body = '{"price": {"divide": 3, "round": 1.0}}';
    await shop.fetch('/goods/1', { method: 'PATCH', body, headers: { 'content-type': 'application/json' } });
    expect(await shop.list('/goods?id=eq.1&select=price')).toEqual([{ price: 6.7 }]);
  });

  test('one request changes many rows, and null stays null', async () => {
    const rows = await changed('/goods?id=lte.2', { price: { multiply: 1.1 }, small: { increment: 1 }, note: 'up' });
    expect(rows.map(({ price, small, note }) => ({ price, small, note }))).toEqual([
      { price: 21.99, small: 6, note: 'up' },
      { price: 3.69, small: null, note: 'up' },
    ]);
    expect((await shop.list('/goods?id=eq.2'))[0]).toMatchObject({ tags: null, weight: null });
    expect(await changed('/goods/2', { tags: { append: 'x' }, weight: { increment: 1 } })).toMatchObject([
      { tags: null, weight: null },
    ]);
  });

  test('a list changes each row by its own operation', async () => {
    const rows = await changed('/goods', [
      { id: 1, stock: { decrement: 3 } },
      { id: 3, stock: { increment: 1 } },
      { id: 2, stock: { increment: 7 }, price: { divide: 2, round: 1 } },
    ]);
    expect(rows.map(({ id, stock, price }) => [id, stock, price])).toEqual([
      [1, 7, 19.99],
      [3, 100, 9999999999.99],
      [2, 7, 1.7],
    ]);
  });

  test('an upsert applies it to rows that exist, and fails for a new row', async () => {
    const merge = (rows: unknown) =>
      shop.fetch(
        '/goods?on_conflict=sku&select=sku,stock,note',
        sendJson('POST', rows, { prefer: 'resolution=merge-duplicates, return=representation' }),
      );
    const response = await merge([
      { id: 900, sku: 'A', stock: { increment: 5 }, note: 'x' },
      { id: 901, sku: 'B', stock: 3, note: 'y' },
    ]);
    expect([response.status, await response.json()]).toEqual([
      200,
      [
        { sku: 'A', stock: 15, note: 'x' },
        { sku: 'B', stock: 3, note: 'y' },
      ],
    ]);
    const before = await everything();
    const problem = await expectRefusal(await merge([{ sku: 'NEW', stock: { increment: 5 } }]), 404, 'CAT404');
    expect(problem.message).toContain('sku NEW');
    expect(await everything()).toBe(before);
  });

  test('twenty clients decrement the stock at once, and every unit is sold once', async () => {
    const sold = await Promise.all(
      Array.from({ length: 20 }, () => patch('/goods/1', { stock: { decrement: 1 } }, 'return=minimal')),
    );
    const statuses = sold.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(10);
    expect(statuses.filter((status) => status === 400)).toHaveLength(10);
    expect(await shop.list('/goods?id=eq.1&select=stock')).toEqual([{ stock: 0 }]);
  });

  test('a dry run shows the result and stores nothing', async () => {
    const before = await everything();
    const response = await patch('/goods/1', { stock: { decrement: 4 } }, 'tx=rollback, return=representation');
    expect(((await response.json()) as Row[])[0]!.stock).toBe(6);
    expect(await everything()).toBe(before);
  });

  test('a result that breaks a rule changes nothing, and the error has the name of the constraint', async () => {
    for (const body of [{ stock: { decrement: 1 } }, { stock: { increment: 1001 } }]) {
      const { message, details } = await refused('/goods?id=lte.2', body, 400, '23514');
      expect(message).toContain('"goods_stock_check"');
      expect(details).toBe('stock must be at least 0 and must be at most 1000');
    }
    const { details } = await refused(
      '/goods',
      [
        { id: 1, stock: 1 },
        { id: 2, stock: { decrement: 1 } },
      ],
      400,
      '23514',
    );
    expect(details).toStartWith('row 2: ');
  });

  test.each<[string, unknown, string]>([
    ['small', { increment: 1 }, 'smallint out of range'],
    ['views', { increment: 1 }, 'bigint out of range'],
    ['price', { increment: 0.01 }, 'numeric field overflow'],
    ['price', { divide: 0.001 }, 'numeric field overflow'],
  ])('%s %j of the largest value is out of range', async (field, operation, words) => {
    const { message, details } = await refused('/goods/3', { [field]: operation }, 400, '22003');
    expect(message).toBe(words);
    expect(details).toStartWith(`field ${field}: `);
    const listed = await refused(
      '/goods',
      [
        { id: 1, note: 'x' },
        { id: 3, [field]: operation },
      ],
      400,
      '22003',
    );
    expect(listed.details).toStartWith(`row 2: field ${field}: `);
  });

  test('a float that becomes infinite is out of range', async () => {
    await patch('/goods/1', { weight: 1e308 });
    await refused('/goods/1', { weight: { multiply: 10 } }, 400, '22003');
    await refused('/goods/1', { ratio: { multiply: 1e300 } }, 400, '22003');
  });

  test.each<[string, unknown, string, string]>([
    ['stock', { divide: 0 }, '22012', 'stock'],
    ['price', { divide: '0.00' }, '22012', 'price'],
    ['stock', { add: 1 }, '22P02', '{"add": 1}'],
    ['stock', {}, '22P02', '{}'],
    ['stock', { round: 1 }, '22P02', '{"round": 1}'],
    ['stock', { increment: 1, decrement: 1 }, '22P02', '"decrement": 1'],
    ['stock', { increment: 'two' }, '22P02', '"two"'],
    ['stock', { increment: null }, '22P02', 'null'],
    ['stock', { increment: [1] }, '22P02', '[1]'],
    ['stock', { increment: 1, round: 1.5 }, '22P02', '1.5'],
    ['stock', { increment: 1, round: 99 }, '22P02', '99'],
    ['stock', { append: 1 }, '22P02', '{"append": 1}'],
    ['price', { increment: 'NaN' }, '22P02', 'NaN'],
    ['weight', { increment: 'Infinity' }, '22P02', 'Infinity'],
    ['tags', { increment: 1 }, '22P02', '{"increment": 1}'],
    ['tags', { append: [['a']] }, '22P02', '[["a"]]'],
    ['tags', { append: 'a', round: 1 }, '22P02', '"round": 1'],
    ['sizes', { append: 'x' }, '22P02', '"x"'],
    ['id', { increment: 1 }, '22P02', '{"increment": 1}'],
    ['shelf_id', { increment: 1 }, '22P02', '{"increment": 1}'],
    ['since', { increment: 1 }, '22007', 'increment'],
    ['active', { increment: 1 }, '22P02', 'increment'],
  ])('%s rejects %j with %s and names the value', async (field, operation, code, words) => {
    const problem = await refused('/goods?id=eq.1', { [field]: operation }, 400, code);
    expect(`${problem.message} ${problem.details}`).toContain(words);
    if (problem.message.endsWith('is not an operation') && !['id', 'shelf_id'].includes(field)) {
      expect(problem.hint).toContain(field === 'tags' ? 'append, remove' : 'increment, decrement, multiply, divide');
    }
  });

  test('an operation in a row to create is an error', async () => {
    const before = await everything();
    const created = await shop.fetch('/goods', sendJson('POST', { id: 9, stock: { increment: 1 } }));
    await expectRefusal(created, 400, '22P02');
    const replaced = await shop.fetch('/goods/1', sendJson('PUT', { stock: { increment: 1 } }));
    await expectRefusal(replaced, 400, '22P02');
    expect(await everything()).toBe(before);
  });

  test('text and json fields store the object', async () => {
    const [row] = await changed('/goods/1', { note: { increment: 1 }, data: { increment: 1 } });
    expect(row).toMatchObject({ note: '{"increment": 1}', data: { increment: 1 } });
  });

  test('arrays of several dimensions: a list becomes the next row, and nothing can be removed', async () => {
    await changed('/goods/1', { sizes: [[1, 2]] });
    expect(await changed('/goods/1', { sizes: { append: [3, 4] } })).toMatchObject([
      {
        sizes: [
          [1, 2],
          [3, 4],
        ],
      },
    ]);
    await refused('/goods/1', { sizes: { append: [5] } }, 400, '2202E');
    await refused('/goods/1', { sizes: { remove: 1 } }, 400, '0A000');
  });

  test('a list cannot grow beyond the size of a value', async () => {
    const long = 'x'.repeat(600 * 1024);
    await changed('/goods/1?select=id', { tags: { append: long } });
    const problem = await refused('/goods/1?select=id', { tags: { append: long } }, 400, '54000');
    expect(problem.message).toStartWith('a value of tags may have ');
  });

  describe('of a role', () => {
    let roles: Roled;
    beforeEach(async () => {
      roles = await openRoled(engine, STOCK_WITH_ROLES, ROWS);
    });
    afterEach(() => roles.close());
    const send = (path: string, body: unknown) =>
      roles.as('counter').fetch(path, sendJson('PATCH', body, { prefer: 'return=representation' }));

    test('must leave the row as the role may change it', async () => {
      const response = await send('/goods?sku=eq.A', { stock: { increment: 5 } });
      expect([response.status, await response.json()]).toEqual([200, [{ id: 1, sku: 'A', stock: 15 }]]);
      await expectRefusal(await send('/goods/1', { stock: { increment: 100 } }), 403, '42501');
      await expectRefusal(await send('/goods', [{ id: 1, stock: { increment: 100 } }]), 403, '42501');
      expect(await roles.as('counter').list('/goods?id=eq.1&select=stock')).toEqual([{ stock: 15 }]);
    });

    test('needs the right to read the field', async () => {
      expect((await send('/goods/1', { price: 5 })).status).toBe(200);
      await expectRefusal(await send('/goods/1', { price: { increment: 1 } }), 403, '42501');
    });
  });
});

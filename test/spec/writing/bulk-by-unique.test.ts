/** Bulk updates by any unique field: a price list names products by their sku, not by the ids of this database. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Row } from '../../../src/collection/value.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const FIELDS = `
collections:
  shelves:
    fields: { id: int4, name: text }
  goods:
    unique: [[shelf, place]]
    fields:
      id: int4
      sku: { type: text, unique: true }
      ean: { type: int8, unique: true }
      name: { type: text, required: true, default: 'unnamed' }
      price: { type: 'decimal(12,2)', minimum: 0 }
      stock: { type: int4, default: 5 }
      shelf: text
      place: int4
      shelf_id: { type: int4, references: shelves }
      changed_at: { type: timestamptz, onUpdate: now }
`;
const GOODS = declaredBy(FIELDS);
const GOODS_WITH_ROLES = declaredBy(`${FIELDS}
roles:
  buyer:
    goods:
      read: { fields: [id, sku, price, stock, shelf] }
      update: { where: 'stock=lt.100', fields: [price] }
  clerk: { goods: { read: { fields: [id, price] }, update: { fields: [price] } } }
  picker: { goods: { read: { where: 'shelf=eq.a' }, update: true } }
`);

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  shelves: [{ id: 1, name: 'first' }],
  goods: [
    { id: 1, sku: 'A', ean: 100, name: 'Tea', price: 1, stock: 10, shelf: 'a', place: 1, shelf_id: 1 },
    { id: 2, sku: 'B', ean: 200, name: 'Jam', price: 2, stock: 20, shelf: 'a', place: 2, shelf_id: null },
    { id: 3, sku: 'C', ean: 300, name: 'Salt', price: 3, stock: 300, shelf: 'b', place: 1, shelf_id: null },
    { id: 4, sku: null, ean: null, name: 'Ice', price: 4, stock: 40, shelf: null, place: null, shelf_id: null },
  ],
};
const SHOWN = 'return=representation';

describe.each(TWO_ENGINES)('a bulk update by unique fields on %s', (engine) => {
  let shop: Catalogue;
  beforeEach(async () => {
    shop = await openDeclared(engine, GOODS, ROWS);
  });
  afterEach(() => shop.close());

  const patch = (path: string, body: unknown, prefer = SHOWN, headers = {}) =>
    shop.fetch(path, sendJson('PATCH', body, { prefer, ...headers }));
  const csv = (path: string, body: string, prefer = SHOWN) =>
    shop.fetch(path, send('PATCH', 'text/csv', body, { prefer }));
  const rowsOf = async (response: Response) => {
    const text = await response.text();
    expect({ status: response.status, text }).toEqual({ status: 200, text });
    return JSON.parse(text) as Row[];
  };
  const everything = async () => (await shop.fetch('/goods')).text();
  const refused = async (response: () => Promise<Response>, status: number, code: string) => {
    const before = await everything();
    const problem = await expectRefusal(await response(), status, code);
    expect(await everything()).toBe(before);
    return problem;
  };

  test('changes each row that it names, with its own fields, in the order of the body', async () => {
    const path = '/goods?on_conflict=sku&select=id,sku,price,stock,name';
    const rows = await rowsOf(
      await patch(path, [{ sku: 'C', price: 3.5 }, { sku: 'A', stock: { decrement: 1 }, name: 'Chai' }, { sku: 'B' }]),
    );
    expect(rows).toEqual([
      { id: 3, sku: 'C', price: 3.5, stock: 300, name: 'Salt' },
      { id: 1, sku: 'A', price: 1, stock: 9, name: 'Chai' },
      { id: 2, sku: 'B', price: 2, stock: 20, name: 'Jam' },
    ]);
    const stored = await shop.list('/goods?select=price,changed_at&order=id');
    expect(stored.map(({ price }) => price)).toEqual([1, 2, 3.5, 4]);
    expect(stored.map(({ changed_at }) => changed_at !== null)).toEqual([true, false, true, false]);
  });

  test('a merge upsert sets the fields that every update sets', async () => {
    const prefer = 'resolution=merge-duplicates,return=representation';
    const body = [{ sku: 'A', price: 6 }];
    const path = '/goods?on_conflict=sku&select=id,changed_at';
    const [row] = await rowsOf(await shop.fetch(path, sendJson('POST', body, { prefer })));
    expect(row!.id).toBe(1);
    expect(row!.changed_at).not.toBeNull();
  });

  test('takes one object, and several unique fields in any order', async () => {
    expect(await rowsOf(await patch('/goods?on_conflict=ean&select=id,price', { ean: 200, price: 9 }))).toEqual([
      { id: 2, price: 9 },
    ]);
    const body = [
      { place: 1, shelf: 'b', price: 7 },
      { place: 2, shelf: 'a', price: 8 },
    ];
    expect(await rowsOf(await patch('/goods?on_conflict=place,shelf&select=id,price', body))).toEqual([
      { id: 3, price: 7 },
      { id: 2, price: 8 },
    ]);
  });

  test('takes CSV, in which an empty cell means null, or the default of a required field', async () => {
    const path = '/goods?on_conflict=sku&select=sku,price,name';
    expect(await rowsOf(await csv(path, 'name,sku,price\nChai,A,1.25\n,B,\n'))).toEqual([
      { sku: 'A', price: 1.25, name: 'Chai' },
      { sku: 'B', price: null, name: 'unnamed' },
    ]);
  });

  test('takes only the fields that columns names; missing ones become null, or their defaults', async () => {
    const body = [
      { sku: 'A', price: 5, stock: 1 },
      { sku: 'B', stock: 7 },
    ];
    const path = '/goods?on_conflict=sku&columns=stock,place&select=sku,price,stock,place';
    expect(await rowsOf(await patch(path, [body[0], { sku: 'B' }], `${SHOWN}, missing=default`))).toEqual([
      { sku: 'A', price: 1, stock: 1, place: null },
      { sku: 'B', price: 2, stock: 5, place: null },
    ]);
    expect(await rowsOf(await patch(path, body))).toEqual([
      { sku: 'A', price: 1, stock: 1, place: null },
      { sku: 'B', price: 2, stock: 7, place: null },
    ]);
  });

  test('can change the key, and new rows get larger keys', async () => {
    await rowsOf(await patch('/goods?on_conflict=sku', [{ sku: 'C', id: 50 }]));
    const created = await shop.fetch('/goods?select=id', sendJson('POST', { sku: 'N' }, { prefer: SHOWN }));
    expect(await created.json()).toEqual([{ id: 51 }]);
  });

  test('rows that do not exist fail the whole request, and the error names all of them', async () => {
    const body = [
      { sku: 'A', price: 5 },
      { sku: 'X', price: 5 },
      { sku: 'B', price: 5 },
      { sku: 'Y', price: 5 },
    ];
    const problem = await refused(() => patch('/goods?on_conflict=sku', body), 404, 'CAT404');
    expect(problem.message).toBe('2 rows do not exist in goods');
    expect(problem.details).toBe('row 2: sku X; row 4: sku Y do not exist; nothing was changed');
    expect(problem).toMatchObject({ index: 1, field: 'sku', value: 'X' });
    const many = Array.from({ length: 2_500 }, (_, index) => ({ sku: `X${index}`, price: 1 }));
    const more = await refused(() => patch('/goods?on_conflict=sku', many), 404, 'CAT404');
    expect(more.message).toBe('2500 rows do not exist in goods');
    expect(more.details).toContain('row 20: sku X19 and 2480 more');
  });

  test('missing-rows=ignore leaves them out and says how many', async () => {
    const body = [
      { sku: 'X', price: 5 },
      { sku: 'A', price: 5 },
      { sku: 'Y', price: 5 },
      { sku: 'C', stock: 5 },
    ];
    const prefer = `${SHOWN}, missing-rows=ignore, count=exact`;
    const response = await patch('/goods?on_conflict=sku&select=sku', body, prefer);
    expect(response.headers.get('catalogue-missing-rows')).toBe('2');
    expect(response.headers.get('content-range')).toBe('0-1/2');
    expect(response.headers.get('preference-applied')).toBe('missing-rows=ignore, return=representation, count=exact');
    expect(await rowsOf(response)).toEqual([{ sku: 'A' }, { sku: 'C' }]);
    const all = await patch('/goods?on_conflict=sku', [{ sku: 'A' }], 'missing-rows=ignore');
    expect(all.headers.get('catalogue-missing-rows')).toBe('0');
    const filtered = await patch('/goods?sku=eq.A', { price: 1 }, 'missing-rows=ignore');
    expect(filtered.headers.get('preference-applied')).toBeNull();
    expect(filtered.headers.get('catalogue-missing-rows')).toBeNull();
  });

  test('a retry with the same idempotency key reports the same number', async () => {
    const again = () =>
      patch('/goods?on_conflict=sku', [{ sku: 'X' }, { sku: 'A', stock: { increment: 1 } }], 'missing-rows=ignore', {
        'idempotency-key': 'nightly',
      });
    await again();
    const response = await again();
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    expect(response.headers.get('catalogue-missing-rows')).toBe('1');
    expect(await shop.list('/goods?sku=eq.A&select=stock')).toEqual([{ stock: 11 }]);
  });

  test.each<[string, string, unknown, number, string, string]>([
    ['a row without it', 'sku', [{ sku: 'A' }, { price: 1 }], 400, '21000', 'row 2 has no sku'],
    ['null', 'sku', [{ sku: null, price: 1 }], 400, '21000', 'row 1 has no sku'],
    ['a part of it', 'shelf,place', [{ shelf: 'a', price: 1 }], 400, '21000', 'row 1 has no place'],
    ['a value twice', 'sku', [{ sku: 'A' }, { sku: 'B' }, { sku: 'A' }], 400, '21000', 'a second time'],
    ['a value of another type', 'ean', [{ ean: 'x' }], 400, '22P02', '"x"'],
    ['a field that is not unique', 'name', [{ name: 'Tea' }], 400, '42P10', 'unique'],
    ['a field that does not exist', 'nope', [{ nope: 1 }], 400, '42703', 'nope'],
    ['a list of numbers', 'sku', [1], 400, 'PGRST102', 'keys'],
    ['a number', 'sku', 7, 400, 'PGRST102', 'keys'],
    ['an unknown field', 'sku', [{ sku: 'A', colour: 1 }], 400, 'PGRST204', 'colour'],
  ])('rejects %s', async (_, target, body, status, code, words) => {
    const problem = await refused(() => patch(`/goods?on_conflict=${target}`, body), status, code);
    expect(problem.message).toContain(words);
  });

  test.each(['sku=eq.A', 'limit=1', 'offset=1'])('rejects %s, which would be ambiguous', async (filter) => {
    const problem = await refused(() => patch(`/goods?on_conflict=sku&${filter}`, [{ sku: 'A' }]), 400, '21000');
    expect(problem.message).toBe('a bulk update takes no filter and no limit');
  });

  test('with If-Match: * every row must match the filter', async () => {
    const body = [
      { sku: 'A', price: 5 },
      { sku: 'B', price: 5 },
    ];
    const path = (filter: string) => `/goods?on_conflict=sku&select=sku&${filter}`;
    expect(await rowsOf(await patch(path('price=lte.2'), body, SHOWN, { 'if-match': '*' }))).toHaveLength(2);
    const stale = () => patch(path('stock=eq.10'), body, `${SHOWN}, missing-rows=ignore`, { 'if-match': '*' });
    expect((await refused(stale, 412, 'CAT412')).details).toStartWith('row 2: sku B ');
  });

  describe('the first row that fails is named, wherever it is in 1,100 rows of the same fields', () => {
    // PostgreSQL writes 1,000 rows per statement.
    const good = Array.from({ length: 1_100 }, (_, index) => ({
      id: 1000 + index,
      sku: `G${index}`,
      ean: 1000 + index,
    }));
    beforeEach(async () => {
      expect((await shop.fetch('/goods', sendJson('POST', good))).status).toBe(201);
    });

    test.each<[string, object, number, string]>([
      ['a rule', { stock: 1, price: { decrement: 1 } }, 400, '23514'],
      ['a null', { name: null }, 400, '23502'],
      ['a unique value', { ean: 100 }, 409, '23505'],
      ['a reference', { shelf_id: 77 }, 409, '23503'],
      ['a number out of range', { stock: { multiply: 1_000_000_000 } }, 400, '22003'],
    ])('%s', async (_, bad, status, code) => {
      const [field] = Object.keys(bad).slice(-1);
      const fine: Record<string, unknown> = {
        price: { increment: 1 },
        name: 'x',
        stock: { multiply: 1 },
        shelf_id: 1,
      };
      const body = good.map(({ sku }, index) => {
        if (index === 1_050) return { sku, ...bad };
        return { sku, ...bad, [field!]: field === 'ean' ? 5_000 + index : fine[field!] };
      });
      await patch('/goods?on_conflict=sku', [{ sku: good[1_050]!.sku, price: 0 }], 'return=minimal');
      const problem = await refused(() => patch('/goods?on_conflict=sku', body), status, code);
      expect(problem).toMatchObject({ index: 1_050, field: field! });
      expect(problem.details).toStartWith('row 1051: ');
    });
  });

  test('unique values move from row to row in the order of the body', async () => {
    const body = [
      { sku: 'C', ean: 400 },
      { sku: 'B', ean: 300 },
      { sku: 'A', ean: 200 },
    ];
    expect(await rowsOf(await patch('/goods?on_conflict=sku&select=sku,ean', body))).toEqual(body);
    const back = [...body].map(({ sku, ean }) => ({ sku, ean: ean - 100 }));
    const problem = await refused(() => patch('/goods?on_conflict=sku', back), 409, '23505');
    expect(problem).toMatchObject({ index: 0, field: 'ean', value: 300 });
    expect((await patch('/goods?on_conflict=sku', back.toReversed(), 'return=minimal')).status).toBe(204);
  });

  describe('of a role', () => {
    let roles: Roled;
    beforeEach(async () => {
      roles = await openRoled(engine, GOODS_WITH_ROLES, ROWS);
    });
    afterEach(() => roles.close());
    const sendAs = (role: string, body: unknown, prefer = SHOWN) =>
      roles.as(role).fetch('/goods?on_conflict=sku&select=id,price', sendJson('PATCH', body, { prefer }));

    test('sees and changes only the rows of the role; others do not exist', async () => {
      expect(await (await sendAs('buyer', [{ sku: 'A', price: 5 }])).json()).toEqual([{ id: 1, price: 5 }]);
      await expectRefusal(
        await sendAs('buyer', [
          { sku: 'A', price: 6 },
          { sku: 'C', price: 6 },
        ]),
        404,
        'CAT404',
      );
      const response = await sendAs('buyer', [{ sku: 'C' }, { sku: 'B', price: 6 }], `${SHOWN}, missing-rows=ignore`);
      expect(response.headers.get('catalogue-missing-rows')).toBe('1');
      expect(await response.json()).toEqual([{ id: 2, price: 6 }]);
      expect(await (await sendAs('picker', [{ sku: 'B', price: 1 }])).json()).toEqual([{ id: 2, price: 1 }]);
      await expectRefusal(await sendAs('picker', [{ sku: 'B', shelf: 'b' }]), 403, '42501');
    });

    test('needs the right to read the field that names the rows, and to update the others', async () => {
      await expectRefusal(await sendAs('clerk', [{ sku: 'A', price: 5 }]), 403, '42501');
      await expectRefusal(await sendAs('buyer', [{ sku: 'A', stock: 5 }]), 403, '42501');
    });
  });
});

/** An error about a row or a field names them and repeats the value that the client sent. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { type Client, declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { send, sendJson } from '../../support/stories.ts';

const CATALOGUE = declaredBy(`
collections:
  categories:
    fields: { id: int4, name: text }
  products:
    unique: [[shelf, place]]
    fields:
      id: int4
      name: { type: text, required: true }
      sku: { type: text, unique: true }
      price: { type: 'decimal(12,2)', minimum: 0 }
      shelf: text
      place: int4
      category_id: { type: int4, references: categories }
      parent_id: { type: int4, references: products }
      checked_on: date
      code: { type: text, readOnly: true }
roles:
  supplier:
    products:
      read: { where: 'shelf=eq.A', fields: [id, name, sku, shelf, place] }
      create: { where: 'shelf=eq.A', fields: [name, sku, shelf, place] }
  admin: all
`);

const ROWS = {
  categories: [{ id: 1, name: 'Tea' }],
  products: [
    { id: 1, name: 'Assam', sku: 'a-1', shelf: 'A', place: 1, category_id: 1 },
    { id: 2, name: 'Sencha', sku: 'a-2', shelf: 'B', place: 2 },
  ],
};

const LONG = 'x'.repeat(5_000);

describe.each(TWO_ENGINES)('the location in an error on %s', (engine) => {
  let catalogue: Roled;
  let admin: Client;
  beforeEach(async () => {
    catalogue = await openRoled(engine, CATALOGUE, ROWS);
    admin = catalogue.as('admin');
  });
  afterEach(() => catalogue.close());

  async function problem(path: string, init: RequestInit, client = admin): Promise<Record<string, unknown>> {
    const response = await client.fetch(path, init);
    expect(response.status).toBeGreaterThanOrEqual(400);
    return (await response.json()) as Record<string, unknown>;
  }
  const location = async (path: string, init: RequestInit, client?: Client) => {
    const { code, index, field, value } = await problem(path, init, client);
    return { code, ...(index === undefined ? {} : { index }), field, value };
  };
  const post = (body: unknown, path = '/products', headers?: Record<string, string>) =>
    location(path, sendJson('POST', body, headers));
  const good = (more: object = {}) => ({ name: 'Oolong', ...more });

  test('comes after the hint, and only if there is one', async () => {
    const response = await admin.fetch('/products', sendJson('POST', good({ price: -1 })));
    expect(Object.keys((await response.json()) as object)).toEqual([
      'code',
      'message',
      'details',
      'hint',
      'index',
      'field',
      'value',
    ]);
    const other = await problem('/products?limit=x', { method: 'GET' });
    expect(Object.keys(other)).toEqual(['code', 'message', 'details', 'hint']);
  });

  describe('of a POST with several rows', () => {
    test.each([
      ['a value of another type', { price: 'abc' }, '22P02', 'price', 'abc'],
      ['a number out of range', { place: 99999999999 }, '22003', 'place', 99999999999],
      ['a date that does not exist', { checked_on: '2026-02-30' }, '22008', 'checked_on', '2026-02-30'],
      ['a value against a rule', { price: -1 }, '23514', 'price', -1],
      ['null in a required field', { name: null }, '23502', 'name', null],
      ['a key that exists', { id: 2 }, '23505', 'id', 2],
      ['a unique value that exists', { sku: 'a-2' }, '23505', 'sku', 'a-2'],
      ['unique values that exist', { shelf: 'B', place: 2 }, '23505', 'shelf,place', ['B', 2]],
      ['a reference to no row', { category_id: 7 }, '23503', 'category_id', 7],
      ['a reference to no row of its own', { parent_id: 70 }, '23503', 'parent_id', 70],
    ])('for %s', async (_, bad, code, field, value) => {
      const blank = Object.fromEntries(Object.keys(bad).map((name) => [name, name === 'id' ? 50 : null]));
      const rows = [good(blank), good(bad), good({ ...blank, ...('id' in bad ? { id: 51 } : {}) })].map((row, index) =>
        'name' in bad && index !== 1 ? { ...row, name: 'Oolong' } : row,
      );
      expect(await post(rows)).toEqual({ code, index: 1, field, value });
    });

    test('for a value that the body repeats', async () => {
      const skus = ['b-1', 'b-2', 'b-1'].map((sku) => good({ sku }));
      expect(await post(skus)).toEqual({ code: '23505', index: 2, field: 'sku', value: 'b-1' });
      const taken = ['b-1', 'a-2', 'a-2'].map((sku) => good({ sku }));
      expect(await post(taken)).toEqual({ code: '23505', index: 1, field: 'sku', value: 'a-2' });
    });

    test('for the row of an upsert that conflicts, not for one that keeps its value', async () => {
      const rows = [
        { id: 2, name: 'x', sku: 'a-2' },
        { id: 50, name: 'x', sku: 'a-2' },
      ];
      const place = { code: '23505', index: 1, field: 'sku', value: 'a-2' };
      for (const resolution of ['merge', 'ignore']) {
        expect(await post(rows, '/products', { prefer: `resolution=${resolution}-duplicates` })).toEqual(place);
      }
    });

    test('for a reference of the row that is stored, not of one that is ignored', async () => {
      const rows = [
        { id: 2, name: 'x', category_id: 7 },
        { id: 50, name: 'x', category_id: 8 },
      ];
      const place = { code: '23503', index: 1, field: 'category_id', value: 8 };
      expect(await post(rows, '/products', { prefer: 'resolution=ignore-duplicates' })).toEqual(place);
      const init = sendJson('PATCH', rows.toReversed(), { prefer: 'missing-rows=ignore' });
      expect(await location('/products', init)).toEqual({ ...place, value: 7 });
    });

    test('for two rows that merge into one', async () => {
      const rows = ['b-1', 'a-2', 'b-1'].map((sku) => good({ sku }));
      const merge = { prefer: 'resolution=merge-duplicates' };
      const place = { code: '21000', index: 2, field: 'sku', value: 'b-1' };
      expect(await post(rows, '/products?on_conflict=sku', merge)).toEqual(place);
    });

    test('for other keys than those of the first row', async () => {
      const extra = [good(), good({ sku: 'b-1' })];
      expect(await post(extra)).toEqual({ code: 'PGRST102', index: 1, field: 'sku', value: 'b-1' });
      expect(await post([good({ sku: 'b' }), good()])).toMatchObject({ code: 'PGRST102', index: 1, field: 'sku' });
      expect(await post([good(), 7])).toMatchObject({ code: 'PGRST102', index: 1 });
    });
  });

  test('names the field of an unknown or read-only field', async () => {
    expect(await post([good({ colour: 'red' })])).toEqual({ code: 'PGRST204', field: 'colour', value: 'red' });
    expect(await post(good({ code: 'x' }))).toEqual({ code: '428C9', field: 'code', value: 'x' });
    expect(await post([], '/products?columns=colour')).toEqual({ code: 'PGRST204', field: 'colour', value: undefined });
  });

  test('has the value of a CSV cell', async () => {
    const csv = 'name,price\nOolong,1\nPu-erh,abc\n';
    const place = { code: '22P02', index: 1, field: 'price', value: 'abc' };
    expect(await location('/products', send('POST', 'text/csv', csv))).toEqual(place);
  });

  test('repeats numbers with their digits, and shortens long values', async () => {
    const body = '{"name": "Oolong", "place": 12345678901234567890}';
    const response = await admin.fetch('/products', send('POST', 'application/json', body));
    expect(await response.text()).toEndWith('"index":0,"field":"place","value":12345678901234567890}');
    const long = await post(good({ place: LONG }));
    expect(long).toMatchObject({ code: '22P02', index: 0, field: 'place' });
    expect((long.value as string).length).toBeLessThan(LONG.length);
    expect((await post(good({ checked_on: { on: LONG } }))).value).toStartWith('{"on":"xxx');
  });

  test('has no value that the client did not send', async () => {
    expect(await post({ price: 1 })).toEqual({ code: '23502', index: 0, field: 'name', value: undefined });
    const ignored = await post([{ name: 'Oolong', price: 1 }], '/products?columns=price');
    expect(ignored).toEqual({ code: '23502', index: 0, field: 'name', value: undefined });
  });

  describe('of a bulk PATCH', () => {
    const patch = (body: unknown) => location('/products', sendJson('PATCH', body));

    test.each([
      ['a value of another type', { id: 2, price: 'abc' }, '22P02', 'price', 'abc'],
      ['a value against a rule', { id: 2, price: -1 }, '23514', 'price', -1],
      ['null in a required field', { id: 2, name: null }, '23502', 'name', null],
      ['a unique value that exists', { id: 2, sku: 'a-1' }, '23505', 'sku', 'a-1'],
      ['a reference to no row', { id: 2, category_id: 7 }, '23503', 'category_id', 7],
      ['a row that does not exist', { id: 9, price: 1 }, 'CAT404', 'id', 9],
      ['a row without a key', { price: 1 }, '21000', 'id', undefined],
      ['a key of another type', { id: 'two' }, '22P02', 'id', 'two'],
      ['a row for the second time', { id: 1 }, '21000', 'id', 1],
      ['an unknown field', { id: 2, colour: 'red' }, 'PGRST204', 'colour', 'red'],
    ])('for %s', async (_, bad, code, field, value) => {
      expect(await patch([{ id: 1, price: 2 }, bad])).toEqual({ code, index: 1, field, value });
    });
  });

  test('of a filtered PATCH has no index, since the body has one row', async () => {
    const place = { code: '23514', field: 'price', value: -2 };
    expect(await location('/products?id=eq.1', sendJson('PATCH', { price: -2 }))).toEqual(place);
    const missing = { code: '23503', field: 'category_id', value: 7 };
    expect(await location('/products?id=eq.1', sendJson('PATCH', { category_id: 7 }))).toEqual(missing);
  });

  describe('for a role that does not read every row', () => {
    const supplier = () => catalogue.as('supplier');

    test('names a row that its rules do not allow', async () => {
      const rows = [good({ shelf: 'A' }), good({ shelf: 'B' })];
      expect(await problem('/products', sendJson('POST', rows), supplier())).toMatchObject({ code: '42501', index: 1 });
    });

    test('names values that the client sent, and no others', async () => {
      const rows = [good({ shelf: 'A', sku: 'b-1' }), good({ shelf: 'A', sku: 'a-2' })];
      const sent = { code: '23505', index: 1, field: 'sku', value: 'a-2' };
      expect(await location('/products', sendJson('POST', rows), supplier())).toEqual(sent);
    });
  });
});

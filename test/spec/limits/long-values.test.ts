/** Long values: up to a limit they are stored, found and returned like any other value. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DEFAULT_MAX_VALUE_KB } from '../../../src/base/limits/declaration.ts';
import { MAX_ROW_BYTES } from '../../../src/base/limits/engine.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { Row } from '../../../src/collection/value.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { expectRefusal, expectUntouched, ids, ownCatalogue, send, sendJson } from '../../support/stories.ts';

const LIMIT = DEFAULT_MAX_VALUE_KB * 1024;
const LONG = 'x'.repeat(LIMIT);
const FORM = 'application/x-www-form-urlencoded';

describe.each(TWO_ENGINES)('the length of a value on %s', (engine) => {
  const catalogue = ownCatalogue(engine);

  test('up to the limit it is stored and returned unchanged', async () => {
    const response = await catalogue.fetch('/products', sendJson('POST', { id: 500, product_name: LONG }));
    expect(response.status).toBe(201);
    const item = (await (await catalogue.fetch('/products/500')).json()) as { product_name: string };
    expect(item.product_name === LONG).toBe(true);
    const [listed] = await catalogue.list('/products?id=eq.500&select=id,product_name');
    expect(listed!.product_name === LONG).toBe(true);
    const found = await catalogue.list(`/products?product_name=like.${'x'.repeat(9)}*&select=id`);
    expect(found).toEqual([{ id: 500 }]);
  });

  const tooLong: readonly [string, string, RequestInit][] = [
    ['a POST', '/products', sendJson('POST', { product_name: `${LONG}x` })],
    ['a PATCH', '/products/1', sendJson('PATCH', { quantity_per_unit: `${LONG}x` })],
    ['a PUT', '/products/1', sendJson('PUT', { product_name: `${LONG}x` })],
    ['the second of two rows', '/products', sendJson('POST', [{ product_name: 'a' }, { product_name: `${LONG}x` }])],
    ['a bulk update', '/products', sendJson('PATCH', [{ id: 1, product_name: `${LONG}x` }])],
    ['CSV', '/products', send('POST', 'text/csv', `product_name\n${LONG}x\n`)],
    ['a form', '/products', send('POST', FORM, `product_name=${LONG}x`)],
    ['characters of two bytes', '/products', sendJson('POST', { product_name: 'ö'.repeat(LIMIT / 2 + 1) })],
    ['a list that becomes text', '/products', sendJson('POST', { product_name: [LONG] })],
  ];
  test.each(tooLong)(
    'one byte more in %s: 400, the error names the field and the limit, and nothing changes',
    async (_, path, init) => {
      const { message, details } = await expectRefusal(await catalogue.fetch(path, init), 400, '54000');
      expect(message).toContain(String(LIMIT));
      expect(details).toMatch(/product_name|quantity_per_unit/);
      await expectUntouched(catalogue);
    },
  );

  test('two-byte characters up to the limit are stored', async () => {
    const init = sendJson('POST', { id: 501, product_name: 'ö'.repeat(LIMIT / 2) });
    expect((await catalogue.fetch('/products', init)).status).toBe(201);
  });
});

describe.each(TWO_ENGINES)('long rows on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const COUNT = 12;

  async function storeLongRows(): Promise<void> {
    for (let id = 500; id < 500 + COUNT; id += 4) {
      const rows = Array.from({ length: 4 }, (_, index) => ({ id: id + index, product_name: LONG }));
      expect((await catalogue.fetch('/products', sendJson('POST', rows))).status).toBe(201);
    }
  }

  test('a row sent in several chunks: no character is split', async () => {
    const emoji = '\u{1f9c0}'.repeat(LIMIT / 4);
    // A chunk boundary splits a surrogate pair in one of these rows, because their texts start at offsets that differ
    // by one.
    for (const id of [9, 10]) {
      expect((await catalogue.fetch(`/products/${id}`, sendJson('PATCH', { product_name: emoji }))).status).toBe(204);
      const columns = Array.from({ length: 6 }, (_, index) => `a${index}:product_name`);
      const [row] = await catalogue.list(`/products?id=eq.${id}&select=id,${columns}`);
      expect(Object.values(row!).filter((value) => value === emoji)).toHaveLength(6);
    }
  });

  test('hundreds of rows of several kilobytes are sent completely, on every request', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => ({ id: 2000 + index, product_name: 'y'.repeat(6000) }));
    expect((await catalogue.fetch('/products', sendJson('POST', rows))).status).toBe(201);
    for (const path of ['/products?id=gte.2000', '/products?id=gte.2000', '/products?id=gte.2000&limit=900']) {
      expect(await catalogue.list(path)).toMatchObject(rows);
    }
    expect((await catalogue.fetch('/products?id=gte.2000', { method: 'DELETE' })).status).toBe(204);
  });

  test('many long rows are sent completely: in a list, on a page, by key, counted', async () => {
    await storeLongRows();
    const numbers = Array.from({ length: COUNT }, (_, index) => 500 + index);
    for (const path of [
      '/products?id=gte.500',
      '/products?id=gte.500&limit=100',
      `/products?id=in.(${numbers})`,
      '/products?order=product_name.desc,id&limit=12&select=id,product_name',
      '/products?id=gte.500&select=id,product_name::text',
    ]) {
      const rows = await catalogue.list(path);
      expect([path, ids(rows)]).toEqual([path, numbers]);
      expect(rows.every(({ product_name: name }) => name === LONG)).toBe(true);
    }
    const counted = await catalogue.fetch('/products?id=gte.500&limit=10', { headers: { prefer: 'count=exact' } });
    expect(counted.headers.get('content-range')).toBe(`0-9/${COUNT}`);
    expect(((await counted.json()) as unknown[]).length).toBe(10);
    const grouped = await catalogue.list('/products?id=gte.500&select=product_name,count()');
    expect(grouped.map(({ count }) => count)).toEqual([COUNT]);
    const csv = await catalogue.fetch('/products?id=gte.500&select=product_name', { headers: { accept: 'text/csv' } });
    expect((await csv.text()).length).toBe('product_name\n'.length + COUNT * (LIMIT + 1));
  });

  const aliases = (count: number) => Array.from({ length: count }, (_, index) => `a${index}:product_name`).join();

  test('a long field selected many times is sent as many times', async () => {
    await catalogue.fetch('/products', sendJson('POST', { id: 500, product_name: LONG }));
    for (const path of ['/products/500?', '/products?id=eq.500&', '/products?product_name=like.xxx*&']) {
      const answer = await catalogue.fetch(`${path}select=${aliases(12)}`);
      const found = [await answer.json()].flat() as Record<string, string>[];
      expect([path, answer.status, found.length, Object.keys(found[0]!).length]).toEqual([path, 200, 1, 12]);
      expect(Object.values(found[0]!).every((value) => value === LONG)).toBe(true);
    }
  });

  test('a selection over the row size limit: 400, with a hint', async () => {
    await catalogue.fetch('/products', sendJson('POST', { id: 500, product_name: LONG }));
    for (const path of ['/products/500?', '/products?id=eq.500&', '/products?product_name=like.xxx*&']) {
      const refused = await catalogue.fetch(`${path}select=${aliases(200)}`);
      const { message, hint } = await expectRefusal(refused, 400, '54000');
      expect(message).toContain(String(MAX_ROW_BYTES));
      expect(hint).toContain('fewer');
    }
    expect(await catalogue.list(`/products?id=eq.1&select=${aliases(200)}`)).toHaveLength(1);
  });

  test('an order that repeats one field equals the order by that field once', async () => {
    await catalogue.fetch('/products', sendJson('POST', { id: 500, product_name: LONG }));
    const order = Array.from({ length: 100 }, () => 'product_name.desc,product_name').join();
    const rows = await catalogue.list(`/products?order=${order}&limit=2&select=id`);
    expect(ids(rows)).toEqual([500, 47]);
  });
});

describe.each(TWO_ENGINES)('long query texts on %s', (engine) => {
  const catalogue = ownCatalogue(engine);

  test.each([
    ['digits that end in a letter', `unit_price=eq.${'1'.repeat(400_000)}x`, 400],
    ['digits and spaces', `id=eq.1${'+'.repeat(400_000)}x`, 400],
    ['backslashes in a pattern', `product_name=like.${'\\'.repeat(400_000)}x`, 200],
    ['underscores in a pattern', `product_name=like.*${'_'.repeat(400_000)}x*`, 200],
    ['words in a search', `product_name=wfts.${'a+'.repeat(200_000)}`, 400],
    ['quotes in a search', `product_name=fts.${"'a+".repeat(80_000)}`, 400],
  ])('%s get a response', async (_, query, status) => {
    const response = await catalogue.fetch(`/products?${query}`);
    expect([response.status, (await response.text()).length > 0]).toEqual([status, true]);
  });
});

const THINGS = declareCatalogue({
  collections: [
    {
      name: 'things',
      key: ['id'],
      fields: [
        ...['int4', 'text', 'int8', 'decimal(18,6)', 'float4', 'float8', 'boolean', 'date', 'time', 'timestamp'],
        ...['timestamptz', 'uuid', 'json', 'text[]', 'float8[]'],
      ].map((type, index) => ({ name: index === 0 ? 'id' : `f${index}`, type })),
    },
  ],
});
/** Unusual values for each field. */
const ODD: readonly (readonly [field: string, ...values: readonly unknown[]])[] = [
  ['f1', '', 'a"b\\c/d', '\u0001\u001f\u007f\b\f\n\r\t', '\u2028\u{1f9c0}é', '</script>'],
  ['f2', '9007199254740993', '-9223372036854775808', 0],
  ['f3', '0.1', '100', '-0.000001', '123456789012.345678', '12.50'],
  ['f4', 0.1, 3.4e38, -1e-10, 16777216],
  ['f5', 0.1, 1e21, 1e-7, 1e300, 100, -1.5, 123456789012345680000],
  ['f6', true, false],
  ['f7', '2026-02-28', '0001-01-01'],
  ['f8', '23:59:59.5', '00:00:00'],
  ['f9', '2026-01-02T03:04:05.678901', '1999-12-31T00:00:00'],
  ['f10', '2026-01-02T03:04:05.6+02:00', '1999-12-31T00:00:00Z'],
  ['f11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  ['f12', { b: 1, a: [1.5, null, 'x"y'] }, 'text', 12],
  ['f13', ['a"b', 'c,d', null, ''], []],
  ['f14', [0.1, 1e21, null]],
];

describe.each(TWO_ENGINES)('rows next to long rows on %s', (engine) => {
  let catalogue: Catalogue;
  const odd = ODD.flatMap(([field, ...values]) => values.map((value) => ({ [field]: value })));
  beforeAll(async () => {
    const rows = odd.map((row, index) => ({ id: index + 1, ...row }));
    const long = Array.from({ length: 12 }, (_, index) => ({ id: 1000 + index, f1: LONG }));
    catalogue = await openDeclared(engine, THINGS, { things: [...rows, ...long] as unknown as readonly Row[] });
  });
  afterAll(() => catalogue.close());

  test.each(['application/json', 'text/csv', 'application/x-ndjson'])(
    'have the same text as without them: %s',
    async (accept) => {
      const text = async (path: string) => (await catalogue.fetch(path, { headers: { accept } })).text();
      // The second selection omits json and arrays, whose text the database always produces.
      for (const columns of ['*', 'id,f1,f3,f4,f5,f6,f7,f8,f9,f10,f11']) {
        const alone = await text(`/things?id=lt.1000&order=id&select=${columns}`);
        expect(alone.match(/\n|\},\{|$/g)!.length).toBeGreaterThan(odd.length - 1);
        const beside = await text(`/things?order=id&select=${columns}`);
        expect(beside.length).toBeGreaterThan(12 * LIMIT);
        expect(beside.slice(0, alone.length - 1)).toBe(alone.slice(0, -1));
      }
    },
  );
});

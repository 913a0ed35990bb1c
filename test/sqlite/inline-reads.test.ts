/** The choice of reads that run on the event-loop thread: by the work that they can cause, not by measured time. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { BUILT_IN } from '../../src/collection/built-in.ts';
import { type Catalogue, declareCatalogue } from '../../src/collection/declaration.ts';
import type { Row } from '../../src/collection/value.ts';
import { pageOf, parseQuery } from '../../src/dialect/query.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { IN_MEMORY } from '../../src/engine/sqlite/connection/database-files.ts';
import { stepsSpent } from '../../src/engine/sqlite/connection/deadline.ts';
import { openSqlite } from '../../src/engine/sqlite/engine.ts';
import { negotiate } from '../../src/http/negotiate.ts';
import { planRead } from '../../src/plan/read/read.ts';
import { firstRowsOf } from '../../src/plan/write/first-rows.ts';
import { encodingOf } from '../../src/response/body.ts';
import { catalogueOn, REFERENCE_PRODUCTS } from '../support/engines/catalogue.ts';
import { beginningWith, LARGE_TABLES, newFile, TEST_OPTIONS } from '../support/engines/sqlite.ts';

const LONG = 'long words '.repeat(20_000);
const aliases = (count: number) => Array.from({ length: count }, (_, index) => `a${index}:product_name`).join();

/**
 * Opens a file with these products. Returns a function that checks whether a read runs on the event-loop thread: then
 * the engine returns the result itself, not a promise.
 */
function opened(
  rows: readonly Row[],
  isLarge: boolean,
  begun: { catalogue: Catalogue; rows: Record<string, readonly Row[]> } = {
    catalogue: BUILT_IN.catalogue,
    rows: { products: rows },
  },
  name = 'products',
  path = newFile(),
) {
  const { catalogue } = begun;
  const firstRows = firstRowsOf({ catalogue, rows: (each) => begun.rows[each] ?? [] });
  let engine: Engine;
  beforeAll(() => {
    engine = openSqlite({ ...TEST_OPTIONS, ...(isLarge ? LARGE_TABLES : {}), catalogue, path, firstRows });
  });
  afterAll(() => engine.close());
  return async (query: string): Promise<boolean> => {
    const parsed = parseQuery(query);
    const plan = planRead(catalogue.collections.get(name)!, parsed, pageOf(parsed, null), undefined);
    const encoding = encodingOf(negotiate(null), plan.columns);
    const result = engine.read(plan, encoding);
    if (!(result instanceof Promise)) return true;
    // A thread rejects rows over the size limit.
    await result.catch(() => undefined);
    return false;
  };
}

const QUICK_ON_ANY = ['id=eq.5', 'id=in.(1,2,3)', 'limit=20', 'order=unit_price&limit=20', 'category_id=eq.1&limit=9'];
const COSTLY_ON_LARGE = [
  '',
  'id=eq.5&product_name=like.*a*',
  'id=eq.5&product_name=match.a',
  'id=eq.5&quantity_per_unit=not.fts.a',
  'id=in.(1,2)&or=(product_name.ilike.a*,id.eq.1)',
  'order=quantity_per_unit&limit=3',
  'select=count()',
];

describe('a small file', () => {
  const runsHere = opened(REFERENCE_PRODUCTS, false);

  test.each([
    ...QUICK_ON_ANY,
    '',
    'product_name=like.*a*',
    'product_name=imatch.^cha',
    'select=count()',
    `select=${aliases(50)}`,
  ])('%s: runs on the event-loop thread', async (query) => expect(await runsHere(query)).toBe(true));
});

describe('a small file with many texts', () => {
  const rows = Array.from({ length: 1_500 }, (_, index) => {
    return { id: index + 1, product_name: `Chef Anton's Cajun Seasoning, tin ${index}`, discontinued: 0 };
  });
  const runsHere = opened(rows, false);

  test('without a test of each text, it is read on the event-loop thread', async () => {
    expect(await runsHere('')).toBe(true);
  });
  test.each([
    ['a search, which takes long for each text', 'product_name=fts.cheese'],
    ['many patterns', Array.from({ length: 60 }, (_, index) => `product_name=like.*a_${index}*`).join('&')],
    ['a large expression', 'product_name=match.(a{50}){20}'],
    ['a long pattern that may match in many places', `product_name=like.*${'_'.repeat(200)}*`],
  ])('%s: runs on a reader thread', async (_, query) => expect(await runsHere(query)).toBe(false));
});

describe('a small file with a long text', () => {
  const runsHere = opened([{ id: 5, product_name: LONG, discontinued: 0 }], false);

  test.each(['', 'id=eq.5', 'product_name=like.*a*'])('%s: runs on the event-loop thread', async (query) =>
    expect(await runsHere(query)).toBe(true),
  );
  test.each([
    ['it many times over', `select=${aliases(50)}`],
    ['an expression on it', 'product_name=imatch.(cheese|butter)'],
    ['the same on the item', 'id=eq.5&product_name=imatch.(cheese|butter)'],
    ['a search', 'id=eq.5&product_name=fts.cheese'],
  ])('%s: runs on a reader thread', async (_, query) => expect(await runsHere(query)).toBe(false));
});

describe('a small file whose columns another program changes', () => {
  const path = newFile();
  const runsHere = opened([{ id: 5, product_name: 'a', discontinued: 0 }], false, undefined, undefined, path);

  test('the texts of a column count from when it is added to when it is removed', async () => {
    using other = new Database(path);
    const query = 'product_name=imatch.(cheese|butter)';
    expect(await runsHere(query)).toBe(true);
    other.run('alter table products add column remark text');
    other.run('update products set remark = ?', [LONG]);
    expect(await runsHere(query)).toBe(false);
    other.run('alter table products drop column remark');
    expect(await runsHere(query)).toBe(true);
  });
});

describe('a large file', () => {
  const runsHere = opened(REFERENCE_PRODUCTS, true);

  test.each(QUICK_ON_ANY)('%s: runs on the event-loop thread', async (query) =>
    expect(await runsHere(query)).toBe(true),
  );
  test.each(COSTLY_ON_LARGE)('%s: runs on a reader thread', async (query) => expect(await runsHere(query)).toBe(false));
});

describe('a large file with long texts', () => {
  const rows = Array.from({ length: 60 }, (_, index) => ({ id: index + 1, product_name: LONG, discontinued: 0 }));
  const runsHere = opened(rows, true);

  test.each(['id=eq.5', 'id=in.(1,2,3)', 'limit=10', 'limit=60&select=id,unit_price', `id=eq.5&select=${aliases(10)}`])(
    '%s: few bytes, runs on the event-loop thread',
    async (query) => expect(await runsHere(query)).toBe(true),
  );
  test.each([
    'limit=60',
    `id=in.(${Array.from({ length: 60 }, (_, index) => index)})`,
    `id=eq.5&select=${aliases(50)}`,
  ])('%s: more than a few megabytes, runs on a reader thread', async (query) =>
    expect(await runsHere(query)).toBe(false),
  );
});

const GROUPS = declareCatalogue({
  collections: [
    { name: 'groups', key: ['id'], fields: [{ name: 'id', type: 'int4' }] },
    {
      name: 'items',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'group_id', type: 'int4', references: { collection: 'groups', onDelete: 'restrict' } },
        { name: 'body', type: 'text' },
      ],
    },
  ],
});

describe('embedded rows, on a small file', () => {
  const items = Array.from({ length: 40 }, (_, index) => ({ id: index, group_id: 1, body: 'x'.repeat(20_000) }));
  const runsHere = opened([], false, { catalogue: GROUPS, rows: { groups: [{ id: 1 }], items } }, 'groups');

  test.each(['select=id,items(id)', 'select=id,items(id,body)', 'select=id,items(id,groups(id))'])(
    '%s: runs on the event-loop thread',
    async (query) => expect(await runsHere(query)).toBe(true),
  );
  test.each([
    ['rows in rows, far more than there are', 'select=id,items(id,groups(id,items(id,groups(id,items(id)))))'],
    ['long texts again and again', 'select=id,items(id,groups(id,items(body)))'],
    ['a search in each of them', 'select=id,items(id)&items.body=fts.cheese'],
  ])('%s: runs on a reader thread', async (_, query) => expect(await runsHere(query)).toBe(false));
});

describe('a small table in a large file', () => {
  const items = Array.from({ length: 120 }, (_, id) => ({ id, group_id: 1, body: 'x'.repeat(20_000) }));
  const runsHere = opened([], false, { catalogue: GROUPS, rows: { groups: [{ id: 1 }], items } }, 'groups');

  test('its rows are read on the event-loop thread', async () => expect(await runsHere('')).toBe(true));
  test('rows of the large table with them are read on a reader thread', async () =>
    expect(await runsHere('select=id,items(id)')).toBe(false));
});

test('the filters of an item are evaluated once, whatever the response shows', async () => {
  const row = { id: 500, product_name: 'a', discontinued: 0, quantity_per_unit: LONG };
  const engine = openSqlite({ ...TEST_OPTIONS, path: IN_MEMORY, firstRows: beginningWith([row]) });
  const catalogue = catalogueOn(engine);
  const stepsFor = async (path: string) => {
    const before = stepsSpent();
    expect((await catalogue.fetch(path)).status).toBe(200);
    return stepsSpent() - before;
  };
  const filter = 'quantity_per_unit=not.fts.zebra';
  const once = await stepsFor(`/products?${filter}`);
  expect(once).toBeGreaterThan(LONG.length);
  expect(await stepsFor(`/products/500?${filter}`)).toBeLessThan(1.1 * once);
  expect(await stepsFor(`/products/500?select=id&${filter}`)).toBeLessThan(1.1 * once);
  await engine.close();
});

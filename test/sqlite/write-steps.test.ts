/** The step count of writes, row by row while finding and while changing rows, and the choice of quick writes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../src/app.ts';
import { runToEnd } from '../../src/base/cooperative.ts';
import { INLINE_PAGE_ROWS } from '../../src/base/limits/engine.ts';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import { parsePrefer } from '../../src/dialect/prefer.ts';
import { parseQuery } from '../../src/dialect/query.ts';
import { areCheapWrites } from '../../src/engine/shared/cost.ts';
import { Connection } from '../../src/engine/sqlite/connection/connection.ts';
import { IN_MEMORY } from '../../src/engine/sqlite/connection/database-files.ts';
import { stepsSpent } from '../../src/engine/sqlite/connection/deadline.ts';
import { openSqlite } from '../../src/engine/sqlite/engine.ts';
import { prepareSchema } from '../../src/engine/sqlite/schema/migrate.ts';
import { applyWrites } from '../../src/engine/sqlite/write/apply-writes.ts';
import { negotiate } from '../../src/http/negotiate.ts';
import { WHOLE_ROW_JSON } from '../../src/plan/read/read.ts';
import { firstRowsOf } from '../../src/plan/write/first-rows.ts';
import { planWrite, type WriteMethod } from '../../src/plan/write/write.ts';
import type { WritePlan } from '../../src/plan/write-plan.ts';
import { encodingOf } from '../../src/response/body.ts';
import { type Catalogue, catalogueOn } from '../support/engines/catalogue.ts';
import { SHOP } from '../support/engines/shop.ts';
import { beginningWith, newFile, TEST_OPTIONS } from '../support/engines/sqlite.ts';
import { expectRefusal, sendJson } from '../support/stories.ts';

const ROWS = 3_000;
const STEPS_OF_A_ROW = 256;
const rows = Array.from({ length: ROWS }, (_, index) => ({ id: index + 1, product_name: `Jar ${index}` }));

describe('the rows that a write touches are counted', () => {
  let catalogue: Catalogue;
  beforeAll(() => {
    // With an in-memory database all work and all counting happen on this thread.
    catalogue = catalogueOn(openSqlite({ ...TEST_OPTIONS, path: IN_MEMORY, firstRows: beginningWith(rows) }));
  });
  afterAll(() => catalogue.close());

  const rowsFor = async (path: string, init: RequestInit): Promise<number> => {
    const before = stepsSpent();
    expect((await catalogue.fetch(path, init)).status).toBeLessThan(300);
    return (stepsSpent() - before) / STEPS_OF_A_ROW;
  };
  const dryRun = { prefer: 'tx=rollback' };
  const dryRunWithRows = { prefer: 'tx=rollback, return=representation' };

  test.each([
    ['a PATCH', sendJson('PATCH', { unit_price: 3 }, dryRun)],
    ['a PATCH that returns them', sendJson('PATCH', { unit_price: 3 }, dryRunWithRows)],
    ['a DELETE', { method: 'DELETE', headers: dryRun }],
    ['a DELETE that returns them', { method: 'DELETE', headers: dryRunWithRows }],
  ])('by %s when they are found, and again when they are changed', async (_, init) => {
    expect(await rowsFor('/products?id=gt.0', init)).toBeGreaterThanOrEqual(2 * ROWS);
    expect(await rowsFor('/products?id=eq.5', init)).toBeLessThan(10);
  });

  test('by a POST, and by a bulk update', async () => {
    const added = rows.map(({ id, product_name }) => ({ id: id + ROWS, product_name }));
    expect(await rowsFor('/products', sendJson('POST', added, dryRun))).toBeGreaterThanOrEqual(ROWS);
    const changes = rows.map(({ id }) => ({ id, unit_price: id }));
    expect(await rowsFor('/products', sendJson('PATCH', changes, dryRun))).toBeGreaterThanOrEqual(ROWS);
  });
});

function planned(method: WriteMethod, path: string, body?: unknown, prefer = ''): WritePlan {
  const [name = '', query = ''] = path.split('?');
  const request = {
    url: '/products',
    query: parseQuery(query),
    preferences: parsePrefer(prefer),
    singular: false,
    allowUnfiltered: true,
    createOnly: false,
  };
  const document = body === undefined ? undefined : ({ kind: 'json', value: body } as const);
  return runToEnd(planWrite(SHOP.collections.get(name)!, method, request, document));
}

describe('a write is quick', () => {
  const isQuick = (plan: WritePlan, isSmall = false) =>
    areCheapWrites([{ plan, encoding: WHOLE_ROW_JSON }], () => isSmall);
  const many = Array.from({ length: INLINE_PAGE_ROWS + 1 }, (_, index) => ({ id: index + 1, product_name: 'a' }));
  const changed = { product_name: 'a' };

  test('if it names or contains few rows', () => {
    expect(isQuick(planned('POST', 'products', changed))).toBe(true);
    expect(isQuick(planned('POST', 'products', many.slice(1)))).toBe(true);
    expect(isQuick(planned('PATCH', 'products', many.slice(1)))).toBe(true);
    expect(isQuick(planned('PATCH', 'products?id=eq.5', changed))).toBe(true);
    expect(isQuick(planned('PATCH', 'products?id=in.(5,6)&unit_price=gt.3', changed, 'return=representation'))).toBe(
      true,
    );
    expect(isQuick(planned('DELETE', 'prices?product_id=eq.5&currency=eq.EUR'))).toBe(true);
  });

  test('but not if it contains many rows or searches for them', () => {
    expect(isQuick(planned('POST', 'products', many))).toBe(false);
    expect(isQuick(planned('PATCH', 'products', many))).toBe(false);
    expect(isQuick(planned('PATCH', 'products?unit_price=gt.3', changed))).toBe(false);
    expect(isQuick(planned('DELETE', 'products?id=gt.5'))).toBe(false);
  });

  test('but not if it searches texts or other collections, even for few named rows', () => {
    expect(isQuick(planned('PATCH', 'products?id=eq.5&product_name=match.a', changed), true)).toBe(false);
    const embedded = 'products?id=eq.5&select=id,categories(id)';
    expect(isQuick(planned('PATCH', embedded, changed, 'return=representation'), true)).toBe(false);
  });

  test('on a small collection, with any filter', () => {
    expect(isQuick(planned('PATCH', 'products?unit_price=gt.3', changed), true)).toBe(true);
  });

  test('but not if its delete also affects the rows that reference the deleted row', () => {
    const followed = [...SHOP.collections.values()].flatMap(({ references }) =>
      references.filter(({ onDelete }) => onDelete !== 'restrict').map(({ to }) => to),
    );
    expect(followed.length).toBeGreaterThan(0);
    const [key] = SHOP.collections.get(followed[0]!)!.key;
    expect(isQuick(planned('DELETE', `${followed[0]}?${key!.name}=eq.1`), true)).toBe(false);
  });
});

test('a commit that has reached its time limit takes no further write', () => {
  const { catalogue } = TEST_OPTIONS;
  const connection = new Connection(IN_MEMORY, {
    prepare: (db) => void prepareSchema(db, { catalogue, firstRows: beginningWith(rows.slice(0, 10)) }),
  });
  const into = catalogue.collections.get('products')!;
  const lists = [1, 2, 3].map((id) => {
    const plan = runToEnd(
      planWrite(
        into,
        'PATCH',
        {
          url: '/products',
          query: parseQuery(`id=eq.${id}`),
          preferences: parsePrefer(''),
          singular: false,
          allowUnfiltered: false,
          createOnly: false,
        },
        { kind: 'json', value: { unit_price: 7 } },
      ),
    );
    return { writes: [{ plan, encoding: encodingOf(negotiate(null), []) }], dryRun: false };
  });
  const bounds = {
    retryHours: 1,
    querySeconds: 10,
    queueSeconds: 10,
    dryRunSeconds: 10,
    historyDays: 30,
    isLogged: true,
  };
  expect(applyWrites(connection, catalogue, lists, { ...bounds, commitSeconds: 0 })).toHaveLength(1);
  const stored = { sql: 'select count(*) from products where unit_price is not null', params: [] };
  expect(connection.number(stored)).toBe(1);
  expect(applyWrites(connection, catalogue, lists, { ...bounds, commitSeconds: 60 })).toHaveLength(3);
  expect(connection.number(stored)).toBe(3);
  connection.close();
});

test('a write of one row whose answer takes long to read is rejected soon, and other writes go on', async () => {
  const declared = declareCatalogue({
    collections: [
      { name: 'groups', key: ['id'], fields: [{ name: 'id', type: 'int4' }] },
      {
        name: 'items',
        key: ['id'],
        fields: [
          { name: 'id', type: 'int4' },
          { name: 'price', type: 'int4' },
          { name: 'group', type: 'int4', references: { collection: 'groups', onDelete: 'restrict' } },
        ],
      },
    ],
  });
  const items = Array.from({ length: 300 }, (_, index) => ({ id: index + 1, price: 1, group: 1 }));
  const rowsOf = (name: string) => (name === 'groups' ? [{ id: 1 }] : items);
  const firstRows = firstRowsOf({ catalogue: declared, rows: rowsOf });
  // Longer than the test may take.
  const querySeconds = 3_000;
  const engine = openSqlite({ ...TEST_OPTIONS, querySeconds, catalogue: declared, firstRows, path: newFile() });
  const app = createApp({ catalogue: declared, engine, maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false });
  const fetch = async (path: string, init?: RequestInit) => app.fetch(new Request(`http://catalogue${path}`, init));
  const path = ['groups', 'items', 'groups', 'items', 'groups', 'items', 'groups', 'items'];
  const nested = path.reduceRight((inner, name) => `${name}!inner(${inner})`, '');
  const target = `/items?id=eq.1&select=id,${nested}&${path.join('.')}.price=eq.7`;
  for (const init of [
    sendJson('PATCH', { price: 2 }, { prefer: 'return=representation' }),
    { method: 'DELETE', headers: { prefer: 'return=representation' } },
  ]) {
    const slow = fetch(target, init);
    const writes = items.slice(1).map(({ id }) => fetch(`/items?id=eq.${id}`, sendJson('PATCH', { price: 1 })));
    expect(new Set((await Promise.all(writes)).map(({ status }) => status))).toEqual(new Set([204]));
    const { hint } = await expectRefusal(await slow, 504, '57014');
    expect(hint).toContain('return=minimal');
  }
  expect(await (await fetch('/items?id=eq.1&select=price')).json()).toEqual([{ price: 1 }]);
  await engine.close();
});

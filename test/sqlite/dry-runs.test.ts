/** Dry runs: they have a time limit of their own, and take their turn beside other writes. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../src/app.ts';
import { runToEnd } from '../../src/base/cooperative.ts';
import { DRY_RUN_ATTEMPTS } from '../../src/base/limits/engine.ts';
import { parsePrefer } from '../../src/dialect/prefer.ts';
import { parseQuery } from '../../src/dialect/query.ts';
import { Connection } from '../../src/engine/sqlite/connection/connection.ts';
import { IN_MEMORY } from '../../src/engine/sqlite/connection/database-files.ts';
import { stepsSpent } from '../../src/engine/sqlite/connection/deadline.ts';
import { openSqlite } from '../../src/engine/sqlite/engine.ts';
import { prepareSchema } from '../../src/engine/sqlite/schema/migrate.ts';
import { applyWrites } from '../../src/engine/sqlite/write/apply-writes.ts';
import type { WriteList } from '../../src/engine/sqlite/write/writer.ts';
import { negotiate } from '../../src/http/negotiate.ts';
import { planWrite, type WriteMethod } from '../../src/plan/write/write.ts';
import { encodingOf } from '../../src/response/body.ts';
import { type Catalogue, catalogueOn } from '../support/engines/catalogue.ts';
import { declaredBy } from '../support/engines/roles.ts';
import { beginningWith, newFile, TEST_OPTIONS } from '../support/engines/sqlite.ts';
import { expectRefusal, sendJson } from '../support/stories.ts';

const ROWS = 2_000;
const STEPS_OF_A_ROW = 256;
const rows = Array.from({ length: ROWS }, (_, index) => ({ id: index + 1, product_name: `Jar ${index}` }));
const { catalogue } = TEST_OPTIONS;
const products = catalogue.collections.get('products')!;

function listOf(method: WriteMethod, query: string, value?: unknown, prefer = 'tx=rollback'): WriteList {
  const request = {
    url: '/products',
    query: parseQuery(query),
    preferences: parsePrefer(prefer),
    singular: false,
    allowUnfiltered: false,
    createOnly: false,
  };
  const plan = runToEnd(
    planWrite(products, method, request, value === undefined ? undefined : { kind: 'json', value }),
  );
  const dryRun = request.preferences.tx === 'rollback';
  return { writes: [{ plan, encoding: encodingOf(negotiate(null), []) }], dryRun };
}

describe('a dry run', () => {
  const bounds = {
    retryHours: 1,
    querySeconds: 10,
    queueSeconds: 10,
    commitSeconds: 1,
    dryRunSeconds: 10,
    historyDays: 30,
    isLogged: true,
  };
  let connection: Connection;
  beforeAll(() => {
    connection = new Connection(IN_MEMORY, {
      prepare: (db) => void prepareSchema(db, { catalogue, firstRows: beginningWith(rows) }),
    });
  });
  afterAll(() => connection.close());
  const stored = () => connection.values({ sql: 'select id, unit_price from products', params: [] });
  const apply = (list: WriteList, dryRunSeconds: number) =>
    applyWrites(connection, catalogue, [list], { ...bounds, dryRunSeconds })[0]!;

  const added = rows.map(({ id, product_name }) => ({ id: id + ROWS, product_name }));
  const changes = rows.map(({ id }) => ({ id, unit_price: id }));

  test.each([
    ['a PATCH', () => listOf('PATCH', 'id=gt.0', { unit_price: 3 })],
    [
      'a PATCH that returns them',
      () => listOf('PATCH', 'id=gt.0', { unit_price: 3 }, 'tx=rollback, return=representation'),
    ],
    ['a DELETE', () => listOf('DELETE', 'id=gt.0')],
    ['a POST', () => listOf('POST', '', added)],
    ['an upsert', () => listOf('POST', '', rows, 'tx=rollback, resolution=merge-duplicates')],
    ['a bulk update', () => listOf('PATCH', '', changes)],
  ])('of %s ends after few of its rows if its time is up, and stores nothing in any case', (_, list) => {
    const before = stored();
    const spent = stepsSpent();
    expect(apply(list(), 0)).toMatchObject({
      kind: 'rejected',
      error: { code: '57014', hint: expect.stringContaining('--dry-run-timeout') },
    });
    expect((stepsSpent() - spent) / STEPS_OF_A_ROW).toBeLessThan(ROWS);
    expect([stored(), connection.inTransaction]).toEqual([before, false]);

    expect(apply(list(), 10)).toMatchObject({ kind: 'done', results: [{ affected: ROWS }] });
    expect([stored(), connection.inTransaction]).toEqual([before, false]);
  });

  test('remembers nothing for its Idempotency-Key', () => {
    const retry = { key: 'once', fingerprint: 'a', owner: '', maxAnswerBytes: 1_000 };
    const list = { ...listOf('PATCH', 'id=gt.0', { unit_price: 3 }), retry };
    expect(apply(list, 0)).toMatchObject({ kind: 'rejected' });
    expect(apply(list, 10)).toMatchObject({ kind: 'done' });
    const stores = { ...listOf('PATCH', 'id=eq.1', { unit_price: 3 }, ''), retry };
    expect(apply(stores, 0)).toEqual({ kind: 'done', results: [{ affected: 1, inserted: 0 }] });
    expect(apply(stores, 0)).toEqual({ kind: 'done', results: [{ affected: 1, inserted: 0, replayed: true }] });
  });

  test('alone has this limit: a write that stores something goes on', () => {
    expect(apply(listOf('PATCH', 'id=gt.0', { unit_price: 5 }, ''), 0)).toMatchObject({
      kind: 'done',
      results: [{ affected: ROWS }],
    });
    expect(stored().every(([, price]) => price === 5)).toBe(true);
  });
});

describe('during a long dry run', () => {
  const long = Array.from({ length: 20 }, (_, index) => ({
    id: index + 1,
    product_name: 'Long',
    quantity_per_unit: `z${'ab'.repeat(400_000)}`,
  }));
  // Each text takes about a second to match.
  const tests = Array.from({ length: 30 }, (_, index) => `quantity_per_unit=not.match.(a|b|ab)*[xyz]{${index + 1}}$`);
  const path = `/products?${tests.join('&')}`;
  let served: Catalogue;
  const serveLong = (options: { readonly dryRunSeconds?: number }) => {
    served = catalogueOn(openSqlite({ ...TEST_OPTIONS, ...options, path: newFile(), firstRows: beginningWith(long) }));
  };
  afterEach(() => served.close());
  const dryRun = () => served.fetch(path, sendJson('PATCH', { unit_price: 3 }, { prefer: 'tx=rollback' }));
  const setPrice = (id: number) => served.fetch(`/products?id=eq.${id}`, sendJson('PATCH', { unit_price: id }));
  const storedPrices = () => served.list('/products?unit_price=not.is.null&select=id,unit_price');

  test('writes are carried out, and the dry run gets its limit', async () => {
    serveLong({ dryRunSeconds: 1 });
    const ended = dryRun();
    const ids = long.slice(0, 10).map(({ id }) => id);
    expect((await Promise.all(ids.map(setPrice))).map(({ status }) => status)).toEqual(ids.map(() => 204));
    await expectRefusal(await ended, 504, '57014').then(({ hint }) =>
      expect(hint).toBe('A dry run may take 1 s (--dry-run-timeout). Try it on fewer rows.'),
    );
    expect(await storedPrices()).toEqual(ids.map((id) => ({ id, unit_price: id })));
  });

  test('other writes are answered before it ends, and it ends after several interruptions', async () => {
    serveLong({});
    let isEnded = false;
    const ended = dryRun().finally(() => {
      isEnded = true;
    });
    let answered = 0;
    while (!isEnded) {
      expect((await setPrice(1)).status).toBe(204);
      if (!isEnded) answered++;
    }
    await expectRefusal(await ended, 504, '57014').then(({ hint }) =>
      expect(hint).toBe('Try it on fewer rows, or when fewer writes arrive.'),
    );
    expect(answered).toBeGreaterThanOrEqual(DRY_RUN_ATTEMPTS - 1);
    expect(await storedPrices()).toEqual([{ id: 1, unit_price: 1 }]);
  });
});

test('a search that indexes a row first is answered before a long dry run ends', async () => {
  const catalogue = declaredBy(`
collections:
  products: { search: { fields: { name: 1 } }, fields: { id: int4, name: text, note: text } }
`);
  const engine = openSqlite({ ...TEST_OPTIONS, catalogue, path: newFile(), firstRows: () => [] });
  const app = createApp({ catalogue, engine, maxBodyBytes: 64 * 1024 * 1024, allowUnfilteredWrites: false });
  const fetch = async (path: string, init?: RequestInit) => app.fetch(new Request(`http://catalogue${path}`, init));
  const long = Array.from({ length: 5 }, (_, id) => ({ id, name: 'tent', note: `z${'ab'.repeat(400_000)}` }));
  expect((await fetch('/products', sendJson('POST', long))).status).toBe(201);
  const tests = Array.from({ length: 30 }, (_, index) => `note=not.match.(a|b|ab)*[xyz]{${index + 1}}$`);
  const write = fetch('/products', sendJson('POST', { id: 100, name: 'camp tent' }));
  // It begins right after the write.
  const dryRun = fetch(`/products?${tests.join('&')}`, sendJson('PATCH', { name: 'sold' }, { prefer: 'tx=rollback' }));
  expect((await write).status).toBe(201);
  await Bun.sleep(10);
  const found = await fetch('/products?search=wfts.camp&select=id');
  expect(await found.json()).toEqual([{ id: 100 }]);
  const isRunning = async () => (await Promise.race([dryRun, 'running'])) === 'running';
  expect(await isRunning()).toBe(true);
  while (await isRunning()) await fetch('/products?id=eq.1', sendJson('PATCH', { name: 'tent' }));
  await engine.close();
});

test('64 clients that write without a pause: every dry run is answered', async () => {
  const served = catalogueOn(openSqlite({ ...TEST_OPTIONS, path: newFile(), firstRows: beginningWith(rows) }));
  const byFilter = (index: number) => `/products?product_name=match.^Jar.${index}$`;
  let areAnswered = false;
  const clients = Array.from({ length: 64 }, async (_, index) => {
    const path = index % 2 === 0 ? byFilter(index) : `/products?id=eq.${index}`;
    const statuses = new Set<number>();
    while (!areAnswered) statuses.add((await served.fetch(path, sendJson('PATCH', { unit_price: 1 }))).status);
    return [...statuses];
  });
  await Bun.sleep(0);
  const dryRun = sendJson('PATCH', { unit_price: 7 }, { prefer: 'tx=rollback' });
  const dryRuns = await Promise.all(Array.from({ length: 5 }, (_, index) => served.fetch(byFilter(index), dryRun)));
  areAnswered = true;
  expect(dryRuns.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
  expect(await Promise.all(clients)).toEqual(clients.map(() => [204]));
  expect(await served.list('/products?unit_price=eq.7')).toEqual([]);
  await served.close();
});

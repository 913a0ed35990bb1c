/** Searches for frequent words: other requests are answered meanwhile, and the time limit applies. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { ROWS_PER_SLICE, slicesRun } from '../../../src/base/cooperative.ts';
import { awaitSteps, RARER_WORDS, takeInSlices } from '../../../src/engine/search/steps.ts';
import { stepsSpent } from '../../../src/engine/sqlite/connection/deadline.ts';
import { openSqlite } from '../../../src/engine/sqlite/engine.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy } from '../../support/engines/roles.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { beginningWith, newFile, TEST_OPTIONS } from '../../support/engines/sqlite.ts';

const DECLARATION = declaredBy(`
collections:
  products:
    fields: { id: int4, name: text }
    search: { fields: { name: 1 }, language: english }
`);
const COUNT = 3 * ROWS_PER_SLICE;
const ROWS = Array.from({ length: COUNT }, (_, at) => ({ id: at + 1, name: 'red shoe' }));
const SEARCH = '/products?search=wfts.red%20shoe&select=id&limit=2';

describe.each(TWO_ENGINES)('a search for frequent words on %s', (engine) => {
  let shop: Catalogue;
  beforeAll(async () => {
    shop = await openDeclared(engine, DECLARATION, { products: ROWS });
    await shop.list(SEARCH);
  });
  afterAll(() => shop.close());

  test('runs on a thread, or in slices', async () => {
    const before = [stepsSpent(), slicesRun()] as const;
    const response = await shop.fetch(SEARCH, { headers: { prefer: 'count=exact' } });
    expect(await response.json()).toEqual([{ id: 1 }, { id: 2 }]);
    expect(response.headers.get('content-range')).toBe(`0-1/${COUNT}`);
    expect(stepsSpent()).toBe(before[0]);
    if (engine === 'PostgreSQL') expect(slicesRun() - before[1]).toBeGreaterThan(2 * (COUNT / ROWS_PER_SLICE));
  });
});

test('a search on a thread ends at its time limit', async () => {
  const path = newFile();
  const search = async (querySeconds: number) => {
    const firstRows = beginningWith(ROWS);
    const engine = openSqlite({ ...TEST_OPTIONS, catalogue: DECLARATION, path, querySeconds, firstRows });
    const app = createApp({ catalogue: DECLARATION, engine, maxBodyBytes: 1024, allowUnfilteredWrites: false });
    const response = await app.fetch(new Request(`http://catalogue${SEARCH}`));
    const body = await response.json();
    await engine.close();
    return { status: response.status, body };
  };
  expect((await search(TEST_OPTIONS.querySeconds)).status).toBe(200);
  const late = await search(0.000_001);
  expect(late.status).toBe(504);
  expect(late.body).toMatchObject({ code: '57014', hint: RARER_WORDS });
});

test('a search in slices ends at its time limit', async () => {
  const noRows = () => Promise.resolve([]);
  const taken: number[] = [];
  const work = () => takeInSlices(ROWS, ({ id }) => taken.push(id));
  await awaitSteps(work(), noRows);
  expect(taken.length).toBe(COUNT);
  const late = awaitSteps(work(), noRows, performance.now() - 1);
  expect(late).rejects.toMatchObject({ code: '57014', hint: RARER_WORDS });
  await late.catch(() => undefined);
  expect(taken.length).toBe(COUNT + ROWS_PER_SLICE);
});

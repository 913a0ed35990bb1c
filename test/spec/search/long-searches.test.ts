/** Searches for frequent words: other requests are answered meanwhile, and the time limit applies. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { ROWS_PER_SLICE } from '../../../src/base/cooperative.ts';
import { Ranker } from '../../../src/engine/postgres/search/ranker.ts';
import { LAST_CHUNK, UNUSED } from '../../../src/engine/search/index-tables.ts';
import { PostingList } from '../../../src/engine/search/postings.ts';
import type { RankJob } from '../../../src/engine/search/rank-job.ts';
import { RARER_WORDS } from '../../../src/engine/search/steps.ts';
import { stepsSpent } from '../../../src/engine/sqlite/connection/deadline.ts';
import { openSqlite } from '../../../src/engine/sqlite/engine.ts';
import { parseWords } from '../../../src/text/words/query.ts';
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

  test('finds and counts all rows without work on the event loop', async () => {
    const before = stepsSpent();
    const response = await shop.fetch(SEARCH, { headers: { prefer: 'count=exact' } });
    expect(await response.json()).toEqual([{ id: 1 }, { id: 2 }]);
    expect(response.headers.get('content-range')).toBe(`0-1/${COUNT}`);
    expect(stepsSpent()).toBe(before);
  });
});

test('a search on a thread of SQLite ends at its time limit', async () => {
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

test('a search on the thread for PostgreSQL ends at its time limit, and when a statement fails', async () => {
  const postings = new PostingList();
  const packedHits = Uint8Array.of(4, 0, 2, 1, 0);
  for (const { id } of ROWS) postings.add(id, packedHits, 0);
  const definition = { stem: UNUSED, word: UNUSED, chunk: 0, docs: new Uint8Array() };
  const row = { stem: 'red', word: 'red', chunk: LAST_CHUNK, docs: Buffer.from(postings.encode(0), 'hex') };
  const job: RankJob = {
    definition: '',
    texts: [{ name: 'name', language: 'english' }],
    query: parseWords('red', 'english', 'phrase'),
    fields: [{ number: 0, weight: 1 }],
    predicates: 0,
    isHighlighted: false,
    isCompleted: false,
    needsAll: true,
  };
  const ranker = new Ranker();
  const { rows } = await ranker.rank(job, 60_000, async () => [definition, row]);
  expect((JSON.parse(rows) as unknown[]).length).toBe(COUNT);
  const late = await ranker.rank(job, -1, async () => [definition, row]).catch((error) => error);
  expect(late).toMatchObject({ code: '57014', hint: RARER_WORDS });
  const noConnection = () => Promise.reject(new Error('no connection'));
  const failed = await ranker.rank(job, 60_000, noConnection).catch((error) => error);
  expect(failed).toMatchObject({ message: 'no connection' });
  await ranker.close();
});

/**
 * Work is proportional to the size of a request and of its data: doubling any size at most doubles the counted steps.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { slicesRun } from '../../src/base/cooperative.ts';
import { IN_MEMORY } from '../../src/engine/sqlite/connection/database-files.ts';
import { stepsSpent } from '../../src/engine/sqlite/connection/deadline.ts';
import { openSqlite } from '../../src/engine/sqlite/engine.ts';
import { catalogueOn } from '../support/engines/catalogue.ts';
import { beginningWith, TEST_OPTIONS } from '../support/engines/sqlite.ts';
import { RUNS } from '../support/generated/generators.ts';
import { sendJson } from '../support/stories.ts';

/** The sizes of the data and of the request. */
interface Sizes {
  /** The number of stored rows, and the text length in each of them. */
  readonly rows: number;
  readonly length: number;
  /** The number of repetitions of the conditions in the request. */
  readonly conditions: number;
  /** The number of rows in the body. */
  readonly body: number;
}

const sizes: fc.Arbitrary<Sizes> = fc.record({
  rows: fc.integer({ min: 50, max: 200 }),
  length: fc.integer({ min: 100, max: 800 }),
  conditions: fc.integer({ min: 1, max: 5 }),
  body: fc.integer({ min: 3_000, max: 6_000 }),
});

const condition = fc.constantFrom(
  'quantity_per_unit.like.*zebra*',
  'quantity_per_unit.ilike.*a_z*',
  'quantity_per_unit.match."(a|b){2,}z"',
  'quantity_per_unit.imatch."[a-f]{3,9}z"',
  'quantity_per_unit.fts.zebra',
  'quantity_per_unit.wfts.zebra',
  'unit_price.gt.900',
  'id.in.(100000,100001)',
  'product_name.eq.zebra',
);
const words = fc.constantFrom(
  'lorem ipsum dolor ',
  'ab',
  'box of 12, 550 ml; ',
  '<a href="x" ',
  '<!--',
  'a-',
  'Röd Kåviär ',
);

const DRY_RUN = 'tx=rollback';

/** Requests that read or change the matching rows, or send new rows. */
const DEEDS: Readonly<Record<string, (where: string, { body }: Sizes) => readonly [string, RequestInit?]>> = {
  'a list': (where) => [`/products?${where}`],
  'a page': (where) => [`/products?${where}&order=unit_price.desc&limit=5`],
  'a count': (where) => [`/products?${where}&select=count()`],
  'a change': (where) => [`/products?${where}`, sendJson('PATCH', { unit_price: 3 }, { prefer: DRY_RUN })],
  'a change with its rows': (where) => [
    `/products?not.${where}`,
    sendJson('PATCH', { unit_price: 3 }, { prefer: `${DRY_RUN}, return=representation` }),
  ],
  'a removal': (where) => [`/products?not.${where}`, { method: 'DELETE', headers: { prefer: DRY_RUN } }],
  'new rows': (_, { body }) => ['/products', sendJson('POST', newRows(body), { prefer: DRY_RUN })],
  'rows to merge': (_, { body }) => [
    '/products',
    sendJson('POST', newRows(body), { prefer: `${DRY_RUN}, resolution=merge-duplicates` }),
  ],
};

const newRows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, product_name: `Jar ${index}`, unit_price: 1 }));
const ofLength = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** The number of search steps that one chunk of a body is equivalent to. */
const STEPS_OF_A_PIECE = 65_536;
/** The tolerance: each stage of a long body processes whole chunks, and every request has fixed costs. */
const ROUNDING = 8 * STEPS_OF_A_PIECE;

/**
 * Runs a request and returns the number of steps. The database is in memory, so that all work and its counters are on
 * this thread.
 */
async function work(deed: string, amount: Sizes, text: string, either: readonly string[]): Promise<number> {
  const stored = Array.from({ length: amount.rows }, (_, index) => ({
    id: 500_000 + index,
    product_name: `Jar ${index}`,
    quantity_per_unit: ofLength(text, amount.length),
  }));
  const engine = openSqlite({ ...TEST_OPTIONS, path: IN_MEMORY, firstRows: beginningWith(stored) });
  const terms = Array.from({ length: amount.conditions }, () => either).flat();
  const [path, init] = DEEDS[deed]!(`or=(${terms.join()})`, amount);
  const before = [stepsSpent(), slicesRun()] as const;
  const response = await catalogueOn(engine).fetch(path, init);
  expect([path, response.status < 300 ? 'done' : await response.text()]).toEqual([path, 'done']);
  await response.text();
  await engine.close();
  return stepsSpent() - before[0] + STEPS_OF_A_PIECE * (slicesRun() - before[1]);
}

test('doubling the rows, the text length, the conditions or the body at most doubles the work', async () => {
  let most = 0;
  const anyDeed = fc.constantFrom(...Object.keys(DEEDS));
  const anySize = fc.constantFrom<keyof Sizes>('rows', 'length', 'conditions', 'body');
  const conditions = fc.array(condition, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(anyDeed, sizes, anySize, words, conditions, async (deed, amount, size, text, either) => {
      const once = await work(deed, amount, text, either);
      const twice = await work(deed, { ...amount, [size]: 2 * amount[size] }, text, either);
      most = Math.max(most, once);
      expect(twice).toBeLessThanOrEqual(2 * once + ROUNDING);
    }),
    { numRuns: 8 * RUNS },
  );
  // Index lookups take very few steps. At least one request must exceed the tolerance clearly.
  expect(most).toBeGreaterThan(4 * ROUNDING);
});

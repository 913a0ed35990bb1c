/**
 * Generates a million plausible products, or the requested number. The output is deterministic: the file is the same on
 * every machine.
 */

import { rmSync } from 'node:fs';
import { BUILT_IN } from '../src/collection/built-in.ts';
import type { Catalogue } from '../src/collection/declaration.ts';
import { products } from '../src/collection/products.ts';
import type { Row } from '../src/collection/value.ts';
import { Connection } from '../src/engine/sqlite/connection/connection.ts';
import { openSqlite } from '../src/engine/sqlite/engine.ts';
import { indexPending } from '../src/engine/sqlite/search/search-index.ts';
import { WHOLE_ROW_JSON } from '../src/plan/read/read.ts';
import type { InsertPlan, StoredRow } from '../src/plan/write-plan.ts';

const ADJECTIVES = [
  'Aged',
  'Dark',
  'Fiery',
  'Fresh',
  'Golden',
  'Grüne',
  'Hot',
  'Mild',
  'Organic',
  'Röd',
  'Salted',
  'Smoked',
  'Sweet',
  'Wild',
];
const NOUNS = [
  'Biscuits',
  'Bröd',
  'Cheese',
  'Chocolate',
  'Coffee',
  'Kaviar',
  'Lakrits',
  'Mutton',
  'Noodles',
  'Olives',
  'Pepper',
  'Sauce',
  'Syrup',
  'Tea',
  'Tofu',
];
const PACKS = [
  '10 boxes x 20 bags',
  '24 - 12 oz bottles',
  '12 - 550 ml bottles',
  '48 - 6 oz jars',
  '1 kg pkg.',
  '500 g',
  null,
];

/** Mulberry32, a small and fast generator with the same sequence on every machine. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function* generateProducts(count: number): Generator<StoredRow> {
  const random = randomNumbers(42);
  const below = (limit: number) => Math.floor(random() * limit);
  for (let id = 1; id <= count; id++) {
    const name = `${ADJECTIVES[below(ADJECTIVES.length)]} ${NOUNS[below(NOUNS.length)]} ${id}`;
    const price = Math.round(random() * 30000) / 100;
    yield [
      id,
      name,
      below(8) === 0 ? 1 : 0,
      1 + below(29),
      1 + below(8),
      PACKS[below(PACKS.length)]!,
      price,
      below(126),
      below(10) * 10,
      below(7) * 5,
    ];
  }
}

/** Generates the products as the objects that a client sends. */
export function* generateObjects(count: number): Generator<Row> {
  for (const row of generateProducts(count)) {
    yield Object.fromEntries(products.fields.map(({ name }, index) => [name, row[index] ?? null])) as Row;
  }
}

/** Creates a catalogue file with this many products through the engine, with a complete search index. */
export async function generateCatalogue(path: string, count: number, { isIndexed = true } = {}): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  const engine = openSqlite({
    path,
    catalogue: BUILT_IN.catalogue,
    firstRows: () => [],
    retryHours: 24,
    querySeconds: 60,
  });
  let rows: StoredRow[] = [];
  const flush = async () => {
    const plan: InsertPlan = {
      kind: 'insert',
      into: products,
      rows,
      given: products.fields,
      conflict: 'refuse',
      singular: false,
      mustExist: false,
    };
    await engine.write([{ plan, encoding: WHOLE_ROW_JSON }], { dryRun: false });
    rows = [];
  };
  for (const row of generateProducts(count)) if (rows.push(row) === 10_000) await flush();
  if (rows.length > 0) await flush();
  await engine.close();
  if (isIndexed) indexCatalogue(path);
}

/** Builds the search index immediately, which a service would do in the background. */
export function indexCatalogue(path: string, { collections }: Catalogue = BUILT_IN.catalogue): void {
  const connection = new Connection(path);
  for (const collection of collections.values()) {
    while (indexPending(connection, collection, 1)) {
      /* the next rows */
    }
  }
  connection.emptyLog();
  connection.close();
}

if (import.meta.main) {
  const [path = 'million.db', count = '1000000'] = process.argv.slice(2);
  await generateCatalogue(path, Number(count));
  console.log(`${path}: ${count} products`);
}

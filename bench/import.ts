/**
 * Measures `catalogue import` of a CSV file against a bare loop of prepared inserts. The loop inserts the same rows,
 * parsed before the clock starts, into the same table with the same indexes, in one transaction. Both alternate for
 * three rounds, and the result is the median, by wall-clock time and by CPU time. Usage: bun bench/import.ts [ROWS]
 */
import { Database } from 'bun:sqlite';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_IN } from '../src/collection/built-in.ts';
import { products } from '../src/collection/products.ts';
import { CsvRecords } from '../src/declare/rows/csv.ts';
import { prepareSchema } from '../src/engine/sqlite/schema/migrate.ts';
import { rowPlanner } from '../src/plan/write/row-planner.ts';
import { generateProducts } from './generate.ts';

const ROUNDS = 3;
const rows = Number(process.argv[2] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'catalogue-import-'));
const file = join(folder, 'products.csv');
const main = new URL('../src/main.ts', import.meta.url).pathname;

interface Cost {
  readonly seconds: number;
  readonly processorSeconds: number;
}

async function writeCsv(): Promise<void> {
  const writer = Bun.file(file).writer();
  writer.write(`${products.fields.map((field) => field.name).join(',')}\n`);
  for (const row of generateProducts(rows)) writer.write(`${row.map((value) => value ?? '').join(',')}\n`);
  await writer.end();
}

function parsedRows(): unknown[][] {
  const reader = new CsvRecords();
  const records = [...reader.push(readFileSync(file, 'utf8')), ...reader.end()];
  const plan = rowPlanner(products, products.fields, { absence: 'no value' });
  return records.map((record) => (record.kind === 'record' ? plan(record.cells).map((value) => value ?? null) : []));
}

function bareLoop(parsed: readonly unknown[][]): Cost {
  const path = newDatabase();
  const db = new Database(path);
  db.run('pragma journal_mode = wal');
  db.run('pragma synchronous = full');
  // The cache size of the import, because index pages are written in random order.
  db.run('pragma cache_size = -65536');
  prepareSchema(db, { catalogue: BUILT_IN.catalogue, firstRows: () => [] });
  const started = performance.now();
  const before = process.cpuUsage();
  const insert = db.prepare(`insert into products values (${products.fields.map(() => '?').join(', ')})`);
  db.run('begin immediate');
  for (const row of parsed) insert.run(...(row as number[]));
  db.run('commit');
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - started) / 1000;
  db.close();
  return { seconds, processorSeconds: (user + system) / 1e6 };
}

async function importCommand(): Promise<Cost> {
  const path = newDatabase();
  const started = performance.now();
  const child = Bun.spawn([process.execPath, main, 'import', file, '--database', path], { stdout: 'ignore' });
  if ((await child.exited) !== 0) throw new Error('the import failed');
  const seconds = (performance.now() - started) / 1000;
  return { seconds, processorSeconds: Number(child.resourceUsage()!.cpuTime.total) / 1e6 };
}

let databases = 0;
function newDatabase(): string {
  return join(folder, `${++databases}.db`);
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)]!;
}

await writeCsv();
const parsed = parsedRows();
const bare: Cost[] = [];
const ours: Cost[] = [];
for (let round = 0; round < ROUNDS; round++) {
  bare.push(bareLoop(parsed));
  ours.push(await importCommand());
}
rmSync(folder, { recursive: true });
for (const measure of ['seconds', 'processorSeconds'] as const) {
  const base = median(bare.map((cost) => cost[measure]));
  const own = median(ours.map((cost) => cost[measure]));
  const name = measure === 'seconds' ? 'wall clock' : 'processor time';
  console.log(
    `${rows} rows, ${name}: bare loop ${base.toFixed(2)} s, import ${own.toFixed(2)} s, ratio ${(base / own).toFixed(2)}`,
  );
}

/**
 * Measures a POST of 10,000 rows, as JSON and as CSV, into a catalogue of a million. The baseline is a bare loop:
 * JSON.parse of the same body and one prepared insert per row, in one transaction. Both alternate in one run, and the
 * result is the median of the rounds. Usage: bun bench/bulk-post.ts [PRODUCTS] [ROUNDS]
 */
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { products } from '../src/collection/products.ts';
import { generateCatalogue, generateProducts } from './generate.ts';

const ROWS = 10_000;
const [count = 1_000_000, rounds = 7] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'catalogue-bulk-'));
const main = new URL('../src/main.ts', import.meta.url).pathname;
const columns = products.fields.filter((field) => field !== products.key[0]).map((field) => field.name);
const places = columns.map((name) => products.fields.findIndex((field) => field.name === name));
const given = [...generateProducts(ROWS)].map((row) => places.map((place) => row[place] ?? null));
const json = JSON.stringify(given.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]]))));
const csv = [columns.join(','), ...given.map((row) => row.map((value) => value ?? 'NULL').join(','))].join('\n');

function openBare(path: string): () => number {
  const db = new Database(path);
  db.run('pragma synchronous = full');
  const list = columns.join(', ');
  const insert = db.prepare(`insert into products (${list}) values (${columns.map(() => '?').join(', ')})`);
  return () => {
    const started = performance.now();
    const rows = JSON.parse(json) as Record<string, string | number | null>[];
    db.run('begin immediate');
    for (const row of rows) insert.run(...columns.map((name) => row[name] as string));
    db.run('commit');
    return performance.now() - started;
  };
}

async function startService(path: string): Promise<{ url: string; stop: () => Promise<number> }> {
  const command = [process.execPath, main, 'serve', '--port', '0', '--database', path, '--log-level', 'error'];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' });
  let greeting = '';
  for await (const chunk of child.stdout as unknown as AsyncIterable<Uint8Array>) {
    greeting += new TextDecoder().decode(chunk);
    if (greeting.includes('\nTry ')) break;
  }
  const stop = () => {
    child.kill('SIGTERM');
    return child.exited;
  };
  return { url: /listens on (\S+)/.exec(greeting)![1]!, stop };
}

async function post(url: string, type: string, body: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(`${url}/products`, { method: 'POST', headers: { 'content-type': type }, body });
  await response.arrayBuffer();
  if (response.status !== 201) throw new Error(`answered ${response.status}`);
  return performance.now() - started;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)]!;
}

const [bareFile, ourFile] = [join(folder, 'bare.db'), join(folder, 'ours.db')];
await generateCatalogue(bareFile, count);
await Bun.write(ourFile, Bun.file(bareFile));
const bareLoop = openBare(bareFile);
const service = await startService(ourFile);
const cases = [
  { name: 'JSON', type: 'application/json', body: json },
  { name: 'CSV', type: 'text/csv', body: csv },
];
for (const { type, body } of cases) await post(service.url, type, body);
bareLoop();
for (const { name, type, body } of cases) {
  const base: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < rounds; round++) {
    base.push(bareLoop());
    ours.push(await post(service.url, type, body));
  }
  const [bare, own] = [median(base), median(ours)];
  console.log(
    `${ROWS} rows as ${name}: bare loop ${bare.toFixed(0)} ms, POST ${own.toFixed(0)} ms, ratio ${(bare / own).toFixed(2)}`,
  );
}
await service.stop();
rmSync(folder, { recursive: true });

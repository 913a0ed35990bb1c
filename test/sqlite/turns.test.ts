/**
 * Concurrent costly reads: each gets its turn and its full time limit, and none blocks the others or the WAL for long.
 */
import { Database } from 'bun:sqlite';
import { afterEach, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { MAX_STREAMED_READS, MAX_WAITING_READS, STALLED_SECONDS } from '../../src/base/limits/engine.ts';
import type { Row } from '../../src/collection/value.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openFiles } from '../../src/engine/sqlite/connection/database-files.ts';
import { openSqlite, type SqliteOptions } from '../../src/engine/sqlite/engine.ts';
import { type ReadJob, startReader } from '../../src/engine/sqlite/read-threads/reader.ts';
import { type Catalogue, catalogueOn } from '../support/engines/catalogue.ts';
import { beginningWith, LARGE_TABLES, newFile, TEST_OPTIONS } from '../support/engines/sqlite.ts';
import { until } from '../support/processes/process.ts';

/** A search that exceeds every time limit here, and a fast search that uses no index. */
const SLOW = `/products?product_name=like.*${'_'.repeat(20_000)}b*`;
const QUICK = '/products?select=id&order=quantity_per_unit,id&limit=3';
/** A list long enough to be sent in chunks. */
const LIST: readonly Row[] = Array.from({ length: 6_000 }, (_, index) => ({
  id: index + 1,
  product_name: index === 0 ? 'a'.repeat(400_000) : `Product ${index} ${'x'.repeat(200)}`,
  discontinued: 0,
}));

interface Opened extends Catalogue {
  readonly engine: Engine;
  readonly path: string;
}

const opened: Opened[] = [];
afterEach(async () => {
  for (const { engine } of opened.splice(0)) await engine.close();
});

const THREADS = 2;

function open({ readingBounds, ...options }: Partial<SqliteOptions>): Opened {
  const path = newFile();
  const bounds = { threads: THREADS, ...readingBounds };
  const engine = openSqlite({
    ...TEST_OPTIONS,
    ...LARGE_TABLES,
    ...options,
    readingBounds: bounds,
    path,
    firstRows: beginningWith(LIST),
  });
  const each = { ...catalogueOn(engine), engine, path };
  opened.push(each);
  return each;
}

const statusOf = async (response: Promise<Response>) => (await response).status;
const metric = ({ engine }: Opened, wanted: string) => engine.metrics!().find(({ name }) => name === wanted)!.value;
const logBytes = ({ path }: Opened) => statSync(`${path}-wal`).size;

/** Writes until the WAL is longer than `bytes`, while a reader holds an older snapshot. */
function lengthenLog(catalogue: Opened, bytes: number): void {
  const other = new Database(catalogue.path);
  other.run('pragma busy_timeout = 5000');
  for (let round = 0; logBytes(catalogue) <= bytes && round < 20; round++) {
    other.run('update products set reorder_level = ?', [round]);
  }
  other.close();
  expect(logBytes(catalogue)).toBeGreaterThan(bytes);
}

/** Outcomes of a result: read to its end, or cut off by the service. The log gives the reason. */
const whole = () => 'whole';
const cut = () => 'cut';

test('waiting does not count: after many slow searches, a read has its full time limit', async () => {
  const catalogue = open({ querySeconds: 0.5 });
  const slow = Array.from({ length: 4 }, () => statusOf(catalogue.fetch(SLOW)));
  const quick = Array.from({ length: 3 }, () => statusOf(catalogue.fetch(QUICK)));
  expect(await Promise.all(slow)).toEqual([504, 504, 504, 504]);
  expect(await Promise.all(quick)).toEqual([200, 200, 200]);
});

test('slow searches do not cut off a long result that is being read', async () => {
  const catalogue = open({ querySeconds: 0.5 });
  const response = await catalogue.fetch('/products');
  const slow = Array.from({ length: 4 }, () => statusOf(catalogue.fetch(SLOW)));
  expect(
    Bun.deepEquals(
      ((await response.json()) as Row[]).map(({ id }) => id),
      LIST.map(({ id }) => id),
    ),
  ).toBe(true);
  expect(await Promise.all(slow)).toEqual([504, 504, 504, 504]);
});

test('reads beyond the queue limit are rejected at once, and the others are not', async () => {
  const catalogue = open({ querySeconds: 0.05 });
  const order: number[] = [];
  const all = Array.from({ length: THREADS + MAX_WAITING_READS + 5 }, async () => {
    const response = await catalogue.fetch(SLOW);
    order.push(response.status);
    if (response.status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });
  await Promise.all(all);
  expect(order.slice(0, 5)).toEqual([503, 503, 503, 503, 503]);
  expect(new Set(order.slice(5))).toEqual(new Set([504]));
});

test('after slow reads, a read that would wait too long is rejected at once', async () => {
  const catalogue = open({ querySeconds: 0.3, readingBounds: { queueSeconds: 1 } });
  for (let round = 0; round < 4; round++) {
    await Promise.all(Array.from({ length: THREADS }, () => catalogue.fetch(SLOW)));
  }
  const order: number[] = [];
  const flood = Array.from({ length: MAX_WAITING_READS }, async () =>
    order.push(await statusOf(catalogue.fetch(SLOW))),
  );
  await Promise.all(flood);
  const refused = order.indexOf(504);
  expect(refused).toBeGreaterThan(0);
  expect(new Set(order.slice(0, refused))).toEqual(new Set([503]));
  expect(await statusOf(catalogue.fetch(QUICK))).toBe(200);
});

test('clients that do not read their results block nobody: the longest-stalled result is ended', async () => {
  const catalogue = open({});
  const stalled: Response[] = [];
  for (let each = 0; each < MAX_STREAMED_READS; each++) stalled.push(await catalogue.fetch('/products'));
  expect(await statusOf(catalogue.fetch(QUICK))).toBe(200);
  await Bun.sleep(STALLED_SECONDS * 1000 + 100);
  const one = await catalogue.fetch('/products');
  expect(((await one.json()) as Row[]).length).toBe(LIST.length);
  expect(metric(catalogue, 'reads_abandoned_total')).toBe(1);
  const [first, ...others] = stalled;
  expect(await first!.text().then(whole, cut)).toBe('cut');
  expect(((await others.at(-1)!.json()) as Row[]).length).toBe(LIST.length);
  await Promise.all(others.slice(0, -1).map((response) => response.body!.cancel()));
  await until('the end of all reads', () => metric(catalogue, 'reads_on_threads') === 0);
});

const LOG_BYTES = 8 * 1024 * 1024;

test('an old result that blocks the WAL checkpoint is ended when the client reads on', async () => {
  const catalogue = open({ readingBounds: { longLogBytes: LOG_BYTES, snapshotSeconds: 0 } });
  const reader = (await catalogue.fetch('/products')).body!.getReader();
  await reader.read();
  lengthenLog(catalogue, LOG_BYTES);
  const readOn = async () => {
    while (!(await reader.read()).done);
  };
  expect(await readOn().then(whole, cut)).toBe('cut');
  await until('the end of the read', () => metric(catalogue, 'reads_on_threads') === 0);
  expect(metric(catalogue, 'reads_abandoned_total')).toBe(1);
});

test('an old result that the client does not read is ended by the next read, and the WAL is emptied', async () => {
  const catalogue = open({ readingBounds: { longLogBytes: LOG_BYTES, snapshotSeconds: 0 } });
  const stalled = await catalogue.fetch('/products');
  lengthenLog(catalogue, LOG_BYTES);
  // On a busy machine this may take one more read.
  await until('the log to be emptied', async () => {
    expect(await statusOf(catalogue.fetch(QUICK))).toBe(200);
    return logBytes(catalogue) < LOG_BYTES;
  });
  expect(await stalled.text().then(whole, cut)).toBe('cut');
});

test('while the WAL is too long, reads wait for a recent result, and are answered after it', async () => {
  const catalogue = open({ readingBounds: { longLogBytes: LOG_BYTES } });
  const young = await catalogue.fetch('/products');
  lengthenLog(catalogue, LOG_BYTES);
  const waiting = [QUICK, `${QUICK}&offset=1`].map((url) => statusOf(catalogue.fetch(url)));
  expect(metric(catalogue, 'reads_waiting')).toBe(2);
  expect(((await young.json()) as Row[]).length).toBe(LIST.length);
  expect(await Promise.all(waiting)).toEqual([200, 200]);
  expect(logBytes(catalogue)).toBeLessThan(LOG_BYTES);
});

test('to cancel a read on a thread that is not running starts no thread', async () => {
  const { path } = open({});
  const reader = startReader({ path, files: openFiles(path), limitMs: 1_000, catalogue: { collections: [] } });
  const Original = globalThis.Worker;
  let started = 0;
  globalThis.Worker = class extends Original {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      started++;
    }
  };
  try {
    reader.tell({ kind: 'cancel', id: 1 });
    expect(started).toBe(0);
    const job = { kind: 'begin', id: 2, job: {} as ReadJob, emptyLog: false } as const;
    expect((await reader.ask(job)).kind).toBe('failed');
    expect(started).toBe(1);
  } finally {
    globalThis.Worker = Original;
    await reader.close({ kind: 'close' });
  }
});

/**
 * kill -9 of a service under ten concurrent writers, again and again on one catalogue. After each restart every
 * acknowledged write is stored and no write is partial. A write repeated with its Idempotency-Key is stored once.
 */
import { Database } from 'bun:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { seededRandom } from '../../support/generated/runs.ts';
import {
  cleanUp,
  integrityOf,
  PROGRAM,
  type Service,
  startService,
  temporaryFolder,
  until,
} from '../../support/processes/process.ts';

const KILLS = Number(process.env.KILLS ?? 8);
/** The number of writers of each of the five kinds. */
const EACH = 2;
/** A round ends after at most this number of acknowledged writes, so that a slow machine has as many as a fast one. */
const MOST_WRITES = 100;
const ROWS_TOGETHER = 5;

type Patched = Map<number, { sure: string; perhaps?: string }>;

type Kind = 'chosen id' | 'idempotent' | 'patch' | 'together' | 'batch';

interface Write {
  readonly kind: Kind;
  /** A unique tag in the product name, which identifies the write in the database. */
  readonly tag: string;
  readonly path: string;
  readonly init: RequestInit;
  /** The id of the product to patch. */
  readonly target?: number;
}

describe('a service that is killed while it writes', () => {
  const cwd = temporaryFolder();
  const file = join(cwd, 'catalogue.db');
  const acknowledged: Write[] = [];
  const unanswered: Write[] = [];
  /** The expected name of each patched product: the last acknowledged one (`sure`) or the one in flight (`perhaps`). */
  const patched: Patched = new Map();
  let service: Service;
  beforeAll(async () => {
    service = await startService({ cwd, args: ['--log-level', 'error'] });
  });
  afterAll(cleanUp);

  const random = seededRandom();
  const rounds = Array.from({ length: KILLS }, (_, round) => round);
  test.each(rounds)('has lost, split or doubled no acknowledged write after kill %d', async (round) => {
    const running = service;
    const checkedUpTo = acknowledged.length;
    const enough = checkedUpTo + random() * MOST_WRITES;
    const writers = writersOf(round).map((next) => keepWriting(running, next, acknowledged, unanswered, patched));
    await until('the writes of the round', () => acknowledged.length >= enough);
    running.kill('SIGKILL');
    await Promise.all(writers);
    await running.exited;
    expect(running.stderr()).toBe('');

    service = await startService({ cwd, args: ['--log-level', 'error'] });
    for (const write of unanswered.splice(0)) {
      if (write.kind !== 'idempotent') continue;
      const again = await service.fetch(write.path, write.init);
      expect({ tag: write.tag, status: again.status }).toEqual({ tag: write.tag, status: 201 });
      acknowledged.push(write);
    }
    expect(integrityOf(file)).toBe('ok');
    checkWrites(file, acknowledged.slice(checkedUpTo), round);
    await checkPatches(service, patched);
  });

  test('has kept all writes, and the responses of their keys', async () => {
    // No later kill may lose what an earlier restart had kept.
    checkWrites(file, acknowledged);
    for (const kind of ['chosen id', 'idempotent', 'patch', 'together', 'batch'] satisfies Kind[]) {
      expect(acknowledged.filter((write) => write.kind === kind).length).toBeGreaterThan(3);
    }
    // A repeated request stores nothing.
    const old = acknowledged.filter((write) => write.kind === 'idempotent').slice(0, 50);
    for (const write of old) {
      expect((await service.fetch(write.path, write.init)).status).toBe(201);
    }
    checkWrites(file, old);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(integrityOf(file)).toBe('ok');
  });
});

describe('a kill during the very first start', () => {
  afterEach(cleanUp);

  test.each([20, 50, 80, 110, 140])('after %d ms leaves no partial catalogue', async (moment) => {
    const folder = temporaryFolder();
    const first = Bun.spawn([...PROGRAM, 'serve', '--port', '0'], { cwd: folder, stdout: 'ignore', stderr: 'ignore' });
    await Bun.sleep(moment);
    first.kill('SIGKILL');
    await first.exited;
    const second = await startService({ cwd: folder });
    expect(second.stdout()).toContain('\nRows      products 77\n');
    expect(integrityOf(join(folder, 'catalogue.db'))).toBe('ok');
  });
});

/** Sends one write after another until the service is gone. */
async function keepWriting(
  service: Service,
  next: (sequence: number) => Write,
  acknowledged: Write[],
  unanswered: Write[],
  patched: Patched,
): Promise<void> {
  for (let sequence = 0; ; sequence++) {
    const write = next(sequence);
    const { target, tag } = write;
    const known = target === undefined ? undefined : patched.get(target);
    if (target !== undefined && known !== undefined) patched.set(target, { sure: known.sure, perhaps: tag });
    let status: number;
    try {
      const response = await service.fetch(write.path, write.init);
      status = response.status;
      await response.arrayBuffer();
    } catch {
      // The connection broke, so the write may be stored or not.
      unanswered.push(write);
      return;
    }
    expect({ tag, status }).toEqual({ tag, status: STATUS[write.kind] ?? 201 });
    acknowledged.push(write);
    if (target !== undefined) patched.set(target, { sure: tag });
  }
}

const STATUS: Partial<Record<Kind, number>> = { patch: 204, batch: 200 };

/** Client-chosen ids are negative here, so they never collide with assigned ids. */
let chosenId = 0;

function writersOf(round: number): ((sequence: number) => Write)[] {
  return Array.from({ length: EACH }, (_, writer) => {
    const tagged = (kind: string, sequence: number) => `${round}.${kind}${writer}.${sequence}`;
    const target = writer + 1;
    return [
      (sequence: number): Write => {
        const tag = tagged('c', sequence);
        return { kind: 'chosen id', tag, ...posting({ id: --chosenId, product_name: tag }) };
      },
      (sequence: number): Write => {
        const tag = tagged('i', sequence);
        return { kind: 'idempotent', tag, ...posting({ product_name: tag }, { 'idempotency-key': tag }) };
      },
      (sequence: number): Write => {
        const tag = tagged('p', sequence);
        const init = { method: 'PATCH', body: JSON.stringify({ product_name: tag }) };
        return { kind: 'patch', tag, path: `/products?id=eq.${target}`, init, target };
      },
      (sequence: number): Write => {
        const tag = tagged('t', sequence);
        const rows = Array.from({ length: ROWS_TOGETHER }, (_, index) => ({ product_name: tag, reorder_level: index }));
        return { kind: 'together', tag, ...posting(rows) };
      },
      (sequence: number): Write => {
        const tag = tagged('b', sequence);
        const body = { product_name: tag };
        const requests = Array.from({ length: ROWS_TOGETHER }, () => ({ method: 'POST', path: '/products', body }));
        return { kind: 'batch', tag, path: '/batch', init: { method: 'POST', body: JSON.stringify(requests) } };
      },
    ];
  }).flat();
}

function posting(body: object, headers: Record<string, string> = {}): Pick<Write, 'path' | 'init'> {
  return { path: '/products', init: { method: 'POST', headers, body: JSON.stringify(body) } };
}

/** Checks how often each tag occurs, by reading the file directly from disk. */
function checkWrites(file: string, acknowledged: readonly Write[], round?: number): void {
  const stored = rowsByTag(file, round);
  const wrong: string[] = [];
  for (const { kind, tag } of acknowledged) {
    if (kind === 'patch') continue;
    const rows = stored.get(tag) ?? 0;
    if (rows !== (kind === 'together' || kind === 'batch' ? ROWS_TOGETHER : 1))
      wrong.push(`${tag} (${kind}): ${rows} rows`);
  }
  for (const [tag, rows] of stored) {
    const isTogether = /^[bt]/.test(tag.split('.')[1]!);
    if (rows !== (isTogether ? ROWS_TOGETHER : 1)) wrong.push(`${tag}: ${rows} rows`);
  }
  expect(wrong).toEqual([]);
}

function rowsByTag(file: string, round: number | undefined): Map<string, number> {
  const db = new Database(file, { readonly: true });
  try {
    const rows = db
      .query<{ tag: string; rows: number }, [string]>(
        'select product_name as tag, count(*) as rows from products where product_name glob ? group by product_name',
      )
      .all(`${round ?? '[0-9]*'}.[bcit][0-9].*`);
    return new Map(rows.map(({ tag, rows: number }) => [tag, number]));
  } finally {
    db.close();
  }
}

async function checkPatches(service: Service, patched: Patched): Promise<void> {
  for (const target of Array.from({ length: EACH }, (_, writer) => writer + 1)) {
    const { product_name: name } = (await (await service.fetch(`/products/${target}`)).json()) as {
      product_name: string;
    };
    const known = patched.get(target);
    if (known !== undefined) expect([known.sure, known.perhaps]).toContain(name);
    // The next round must not lose the name that is stored now.
    patched.set(target, { sure: name });
  }
}

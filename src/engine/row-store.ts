/** Reads and writes rows of the service itself, with the same plans as other rows. Filters are texts of the dialect. */
import type { FairQueue } from '../base/fair-queue.ts';
import type { Collection } from '../collection/declaration.ts';
import { storeJson } from '../collection/types/type.ts';
import { EMPTY_QUERY, pageOfQuery, parseQuery } from '../dialect/query.ts';
import type { Encoding } from '../encode/encoding.ts';
import { planRead, WHOLE_ROW_JSON } from '../plan/read/read.ts';
import type { Predicate, ReadPlan } from '../plan/types.ts';
import type { WritePlan } from '../plan/write-plan.ts';
import type { ChangeLog, Engine, MaybePromise, ReadResult, Write, WriteOptions, WriteResult } from './engine.ts';

const NOTHING: Encoding = { format: 'json', stripNulls: false, columns: [] };
const TERMS = { singular: false, mustExist: false } as const;

/** The conditions of a query string, or a planned predicate. */
type Filter = string | Predicate;
type Cells = Readonly<Record<string, unknown>>;

export class RowStore {
  constructor(readonly engine: Engine) {}

  async execute(writes: readonly Write[], options: Partial<WriteOptions> = {}): Promise<readonly WriteResult[]> {
    return this.engine.write(writes, { dryRun: false, ...options });
  }

  /** `after` as in `Engine.read`. */
  read<Row>(plan: ReadPlan, after?: string): MaybePromise<readonly Row[]> {
    const found = this.engine.read(plan, WHOLE_ROW_JSON, after);
    return found instanceof Promise ? found.then(rowsIn<Row>) : rowsIn(found);
  }

  query(collection: Collection, text: string): ReadPlan {
    const query = parseQuery(text);
    return planRead(collection, query, pageOfQuery(query), undefined);
  }

  where(collection: Collection, filter: Filter): Predicate {
    return typeof filter === 'string' ? this.query(collection, filter).where : filter;
  }

  /** `existing` is what happens to a row with the same key, which is an error by default. */
  insertion(
    into: Collection,
    rows: object | readonly object[],
    existing: 'refuse' | 'keep' | 'replace' = 'refuse',
  ): Write {
    const cells = ([rows].flat() as Cells[]).map((row) =>
      into.fields.map(({ name, type }) => storeJson(type, row[name] ?? null)),
    );
    const overwrite = existing === 'keep' ? [] : into.fields.filter((field) => !into.key.includes(field));
    const conflict = existing === 'refuse' ? existing : { on: into.key, overwrite };
    return write({ kind: 'insert', into, rows: cells, given: into.fields, conflict, ...TERMS });
  }

  change(into: Collection, filter: Filter, row: object, terms: Pick<WritePlan, 'affects'> = {}): Write {
    const values = row as Cells;
    const given = into.fields.filter(({ name }) => values[name] !== undefined);
    const set = given.map((field) => ({ field, value: storeJson(field.type, values[field.name]) }));
    return write({ kind: 'update', into, where: this.where(into, filter), set, given, ...TERMS, ...terms });
  }

  deletion(into: Collection, filter: Filter): Write {
    return write({ kind: 'delete', into, where: this.where(into, filter), ...TERMS });
  }
}

/** Interval between checks for missing tables. */
const CHECK_MS = 500;

/** Tables of the service. Without them there are no rows. Another process may create them. */
export class OwnTables {
  private exist = false;
  private nextCheck = 0;

  constructor(
    private readonly engine: Engine,
    private readonly collections: readonly Collection[],
  ) {}

  /** Throws a `ConfigError` if the database role may not create them. */
  async create(): Promise<void> {
    if (!this.exist) this.exist = await this.engine.ownTables(this.collections, { make: true });
  }

  check(): MaybePromise<boolean> {
    if (this.exist) return true;
    if (performance.now() < this.nextCheck) return false;
    return this.engine.ownTables(this.collections, { make: false }).then((exist) => {
      this.nextCheck = performance.now() + CHECK_MS;
      this.exist = exist;
      return exist;
    });
  }
}

function write(plan: WritePlan): Write {
  return { plan, encoding: NOTHING };
}

function rowsIn<Row>(result: ReadResult): MaybePromise<readonly Row[]> {
  const { body } = result;
  if (typeof body === 'string') return JSON.parse(body) as readonly Row[];
  return joinText(body).then((text) => JSON.parse(text) as readonly Row[]);
}

/** Joins a streamed result. For few rows, whose size is limited. */
export async function joinText(parts: AsyncIterator<Uint8Array, undefined>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (let part = await parts.next(); part.done !== true; part = await parts.next()) {
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

export type Reader = Pick<Engine, 'read'>;

type Counted = Partial<Pick<ReadPlan, 'where' | 'isLookup'>>;

export async function countRows(reader: Reader, collection: Collection, among: Counted = {}): Promise<number> {
  const plan = planRead(collection, EMPTY_QUERY, { offset: 0, limit: 0 }, 'exact');
  return (await reader.read({ ...plan, ...among }, NOTHING)).total ?? 0;
}

/** Queues reads, so that one caller neither exceeds the limits of the engine nor delays the reads of others. */
export function queuedReader(engine: Reader, queue: FairQueue, caller: string): Reader {
  return { read: (...request) => queue.run(caller, 1, async () => engine.read(...request), true) };
}

/**
 * Queues reads of positions. A caller with many requests finishes one before it begins the next: `oldest` is the first
 * part of each.
 */
export function queuedLog(log: ChangeLog, queue: FairQueue, caller: string): ChangeLog {
  const runOne = async <T>(work: () => MaybePromise<T>): Promise<T> => {
    const result = work();
    // SQLite answers at once: without a pause, all that wait would follow before any other request.
    if (!(result instanceof Promise)) await new Promise((resolve) => setImmediate(resolve));
    return result;
  };
  const run = <T>(work: () => MaybePromise<T>, isFurtherPart = true) =>
    queue.run(caller, 1, () => runOne(work), isFurtherPart);
  return {
    oldest: (collections) => run(() => log.oldest(collections), false),
    position: () => run(() => log.position()),
    timesAt: (seq) => run(() => log.timesAt(seq)),
    positionAt: (time) => run(() => log.positionAt(time)),
  };
}

/** Reads no faster than the caller. */
export async function* streamLines(reader: Reader, plan: ReadPlan, asOf: number): AsyncGenerator<readonly string[]> {
  const columns = plan.columns.map(({ name }) => name);
  const { body } = await reader.read(plan, { format: 'ndjson', stripNulls: false, columns }, undefined, asOf);
  if (typeof body === 'string') {
    yield split(body);
    return;
  }
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let part = await body.next(); part.done !== true; part = await body.next()) {
      const text = rest + decoder.decode(part.value, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      rest = text.slice(end);
      yield split(text.slice(0, end));
    }
  } finally {
    await body.return?.();
  }
}

function split(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

export async function readLines(reader: Reader, plan: ReadPlan, asOf: number): Promise<readonly string[]> {
  return (await readFirstLines(reader, plan, asOf, Number.POSITIVE_INFINITY)).lines;
}

/** All lines, or the first ones beyond a length. */
export async function readFirstLines(reader: Reader, plan: ReadPlan, asOf: number, length: number) {
  const lines: string[] = [];
  let read = 0;
  for await (const some of streamLines(reader, plan, asOf)) {
    if (read > length) return { lines, isComplete: false };
    for (const line of some) {
      lines.push(line);
      read += line.length;
    }
  }
  return { lines, isComplete: true };
}

/**
 * The embedded engine. Quick reads run where the requests are, on a connection that cannot write; costly ones on
 * threads of their own; writes go to the one writer. A catalogue in memory has but one connection for all.
 */
import type { Collection } from '../../collection/declaration.ts';
import type { Row } from '../../collection/value.ts';
import type { Encoding } from '../../encode/encoding.ts';
import { SQLITE_BUSY_MS } from '../../limits.ts';
import { isAlways, type ReadPlan, type WritePlan } from '../../plan/types.ts';
import { compileCount, compileRead } from '../compile/read.ts';
import type { Statement } from '../compile/statement.ts';
import type { ChangeMark, Engine, Explanation, MaybePromise, Reading, ReadResult, WriteResult } from '../engine.ts';
import { explanationOf, type PlanStep } from '../explanation.ts';
import type { LoadBatch, LoadResult, LoadTerms } from '../load.ts';
import { compileQuickRead, hasQuickPatterns } from './access.ts';
import { applyJobs } from './apply.ts';
import { CountedMark } from './change-mark.ts';
import { Connection, whileBusy } from './connection.ts';
import { guardedDialect, sqliteDialect } from './dialect.ts';
import { compileJob } from './jobs.ts';
import { type Compile, Lists } from './lists.ts';
import { loadRows } from './load.ts';
import { Readers } from './readers.ts';
import { sqliteReadings } from './readings.ts';
import { booleanColumns, readRows } from './rows.ts';
import { checkOwner, prepareSchema } from './schema.ts';
import { Snapshot } from './snapshot.ts';
import { Statistics } from './statistics.ts';
import { openWatched } from './watched.ts';
import { Writer, WriterThread } from './writer.ts';

export interface SqliteOptions {
  readonly path: string;
  /** What it is called before people, where that is not its path. */
  readonly location?: string;
  readonly collection: Collection;
  /** What a new catalogue begins with. */
  readonly firstRows: readonly Row[];
  readonly retryHours: number;
  readonly querySeconds: number;
}

export const IN_MEMORY = ':memory:';

export function openSqlite(options: SqliteOptions): Engine {
  const { path, collection, firstRows, retryHours, querySeconds, location = path } = options;
  const first = new Connection(path);
  const steps: string[] = [];
  try {
    const isNew = whileBusy(SQLITE_BUSY_MS, () => {
      // Changing the journal mode writes to the file: not before it is known to be ours.
      checkOwner(first.db);
      first.db.run('pragma journal_mode = wal');
      return prepareSchema(first.db, collection, firstRows);
    });
    if (isNew) steps.push(`table ${collection.name}`);
  } catch (error) {
    first.close();
    throw error;
  }
  if (path === IN_MEMORY) {
    const changes = new CountedMark();
    const writer = new Writer((jobs) => {
      changes.changed();
      return applyJobs(first, collection, jobs, { retryHours, querySeconds });
    });
    return new SqliteEngine(path, 'in memory', steps, collection, first, changes, writer, undefined, async () => {});
  }
  const { reader, changes } = openWatched(path, first);
  const thread = new WriterThread(path, collection, { retryHours, querySeconds });
  const readers = new Readers(path, querySeconds * 1000);
  const writer = new Writer(thread.commit);
  return new SqliteEngine(path, location, steps, collection, reader, changes, writer, readers, () => thread.close());
}

class SqliteEngine implements Engine {
  private readonly statistics: Statistics;
  /** Absent in memory, where the one connection also writes, and nothing comes between two of its reads. */
  private readonly snapshot: Snapshot | undefined;
  private readonly lists: Lists;

  constructor(
    private readonly path: string,
    readonly location: string,
    readonly steps: readonly string[],
    private readonly collection: Collection,
    private readonly reader: Connection,
    readonly changes: ChangeMark,
    private readonly writer: Writer,
    /** Absent in memory, where no other connection can read. */
    private readonly readers: Readers | undefined,
    private readonly closeWriter: () => Promise<void>,
  ) {
    this.statistics = new Statistics(reader, collection);
    this.snapshot = readers === undefined ? undefined : new Snapshot(reader);
    this.lists = new Lists(reader, collection, changes, this.snapshot);
  }

  find(plan: ReadPlan): readonly Row[] {
    this.snapshot?.refresh(this.changes.current());
    return readRows(this.reader, plan, this.compile(plan));
  }

  read(plan: ReadPlan, encoding: Encoding): MaybePromise<ReadResult> {
    const mark = this.changes.current();
    this.snapshot?.refresh(mark);
    const { readers } = this;
    if (readers === undefined || (this.statistics.isSmall(mark) && hasQuickPatterns(plan)))
      return this.readHere(plan, mark, this.compile)!;
    return this.readHere(plan, mark, this.compileQuick) ?? this.readApart(readers, plan, encoding);
  }

  write(plan: WritePlan): Promise<WriteResult> {
    return this.writer.write(compileJob(this.collection, plan));
  }

  async load(batches: AsyncIterable<LoadBatch>, terms: LoadTerms): Promise<LoadResult> {
    if (this.readers === undefined) {
      const result = await loadRows(this.reader, this.collection, batches, terms);
      if (this.changes instanceof CountedMark) this.changes.changed();
      return result;
    }
    const connection = new Connection(this.path);
    try {
      return await loadRows(connection, this.collection, batches, terms);
    } finally {
      connection.close();
    }
  }

  explain(plan: ReadPlan): Explanation {
    const { sql, params } = this.compileQuick(plan) ?? this.compile(plan);
    const steps = this.reader.rows({ sql: `explain query plan ${sql}`, params });
    return explanationOf(sql, steps as unknown as PlanStep[]);
  }

  readings(): readonly Reading[] {
    return sqliteReadings(this.writer, this.readers, this.readers === undefined ? undefined : this.path);
  }

  async close(): Promise<void> {
    await this.writer.settled();
    await this.readers?.close();
    this.snapshot?.close();
    this.reader.close();
    await this.closeWriter();
  }

  /** Undefined where `compile` is. */
  private readHere(plan: ReadPlan, mark: number, compile: Compile): ReadResult | undefined {
    const isPage = plan.offset > 0 || plan.limit !== undefined;
    const read = (): ReadResult | undefined => {
      const rows = this.lists.rows(plan, mark, compile);
      if (rows === undefined) return undefined;
      if (plan.count === undefined) return { kind: 'rows', rows };
      return { kind: 'rows', rows, total: isPage ? this.count(plan) : rows.length };
    };
    return this.snapshot === undefined || plan.count === undefined || !isPage ? read() : this.snapshot.during(read);
  }

  private count(plan: ReadPlan): number {
    return this.reader.number(compileCount(this.collection.name, plan, sqliteDialect));
  }

  private async readApart(readers: Readers, plan: ReadPlan, encoding: Encoding): Promise<ReadResult> {
    const { offset, limit } = plan;
    // Before the read: its rows may be newer than this, but never older.
    const state = this.changes.tag();
    const parts = await readers.read({
      statement: compileRead(this.collection.name, plan, guardedDialect),
      // All rows are counted along an index, far quicker than each could be asked for the time.
      count: compileCount(this.collection.name, plan, isAlways(plan.where) ? sqliteDialect : guardedDialect),
      wantsTotal: plan.count !== undefined,
      offset,
      ...(limit === undefined ? {} : { limit }),
      encoding,
      booleans: booleanColumns(plan),
    });
    return { ...parts, state };
  }

  private readonly compile = (plan: ReadPlan): Statement => compileRead(this.collection.name, plan, sqliteDialect);

  private readonly compileQuick = (plan: ReadPlan): Statement | undefined =>
    compileQuickRead(this.collection, plan, this.statistics.rowsPerValue);
}

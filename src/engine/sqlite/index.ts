/**
 * The embedded engine. Quick reads run where the requests are, on a connection that cannot write; costly ones on
 * threads of their own; writes go to the one writer. A catalogue in memory has but one connection for all.
 */
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import { type Encoding, encodeRows } from '../../encode/encoding.ts';
import { isAlways, type ReadPlan, type WritePlan } from '../../plan/types.ts';
import { endNames, endOf, type Output, outputOfRead } from '../compile/output.ts';
import { compileCount, compileEnd, compileRead } from '../compile/read.ts';
import type { Statement } from '../compile/statement.ts';
import type { ChangeMark, Engine, Explanation, MaybePromise, Metric, ReadResult, WriteResult } from '../engine.ts';
import { explanationOf, type PlanStep } from '../explanation.ts';
import type { LoadBatch, LoadResult, LoadTerms } from '../load.ts';
import { compileQuickRead, hasQuickPatterns } from './access.ts';
import { applyJobs } from './apply.ts';
import { CountedMark } from './change-mark.ts';
import { Connection } from './connection.ts';
import { guardedDialect, sqliteDialect } from './dialect.ts';
import { compileJob } from './jobs.ts';
import { loadRows } from './load.ts';
import { sqliteMetrics } from './metrics.ts';
import { Readers } from './readers.ts';
import { checkOwner, type FirstRows, prepareSchema } from './schema.ts';
import { Snapshot } from './snapshot.ts';
import { Statistics } from './statistics.ts';
import { openWatched } from './watched.ts';
import { Writer, WriterThread } from './writer.ts';

export interface SqliteOptions {
  readonly path: string;
  readonly catalogue: Catalogue;
  /** What a new collection begins with. */
  readonly firstRows: FirstRows;
  readonly retryHours: number;
  readonly querySeconds: number;
}

export const IN_MEMORY = ':memory:';

export function openSqlite({ path, catalogue, firstRows, retryHours, querySeconds }: SqliteOptions): Engine {
  const first = new Connection(path);
  let steps: readonly string[];
  try {
    // Changing the journal mode writes to the file: not before it is known to be ours.
    checkOwner(first.db);
    first.db.run('pragma journal_mode = wal');
    steps = prepareSchema(first.db, catalogue, firstRows);
  } catch (error) {
    first.close();
    throw error;
  }
  if (path === IN_MEMORY) {
    const changes = new CountedMark();
    const writer = new Writer((jobs) => {
      changes.changed();
      return applyJobs(first, catalogue, jobs, { retryHours, querySeconds });
    });
    return new SqliteEngine('in memory', steps, first, changes, writer, undefined, async () => {});
  }
  const { reader, changes } = openWatched(path, first);
  const thread = new WriterThread(path, catalogue, { retryHours, querySeconds });
  const readers = new Readers(path, querySeconds * 1000);
  const writer = new Writer(thread.commit);
  return new SqliteEngine(path, steps, reader, changes, writer, readers, () => thread.close());
}

class SqliteEngine implements Engine {
  private readonly statistics: Statistics;
  /** Absent in memory, where the one connection also writes, and nothing comes between two of its reads. */
  private readonly snapshot: Snapshot | undefined;

  constructor(
    readonly location: string,
    readonly steps: readonly string[],
    private readonly reader: Connection,
    readonly changes: ChangeMark,
    private readonly writer: Writer,
    /** Absent in memory, where no other connection can read. */
    private readonly readers: Readers | undefined,
    private readonly closeWriter: () => Promise<void>,
  ) {
    this.statistics = new Statistics(reader);
    this.snapshot = readers === undefined ? undefined : new Snapshot(reader);
  }

  read(plan: ReadPlan, encoding: Encoding): MaybePromise<ReadResult> {
    const mark = this.changes.current();
    this.snapshot?.refresh(mark);
    const { readers } = this;
    const output = outputOfRead(plan, encoding, sqliteDialect);
    if (readers === undefined || (this.statistics.isSmall(plan.from, mark) && hasQuickPatterns(plan)))
      return this.readHere(plan, encoding, output, compileRead(plan, output, sqliteDialect));
    const quick = compileQuickRead(plan, output, this.statistics.rowsPerValue);
    if (quick !== undefined) return this.readHere(plan, encoding, output, quick);
    return this.readApart(readers, plan, encoding, output);
  }

  write(plan: WritePlan, encoding: Encoding): Promise<WriteResult> {
    return this.writer.write(compileJob(plan, encoding));
  }

  async load(collection: Collection, batches: AsyncIterable<LoadBatch>, terms: LoadTerms): Promise<LoadResult> {
    if (this.readers === undefined) {
      const result = await loadRows(this.reader, collection, batches, terms);
      if (this.changes instanceof CountedMark) this.changes.changed();
      return result;
    }
    const connection = new Connection(this.location);
    try {
      return await loadRows(connection, collection, batches, terms);
    } finally {
      connection.close();
    }
  }

  explain(plan: ReadPlan): Explanation {
    const output: Output = { form: 'json', stripNulls: false };
    const quick = compileQuickRead(plan, output, this.statistics.rowsPerValue);
    const { sql, params } = quick ?? compileRead(plan, output, sqliteDialect);
    const steps = this.reader.rows({ sql: `explain query plan ${sql}`, params });
    return explanationOf(sql, steps as unknown as PlanStep[]);
  }

  metrics(): readonly Metric[] {
    return sqliteMetrics(this.writer, this.readers, this.readers === undefined ? undefined : this.location);
  }

  async close(): Promise<void> {
    await this.writer.settled();
    await this.readers?.close();
    this.snapshot?.close();
    this.reader.close();
    await this.closeWriter();
  }

  private readHere(plan: ReadPlan, encoding: Encoding, output: Output, statement: Statement): ReadResult {
    const isPage = plan.offset > 0 || plan.limit !== undefined;
    const read = (): ReadResult => {
      const rows = this.reader.rows(statement);
      const body = encodeRows(rows, encoding, output.form);
      const result = { returned: rows.length, body, end: endOf(endNames(plan, output), rows.at(-1)) };
      if (plan.count === undefined) return result;
      return { ...result, total: isPage ? this.count(plan) : rows.length };
    };
    return this.snapshot === undefined || plan.count === undefined || !isPage ? read() : this.snapshot.during(read);
  }

  private count(plan: ReadPlan): number {
    return this.reader.number(compileCount(plan, sqliteDialect));
  }

  private async readApart(readers: Readers, plan: ReadPlan, encoding: Encoding, output: Output): Promise<ReadResult> {
    const { offset, limit } = plan;
    // Before the read: its rows may be newer than this, but never older.
    const state = this.changes.tag();
    const result = await readers.read({
      statement: compileRead(plan, output, guardedDialect),
      // All rows are counted along an index, far quicker than each could be asked for the time.
      count: compileCount(plan, isAlways(plan.where) ? sqliteDialect : guardedDialect),
      wantsTotal: plan.count !== undefined,
      offset,
      ...(limit === undefined ? {} : { limit }),
      endNames: endNames(plan, output),
      ...compileEnd(plan, guardedDialect),
      encoding,
      form: output.form,
    });
    return { ...result, state };
  }
}

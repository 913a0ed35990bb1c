/**
 * The embedded engine. Quick reads run where the requests are, on a connection that cannot write; costly ones on
 * threads of their own; writes go to the one writer. A catalogue in memory has but one connection for all.
 */
import { type Encoding, encodeRows } from '../../encode/encoding.ts';
import { SQLITE_BUSY_MS } from '../../limits.ts';
import { isAlways, type ReadPlan, type WritePlan } from '../../plan/types.ts';
import { endNames, endOf, type Output, outputOfRead } from '../compile/output.ts';
import { compileCount, compileEnd, compileRead } from '../compile/read.ts';
import type { Statement } from '../compile/statement.ts';
import type { ChangeMark, Engine, Explanation, MaybePromise, Metric, ReadResult, WriteResult } from '../engine.ts';
import { explanationOf, type PlanStep } from '../explanation.ts';
import type { LoadResult, LoadSet, LoadTerms } from '../load.ts';
import { compileQuickRead, hasQuickPatterns } from './access.ts';
import { applyJobs } from './apply.ts';
import { CountedMark } from './change-mark.ts';
import { Connection, whileBusy } from './connection.ts';
import { guardedDialect, sqliteDialect } from './dialect.ts';
import { collectionsOf, isLinear } from './embed-cost.ts';
import { misplaced, type OpenFiles, openFiles } from './files.ts';
import { compileJob } from './jobs.ts';
import { KeptRows } from './kept-rows.ts';
import { loadRows } from './load.ts';
import { sqliteMetrics } from './metrics.ts';
import { prepareSchema, type SqliteDemand } from './migrate.ts';
import { READING_BOUNDS, Readers, type ReadingBounds } from './readers.ts';
import { checkOwner } from './schema.ts';
import { Snapshot } from './snapshot.ts';
import { Statistics } from './statistics.ts';
import { openWatched } from './watched.ts';
import { Writer, WriterThread } from './writer.ts';

export interface SqliteOptions extends SqliteDemand {
  readonly path: string;
  /** What it is called before people, where that is not its path. */
  readonly location?: string;
  readonly retryHours: number;
  readonly querySeconds: number;
  /** Where they are not those of limits.ts. */
  readonly readingBounds?: Partial<ReadingBounds>;
}

export const IN_MEMORY = ':memory:';

export function openSqlite(options: SqliteOptions): Engine {
  const { path, catalogue, retryHours, querySeconds, location = path } = options;
  const bounds = { retryHours, querySeconds };
  let steps: readonly string[] = [];
  const first = new Connection(path, {
    create: true,
    prepare: (db) =>
      whileBusy(SQLITE_BUSY_MS, () => {
        // Changing the journal mode writes to the file: not before it is known to be ours.
        checkOwner(db);
        db.run('pragma journal_mode = wal');
        steps = prepareSchema(db, options);
      }),
  });
  if (path === IN_MEMORY) {
    const changes = new CountedMark();
    const writer = new Writer((jobs) => {
      changes.changed();
      return applyJobs(first, catalogue, jobs, bounds);
    });
    return new SqliteEngine({ location: 'in memory', steps, reader: first, changes, writer });
  }
  const { reader, changes } = openWatched(path, first);
  const files = openFiles(path);
  const thread = new WriterThread({ path, files, catalogue, bounds });
  return new SqliteEngine({
    location,
    steps,
    reader,
    changes,
    writer: new Writer(thread.commit),
    file: {
      files,
      thread,
      snapshot: new Snapshot(reader),
      rows: new KeptRows(reader, changes),
      readers: new Readers({
        path,
        files,
        limitMs: querySeconds * 1000,
        bounds: { ...READING_BOUNDS, ...options.readingBounds },
      }),
    },
  });
}

interface Parts {
  readonly location: string;
  readonly steps: readonly string[];
  readonly reader: Connection;
  readonly changes: ChangeMark;
  readonly writer: Writer;
  /** Absent in memory, where one connection reads and writes, and nothing comes between two of its reads. */
  readonly file?: {
    readonly files: OpenFiles;
    readonly thread: WriterThread;
    readonly snapshot: Snapshot;
    readonly readers: Readers;
    readonly rows: KeptRows;
  };
}

class SqliteEngine implements Engine {
  readonly location: string;
  readonly steps: readonly string[];
  readonly changes: ChangeMark;
  private readonly reader: Connection;
  private readonly writer: Writer;
  private readonly file: Parts['file'];
  private readonly statistics: Statistics;

  constructor(parts: Parts) {
    const { reader, changes, file } = parts;
    this.location = parts.location;
    this.steps = parts.steps;
    this.writer = parts.writer;
    this.reader = reader;
    this.changes = changes;
    this.file = file;
    this.statistics = new Statistics(reader);
  }

  read(plan: ReadPlan, encoding: Encoding): MaybePromise<ReadResult> {
    const mark = this.changes.current();
    const { file } = this;
    file?.snapshot.refresh(mark);
    const output = outputOfRead(plan, encoding, sqliteDialect);
    if (file === undefined || (this.areSmall(plan, mark) && hasQuickPatterns(plan))) {
      const kept = file?.snapshot.isStill === true ? file.rows.list(plan, encoding, mark) : undefined;
      if (kept !== undefined) return this.counted(plan, kept);
      return this.readHere(plan, encoding, output, compileRead(plan, output, sqliteDialect));
    }
    const quick = compileQuickRead(plan, output, this.statistics.rowsPerValue);
    if (quick !== undefined) return this.readHere(plan, encoding, output, quick);
    return this.readApart(file.readers, plan, encoding, output);
  }

  write(plan: WritePlan, encoding: Encoding): Promise<WriteResult> {
    return this.writer.write(compileJob(plan, encoding));
  }

  async load(sets: readonly LoadSet[], terms: LoadTerms): Promise<LoadResult> {
    if (this.file === undefined) {
      const result = await loadRows(this.reader, sets, terms);
      if (this.changes instanceof CountedMark) this.changes.changed();
      return result;
    }
    const connection = new Connection(this.reader.path);
    try {
      return await loadRows(connection, sets, terms);
    } finally {
      connection.close();
    }
  }

  explain(plan: ReadPlan): Explanation {
    const output: Output = { form: 'json', stripNulls: false };
    const quick = compileQuickRead(plan, output, this.statistics.rowsPerValue);
    const statement = quick ?? compileRead(plan, output, sqliteDialect);
    return explanationOf(statement.sql, this.reader.explain(statement) as unknown as PlanStep[]);
  }

  trouble(): string | undefined {
    if (this.file === undefined) return undefined;
    const { files, snapshot } = this.file;
    return misplaced(files) ?? (snapshot.isBehind(this.changes) ? 'what is read is older than the data' : undefined);
  }

  metrics(): readonly Metric[] {
    const { writer, file } = this;
    return sqliteMetrics({
      isUp: this.trouble() === undefined,
      writer,
      readers: file?.readers,
      path: file && this.reader.path,
      stale: file === undefined ? 0 : file.snapshot.stale + file.thread.stale + file.readers.state().stale,
    });
  }

  async close(): Promise<void> {
    await this.writer.settled();
    await this.file?.readers.close();
    this.file?.snapshot.close();
    this.reader.close();
    await this.file?.thread.close();
  }

  private readHere(plan: ReadPlan, encoding: Encoding, output: Output, statement: Statement): ReadResult {
    const read = (): ReadResult => {
      const rows = this.reader.rows(statement);
      const body = encodeRows(rows, encoding, output.form);
      return this.counted(plan, { returned: rows.length, body, end: endOf(plan, output, rows.at(-1)) });
    };
    const { file } = this;
    return file === undefined || plan.count === undefined || !isPage(plan) ? read() : file.snapshot.during(read);
  }

  private areSmall(plan: ReadPlan, mark: number): boolean {
    if (!isLinear(plan)) return false;
    for (const collection of collectionsOf(plan)) if (!this.statistics.isSmall(collection, mark)) return false;
    return true;
  }

  private counted(plan: ReadPlan, result: ReadResult): ReadResult {
    if (plan.count === undefined) return result;
    return { ...result, total: isPage(plan) ? this.count(plan) : result.returned };
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

function isPage({ offset, limit }: ReadPlan): boolean {
  return offset > 0 || limit !== undefined;
}

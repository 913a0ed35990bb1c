/**
 * The SQLite engine. Cheap reads run on the event loop on a read-only connection, costly ones on threads, writes on the
 * writer thread. An in-memory database has a single connection.
 */

import { runToEnd, schedule } from '../../base/cooperative.ts';
import { ApiError } from '../../base/errors.ts';
import { DEFAULT_DRY_RUN_SECONDS, MAX_COMMIT_SECONDS, SQLITE_BUSY_MS } from '../../base/limits.ts';
import type { Encoding } from '../../encode/encoding.ts';
import type { ReadPlan, WritePlan } from '../../plan/types.ts';
import type { ChangeCounter, Engine, Explanation, MaybePromise, Metric, ReadResult, WriteResult } from '../engine.ts';
import type { LoadOptions, LoadResult, LoadSet } from '../shared/loader.ts';
import { explain, type PlanStep } from '../shared/query-plan.ts';
import { isCheapWrite } from '../shared/write-cost.ts';
import { outputOfRead } from '../sql/output.ts';
import { CountedMark, WalIndexMark } from './connection/change-counter.ts';
import { Connection, whileBusy } from './connection/connection.ts';
import { fileOf, IN_MEMORY, misplaced, type OpenFiles, openFiles } from './connection/database-files.ts';
import { Snapshot } from './connection/snapshot.ts';
import { TableStatistics } from './connection/table-statistics.ts';
import { sqliteDialect } from './dialect.ts';
import { DAMAGED, translateError } from './errors.ts';
import { sqliteMetrics } from './metrics.ts';
import { compileForExplain, type ReadState, readByRoute } from './read/routes.ts';
import { RowCache } from './read/row-cache.ts';
import { READ_POOL_LIMITS, ReadPool, type ReadPoolLimits } from './read-threads/read-pool.ts';
import { DeclarationWatch } from './schema/declaration-watch.ts';
import { prepareSchema, type SqliteRequirement } from './schema/migrate.ts';
import { hasOwnTables, makeOwnTables, rejectCredentials } from './schema/own-tables.ts';
import { checkOwner } from './schema/schema.ts';
import { compileJob } from './write/jobs.ts';
import { loadRows } from './write/loader.ts';
import { applyJobs } from './write/run-jobs.ts';
import { Writer } from './write/writer.ts';
import { WriterThread } from './write/writer-link.ts';

export interface SqliteOptions extends SqliteRequirement {
  readonly path: string;
  /** The name in messages, if it is not the path. */
  readonly location?: string;
  readonly retryHours: number;
  readonly querySeconds: number;
  readonly dryRunSeconds?: number;
  /** For a service, the writer thread starts now instead of with the first write. */
  readonly serves?: boolean;
  readonly rejectsCredentials?: boolean;
  /** Overrides of the limits, for tests. */
  readonly readingBounds?: Partial<ReadPoolLimits>;
}

export function openSqlite(options: SqliteOptions): Engine {
  const { catalogue, retryHours, querySeconds, location = options.path } = options;
  const dryRunSeconds = Math.min(options.dryRunSeconds ?? DEFAULT_DRY_RUN_SECONDS, querySeconds);
  const bounds = { retryHours, querySeconds, dryRunSeconds, commitSeconds: MAX_COMMIT_SECONDS };
  const limitMs = querySeconds * 1000;
  let steps: readonly string[] = [];
  const first = new Connection(options.path, {
    create: true,
    prepare: (db) => {
      steps = whileBusy(SQLITE_BUSY_MS, () => {
        // Checked first, since changing the journal mode writes to the file.
        const isEmpty = checkOwner(db);
        if (options.rejectsCredentials === true && !isEmpty) rejectCredentials(db);
        db.run('pragma journal_mode = wal');
        return prepareSchema(db, options);
      });
    },
  });
  if (options.path === IN_MEMORY) {
    const changes = new CountedMark();
    const writer = new Writer((jobs) => {
      changes.changed();
      return applyJobs(first, catalogue, jobs, bounds);
    });
    return new SqliteEngine({ path: IN_MEMORY, location: 'in memory', steps, reader: first, changes, writer, limitMs });
  }
  const path = fileOf(options.path);
  // Before the reader opens: the last connection to close moves the rows from the log into the file.
  first.close();
  const reader = new Connection(path, { readOnly: true, prepare: checkOwner });
  const changes = new WalIndexMark(path);
  const files = openFiles(options.path);
  const thread = new WriterThread({ path, files, catalogue, bounds });
  if (options.serves === true) thread.begin();
  return new SqliteEngine({
    path,
    location,
    steps,
    reader,
    changes,
    writer: new Writer(thread.commit),
    limitMs,
    file: {
      files,
      thread,
      snapshot: new Snapshot(reader),
      declared: new DeclarationWatch(reader, catalogue),
      rows: new RowCache(reader, changes),
      readers: new ReadPool({
        path,
        files,
        limitMs,
        bounds: { ...READ_POOL_LIMITS, ...options.readingBounds },
      }),
    },
  });
}

interface Parts {
  readonly path: string;
  readonly location: string;
  readonly steps: readonly string[];
  readonly reader: Connection;
  readonly changes: ChangeCounter;
  readonly writer: Writer;
  readonly limitMs: number;
  /** Absent in memory, where one connection does everything. */
  readonly file?: {
    readonly files: OpenFiles;
    readonly thread: WriterThread;
    readonly snapshot: Snapshot;
    readonly declared: DeclarationWatch;
    readonly readers: ReadPool;
    readonly rows: RowCache;
  };
}

class SqliteEngine implements Engine {
  readonly location: string;
  readonly steps: readonly string[];
  readonly changes: ChangeCounter;
  private readonly path: string;
  private readonly reader: Connection;
  private readonly writer: Writer;
  private readonly file: Parts['file'];
  private readonly readState: ReadState;
  /** The change counter of the last schema check. */
  private checkedAt = Number.NaN;
  /** The change counter of the last detected damage. */
  private damagedAt = Number.NaN;

  constructor(parts: Parts) {
    const { reader, changes, file, limitMs } = parts;
    this.path = parts.path;
    this.location = parts.location;
    this.steps = parts.steps;
    this.writer = parts.writer;
    this.reader = reader;
    this.changes = changes;
    this.file = file;
    this.readState = { connection: reader, changes, statistics: new TableStatistics(reader), limitMs, file };
  }

  read(plan: ReadPlan, encoding: Encoding): MaybePromise<ReadResult> {
    try {
      const mark = this.refreshSnapshot();
      if (mark !== this.checkedAt) {
        this.file?.declared.check();
        this.checkedAt = mark;
      }
      const output = outputOfRead(plan, encoding, sqliteDialect);
      const result = readByRoute({ plan, encoding, output, mark }, this.readState);
      return result instanceof Promise ? result.catch((error) => this.refuse(error)) : result;
    } catch (error) {
      return this.refuse(error);
    }
  }

  async write(plan: WritePlan, encoding: Encoding): Promise<WriteResult> {
    try {
      const isQuick = isCheapWrite(plan, () => this.readState.statistics.isSmall(plan.into, this.refreshSnapshot()));
      const compiling = compileJob(plan, encoding);
      return await this.writer.write(isQuick ? runToEnd(compiling) : await schedule(compiling), isQuick);
    } catch (error) {
      return this.refuse(error);
    }
  }

  async load(sets: readonly LoadSet[], terms: LoadOptions): Promise<LoadResult> {
    if (this.file === undefined) {
      const result = await loadRows(this.reader, sets, terms);
      if (this.changes instanceof CountedMark) this.changes.changed();
      return result;
    }
    return this.beside((connection) => loadRows(connection, sets, terms));
  }

  async ownTables({ make }: { readonly make: boolean }): Promise<boolean> {
    this.refreshSnapshot();
    if (hasOwnTables(this.reader)) return true;
    if (!make) return false;
    if (this.file === undefined) makeOwnTables(this.reader);
    else await this.beside(makeOwnTables);
    return true;
  }

  explain(plan: ReadPlan): Explanation {
    const statement = compileForExplain(plan, this.changes.current(), this.readState);
    return explain(statement.sql, this.reader.explain(statement) as unknown as PlanStep[]);
  }

  unreadyReason(): string | undefined {
    if (this.file === undefined) return undefined;
    const { files, snapshot, declared } = this.file;
    const isBehind = () => (snapshot.isBehind(this.changes) ? 'what is read is older than the data' : undefined);
    const damage = this.damagedAt === this.changes.current() ? DAMAGED : undefined;
    return misplaced(files) ?? declared.trouble() ?? damage ?? isBehind();
  }

  metrics(): readonly Metric[] {
    const { writer, file } = this;
    return sqliteMetrics({
      isUp: this.unreadyReason() === undefined,
      writer,
      readers: file?.readers,
      path: file && this.path,
      stale: file === undefined ? 0 : file.snapshot.stale + file.thread.stale + file.readers.state().stale,
    });
  }

  releaseMemory(): void {
    this.file?.readers.giveBackMemory();
    this.file?.thread.giveBackMemory();
  }

  async close(): Promise<void> {
    await this.writer.settled();
    await this.file?.readers.close();
    this.file?.snapshot.close();
    await this.file?.thread.close();
    // Closed last: it has read, so it removes the log. A connection without reads would leave it.
    this.reader.close();
    if (this.changes instanceof WalIndexMark) this.changes.close();
  }

  /** Returns the change counter of the data that the next read sees. */
  private refreshSnapshot(): number {
    const mark = this.changes.current();
    this.file?.snapshot.refresh(mark);
    return mark;
  }

  private refuse(error: unknown): never {
    const refused = translateError(error);
    if (refused instanceof ApiError && refused.message === DAMAGED) this.damagedAt = this.changes.current();
    throw refused;
  }

  /** Runs work on its own connection, which may write and block its thread. */
  private async beside<T>(work: (connection: Connection) => MaybePromise<T>): Promise<T> {
    const connection = new Connection(this.path);
    try {
      return await work(connection);
    } finally {
      connection.close();
    }
  }
}

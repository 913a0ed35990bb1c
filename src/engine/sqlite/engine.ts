/**
 * The SQLite engine. Cheap reads run on the event loop on a read-only connection, costly ones on threads, writes on the
 * writer thread. An in-memory database has a single connection.
 */

import { rmSync } from 'node:fs';
import { defined } from '../../base/defined.ts';
import type { Report } from '../../base/error-list.ts';
import { ApiError } from '../../base/errors.ts';
import {
  DEFAULT_DRY_RUN_SECONDS,
  MAX_COMMIT_SECONDS,
  MAX_QUEUE_SECONDS,
  SQLITE_BUSY_MS,
} from '../../base/limits/engine.ts';
import type { Metric } from '../../base/metric.ts';
import { type Catalogue, type Collection, declareCatalogue } from '../../collection/declaration.ts';
import type { Encoding } from '../../encode/encoding.ts';
import type { ReadPlan, WritePlan } from '../../plan/types.ts';
import type {
  ChangeCounter,
  ChangeLog,
  CopiedLog,
  Engine,
  Explanation,
  MaybePromise,
  ReadResult,
  Write,
  WriteOptions,
  WriteResult,
} from '../engine.ts';
import { searchChanged, wordIndexOf } from '../search/index-tables.ts';
import { indexIncomplete } from '../search/rank.ts';
import { RARER_WORDS } from '../search/steps.ts';
import { notLogged } from '../shared/change-log.ts';
import { areCheapWrites, isStepRead } from '../shared/cost.ts';
import type { LoadOptions, LoadResult, LoadSet } from '../shared/loader.ts';
import { rejectCredentials } from '../shared/maintenance.ts';
import { withRelatedFirst } from '../shared/plan-keys.ts';
import { explain, type PlanStep } from '../shared/query-plan.ts';
import { reportProblems } from '../shared/row-problems.ts';
import type { Statement } from '../sql/statement.ts';
import { Connection, whileBusy } from './connection/connection.ts';
import { fileOf, IN_MEMORY, misplaced, type OpenFiles, openFiles } from './connection/database-files.ts';
import { limitPart } from './connection/deadline.ts';
import { MemoryChangeCounter, Snapshot, WalChangeCounter } from './connection/snapshot.ts';
import { TableStatistics } from './connection/table-statistics.ts';
import { guardedDialect } from './dialect.ts';
import { DAMAGED, isDamage, translateError } from './errors.ts';
import { loadLog } from './history/load-log.ts';
import { lastPosition, logDialect, maintainLog, SqliteLog } from './history/log.ts';
import { isLogOn } from './history/triggers.ts';
import { sqliteMetrics } from './metrics.ts';
import { Read, type ReadState, readWithDeadline } from './read/read.ts';
import { compileForExplain, readByRoute, searchOnThread } from './read/routes.ts';
import { RowCache } from './read/row-cache.ts';
import { readOnce } from './read-threads/read-job.ts';
import { READ_POOL_LIMITS, ReadPool } from './read-threads/read-pool.ts';
import { DeclarationWatch } from './schema/declaration-watch.ts';
import { prepareSchema, type SqliteRequirement } from './schema/migrate.ts';
import { exposedCredentials, hasOwnTables, makeOwnTables, roleHolders } from './schema/own-tables.ts';
import { checkOwner } from './schema/schema.ts';
import { rankOn } from './search/rank.ts';
import { hasSearchIndexes } from './search/search-index.ts';
import { hasStaleRows, indexWords, newestStale } from './search/word-index.ts';
import { applyWrites } from './write/apply-writes.ts';
import { bodyRows } from './write/broken-references.ts';
import { loadRows } from './write/loader.ts';
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
  /** Whether its rows may be lost. One connection on the event loop suffices for them, and no sync of the disk. */
  readonly isTransient?: boolean;
  /** Called after rows were loaded, and after the last connection was closed. */
  readonly onLoad?: (options: LoadOptions) => void;
  readonly onClose?: () => void;
  /** Overrides of the limits, for tests. */
  readonly readingBounds?: Partial<typeof READ_POOL_LIMITS>;
  readonly queueSeconds?: number;
}

export function openSqlite(options: SqliteOptions): Engine {
  const { catalogue, retryHours, querySeconds, location = options.path } = options;
  const dryRunSeconds = Math.min(options.dryRunSeconds ?? DEFAULT_DRY_RUN_SECONDS, querySeconds);
  const { queueSeconds = MAX_QUEUE_SECONDS, historyDays } = options;
  const commitSeconds = MAX_COMMIT_SECONDS;
  const limitMs = querySeconds * 1000;
  let steps: readonly string[] = [];
  let isLogged = false;
  let isIndexed = true;
  const first = new Connection(options.path, {
    create: true,
    prepare: (db) => {
      steps = whileBusy(SQLITE_BUSY_MS, () => {
        // Checked first, since changing the journal mode writes to the file.
        const isEmpty = checkOwner(db);
        if (options.rejectsCredentials === true && !isEmpty) rejectCredentials(roleHolders(db));
        const warning = options.serves === true && !isEmpty ? exposedCredentials(db, options.path) : undefined;
        if (warning !== undefined) options.notice?.('warn', warning);
        db.run('pragma journal_mode = wal');
        const made = prepareSchema(db, options);
        isLogged = isLogOn(db, historyDays);
        isIndexed = options.isMigrated !== false || hasSearchIndexes(db, catalogue);
        return made;
      });
    },
  });
  const bounds = { retryHours, querySeconds, dryRunSeconds, queueSeconds, commitSeconds, historyDays, isLogged };
  const common = { steps, limitMs, isLogged, isIndexed };
  if (options.path === IN_MEMORY || options.isTransient === true) {
    first.execute('pragma synchronous = off');
    const changes = new MemoryChangeCounter();
    const writer = new Writer((lists) => {
      changes.increment();
      const results = applyWrites(first, catalogue, lists, bounds);
      if (historyDays) maintainLog(first, historyDays);
      return results;
    }, queueSeconds);
    const statistics = new TableStatistics(first, isLogged);
    const names = { path: options.path, location: 'in memory' };
    return new SqliteEngine({ ...common, ...names, connection: first, changes, writer, statistics });
  }
  const path = fileOf(options.path);
  // Before the reader opens: the last connection to close moves the rows from the log into the file.
  first.close();
  const connection = new Connection(path, { readOnly: true, prepare: checkOwner });
  const changes = new WalChangeCounter(path);
  const files = openFiles(options.path);
  const writerThread = new WriterThread({ path, files, catalogue, bounds });
  const reading = { path, files, limitMs, catalogue: catalogue.draft };
  const readLimits = { ...READ_POOL_LIMITS, ...options.readingBounds };
  if (options.serves === true) writerThread.thread.begin();
  return new SqliteEngine({
    ...common,
    ...defined({ onLoad: options.onLoad, onClose: options.onClose }),
    path,
    location,
    connection,
    statistics: new TableStatistics(connection, isLogged),
    changes,
    writer: new Writer(writerThread.commit, queueSeconds),
    file: {
      files,
      catalogue,
      writerThread,
      snapshot: new Snapshot(connection, changes),
      declarationWatch: new DeclarationWatch(connection, catalogue),
      rows: new RowCache(connection),
      readers: new ReadPool({ ...reading, bounds: readLimits }),
      byteReaders: new ReadPool({ ...reading, bounds: { ...readLimits, threads: 1 } }),
      searchers: new ReadPool({
        ...reading,
        bounds: { ...readLimits, threads: Math.max(1, readLimits.threads - 1) },
        isBackground: true,
      }),
    },
  });
}

/** Replaces a damaged file by an empty one. */
function openTransient(options: SqliteOptions): Engine {
  try {
    return openSqlite(options);
  } catch (error) {
    if (!isDamage(error)) throw error;
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${options.path}${suffix}`, { force: true });
    return openSqlite(options);
  }
}

interface Parts extends ReadState, Pick<SqliteOptions, 'onLoad' | 'onClose'> {
  readonly path: string;
  readonly location: string;
  readonly steps: readonly string[];
  readonly writer: Writer;
  /** Whether changes are logged. */
  readonly isLogged: boolean;
  /** Whether the search index can be used: in a copy, rows may have other ids. */
  readonly isIndexed: boolean;
  readonly file?: NonNullable<ReadState['file']> & {
    readonly files: OpenFiles;
    readonly catalogue: Catalogue;
    readonly writerThread: WriterThread;
    readonly declarationWatch: DeclarationWatch;
    /** For searches, so that no other read waits for them. */
    readonly searchers: ReadPool;
  };
}

class SqliteEngine implements Engine {
  readonly location: string;
  readonly steps: readonly string[];
  readonly changes: ChangeCounter;
  readonly log?: ChangeLog;
  private readonly file: Parts['file'];
  private readonly pools: readonly ReadPool[];
  private transientEngine: Engine | undefined;
  /** The change count of the last schema check. */
  private checkedAt = Number.NaN;
  /** The change count of the last detected damage. */
  private damagedAt = Number.NaN;

  constructor(private readonly parts: Parts) {
    this.location = parts.location;
    this.steps = parts.steps;
    this.changes = parts.changes;
    this.file = parts.file;
    this.pools = parts.file === undefined ? [] : [parts.file.readers, parts.file.byteReaders, parts.file.searchers];
    if (parts.isLogged) {
      this.log = new SqliteLog(() => {
        this.refreshSnapshot();
        return parts.connection;
      });
    }
  }

  /** A file of its own, since any commit to this one invalidates cached responses, of all processes. */
  get transient(): Engine {
    const { path, limitMs } = this.parts;
    this.transientEngine ??= openTransient({
      path: path === IN_MEMORY ? IN_MEMORY : `${path}-presence`,
      catalogue: declareCatalogue({ collections: [] }),
      firstRows: () => [],
      retryHours: 1,
      querySeconds: limitMs / 1000,
      historyDays: 0,
      isTransient: true,
    });
    return this.transientEngine;
  }

  read(plan: ReadPlan, encoding: Encoding, after?: string | number, asOf?: number): MaybePromise<ReadResult> {
    if (plan.search !== undefined) {
      return this.search(plan, encoding).catch((error) =>
        this.fail(/no such table/.test(error.message) ? searchChanged() : error),
      );
    }
    try {
      const changeCount = this.refreshSnapshot(typeof after === 'number' ? after : undefined);
      if (changeCount !== this.checkedAt) {
        this.file?.declarationWatch.check();
        this.checkedAt = changeCount;
      }
      const dialect = logDialect(plan, asOf);
      if (dialect !== undefined && this.log === undefined) throw notLogged();
      const scan = this.parts.isIndexed ? undefined : guardedDialect;
      const isStep = dialect !== undefined && isStepRead(plan, asOf, lastPosition(this.parts.connection));
      const result = readByRoute(
        new Read(dialect === undefined ? withRelatedFirst(plan) : plan, encoding, changeCount, dialect ?? scan, isStep),
        this.parts,
      );
      return result instanceof Promise ? result.catch((error) => this.fail(error)) : result;
    } catch (error) {
      return this.fail(error);
    }
  }

  /** Indexes rows that changed, finds the rows of the search, and reads them. */
  private async search(plan: ReadPlan, encoding: Encoding): Promise<ReadResult> {
    const { connection, limitMs } = this.parts;
    const index = wordIndexOf(plan.from)!;
    const deadline = performance.now() + limitMs;
    this.refreshSnapshot();
    this.file?.declarationWatch.check();
    const newest = newestStale(connection, index);
    while (hasStaleRows(connection, index, newest)) {
      if (performance.now() > deadline) throw indexIncomplete();
      await (this.file === undefined
        ? indexWords(connection, plan.from, 0)
        : this.file.writerThread.index(plan.from.name));
      this.refreshSnapshot();
    }
    if (this.file !== undefined) {
      const { catalogue, searchers } = this.file;
      return searchOnThread(plan, encoding, catalogue, { changes: this.changes, readers: searchers });
    }
    const ranked = limitPart(limitMs, RARER_WORDS, () => rankOn(connection, index, plan));
    const changeCount = this.changes.current();
    return readWithDeadline(new Read(withRelatedFirst(ranked), encoding, changeCount, guardedDialect), this.parts);
  }

  async write(writes: readonly Write[], options: WriteOptions): Promise<readonly WriteResult[]> {
    try {
      const isSmall = ({ into }: WritePlan) => this.parts.statistics.at(this.refreshSnapshot()).isSmall(into);
      const isCheap = areCheapWrites(writes, isSmall);
      return await this.parts.writer.write({ ...options, writes }, isCheap);
    } catch (error) {
      return this.fail(error);
    }
  }

  problems(plan: WritePlan, report: Report): Promise<void> {
    const { connection, file } = this.parts;
    const query = (statement: Statement) =>
      file === undefined ? Promise.resolve(connection.rows(statement)) : readOnce(statement, file.readers);
    return reportProblems(plan, bodyRows, query, report).catch((error) => this.fail(error));
  }

  async load(sets: readonly LoadSet[], options: LoadOptions): Promise<LoadResult> {
    const result = await this.onWritingConnection((connection) =>
      loadRows(connection, sets, options, this.parts.isLogged),
    );
    if (this.changes instanceof MemoryChangeCounter) this.changes.increment();
    this.parts.onLoad?.(options);
    return result;
  }

  loadLog(log: CopiedLog): Promise<number> {
    return this.onWritingConnection((connection) => loadLog(connection, log)).catch((error) => this.fail(error));
  }

  async ownTables(collections: readonly Collection[], { make }: { readonly make: boolean }): Promise<boolean> {
    this.refreshSnapshot();
    if (hasOwnTables(this.parts.connection, collections)) return true;
    const task = (connection: Connection) => makeOwnTables(connection, collections);
    if (make) await this.onWritingConnection(task).catch((error) => this.fail(error));
    this.refreshSnapshot();
    return make;
  }

  explain(plan: ReadPlan, _options: unknown, format: 'json' | 'text'): Explanation {
    const statement = compileForExplain(plan, this.changes.current(), this.parts);
    return explain(statement.sql, this.parts.connection.explain(statement) as unknown as PlanStep[], format);
  }

  unreadyReason(): string | undefined {
    if (this.file === undefined) return undefined;
    const { files, snapshot, declarationWatch } = this.file;
    const isBehind = () => (snapshot.isBehind() ? 'what is read is older than the data' : undefined);
    const damage = this.damagedAt === this.changes.current() ? DAMAGED : undefined;
    return misplaced(files) ?? declarationWatch.trouble() ?? damage ?? isBehind();
  }

  metrics(): readonly Metric[] {
    const { file } = this;
    return sqliteMetrics({
      isUp: this.unreadyReason() === undefined,
      writer: this.parts.writer,
      readers: file?.readers,
      path: file && this.parts.path,
      stale: [
        ...this.pools.map((pool) => pool.state()),
        ...(file === undefined ? [] : [file.snapshot, file.writerThread]),
      ]
        .map(({ stale }) => stale)
        .reduce((sum, each) => sum + each, 0),
    });
  }

  releaseMemory(): void {
    for (const pool of this.pools) pool.giveBackMemory();
    this.file?.writerThread.thread.tell({ kind: 'give-back-memory' });
  }

  async close(): Promise<void> {
    await this.transientEngine?.close();
    await this.parts.writer.settled();
    for (const pool of this.pools) await pool.close();
    this.file?.snapshot.close();
    await this.file?.writerThread.thread.close({ kind: 'close' });
    // Closed last: it has read, so it removes the log. A connection without reads would leave it.
    this.parts.connection.close();
    if (this.changes instanceof WalChangeCounter) this.changes.close();
    this.parts.onClose?.();
  }

  /** Returns the change count whose state, or a newer one, the next read shows. */
  private refreshSnapshot(changeCount = this.changes.current()): number {
    this.file?.snapshot.refresh(changeCount);
    return changeCount;
  }

  private fail(error: unknown): never {
    const translated = translateError(error);
    if (translated instanceof ApiError && translated.message === DAMAGED) this.damagedAt = this.changes.current();
    throw translated;
  }

  /** Opens a connection for work that writes and may block its thread. In memory there is only one. */
  private async onWritingConnection<T>(work: (connection: Connection) => MaybePromise<T>): Promise<T> {
    if (this.file === undefined) return work(this.parts.connection);
    const connection = new Connection(this.parts.path);
    try {
      return await work(connection);
    } finally {
      connection.close();
    }
  }
}

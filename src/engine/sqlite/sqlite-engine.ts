/** Reads and writes of a database file, or of one in memory. */
import type { Report } from '../../base/error-list.ts';
import { ApiError } from '../../base/errors.ts';
import type { Metric } from '../../base/metric.ts';
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import type { Encoding } from '../../encode/encoding.ts';
import type { ReadPlan } from '../../plan/types.ts';
import type { WritePlan } from '../../plan/write-plan.ts';
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
import { withRelatedFirst } from '../shared/plan-keys.ts';
import { explain } from '../shared/query-plan.ts';
import { reportProblems } from '../shared/row-problems.ts';
import type { Statement } from '../sql/statement.ts';
import { Connection } from './connection/connection.ts';
import { misplaced, type OpenFiles } from './connection/database-files.ts';
import { limitPart } from './connection/deadline.ts';
import { MemoryChangeCounter, WalChangeCounter } from './connection/snapshot.ts';
import { guardedDialect } from './dialect.ts';
import { DAMAGED, translateError } from './errors.ts';
import { loadLog } from './history/load-log.ts';
import { lastPosition, logDialect, SqliteLog } from './history/log.ts';
import { sqliteMetrics } from './metrics.ts';
import { Read, type ReadState, readWithDeadline } from './read/read.ts';
import { compileForExplain, readByRoute, runJob } from './read/routes.ts';
import { readOnce } from './read-threads/read-job.ts';
import type { ReadPool } from './read-threads/read-pool.ts';
import type { DeclarationWatch } from './schema/declaration-watch.ts';
import { hasOwnTables, makeOwnTables } from './schema/own-tables.ts';
import { hasStaleRows, indexWords, newestStale, rankOn } from './search/word-index.ts';
import { bodyRows } from './write/broken-references.ts';
import { loadRows } from './write/loader.ts';
import { encodeRead } from './write/plan-messages.ts';
import type { Writer } from './write/writer.ts';
import type { WriterThread } from './write/writer-link.ts';

export interface Parts extends ReadState {
  readonly path: string;
  readonly location: string;
  readonly steps: readonly string[];
  readonly writer: Writer;
  readonly openTransient: () => Engine;
  /** Called after rows were loaded, and after the last connection was closed. */
  readonly onLoad?: (options: LoadOptions) => void;
  readonly onClose?: () => void;
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

export class SqliteEngine implements Engine {
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
    this.transientEngine ??= this.parts.openTransient();
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
      return runJob({ search: encodeRead(plan, catalogue), encoding }, { changes: this.changes, readers: searchers });
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
    return explain(statement.sql, this.parts.connection.explain(statement), format);
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
    if (translated instanceof ApiError && translated.reason === DAMAGED) this.damagedAt = this.changes.current();
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

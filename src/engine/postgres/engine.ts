/**
 * The PostgreSQL engine: any number of instances on one database. It holds no state but connections; the database
 * decides what instances must agree on (assigned keys, idempotency keys, versions).
 */
import type { Report } from '../../base/error-list.ts';
import { ApiError, withRequest } from '../../base/errors.ts';
import { DEFAULT_REPLICA_LAG_SECONDS } from '../../base/limits/engine.ts';
import { gauge, type Metric } from '../../base/metric.ts';
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import type { Row } from '../../collection/value.ts';
import type { Encoding } from '../../encode/encoding.ts';
import { callsFunctions } from '../../plan/access/named-fields.ts';
import type { FunctionCall, ReadPlan } from '../../plan/types.ts';
import type { Origin, WritePlan } from '../../plan/write-plan.ts';
import {
  type CopiedLog,
  type DatabaseSession,
  type Engine,
  type Explanation,
  NEWEST,
  type ReadResult,
  type Write,
  type WriteOptions,
  type WriteResult,
} from '../engine.ts';
import { wordIndexOf } from '../search/index-tables.ts';
import { indexIncomplete } from '../search/rank.ts';
import { rankedPlan, rankJobOf } from '../search/rank-job.ts';
import { compileSearchRead, type SearchRead } from '../search/search-reads.ts';
import { sharedRuns } from '../search/shared-runs.ts';
import type { RowSource } from '../shared/body-tables.ts';
import { notLogged } from '../shared/change-log.ts';
import { isStepRead } from '../shared/cost.ts';
import type { DescribedDatabase } from '../shared/describe-table.ts';
import type { LoadOptions, LoadResult, LoadSet } from '../shared/loader.ts';
import { rejectCredentials } from '../shared/maintenance.ts';
import { withRelatedFirst } from '../shared/plan-keys.ts';
import { reportProblems } from '../shared/row-problems.ts';
import type { SqlDialect, Statement } from '../sql/statement.ts';
import { bypassedRowSecurity } from './adopt/adopt.ts';
import { DefinitionWatch } from './adopt/definition-watch.ts';
import { definitionsIn, describeSchema, inOwnPath } from './adopt/describe.ts';
import { withMediaHandlers } from './adopt/media-handlers.ts';
import { type AppliedSettings, databaseSettings, type Privileges, privilegesOf } from './adopt/privileges.ts';
import { callFunction, explainCall } from './call/call.ts';
import type { Connection, Pool } from './connections/pool.ts';
import { checkPooling } from './connections/pooler-check.ts';
import { postgresDialect, writeDialect } from './dialect.ts';
import { type Notice, query, type Runner, type SessionSettings, searchPath, within } from './driver.ts';
import { translateError } from './errors.ts';
import { Executor } from './executor.ts';
import { loadLog } from './history/load-log.ts';
import { LogPruner, lastPosition, logDialect, PostgresLog } from './history/log.ts';
import { ConnectionManager } from './primary/connection-manager.ts';
import { findFolding } from './read/folding.ts';
import { PlanCost } from './read/plan-cost.ts';
import { explainRead, type PlanForm, readList, readSearch } from './read/reads.ts';
import { findConfigurations } from './read/search.ts';
import { ReplicaSet } from './replicas/replica-set.ts';
import type { PostgresRequirement } from './schema/compare-schema.ts';
import { NONE_OWN } from './schema/inspect.ts';
import { makeTables, type Prepared, prepareSchema, schemaAgain } from './schema/migrate.ts';
import { hasOwnTables, makeOwnTables, rejectUnreadable, roleHolders } from './schema/own-tables.ts';
import { Ranker } from './search/ranker.ts';
import { compactIndex, hasStaleRows, indexWords, newestStale, vacuumIndex } from './search/word-index.ts';
import { parseTarget } from './url.ts';
import { noIdempotencyTable, Sweeper } from './write/idempotency-keys.ts';
import { recordset, rowsAsJsonTask } from './write/input-rows.ts';
import { InsertQueue, singleInsert } from './write/insert-queue.ts';
import { KeySequences } from './write/key-sequence.ts';
import { loadRows } from './write/loader.ts';
import { insertShared } from './write/shared-inserts.ts';
import type { Step, WriteContext } from './write/step.ts';
import { UnconfirmedCommit } from './write/transaction.ts';
import { executeWrites, explainStep, type Progress } from './write/write.ts';
import { translateWriteError } from './write/write-errors.ts';

/** The time for a new primary to answer the questions after connecting. */
const CHECKS_MS = 4_000;
/** The time from a write until rows are indexed for searches. */
const INDEX_MS = 3_000;

export interface PostgresOptions extends SessionSettings, PostgresRequirement {
  readonly url: string;
  readonly retryHours: number;
  readonly dryRunSeconds?: number;
  /** Standbys to read from, and their maximum lag. */
  readonly replicas?: readonly string[];
  readonly replicaLagSeconds?: number;
  /** Which writes a standby must have: all of this instance, or those that the client names. */
  readonly replicaReads?: 'own' | 'any';
  readonly notice?: Notice;
  readonly rejectsCredentials?: boolean;
  /** Whether a service runs: it notices changes of adopted tables. */
  readonly serves?: boolean;
  /** The engine whose connections this one uses. */
  readonly owner?: PostgresEngine;
}

export class PostgresEngine implements Engine {
  readonly location: string;
  readonly opened: Promise<void>;
  readonly hasPositions: boolean;
  /** The schema changes made by opening. */
  steps: readonly string[] = [];
  private readonly notice: Notice;
  /** Set by `as`. */
  private readonly session: DatabaseSession | undefined = undefined;
  private readonly primary: ConnectionManager;
  private readonly sweeper: Sweeper;
  private readonly pruner: LogPruner;
  readonly log?: PostgresLog;
  /** Its own role may not read any table if requests have roles of the database. */
  readonly ping?: () => Promise<void>;
  private readonly replicas: ReplicaSet | undefined;
  private readonly executor: Executor;
  private readonly ranker: Ranker;
  // Known after the primary is found.
  private dialect!: SqlDialect;
  private writeDialect!: SqlDialect;
  private prepared!: Prepared;
  private isPrepared = false;
  private isClosed = false;
  private readonly planCost: PlanCost;
  private keys = new KeySequences();
  private readonly inserts = new InsertQueue((inserts, onError) => {
    const steps = () => inserts.map(({ write, origin }) => this.stepOf(write, origin));
    const work = (pool: Pool) => insertShared(this.poolOf(pool), steps(), this.options.querySeconds * 1000);
    return this.store(work, (error) => {
      onError(error);
      return this.translate(error);
    });
  });
  /** Whether a collection has functions of a row. */
  private readonly hasComputed: boolean;
  private readonly hasSearch: boolean;
  private watch: DefinitionWatch | undefined;
  private indexTimer: ReturnType<typeof setTimeout> | undefined;
  private indexed: Promise<void> = Promise.resolve();

  constructor(private readonly options: PostgresOptions) {
    this.hasComputed = options.catalogue.draft.collections.some(({ computed = [] }) => computed.length > 0);
    this.hasSearch = options.catalogue.draft.collections.some(({ search }) => search !== undefined);
    const target = parseTarget(options.url);
    const { schema, replicas = [], replicaLagSeconds = DEFAULT_REPLICA_LAG_SECONDS, replicaReads = 'own' } = options;
    this.notice = options.notice ?? (() => {});
    this.location = `${target.location}${schema === 'public' ? '' : ` (schema ${schema})`}`;
    this.planCost = new PlanCost(schema);
    this.sweeper = new Sweeper(options.retryHours);
    this.pruner = new LogPruner(options.historyDays);
    const { owner } = options;
    this.primary = owner?.primary ?? new ConnectionManager(target, options, (pool) => this.prepare(pool), this.notice);
    const replicaSettings = { ...options, replicaLagSeconds, replicaReads };
    const own = () => (replicas.length === 0 ? undefined : new ReplicaSet(replicas, replicaSettings, this.notice));
    this.replicas = owner === undefined ? own() : owner.replicas;
    this.hasPositions = this.replicas !== undefined;
    this.executor = owner?.executor ?? new Executor(this.primary, this.replicas, (error) => this.translate(error));
    this.ranker = owner?.ranker ?? new Ranker();
    if (options.historyDays !== 0) {
      this.log = new PostgresLog(
        options.schema,
        () => this.prepared.logged,
        (work) => this.executor.onPrimary(work),
      );
    }
    if (options.databaseRoles === true) {
      this.ping = () => this.executor.onPrimary(async (pool) => void (await pool.unsafe('select 1')));
    }
    this.opened = owner === undefined ? this.primary.open() : this.executor.onPrimary((pool) => this.prepare(pool));
    // Waiting callers get the error; without one, it must not end the process.
    this.opened.then(() => this.indexSoon()).catch(() => undefined);
  }

  as(session: DatabaseSession): PostgresEngine {
    const { schema, extraSearchPath } = this.options;
    const settings = { search_path: searchPath(schema, extraSearchPath), ...session.settings };
    const executor = this.executor.with((error) => sessionError(error, session));
    return Object.assign(Object.create(this) as PostgresEngine, { session: { ...session, settings }, executor });
  }

  /** An engine for the collections of a schema, on the same connections. */
  forSchema(schema: string, catalogue: Catalogue): PostgresEngine {
    const { replicas: _, ...options } = this.options;
    return new PostgresEngine({ ...options, schema, catalogue, owner: this });
  }

  /** What the role of the session may use. */
  privileges(): Promise<Privileges> {
    const { role } = this.session!;
    const work = (pool: Pool) => privilegesOf(this.poolOf(pool), this.options.schema, role);
    return this.executor.onPrimary(work);
  }

  databaseSettings(): Promise<AppliedSettings> {
    return this.executor.onPrimary((pool) => databaseSettings(pool, this.options.querySeconds * 1000));
  }

  describeSchema(schema: string): Promise<Omit<DescribedDatabase, 'location'>> {
    return this.executor.onPrimary((pool) =>
      pool.dedicated('costly read', (connection) =>
        inOwnPath(connection, schema, async () =>
          withMediaHandlers(connection, schema, await describeSchema(connection, schema, NONE_OWN)),
        ),
      ),
    );
  }

  /** Changes with every definition in these schemas. */
  definitions(schemas: readonly string[]): Promise<string> {
    return this.executor.onPrimary((pool) => definitionsIn(pool, schemas));
  }

  /** `known` are the definitions that are described already. */
  watchDefinitions(schemas: readonly string[], known: string, describeAgain: () => Promise<unknown>): DefinitionWatch {
    const definitions = () => this.definitions(schemas);
    const watch = new DefinitionWatch(definitions, known, describeAgain, this.notice);
    this.watch = watch;
    if (this.options.databaseRoles === true) {
      this.executor.onPrimary(async ({ sql }) => watch.listen(sql)).catch(() => undefined);
    }
    return watch;
  }

  private translate(error: unknown): unknown {
    const isAdopted = this.isPrepared && this.prepared.adopted.collections.size > 0;
    return translateError(error, undefined, isAdopted || this.options.databaseRoles === true);
  }

  /** The pool in the session of the request. Nothing of a request may run as the role of the service. */
  private poolOf(pool: Pool): Pool {
    if (this.session !== undefined) return pool.as(this.session);
    if (this.options.databaseRoles === true) throw new Error('a request has no role of the database');
    return pool;
  }

  read(asked: ReadPlan, encoding: Encoding, after?: string, asOf?: number): Promise<ReadResult> {
    if (asked.log !== undefined || asOf !== undefined) return this.readLog(asked, encoding, asOf);
    if (asked.source !== undefined) return this.call(asked, asked.source, encoding);
    if (asked.search !== undefined) return this.search(asked, encoding);
    const plan = withRelatedFirst(asked);
    const isGuarded = this.hasComputed && callsFunctions(plan);
    const work = (pool: Pool) => {
      const isQuick = isGuarded ? 'guarded' : this.planCost.isCheapRead(pool, plan);
      return readList(this.poolOf(pool), plan, this.dialect, encoding, isQuick);
    };
    return this.executor.read(plan.from, work, after);
  }

  write(writes: readonly Write[], options: WriteOptions): Promise<readonly WriteResult[]> {
    const alone = () => this.writeAlone(writes, options);
    const isShared = this.session === undefined && this.prepared !== undefined;
    const single = isShared ? singleInsert(writes, options, this.contextOf(writes[0]!.plan.into)) : undefined;
    return single === undefined ? alone() : this.inserts.add(single, options.origin, alone);
  }

  private writeAlone(writes: readonly Write[], options: WriteOptions): Promise<readonly WriteResult[]> {
    let progress: Progress = { index: 0 };
    const work = (pool: Pool) => {
      progress = { index: 0 };
      return this.writeOnce(pool, writes, options, progress);
    };
    return this.store(work, async (error) => {
      const { index, row, plan = writes[index]!.plan } = progress;
      const isAdopted = this.contextOf(plan.into).adopted.collections.has(plan.into);
      const problems = (report: Report) => this.problems(plan, report);
      const translated = await translateWriteError(error, { plan, row, isAdopted, problems });
      return writes.length === 1 ? translated : withRequest(translated, index);
    });
  }

  /** Writes on the primary, with the tasks of every write: to prune the log, track positions, and index rows soon. */
  private store(
    work: (pool: Pool) => Promise<readonly WriteResult[]>,
    translate: (error: unknown) => unknown,
  ): Promise<readonly WriteResult[]> {
    const written = this.executor.write((pool) => {
      if (this.prepared.logged.size > 0) this.pruner.prune(pool);
      return this.replicas === undefined ? work(pool) : this.replicas.trackWrite(() => work(pool));
    }, translate);
    const soon = () => this.indexSoon();
    if (this.hasSearch) written.then(soon, soon);
    return written;
  }

  async problems(plan: WritePlan, report: Report): Promise<void> {
    // The dialect is unknown until the primary is found.
    await this.primary.getPool();
    const source: RowSource = {
      dialect: this.dialect,
      encode: rowsAsJsonTask,
      table: (collection, columns, json) => recordset(this.contextOf(collection), json, columns),
    };
    const ask = (statement: Statement) =>
      this.executor.read(plan.into, (pool) => query<Row>(this.poolOf(pool), statement), NEWEST);
    return reportProblems(plan, source, ask, report);
  }

  /** Not retried: the input is already consumed. */
  private async once<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
    const pool = await this.primary.getPool();
    return work(pool).catch((error) => {
      throw error instanceof UnconfirmedCommit ? error.response : translateError(error);
    });
  }

  async load(sets: readonly LoadSet[], options: LoadOptions): Promise<LoadResult> {
    const contextOn = (connection: Connection) => this.loadContext(connection);
    const loaded = await this.once((pool) => loadRows(pool, contextOn, sets, options));
    this.indexSoon();
    return loaded;
  }

  loadLog(log: CopiedLog): Promise<number> {
    return this.once((pool) => loadLog(pool, log));
  }

  ownTables(collections: readonly Collection[], { make }: { readonly make: boolean }): Promise<boolean> {
    const { schema } = this.options;
    return this.once(async ({ sql }) => {
      if (make) await makeOwnTables(sql, schema, collections);
      return make || hasOwnTables(sql, schema, collections);
    });
  }

  explain(plan: ReadPlan, ...how: PlanForm): Promise<Explanation> {
    const { schema } = this.options;
    if (plan.source !== undefined) {
      return this.executor.onPrimary((pool) => explainCall(this.poolOf(pool), plan, this.dialect, schema, ...how));
    }
    return this.executor.read(plan.from, (pool) => {
      const { dialect, prepared } = this;
      const of = plan.log === undefined ? dialect : logDialect(dialect, plan, Number.MAX_SAFE_INTEGER, prepared.logged);
      return explainRead(this.poolOf(pool), plan, of, ...how);
    });
  }

  explainWrite(write: Write, ...how: PlanForm): Promise<Explanation> {
    return this.executor.write((pool) => explainStep(this.poolOf(pool), this.stepOf(write), ...how));
  }

  downtimeSince(moment: number): number {
    return this.primary.downtimeSince(moment);
  }

  metrics(): readonly Metric[] {
    return [
      gauge('database_up', 'Whether the database answers: 1 or 0.', Number(this.primary.isUp)),
      gauge('pool_connections_max', 'Connections that may be open to a server.', this.options.poolSize),
      ...(this.replicas === undefined
        ? []
        : [gauge('replicas_near', 'Standbys that are near enough to read from.', this.replicas.usableCount)]),
      gauge('pool_requests', 'Reads and writes that use or wait for a connection.', this.executor.size),
    ];
  }

  /** On the primary: a function may change data, and a read-only one may read what the caller just wrote. */
  private call(plan: ReadPlan, { isReadOnly }: FunctionCall, encoding: Encoding): Promise<ReadResult> {
    const { executor } = this;
    const work = (pool: Pool) => callFunction(this.poolOf(pool), plan, this.dialect, this.options.schema, encoding);
    return isReadOnly ? executor.onPrimary(work) : executor.write(work);
  }

  private readLog(plan: ReadPlan, encoding: Encoding, asOf: number | undefined): Promise<ReadResult> {
    return this.executor.onPrimary(async (pool) => {
      if (this.log === undefined || this.prepared.logged.size === 0) throw notLogged();
      const position = asOf ?? (await lastPosition(pool, this.options.schema)).seq;
      const dialect = logDialect(this.dialect, plan, position, this.prepared.logged);
      return readList(pool, plan, dialect, encoding, isStepRead(plan, asOf, this.log.newest));
    });
  }

  /** Searches share a run, so that they do not hold the connections of writes. */
  private readonly indexNext = sharedRuns(async (name) => {
    const index = wordIndexOf(this.options.catalogue.collections.get(name)!)!;
    await indexWords(await this.primary.getPool(), this.dialect, index);
  });

  /** Indexes rows that changed, soon after writes: all of them after a migration. A search reports errors. */
  private indexSoon(): void {
    if (!this.hasSearch || this.isClosed) return;
    this.indexTimer ??= setTimeout(() => {
      this.indexTimer = undefined;
      this.indexed = this.indexed.then(() => this.indexAll()).catch(() => undefined);
    }, INDEX_MS);
  }

  private async indexAll(): Promise<void> {
    for (const collection of this.options.catalogue.collections.values()) {
      const index = wordIndexOf(collection);
      if (index === undefined) continue;
      await this.executor.onPrimary(async (pool) => {
        const newest = await newestStale(pool, index);
        await vacuumIndex(pool, index, this.notice);
        while (!this.isClosed && (await hasStaleRows(pool, index, newest))) {
          await this.indexNext(collection.name);
          await vacuumIndex(pool, index, this.notice);
        }
        await compactIndex(pool, this.dialect, index, () => this.isClosed);
      });
    }
  }

  /** Indexes rows that changed, finds the rows of the search, and reads them. */
  private search(plan: ReadPlan, encoding: Encoding): Promise<ReadResult> {
    const index = wordIndexOf(plan.from)!;
    const deadline = performance.now() + this.options.querySeconds * 1000;
    return this.executor.onPrimary(async (pool) => {
      const newest = await newestStale(pool, index);
      while (await hasStaleRows(pool, index, newest)) {
        if (performance.now() > deadline) throw indexIncomplete();
        await this.indexNext(plan.from.name);
        // What others wrote also leaves rows to vacuum and words to remove.
        this.indexSoon();
      }
      const rank = async (connection: Runner) => {
        const run = (read: SearchRead) => query(connection, compileSearchRead(this.dialect, index, plan, read));
        const ranking = await this.ranker.rank(rankJobOf(index, plan), deadline - performance.now(), run);
        return withRelatedFirst(rankedPlan(plan, ranking));
      };
      return readSearch(pool, rank, this.dialect, encoding);
    });
  }

  /** Finishes work in flight; does not wait for a cursor whose client stopped reading. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.indexTimer);
    this.watch?.stop();
    if (this.options.owner !== undefined) return;
    await this.executor.settled(this.options.querySeconds);
    await this.replicas?.close();
    await this.ranker.close();
    await this.primary.close();
  }

  private async writeOnce(
    pool: Pool,
    writes: readonly Write[],
    options: WriteOptions,
    progress: Progress,
  ): Promise<readonly WriteResult[]> {
    const { retry, dryRun, origin } = options;
    const steps = writes.map((each) => this.stepOf(each, origin));
    const { session } = this;
    if (retry !== undefined && (!this.prepared.hasRetries || session !== undefined)) throw noIdempotencyTable();
    if (!dryRun && session === undefined)
      for (const { context, plan } of steps) await this.keys.advancePast(pool, context, plan);
    if (retry !== undefined) this.sweeper.sweep(pool);
    const isCheap = this.planCost.areCheapWrites(pool, writes);
    const execute = () => executeWrites(this.poolOf(pool), steps, options, this.options, isCheap, progress);
    const current = () => {
      const step = steps[progress.index]!;
      return { ...step, plan: progress.plan ?? step.plan };
    };
    return session === undefined ? this.keys.retryTakenKey(pool, current, execute) : execute();
  }

  /** Drops cached knowledge of the data, for example after a restore. */
  forget(): void {
    this.keys = new KeySequences();
  }

  /** Missing tables are created in the transaction of the load, and roll back with it. */
  private async loadContext(connection: Connection): Promise<(collection: Collection) => WriteContext> {
    // No time limit applies to the creation of tables, until the end of the transaction.
    if (!this.prepared.hasTables) connection.liftDeadline();
    const prepared = this.prepared.hasTables ? this.prepared : await makeTables(connection, this.options);
    return (collection) => this.contextOf(collection, prepared);
  }

  private stepOf<W extends Write>(write: W, origin?: Origin): W & Step {
    const isLogged = this.prepared.logged.size > 0;
    return { ...write, context: { ...this.contextOf(write.plan.into), origin: isLogged ? origin : undefined } };
  }

  private contextOf(collection: Collection, { sequences, adopted } = this.prepared): WriteContext {
    const isRestricted = this.session !== undefined;
    return { collection, dialect: this.writeDialect, adopted, sequence: sequences.get(collection.name), isRestricted };
  }

  /** Checks and inspects a primary that was just found. The first one may get tables. */
  private async prepare(pool: Pool): Promise<void> {
    const { schema, serves, owner, databaseRoles } = this.options;
    if (owner !== undefined) return this.inspect(pool);
    const mayWatch = serves === true && databaseRoles !== true && this.watch === undefined;
    const known = mayWatch ? await within(CHECKS_MS, definitionsIn(pool.sql, [schema])) : '';
    await this.inspect(pool);
    await this.replicas?.restart(pool);
    if (databaseRoles === true) this.watch?.listen(pool.sql);
    if (!mayWatch || this.prepared.adopted.collections.size === 0) return;
    const describeAgain = () => this.executor.onPrimary((found) => this.inspect(found));
    this.opened.then(() => this.watchDefinitions([schema], known, describeAgain)).catch(() => undefined);
  }

  private async inspect(pool: Pool): Promise<void> {
    const { options, notice, isPrepared } = this;
    const { schema, catalogue } = options;
    const { sql } = pool;
    if (!isPrepared && options.owner === undefined) await within(CHECKS_MS, checkPooling(sql, options, notice));
    if (!isPrepared && options.rejectsCredentials === true) {
      rejectCredentials(await within(CHECKS_MS, roleHolders(sql, schema)));
      await within(CHECKS_MS, rejectUnreadable(sql, schema));
    }
    const prepared = await (isPrepared
      ? within(CHECKS_MS, schemaAgain(sql, options, notice))
      : prepareSchema(sql, options, notice));
    const folding = await within(CHECKS_MS, findFolding(sql));
    const configurations = await within(CHECKS_MS, findConfigurations(sql));
    if (folding.collation === null) {
      notice('warn', 'this PostgreSQL knows no Unicode collation: ilike and imatch fold ASCII only');
    }
    if (!isPrepared && options.databaseRoles !== true) {
      this.steps = prepared.steps;
      const warning = await within(CHECKS_MS, bypassedRowSecurity(sql, schema, [...catalogue.collections.keys()]));
      if (warning !== undefined) notice('warn', warning);
    }
    const dialect = postgresDialect(folding, configurations, prepared.adopted);
    this.dialect = options.databaseRoles === true ? { ...dialect, namesColumns: true } : dialect;
    this.writeDialect = writeDialect(this.dialect);
    // A load may have created the tables since then.
    this.isPrepared = prepared.hasTables;
    this.prepared = prepared;
    this.keys = new KeySequences();
  }
}

/** The states of a missing table, column, function and schema. */
const MISSING = ['42P01', '42703', '42883', '3F000'];

/** A caller without credentials gets 401 for what its role may not do, and so does a role that does not exist. */
function sessionError(error: unknown, { isAnonymous, onMisfit }: DatabaseSession): unknown {
  if (!(error instanceof ApiError)) return error;
  const code = error.sqlState ?? error.code;
  if (MISSING.includes(code)) onMisfit?.();
  const isUnknownRole = code === '22023' && /^role ".*" does not exist$/.test(error.message);
  if (!isUnknownRole && !(isAnonymous && code === '42501')) return error;
  return error.with({ status: 401, headers: { ...error.headers, 'www-authenticate': 'Bearer' } });
}

export function openPostgres(options: PostgresOptions): PostgresEngine {
  return new PostgresEngine(options);
}

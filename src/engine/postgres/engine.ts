/**
 * The PostgreSQL engine: any number of instances on one database. It holds no state but connections; the database
 * decides what instances must agree on (assigned keys, idempotency keys, versions).
 */
import type { Report } from '../../base/error-list.ts';
import type { Metric } from '../../base/metric.ts';
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import type { Encoding } from '../../encode/encoding.ts';
import { callsFunctions } from '../../plan/access/named-fields.ts';
import type { FunctionCall, ReadPlan } from '../../plan/types.ts';
import type { WritePlan } from '../../plan/write-plan.ts';
import type {
  CopiedLog,
  DatabaseSession,
  Engine,
  Explanation,
  ReadResult,
  Write,
  WriteOptions,
  WriteResult,
} from '../engine.ts';
import { notLogged } from '../shared/change-log.ts';
import { isStepRead } from '../shared/cost.ts';
import type { DescribedDatabase } from '../shared/describe-table.ts';
import type { LoadOptions, LoadResult, LoadSet } from '../shared/loader.ts';
import { withRelatedFirst } from '../shared/plan-keys.ts';
import { describeSchema, inOwnPath } from './adopt/describe.ts';
import { withMediaHandlers } from './adopt/media-handlers.ts';
import {
  type AppliedSettings,
  databaseSettings,
  missingNames,
  type Privileges,
  privilegesOf,
} from './adopt/privileges.ts';
import { callFunction, explainCall } from './call/call.ts';
import type { Connection, Pool } from './connections/pool.ts';
import { Database, type PostgresOptions } from './database.ts';
import { searchPath } from './driver.ts';
import { translateError } from './errors.ts';
import type { Executor } from './executor.ts';
import { loadLog } from './history/load-log.ts';
import { lastPosition, logDialect, PostgresLog } from './history/log.ts';
import { PlanCost } from './read/plan-cost.ts';
import { explainRead, type PlanForm, readList } from './read/reads.ts';
import { NONE_OWN } from './schema/inspect.ts';
import { hasOwnTables, makeOwnTables } from './schema/own-tables.ts';
import { Indexer } from './search/indexer.ts';
import { loadRows } from './write/loader.ts';
import { UnconfirmedCommit } from './write/transaction.ts';
import { Writes } from './write/writes.ts';

/** Shared by the engines of one schema, whatever the session. */
interface Parts {
  readonly database: Database;
  readonly indexer: Indexer;
  readonly planCost: PlanCost;
  readonly log: PostgresLog | undefined;
  /** Whether a collection has functions of a row. */
  readonly hasComputed: boolean;
}

export class PostgresEngine implements Engine {
  readonly location: string;
  readonly opened: Promise<void>;
  readonly hasPositions: boolean;
  readonly log?: PostgresLog;
  /** Its own role may not read any table if requests have roles of the database. */
  readonly ping?: () => Promise<void>;
  private readonly executor: Executor;
  private readonly writes: Writes;

  constructor(
    private readonly parts: Parts,
    private readonly session?: DatabaseSession,
  ) {
    const { database, indexer, planCost, log } = parts;
    const { location, opened, executor, replicas, options } = database;
    this.location = location;
    this.opened = opened;
    this.hasPositions = replicas !== undefined;
    this.executor = session === undefined ? executor : executor.in(session);
    const onStored = indexer.hasSearch ? () => indexer.indexSoon() : undefined;
    this.writes = new Writes(database, this.executor, planCost, onStored, (pool) => this.poolOf(pool), session);
    if (log !== undefined) this.log = log;
    if (options.databaseRoles === true) {
      this.ping = () => this.executor.onPrimary(async (pool) => void (await pool.unsafe('select 1')));
    }
  }

  get database(): Database {
    return this.parts.database;
  }

  get steps(): readonly string[] {
    return this.database.steps;
  }

  as(session: DatabaseSession): PostgresEngine {
    const { schema, extraSearchPath } = this.options;
    const settings = { search_path: searchPath(schema, extraSearchPath), ...session.settings };
    return new PostgresEngine(this.parts, { ...session, settings });
  }

  /** An engine for the collections of a schema, on the same connections. */
  forSchema(schema: string, catalogue: Catalogue): PostgresEngine {
    const { replicas: _, ...options } = this.options;
    return new PostgresEngine(partsOf({ ...options, schema, catalogue }, this.parts));
  }

  private get options(): PostgresOptions {
    return this.database.options;
  }

  /** The tables and functions that the role of the session may use. */
  privileges(): Promise<Privileges> {
    const { role } = this.session!;
    const work = (pool: Pool) => privilegesOf(this.poolOf(pool), this.options.schema, role);
    return this.executor.onPrimary(work);
  }

  databaseSettings(): Promise<AppliedSettings> {
    return this.executor.onPrimary((pool) => databaseSettings(pool, this.options.querySeconds * 1000));
  }

  missingNames(role: string, schemas: readonly string[]): ReturnType<typeof missingNames> {
    return this.executor.onPrimary((pool) => missingNames(pool, role, schemas));
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

  /** The pool in the session of the request. Nothing of a request may run as the role of the service. */
  private poolOf(pool: Pool): Pool {
    if (this.session !== undefined) return pool.as(this.session);
    if (this.options.databaseRoles === true) throw new Error('a request has no role of the database');
    return pool;
  }

  read(asked: ReadPlan, encoding: Encoding, after?: string, asOf?: number): Promise<ReadResult> {
    if (asked.log !== undefined || asOf !== undefined) return this.readLog(asked, encoding, asOf);
    if (asked.source !== undefined) return this.call(asked, asked.source, encoding);
    if (asked.search !== undefined) return this.parts.indexer.search(asked, encoding);
    const plan = withRelatedFirst(asked);
    const { database, planCost, hasComputed } = this.parts;
    const isGuarded = hasComputed && callsFunctions(plan);
    const work = (pool: Pool) => {
      const isQuick = isGuarded ? 'guarded' : planCost.isCheapRead(pool, plan);
      return readList(this.poolOf(pool), { plan, dialect: database.dialect, encoding }, isQuick);
    };
    return this.executor.read(plan.from, work, after);
  }

  write(writes: readonly Write[], options: WriteOptions): Promise<readonly WriteResult[]> {
    return this.writes.write(writes, options);
  }

  problems(plan: WritePlan, report: Report): Promise<void> {
    return this.writes.problems(plan, report);
  }

  explainWrite(write: Write, ...how: PlanForm): Promise<Explanation> {
    return this.writes.explain(write, ...how);
  }

  /** Not retried: the input is already consumed. */
  private async once<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
    const pool = await this.database.primary.getPool();
    return work(pool).catch((error) => {
      throw error instanceof UnconfirmedCommit ? error.response : translateError(error);
    });
  }

  async load(sets: readonly LoadSet[], options: LoadOptions): Promise<LoadResult> {
    const { database, indexer } = this.parts;
    const contextOn = (connection: Connection) => database.loadContext(connection);
    const loaded = await this.once((pool) => loadRows(pool, contextOn, sets, options));
    indexer.indexSoon();
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
    const { database } = this.parts;
    const { schema } = database.options;
    if (plan.source !== undefined) {
      return this.executor.onPrimary((pool) => explainCall(this.poolOf(pool), plan, database.dialect, schema, ...how));
    }
    return this.executor.read(plan.from, (pool) => {
      const { dialect, prepared } = database;
      const of = plan.log === undefined ? dialect : logDialect(dialect, plan, Number.MAX_SAFE_INTEGER, prepared.logged);
      // With analyze, PostgreSQL executes the read. Without it, it also waits for a locked table.
      return this.poolOf(pool).dedicated('costly read', (connection) => explainRead(connection, plan, of, ...how));
    });
  }

  downtimeSince(moment: number): number {
    return this.database.primary.downtimeSince(moment);
  }

  metrics(): readonly Metric[] {
    return this.database.metrics();
  }

  /** On the primary: a function may change data, and a read-only one may read what the caller just wrote. */
  private call(plan: ReadPlan, { isReadOnly }: FunctionCall, encoding: Encoding): Promise<ReadResult> {
    const { executor } = this;
    const work = (pool: Pool) => {
      const { dialect } = this.database;
      return callFunction(this.poolOf(pool), { plan, dialect, encoding }, this.options.schema);
    };
    return isReadOnly ? executor.onPrimary(work) : executor.write(work);
  }

  private readLog(plan: ReadPlan, encoding: Encoding, asOf: number | undefined): Promise<ReadResult> {
    return this.executor.onPrimary(async (pool) => {
      const { dialect, prepared } = this.database;
      if (this.log === undefined || prepared.logged.size === 0) throw notLogged(undefined, this.options.databaseRoles);
      const position = asOf ?? (await lastPosition(pool, this.options.schema)).seq;
      const ofLog = logDialect(dialect, plan, position, prepared.logged);
      return readList(pool, { plan, dialect: ofLog, encoding }, isStepRead(plan, asOf, this.log.newest));
    });
  }

  close(): Promise<void> {
    const { database, indexer } = this.parts;
    indexer.stop();
    return database.close(() => indexer.ranker.close());
  }
}

function partsOf(options: PostgresOptions, owner?: Parts): Parts {
  const database = new Database(options, owner?.database);
  const { schema, catalogue, historyDays } = options;
  const onPrimary: Executor['onPrimary'] = (work) => database.executor.onPrimary(work);
  return {
    database,
    indexer: new Indexer(database, owner?.indexer.ranker),
    planCost: new PlanCost(schema, () => database.prepared.adopted.unindexed),
    log: historyDays === 0 ? undefined : new PostgresLog(schema, () => database.prepared.logged, onPrimary),
    hasComputed: catalogue.draft.collections.some(({ computed = [] }) => computed.length > 0),
  };
}

export function openPostgres(options: PostgresOptions): PostgresEngine {
  return new PostgresEngine(partsOf(options));
}

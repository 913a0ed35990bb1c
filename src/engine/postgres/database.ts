/**
 * A database as an engine sees it: its connections, and what is known of its schema after the primary is found. Each
 * primary is checked and inspected before requests use it; the first one may get tables.
 */
import { DEFAULT_REPLICA_LAG_SECONDS } from '../../base/limits/engine.ts';
import { gauge, type Metric } from '../../base/metric.ts';
import type { Collection } from '../../collection/declaration.ts';
import type { DatabaseSession } from '../engine.ts';
import { rejectCredentials } from '../shared/maintenance.ts';
import type { SqlDialect } from '../sql/statement.ts';
import { bypassedRowSecurity } from './adopt/adopt.ts';
import { DefinitionWatch } from './adopt/definition-watch.ts';
import { definitionsIn } from './adopt/describe.ts';
import type { Connection, Pool } from './connections/pool.ts';
import { checkPooling } from './connections/pooler-check.ts';
import { postgresDialect, writeDialect } from './dialect.ts';
import { type Notice, type SessionSettings, within } from './driver.ts';
import { translateError } from './errors.ts';
import { Executor } from './executor.ts';
import { ConnectionManager } from './primary/connection-manager.ts';
import { findFolding } from './read/folding.ts';
import { findConfigurations } from './read/search.ts';
import { ReplicaSet } from './replicas/replica-set.ts';
import type { PostgresRequirement } from './schema/compare-schema.ts';
import { makeTables, type Prepared, prepareSchema, schemaAgain } from './schema/migrate.ts';
import { rejectUnreadable, roleHolders } from './schema/own-tables.ts';
import { parseTarget } from './url.ts';
import { KeySequences } from './write/key-sequence.ts';
import type { LoadContext } from './write/loader.ts';
import type { WriteContext } from './write/step.ts';

/** The time for a new primary to answer the questions after connecting. */
const CHECKS_MS = 4_000;

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
}

export class Database {
  readonly location: string;
  readonly opened: Promise<void>;
  readonly notice: Notice;
  readonly primary: ConnectionManager;
  readonly replicas: ReplicaSet | undefined;
  readonly executor: Executor;
  steps: readonly string[] = [];
  // Known after the primary is found.
  dialect!: SqlDialect;
  prepared!: Prepared;
  keys = new KeySequences();
  private writeDialect!: SqlDialect;
  private isPrepared = false;
  private watch: DefinitionWatch | undefined;

  /** `owner` has the connections that this one uses. */
  constructor(
    readonly options: PostgresOptions,
    private readonly owner?: Database,
  ) {
    const target = parseTarget(options.url);
    const { schema, replicas = [], replicaLagSeconds = DEFAULT_REPLICA_LAG_SECONDS, replicaReads = 'own' } = options;
    this.notice = options.notice ?? (() => {});
    this.location = `${target.location}${schema === 'public' ? '' : ` (schema ${schema})`}`;
    this.primary = owner?.primary ?? new ConnectionManager(target, options, (pool) => this.prepare(pool), this.notice);
    const replicaSettings = { ...options, replicaLagSeconds, replicaReads };
    const own = () => (replicas.length === 0 ? undefined : new ReplicaSet(replicas, replicaSettings, this.notice));
    this.replicas = owner === undefined ? own() : owner.replicas;
    this.executor = owner?.executor ?? new Executor(this.primary, this.replicas, (error) => this.translate(error));
    this.opened = owner === undefined ? this.primary.open() : this.executor.onPrimary((pool) => this.inspect(pool));
    // Waiting callers get the error; without one, it must not end the process.
    this.opened.catch(() => undefined);
  }

  translate(error: unknown): unknown {
    const isAdopted = this.isPrepared && this.prepared.adopted.collections.size > 0;
    return translateError(error, undefined, isAdopted || this.options.databaseRoles === true);
  }

  definitions(schemas: readonly string[]): Promise<string> {
    return this.executor.onPrimary((pool) => definitionsIn(pool, schemas));
  }

  /** `known` are the definitions that are described already. */
  watchDefinitions(schemas: readonly string[], known: string, describeAgain: () => Promise<unknown>): DefinitionWatch {
    const watch = new DefinitionWatch(() => this.definitions(schemas), known, describeAgain, this.notice);
    this.watch = watch;
    if (this.options.databaseRoles === true) {
      this.executor.onPrimary(async ({ sql }) => watch.listen(sql)).catch(() => undefined);
    }
    return watch;
  }

  contextOf(
    collection: Collection,
    session?: DatabaseSession,
    { sequences, adopted }: Prepared = this.prepared,
  ): WriteContext {
    const isRestricted = session !== undefined;
    return { collection, dialect: this.writeDialect, adopted, sequence: sequences.get(collection.name), isRestricted };
  }

  /** Missing tables are created in the transaction of the load, and roll back with it. */
  async loadContext(connection: Connection): Promise<LoadContext> {
    // No time limit applies to the creation of tables, until the end of the transaction.
    if (!this.prepared.hasTables) connection.liftDeadline();
    const prepared = this.prepared.hasTables ? this.prepared : await makeTables(connection, this.options);
    return {
      contextOf: (collection) => this.contextOf(collection, undefined, prepared),
      isLogged: prepared.logged.size > 0,
      schema: this.options.schema,
    };
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

  /** Finishes work in flight; does not wait for a cursor whose client stopped reading. `last` runs before the end. */
  async close(last: () => Promise<void>): Promise<void> {
    this.watch?.stop();
    if (this.owner !== undefined) return;
    await this.executor.settled(this.options.querySeconds);
    await this.replicas?.close();
    await last();
    await this.primary.close();
  }

  private async prepare(pool: Pool): Promise<void> {
    const { schema, serves, databaseRoles } = this.options;
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
    if (!isPrepared && this.owner === undefined) await within(CHECKS_MS, checkPooling(sql, options, notice));
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

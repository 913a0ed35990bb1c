/**
 * The PostgreSQL engine: any number of instances on one database. It keeps nothing of its own but connections; what two
 * instances must agree on (keys that are assigned, idempotency keys, versions) is decided in the database.
 */
import type { SQL } from 'bun';
import type { Collection } from '../../collection/declaration.ts';
import type { Row } from '../../collection/value.ts';
import type { Encoding } from '../../encode/encoding.ts';
import { DEFAULT_REPLICA_LAG_SECONDS } from '../../limits.ts';
import type { ReadPlan, WritePlan } from '../../plan/types.ts';
import type { SqlDialect } from '../compile/statement.ts';
import type { Engine, Explanation, Reading, ReadResult, WriteResult } from '../engine.ts';
import type { LoadBatch, LoadResult, LoadTerms } from '../load.ts';
import { postgresDialect } from './dialect.ts';
import { NoAnswer, type SessionSettings, within } from './driver.ts';
import { explainRead } from './explain.ts';
import { findFolding } from './folding.ts';
import { Keys } from './keys.ts';
import { Link, type Notice } from './link.ts';
import { loadRows } from './load.ts';
import { readList, readRows } from './reads.ts';
import { isLoss, isTransient, surelyUndone, translateError, unconfirmed } from './refusals.ts';
import { Replicas } from './replicas.ts';
import { Sweeper } from './retries.ts';
import { prepareSchema } from './schema.ts';
import { againIfInTheWay, UnconfirmedCommit } from './transaction.ts';
import { parseTarget, type Target } from './url.ts';
import { carryOut } from './write.ts';

export interface PostgresOptions extends SessionSettings {
  readonly url: string;
  readonly collection: Collection;
  /** What a new catalogue begins with. */
  readonly firstRows: readonly Row[];
  readonly retryHours: number;
  /** Standbys to read from, and how far behind they may be. */
  readonly replicas?: readonly string[];
  readonly replicaLagSeconds?: number;
  readonly notice?: Notice;
}

function standbysOf(options: PostgresOptions): Replicas | undefined {
  const { replicas = [], replicaLagSeconds = DEFAULT_REPLICA_LAG_SECONDS, notice = () => {} } = options;
  return replicas.length === 0 ? undefined : new Replicas(replicas, { ...options, replicaLagSeconds }, notice);
}

export function openPostgres(options: PostgresOptions): PostgresEngine {
  return new PostgresEngine(options, parseTarget(options.url));
}

export class PostgresEngine implements Engine {
  readonly location: string;
  readonly opened: Promise<void>;
  /** What was made or changed in the schema when it was opened. */
  steps: readonly string[] = [];
  private readonly link: Link;
  private readonly sweeper: Sweeper;
  private readonly replicas: Replicas | undefined;
  private readonly underWay = new Set<Promise<unknown>>();
  private dialect: SqlDialect | undefined;
  private sequence!: string;
  private keys!: Keys;

  constructor(
    private readonly options: PostgresOptions,
    target: Target,
  ) {
    const { schema } = options;
    this.location = `${target.location}${schema === 'public' ? '' : ` (schema ${schema})`}`;
    this.sweeper = new Sweeper(options.retryHours);
    this.link = new Link(target, options, (pool) => this.prepare(pool), options.notice ?? (() => {}));
    this.replicas = standbysOf(options);
    this.opened = this.link.open();
    // Whoever waits hears of a failure; that nobody may wait is no reason to end the process.
    this.opened.catch(() => undefined);
  }

  find(plan: ReadPlan): Promise<readonly Row[]> {
    return this.tracked(this.reading((pool) => readRows(pool, this.options.collection.name, plan, this.dialect!)));
  }

  read(plan: ReadPlan, encoding: Encoding): Promise<ReadResult> {
    const { name } = this.options.collection;
    return this.tracked(this.reading((pool) => readList(pool, name, plan, this.dialect!, encoding)));
  }

  write(plan: WritePlan): Promise<WriteResult> {
    return this.tracked(this.writing(plan));
  }

  load(batches: AsyncIterable<LoadBatch>, terms: LoadTerms): Promise<LoadResult> {
    return this.tracked(this.loading(batches, terms));
  }

  /** Once: what was read from a file is gone. */
  private async loading(batches: AsyncIterable<LoadBatch>, terms: LoadTerms): Promise<LoadResult> {
    const { collection } = this.options;
    const pool = await this.link.current();
    try {
      const context = { collection, dialect: this.dialect!, sequence: this.sequence };
      return await loadRows(pool, context, batches, terms);
    } catch (error) {
      if (error instanceof UnconfirmedCommit) throw error.refusal;
      throw translateError(error, collection);
    }
  }

  explain(plan: ReadPlan): Promise<Explanation> {
    return this.reading((pool) => explainRead(pool, this.options.collection.name, plan, this.dialect!));
  }

  readings(): readonly Reading[] {
    const gauge = (name: string, help: string, value: number): Reading => ({ name, kind: 'gauge', help, value });
    return [
      gauge('database_up', 'Whether the database answers: 1 or 0.', Number(this.link.isUp)),
      gauge('pool_connections_max', 'Connections that may be open to a server.', this.options.poolSize),
      ...(this.replicas === undefined
        ? []
        : [gauge('replicas_near', 'Standbys that are near enough to read from.', this.replicas.near)]),
      gauge('pool_requests', 'Reads and writes that use or wait for a connection.', this.underWay.size),
    ];
  }

  private async writing(plan: WritePlan): Promise<WriteResult> {
    for (let attempt = 1; ; attempt++) {
      const pool = await this.link.current();
      try {
        return await this.inTime(againIfInTheWay(() => this.writeOnce(pool, plan)));
      } catch (error) {
        if (error instanceof UnconfirmedCommit) {
          if (error.cause !== undefined) this.link.lost(error.cause, pool);
          throw error.refusal;
        }
        if (!isLoss(error)) throw translateError(error, this.options.collection);
        this.link.lost(error, pool);
        if (error instanceof NoAnswer) throw unconfirmed();
        if (attempt === 2 || !surelyUndone(error)) throw translateError(error, this.options.collection);
      }
    }
  }

  /** What is under way is finished first; a cursor whose client does not read on is not waited for. */
  async close(): Promise<void> {
    await Promise.race([Promise.allSettled(this.underWay), Bun.sleep(this.options.querySeconds * 1000)]);
    await this.replicas?.close();
    await this.link.close();
  }

  private async writeOnce(pool: SQL, plan: WritePlan): Promise<WriteResult> {
    const { collection } = this.options;
    const context = { collection, dialect: this.dialect!, sequence: this.sequence };
    await this.keys.pass(pool, plan);
    if (plan.retry !== undefined) this.sweeper.sweep(pool);
    const write = () => this.keys.drawAgain(pool, plan, () => carryOut(pool, context, plan, this.options));
    return this.replicas === undefined ? write() : this.replicas.during(pool, write);
  }

  /** Reading again does no harm: a connection that broke is replaced twice before the client hears of it. */
  private async reading<T>(work: (pool: SQL) => Promise<T>): Promise<T> {
    const standby = this.dialect === undefined ? undefined : this.replicas?.pick();
    if (standby !== undefined) {
      try {
        return await this.inTime(work(standby.pool));
      } catch (error) {
        // Whatever a standby cannot do, such as keep a row that replay wants to remove, the primary can.
        if (!isLoss(error) && !isTransient(error)) throw translateError(error, this.options.collection);
        this.replicas?.lost(standby);
      }
    }
    for (let attempt = 1; ; attempt++) {
      const pool = await this.link.current();
      try {
        return await this.inTime(againIfInTheWay(() => work(pool)));
      } catch (error) {
        if (!isLoss(error)) throw translateError(error, this.options.collection);
        this.link.lost(error, pool);
        if (attempt === 3 || error instanceof NoAnswer) throw translateError(error, this.options.collection);
      }
    }
  }

  /** Drops what was learnt of the data, where it was replaced behind the service's back. */
  forget(): void {
    this.keys = new Keys(this.options.collection, this.sequence);
  }

  /** The server keeps the time of a statement; this is for a server that keeps nothing any more. */
  private inTime<T>(work: Promise<T>): Promise<T> {
    const { querySeconds, connectSeconds } = this.options;
    return within((querySeconds * 2 + connectSeconds) * 1000, work);
  }

  private tracked<T>(work: Promise<T>): Promise<T> {
    this.underWay.add(work);
    const forget = () => this.underWay.delete(work);
    work.then(forget, forget);
    return work;
  }

  private async prepare(pool: SQL): Promise<void> {
    const prepared = await prepareSchema(pool, this.options);
    const folding = await findFolding(pool);
    if (folding.collation === null) {
      this.options.notice?.('warn', 'this PostgreSQL knows no Unicode collation: ilike and imatch fold ASCII only');
    }
    this.steps = prepared.steps;
    this.dialect = postgresDialect(folding);
    this.sequence = prepared.sequence;
    this.keys = new Keys(this.options.collection, prepared.sequence);
    await this.replicas?.restart(pool);
  }
}

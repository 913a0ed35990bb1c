/** The writes of an engine: single inserts share statements, others run alone. A failure becomes one error. */
import type { Report } from '../../../base/error-list.ts';
import { withRequest } from '../../../base/errors.ts';
import type { Row } from '../../../collection/value.ts';
import type { Origin, WritePlan } from '../../../plan/write-plan.ts';
import {
  type DatabaseSession,
  type Explanation,
  NEWEST,
  type Write,
  type WriteOptions,
  type WriteResult,
} from '../../engine.ts';
import type { RowSource } from '../../shared/body-tables.ts';
import { reportProblems } from '../../shared/row-problems.ts';
import type { Statement } from '../../sql/statement.ts';
import type { Pool } from '../connections/pool.ts';
import type { Database } from '../database.ts';
import { query } from '../driver.ts';
import type { Executor } from '../executor.ts';
import { logPruner } from '../history/log.ts';
import type { PlanCost } from '../read/plan-cost.ts';
import type { PlanForm } from '../read/reads.ts';
import { keyPruner, noIdempotencyTable } from './idempotency-keys.ts';
import { recordset, rowsAsJsonTask } from './input-rows.ts';
import type { Pruner } from './pruner.ts';
import { InsertQueue, insertShared, singleInsert } from './shared-inserts.ts';
import type { Progress, Step } from './step.ts';
import { executeWrites, explainStep } from './write.ts';
import { translateWriteError } from './write-errors.ts';

type Results = readonly WriteResult[];

export class Writes {
  private readonly keys: Pruner;
  private readonly log: Pruner | undefined;
  private readonly inserts = new InsertQueue((inserts, onError) => {
    const steps = () => inserts.map(({ write, origin }) => this.stepOf(write, origin));
    const work = (pool: Pool) => insertShared(pool, steps(), this.database.options.querySeconds * 1000);
    return this.store(work, (error) => {
      onError(error);
      return this.database.translate(error);
    });
  });

  /** `poolOf` gives the pool in the session of the request. `onStored` is called after each write. */
  constructor(
    private readonly database: Database,
    private readonly executor: Executor,
    private readonly planCost: PlanCost,
    private readonly onStored: (() => void) | undefined,
    private readonly poolOf: (pool: Pool) => Pool,
    private readonly session: DatabaseSession | undefined,
  ) {
    this.keys = keyPruner(database.options.retryHours);
    this.log = logPruner(database.options.historyDays);
  }

  write(writes: readonly Write[], options: WriteOptions): Promise<Results> {
    const { database, session } = this;
    const alone = () => this.writeAlone(writes, options);
    const isShared = session === undefined && database.prepared !== undefined;
    const single = isShared ? singleInsert(writes, options, database.contextOf(writes[0]!.plan.into)) : undefined;
    return single === undefined ? alone() : this.inserts.add(single, options.origin, alone);
  }

  explain(write: Write, ...how: PlanForm): Promise<Explanation> {
    return this.executor.write((pool) => explainStep(this.poolOf(pool), this.stepOf(write), ...how));
  }

  async problems(plan: WritePlan, report: Report): Promise<void> {
    const { database, session } = this;
    // The dialect is unknown until the primary is found.
    await database.primary.getPool();
    const source: RowSource = {
      dialect: database.dialect,
      encode: rowsAsJsonTask,
      table: (collection, columns, json) => recordset(database.contextOf(collection, session), json, columns),
    };
    const ask = (statement: Statement) =>
      this.executor.read(plan.into, (pool) => query<Row>(this.poolOf(pool), statement), NEWEST);
    return reportProblems(plan, source, ask, report);
  }

  private writeAlone(writes: readonly Write[], options: WriteOptions): Promise<Results> {
    const { database, session } = this;
    let progress: Progress = { index: 0 };
    const work = (pool: Pool) => {
      progress = { index: 0 };
      return this.writeOnce(pool, writes, options, progress);
    };
    return this.store(work, async (error) => {
      const { index, row, plan = writes[index]!.plan } = progress;
      const isAdopted = database.prepared.adopted.collections.has(plan.into);
      const problems = (report: Report) => this.problems(plan, report);
      const translated = await translateWriteError(error, { plan, row, isAdopted, problems, session });
      return writes.length === 1 ? translated : withRequest(translated, index);
    });
  }

  private async writeOnce(
    pool: Pool,
    writes: readonly Write[],
    options: WriteOptions,
    progress: Progress,
  ): Promise<Results> {
    const { retry, dryRun, origin } = options;
    const { database, session } = this;
    const { keys, prepared } = database;
    const steps = writes.map((each) => this.stepOf(each, origin));
    if (retry !== undefined && (!prepared.hasRetries || session !== undefined)) throw noIdempotencyTable();
    if (!dryRun && session === undefined) {
      for (const { context, plan } of steps) await keys.advancePast(pool, context, plan);
    }
    if (retry !== undefined) this.keys.prune(pool);
    const isCheap = this.planCost.areCheapWrites(pool, writes);
    const list = { steps, options, limits: database.options, progress };
    const execute = () => executeWrites(this.poolOf(pool), list, isCheap);
    const current = () => {
      const step = steps[progress.index]!;
      return { ...step, plan: progress.plan ?? step.plan };
    };
    return session === undefined ? keys.retryTakenKey(pool, current, execute) : execute();
  }

  /** Writes on the primary, with the tasks of every write: to prune the log, track positions, and index rows soon. */
  private store(work: (pool: Pool) => Promise<Results>, translate: (error: unknown) => unknown): Promise<Results> {
    const { replicas } = this.database;
    const written = this.executor.write((pool) => {
      if (this.database.prepared.logged.size > 0) this.log?.prune(pool);
      return replicas === undefined ? work(pool) : replicas.trackWrite(() => work(pool));
    }, translate);
    if (this.onStored !== undefined) written.then(this.onStored, this.onStored);
    return written;
  }

  private stepOf<W extends Write>(write: W, origin?: Origin): W & Step {
    const { database, session } = this;
    const isLogged = database.prepared.logged.size > 0;
    const context = database.contextOf(write.plan.into, session);
    return { ...write, context: { ...context, origin: isLogged ? origin : undefined } };
  }
}

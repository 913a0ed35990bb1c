/** Executes a list of writes: one statement if it is one that nothing can undo, otherwise a transaction. */
import { ROWS_PER_SLICE, runToEnd, schedule } from '../../../base/cooperative.ts';
import { ApiError } from '../../../base/errors.ts';
import { rowDenied } from '../../../collection/access/permission-errors.ts';
import type { Row } from '../../../collection/value.ts';
import { encodeRows } from '../../../encode/encoding.ts';
import { planVisibleRow, WHOLE_ROW_JSON } from '../../../plan/read/read.ts';
import type { InsertPlan, Precondition, WritePlan } from '../../../plan/write-plan.ts';
import type { Explanation, WriteOptions, WriteResult } from '../../engine.ts';
import { mayClose } from '../../shared/circles.ts';
import { EarlierValues, resolvePlan } from '../../shared/earlier-values.ts';
import {
  checkBeforeInsert,
  type LateRules,
  lateRules,
  maxRowsWritten,
  withoutLateRules,
} from '../../shared/plan-keys.ts';
import { checkAffected, checkReturned, checkVersion } from '../../shared/write-checks.ts';
import { outputOf } from '../../sql/output.ts';
import { compileRead } from '../../sql/read.ts';
import { chosenAnswer } from '../call/chosen-answer.ts';
import type { Connection, Pool } from '../connections/pool.ts';
import { query, type Runner } from '../driver.ts';
import { isSurelyUndone, sqlState } from '../errors.ts';
import { explainStatement, type PlanForm } from '../read/reads.ts';
import { bulkUpdate } from './bulk-update.ts';
import { lockTrees, withoutCircles } from './circles.ts';
import { dryRun } from './dry-run.ts';
import { rememberResults, takeKey } from './idempotency-keys.ts';
import { rowsAsJsonTask } from './input-rows.ts';
import { compileShown, isShownAfter, type ReturnedRows, returnedRows } from './returned-rows.ts';
import { insertTogether, mergedPlan, sharedInserts } from './shared-inserts.ts';
import { compileBefore, compileLateTest, compileRowLock, compileWrite } from './statements.ts';
import type { Progress, Step, WriteContext, WriteLimits, Written } from './step.ts';
import { confirm, inTransaction, UnconfirmedCommit } from './transaction.ts';

interface Job extends Step {
  readonly limits: WriteLimits;
  readonly progress: Progress;
  readonly returned: ReturnedRows | undefined;
}

/** A list of writes, how they are executed, and how far they are. */
export interface WriteList {
  readonly steps: readonly Step[];
  readonly options: WriteOptions;
  readonly limits: WriteLimits;
  readonly progress: Progress;
}

type Results = readonly WriteResult[];

export async function executeWrites(
  pool: Pool,
  list: WriteList,
  isQuick: boolean | Promise<boolean>,
): Promise<Results> {
  const { steps, options, limits, progress } = list;
  const kind = (await isQuick) ? 'write' : 'costly write';
  const limitMs = limits.querySeconds * 1000;
  const run = async (connection: Connection, bounds: WriteLimits, mayShare = false): Promise<Results> => {
    const share = mayShare && pool.session === undefined;
    const results = await runSteps(connection, { ...list, limits: bounds }, share);
    if (pool.session === undefined) return results;
    const { chosen } = await chosenAnswer(connection);
    return chosen === undefined ? results : results.map((result) => ({ ...result, chosen }));
  };
  if (options.dryRun) return dryRun(pool, kind, limits, run);
  const [only] = steps;
  const isOne = steps.length === 1 && pool.session === undefined;
  if (!isOne || options.retry !== undefined || !isOneStatement(only!.plan)) {
    const { querySeconds } = limits;
    const runAll = (mayShare: boolean) => {
      const work = (connection: Connection) => {
        const all = () => run(connection, limits, mayShare);
        return steps.length === 1 ? all() : connection.withTimeLimit(querySeconds, querySeconds, all);
      };
      return inTransaction(pool, work, true, kind, limitMs);
    };
    return runAll(true).catch((error) => {
      // One by one, they show which of them fails.
      if (progress.isShared !== true || sqlState(error) === '57014') throw error;
      return runAll(false);
    });
  }
  return pool.dedicated(kind, async (connection) => {
    const startedAt = performance.now();
    const job = jobOf(only!, limits, progress);
    const written = await change(connection, job).catch((error) => {
      throw isSurelyUndone(error) ? error : new UnconfirmedCommit(error);
    });
    const result = resultOf(connection, job, written);
    await confirm(connection, startedAt, limitMs);
    return [result];
  });
}

/** The query plan of a write. With `analyze` PostgreSQL executes it, and the transaction ends without a change. */
export async function explainStep(pool: Pool, step: Step, ...how: PlanForm): Promise<Explanation> {
  const { context, plan } = step;
  if (plan.kind === 'update-each') {
    throw new ApiError('PGRST127', 'an update of several rows by their keys has no query plan', {
      hint: 'Send a PATCH with a filter.',
    });
  }
  const rows = plan.kind === 'insert' ? await schedule(rowsAsJsonTask(plan.into.fields, plan.rows)) : '';
  const statement = compileWrite(context, plan, rows, returnedRows(step), isShownAfter(plan));
  const explain = (connection: Connection) => explainStatement(connection, statement, ...how);
  return inTransaction(pool, explain, false);
}

/** Whether it is one statement that nothing can undo afterwards. */
function isOneStatement(plan: WritePlan): boolean {
  const { singular, maxAffected, affects, preconditions, restriction } = plan;
  const isBounded = singular || maxAffected !== undefined || affects !== undefined;
  return (
    !isBounded &&
    restriction === undefined &&
    preconditions === undefined &&
    plan.kind !== 'update-each' &&
    !mayClose(plan) &&
    !isShownAfter(plan)
  );
}

async function runSteps(connection: Connection, list: WriteList, mayShare: boolean): Promise<Results> {
  const { steps, limits, progress } = list;
  const { retry } = list.options;
  const hours = limits.retryHours;
  const earlier = retry === undefined ? undefined : await takeKey(connection, retry, hours);
  if (earlier !== undefined) return earlier;
  const results: WriteResult[] = [];
  const values = new EarlierValues(results);
  await lockTrees(connection, steps);
  await lockRows(connection, steps);
  for (const [index, step] of steps.entries()) {
    if (index < results.length) continue;
    progress.index = index;
    const together = mayShare ? sharedInserts(steps, index) : [];
    progress.isShared = together.length > 1;
    if (progress.isShared) {
      const rows = await allowedRows(connection, step.context, mergedPlan(together));
      results.push(...(await insertTogether(connection, together, rows)));
      continue;
    }
    const plan = step.isDependent ? resolvePlan(step.plan, values) : step.plan;
    progress.plan = plan;
    const job = jobOf({ ...step, plan }, limits, progress);
    for (const precondition of plan.preconditions ?? []) {
      checkVersion(precondition, await storedRow(connection, step.context, precondition));
    }
    results.push(resultOf(connection, job, await change(connection, job)));
    checkReturned(results);
  }
  progress.isShared = false;
  if (retry !== undefined) await rememberResults(connection, retry, results, { store: limits, hours });
  return results;
}

/**
 * Locks the rows that several writes name by key, by collection and key: transactions that change the same rows in
 * another order wait for each other without deadlock.
 */
async function lockRows(connection: Connection, steps: readonly Step[]): Promise<void> {
  const changes = steps.flatMap(({ plan, context, isDependent }) => {
    const isFound = !isDependent && !context.isRestricted && (plan.kind === 'update' || plan.kind === 'delete');
    const namesKeys = context.collection.key.length > 0 && Number.isFinite(maxRowsWritten(plan));
    return isFound && namesKeys ? [{ context, where: plan.where }] : [];
  });
  if (changes.length < 2) return;
  const byCollection = Map.groupBy(changes, ({ context }) => context.collection.name);
  for (const name of [...byCollection.keys()].sort()) {
    const each = byCollection.get(name)!;
    await query(connection, compileRowLock(each[0]!.context, { kind: 'any', terms: each.map(({ where }) => where) }));
  }
}

function jobOf(step: Step, limits: WriteLimits, progress: Progress): Job {
  return { ...step, limits, progress, returned: returnedRows(step) };
}

async function change(connection: Connection, job: Job): Promise<Written> {
  const written = await withoutCircles(connection, job, () => changeRows(connection, job));
  checkAffected(job.plan, written.affected);
  return written;
}

async function changeRows(connection: Connection, job: Job): Promise<Written> {
  const { context, plan, returned } = job;
  const late = lateRules(plan);
  const written = await changeNow(connection, job, late);
  if (written.stored === undefined) return written;
  if (late !== undefined) await query(connection, compileLateTest(context, late, written.stored));
  if (returned === undefined) return written;
  const [shown] = await query<Pick<Written, 'rows'>>(connection, compileShown(context, returned, written.stored));
  return { ...written, ...shown };
}

/** Without the rules that are tested after all rows are stored. */
async function changeNow(connection: Connection, job: Job, late: LateRules | undefined): Promise<Written> {
  const { context, returned } = job;
  const plan = late === undefined ? job.plan : withoutLateRules(job.plan);
  if (plan.kind === 'update-each') {
    return bulkUpdate(connection, { ...job, plan, returnsRows: returned !== undefined || late !== undefined });
  }
  const rows = job.plan.kind === 'insert' ? await allowedRows(connection, context, job.plan) : '';
  const isReadAfter = late !== undefined || isShownAfter(plan);
  const [written] = await query<Written>(connection, compileWrite(context, plan, rows, returned, isReadAfter));
  checkAllowed(job.plan, written!);
  return written!;
}

/** The statement skips an existing row that may not be changed. */
function checkAllowed(plan: WritePlan, { affected }: Written): void {
  const isLeftOut = plan.kind === 'insert' && plan.restriction?.met !== undefined && affected < plan.rows.length;
  if (isLeftOut) throw rowDenied(plan.into.name);
}

/** The rows as JSON, if they may be stored as far as is known. */
async function allowedRows(runner: Runner, context: WriteContext, plan: InsertPlan): Promise<string> {
  const { into, rows } = plan;
  const task = rowsAsJsonTask(into.fields, rows);
  // Many rows take several turns, with other requests in between.
  const json = rows.length <= ROWS_PER_SLICE ? runToEnd(task) : await schedule(task);
  const created = checkBeforeInsert(plan);
  if (created === undefined) return json;
  const [row] = await query<{ refused: number | null }>(runner, compileBefore(context, created, json));
  if (row!.refused !== null) throw rowDenied(into.name).with({ index: row!.refused });
  return json;
}

function resultOf(connection: Connection, { plan, encoding, returned }: Job, written: Written): WriteResult {
  const { affected, inserted, key, rows, missing } = written;
  const counts = {
    affected,
    inserted,
    ...(plan.kind === 'insert' && key !== null ? { key } : {}),
    ...(missing === undefined ? {} : { missing }),
  };
  if (rows === undefined || returned === undefined) return counts;
  const body = encodeRows(rows, encoding, returned.output.form);
  connection.recordLength(body.length);
  return { ...counts, body, shown: rows.length };
}

/** The whole row as JSON, locked until the transaction ends. */
async function storedRow(
  connection: Runner,
  { collection, dialect }: WriteContext,
  precondition: Precondition,
): Promise<string | undefined> {
  const plan = planVisibleRow(collection, precondition);
  const output = outputOf(plan.columns, WHOLE_ROW_JSON, dialect);
  const { sql, params } = compileRead(plan, output, dialect);
  const rows = await query<Row>(connection, { sql: `${sql} for update`, params });
  return rows.length === 0 ? undefined : encodeRows([...rows], WHOLE_ROW_JSON, output.form).slice(1, -1);
}

/** Executes a write: one statement if nothing can undo it, otherwise a transaction. */
import type { ReservedSQL, SQL } from 'bun';
import { ROWS_PER_SLICE, runToEnd, schedule } from '../../../base/cooperative.ts';
import { ApiError } from '../../../base/errors.ts';
import { DEFAULT_DRY_RUN_SECONDS } from '../../../base/limits.ts';
import { rowDenied } from '../../../collection/permission-errors.ts';
import type { Row } from '../../../collection/value.ts';
import { type Encoding, encodeRows } from '../../../encode/encoding.ts';
import { sortedByKey } from '../../../plan/read/shape.ts';
import { planVisibleRow, WHOLE_ROW_JSON } from '../../../plan/read/whole-row.ts';
import type { InsertPlan, Precondition, WritePlan } from '../../../plan/types.ts';
import type { WriteResult } from '../../engine.ts';
import { checkBeforeInsert } from '../../shared/plan-keys.ts';
import { checkAffected, checkVersion, returnTooLarge, shorterDryRun } from '../../shared/write-checks.ts';
import { outputOf } from '../../sql/output.ts';
import { compileRead } from '../../sql/read.ts';
import { boundRow } from '../../sql/row-size.ts';
import { onDedicatedConnection } from '../connections/connection-limits.ts';
import { recordLength } from '../connections/connection-memory.ts';
import { query, type Runner, run } from '../driver.ts';
import { sqlState, surelyUndone } from '../errors.ts';
import { isTooLong, mayReturnTooMuch } from '../read/row-bytes.ts';
import { bulkUpdate } from './bulk-update.ts';
import { rememberResult, takeKey } from './idempotency-keys.ts';
import { rowsAsJsonInPieces } from './input-rows.ts';
import {
  type Answer,
  compileBefore,
  compileDelete,
  compileInsert,
  compileShown,
  compileUpdate,
  isShownAfter,
  type WriteContext,
  type Written,
} from './statements.ts';
import { confirm, inTransaction, UnconfirmedCommit } from './transaction.ts';

export interface WriteLimits {
  readonly retryHours: number;
  readonly querySeconds: number;
  readonly dryRunSeconds?: number;
}

export async function carryOut(
  pool: SQL,
  context: WriteContext,
  plan: WritePlan,
  encoding: Encoding,
  limits: WriteLimits,
  isQuick: boolean | Promise<boolean>,
): Promise<WriteResult> {
  const kind = (await isQuick) ? 'write' : 'costly write';
  const confirmed = (connection: ReservedSQL, milliseconds: number) =>
    confirm(connection, milliseconds, limits.querySeconds * 1000);
  if (!standsAlone(plan)) {
    const steps = (connection: Runner) => work(connection, context, plan, encoding, limits);
    if (!plan.dryRun) return inTransaction(pool, steps, true, kind, confirmed);
    return inTransaction(pool, (connection) => tryOut(connection, context, plan, encoding, limits), false, kind);
  }
  return onDedicatedConnection(pool, kind, async (connection) => {
    const started = performance.now();
    const result = await inOneStatement(connection, context, plan, encoding, limits);
    await confirmed(connection, performance.now() - started);
    return result;
  });
}

/** Whether it is one statement that nothing can undo afterwards. */
function standsAlone(plan: WritePlan): boolean {
  const { dryRun, singular, maxAffected, precondition, retry, restriction } = plan;
  const isPlain = !dryRun && !singular && maxAffected === undefined && restriction === undefined;
  const isOneStep = plan.kind !== 'update-each' && !isShownAfter(plan);
  return isPlain && precondition === undefined && retry === undefined && isOneStep;
}

async function inOneStatement(
  runner: Runner,
  context: WriteContext,
  plan: WritePlan,
  encoding: Encoding,
  limits: WriteLimits,
): Promise<WriteResult> {
  const wanted = answerOf(context, plan, encoding);
  let written: Written;
  try {
    written = await change(runner, context, plan, wanted, limits);
  } catch (error) {
    throw surelyUndone(error) ? error : new UnconfirmedCommit(error);
  }
  checkAffected(plan, written.affected);
  return resultOf(runner, plan, written, encoding, wanted);
}

async function work(
  connection: Runner,
  context: WriteContext,
  plan: WritePlan,
  encoding: Encoding,
  limits: WriteLimits,
): Promise<WriteResult> {
  const wanted = answerOf(context, plan, encoding);
  if (plan.retry !== undefined) {
    const earlier = await takeKey(connection, plan.retry, limits.retryHours);
    if (earlier !== undefined) return { ...earlier, replayed: true };
  }
  if (plan.precondition !== undefined) {
    checkVersion(plan.precondition, await storedRow(connection, context, plan.precondition));
  }
  const written = await change(connection, context, plan, wanted, limits);
  checkAffected(plan, written.affected);
  const result = resultOf(connection, plan, written, encoding, wanted);
  if (plan.retry !== undefined)
    await rememberResult(connection, plan.retry, result, { store: limits, hours: limits.retryHours });
  return result;
}

/** A dry run has a time limit of its own: until its end it locks the rows that it would change. */
async function tryOut(
  connection: Runner,
  context: WriteContext,
  plan: WritePlan,
  encoding: Encoding,
  limits: WriteLimits,
): Promise<WriteResult> {
  const seconds = Math.min(limits.dryRunSeconds ?? DEFAULT_DRY_RUN_SECONDS, limits.querySeconds);
  await run(connection, `set local statement_timeout = ${seconds * 1000}`);
  try {
    return await work(connection, context, plan, encoding, { ...limits, querySeconds: seconds });
  } catch (error) {
    const code = error instanceof ApiError ? error.code : sqlState(error);
    if (code !== '57014') throw error;
    throw new ApiError('57014', 'canceling statement due to statement timeout', { hint: shorterDryRun(seconds) });
  }
}

function answerOf({ dialect }: WriteContext, plan: WritePlan, encoding: Encoding): Answer | undefined {
  if (plan.returning === undefined) return undefined;
  const areFound = plan.kind === 'update' || plan.kind === 'delete';
  const shape = areFound ? sortedByKey(plan.into, plan.returning) : plan.returning;
  const output = boundRow(shape, outputOf(shape.columns, encoding, dialect));
  return { shape, output, isCounted: mayReturnTooMuch(plan, shape.columns, output) };
}

async function change(...args: Parameters<typeof changeRows>): Promise<Written> {
  try {
    return await changeRows(...args);
  } catch (error) {
    throw isTooLong(error) ? returnTooLarge() : error;
  }
}

async function changeRows(
  runner: Runner,
  context: WriteContext,
  plan: WritePlan,
  wanted: Answer | undefined,
  { querySeconds }: WriteLimits,
): Promise<Written> {
  if (plan.kind === 'update-each') return bulkUpdate(runner, context, plan, wanted, querySeconds * 1000);
  const statement =
    plan.kind === 'insert'
      ? compileInsert(context, plan, await allowedRows(runner, context, plan), wanted)
      : plan.kind === 'update'
        ? compileUpdate(context, plan, wanted)
        : compileDelete(context, plan, wanted);
  const [written] = await query<Written>(runner, statement);
  checkAllowed(plan, written!);
  if (wanted === undefined || written?.stored === undefined) return written!;
  const [shown] = await query<Pick<Written, 'rows'>>(runner, compileShown(context, wanted, written.stored));
  return { ...written, ...shown };
}

/** The statement skips an existing row that may not be changed. */
function checkAllowed(plan: WritePlan, { affected, refused = 0 }: Written): void {
  const isLeftOut = plan.kind === 'insert' && plan.restriction?.met !== undefined && affected < plan.rows.length;
  if (isLeftOut || refused > 0) throw rowDenied(plan.into.name);
}

/** The rows as JSON, if they may be stored as far as is known. */
async function allowedRows(runner: Runner, context: WriteContext, plan: InsertPlan): Promise<string> {
  const rows = await jsonOf(plan);
  const created = checkBeforeInsert(plan);
  if (created === undefined) return rows;
  const [told] = await query<{ refused: number }>(runner, compileBefore(context, created, rows));
  if (told!.refused > 0) throw rowDenied(plan.into.name);
  return rows;
}

/** In slices for many rows, with other requests in between. */
async function jsonOf({ into, rows }: InsertPlan): Promise<string> {
  const making = rowsAsJsonInPieces(into.fields, rows);
  return rows.length <= ROWS_PER_SLICE ? runToEnd(making) : schedule(making);
}

function resultOf(
  runner: Runner,
  plan: WritePlan,
  { affected, inserted, key, rows }: Written,
  encoding: Encoding,
  wanted: Answer | undefined,
): WriteResult {
  const counts = { affected, inserted, ...(plan.kind === 'insert' && key !== null ? { key } : {}) };
  if (rows === undefined || wanted === undefined) return counts;
  const body = encodeRows(rows, encoding, wanted.output.form);
  recordLength(runner, body.length);
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

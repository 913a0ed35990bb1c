/** A write is carried out: with nothing to check it is one statement, else a transaction that may take it back. */
import type { SQL } from 'bun';
import type { Row } from '../../collection/value.ts';
import { wholeRow } from '../../plan/shape.ts';
import type { Precondition, WritePlan } from '../../plan/types.ts';
import { compileRead } from '../compile/read.ts';
import type { WriteResult } from '../engine.ts';
import { checkAffected, checkVersion } from '../terms.ts';
import { ownNames } from './column-names.ts';
import { query, type Runner } from './driver.ts';
import { surelyUndone } from './refusals.ts';
import { rememberResult, takeKey } from './retries.ts';
import { inTransaction, UnconfirmedCommit } from './transaction.ts';
import { updateEach } from './update-each.ts';
import { compileDelete, compileInsert, compileUpdate, type WriteContext, type Written } from './writes.ts';

export interface WriteLimits {
  readonly retryHours: number;
  readonly querySeconds: number;
}

export async function carryOut(
  pool: SQL,
  context: WriteContext,
  plan: WritePlan,
  limits: WriteLimits,
): Promise<WriteResult> {
  const started = performance.now();
  const result = standsAlone(plan)
    ? await inOneStatement(pool, context, plan)
    : await inTransaction(pool, (connection) => work(connection, context, plan, limits), !plan.dryRun);
  // A server that waits for its synchronous standby gives up the wait, not the write, when the statement's time is up,
  // and then answers as if all were well. Nothing that took this long counts as confirmed.
  if (performance.now() - started >= limits.querySeconds * 1000) throw new UnconfirmedCommit(undefined);
  return result;
}

/** Whether nothing can be found afterwards that would have to undo it. */
function standsAlone(plan: WritePlan): boolean {
  const { dryRun, singular, maxAffected, precondition, retry } = plan;
  const isPlain = !dryRun && !singular && maxAffected === undefined;
  return isPlain && precondition === undefined && retry === undefined && plan.kind !== 'update-each';
}

async function inOneStatement(pool: SQL, context: WriteContext, plan: WritePlan): Promise<WriteResult> {
  let written: Written;
  try {
    written = await change(pool, context, plan);
  } catch (error) {
    throw surelyUndone(error) ? error : new UnconfirmedCommit(error);
  }
  checkAffected(plan, written.affected);
  return resultOf(plan, written);
}

async function work(
  connection: Runner,
  context: WriteContext,
  plan: WritePlan,
  limits: WriteLimits,
): Promise<WriteResult> {
  if (plan.retry !== undefined) {
    const earlier = await takeKey(connection, plan.retry, limits.retryHours);
    if (earlier !== undefined) return { ...earlier, replayed: true };
  }
  if (plan.precondition !== undefined) {
    checkVersion(plan.precondition, await storedRow(connection, context, plan.precondition));
  }
  const written = await change(connection, context, plan);
  checkAffected(plan, written.affected);
  const result = resultOf(plan, written);
  if (plan.retry !== undefined) await rememberResult(connection, plan.retry, result);
  return result;
}

async function change(runner: Runner, context: WriteContext, plan: WritePlan): Promise<Written> {
  if (plan.kind === 'update-each') return updateEach(runner, context, plan);
  const statement =
    plan.kind === 'insert'
      ? compileInsert(context, plan)
      : plan.kind === 'update'
        ? compileUpdate(context, plan)
        : compileDelete(context, plan);
  const [written] = await query<Written>(runner, statement);
  const { rows } = written!;
  return rows === undefined || plan.returning === undefined
    ? written!
    : { ...written!, rows: ownNames(plan.returning, rows) };
}

function resultOf(plan: WritePlan, { affected, inserted, key, rows }: Written): WriteResult {
  return {
    affected,
    inserted,
    ...(plan.kind === 'insert' && key !== null ? { key } : {}),
    ...(rows === undefined ? {} : { rows }),
  };
}

/** The product as it is now, and as it stays until the transaction ends. */
async function storedRow(
  connection: Runner,
  { collection, dialect }: WriteContext,
  { key }: Precondition,
): Promise<Row | undefined> {
  const where = { kind: 'compare', field: collection.key, operator: '=', value: key } as const;
  const read = { kind: 'read', columns: wholeRow(collection), order: [], where, offset: 0 } as const;
  const statement = compileRead(collection.name, read, dialect);
  const [row] = await query<Row>(connection, { ...statement, sql: `${statement.sql} for update` });
  return row;
}

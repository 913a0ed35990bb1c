/**
 * Stores inserts of a list, or of several requests, by one statement. With a statement for each of a list, the
 * transaction would stay open for long, and the readers of the log wait for open transactions.
 */
import { treeReferences } from '../../../collection/tree.ts';
import type { InsertPlan } from '../../../plan/write-plan.ts';
import type { WriteResult } from '../../engine.ts';
import type { Pool } from '../connections/pool.ts';
import { query, type Runner } from '../driver.ts';
import { isSurelyUndone } from '../errors.ts';
import { rowsAsJson } from './input-rows.ts';
import { compileInserts } from './statements.ts';
import type { Step } from './step.ts';
import { confirm, UnconfirmedCommit } from './transaction.ts';

export interface InsertStep extends Step {
  readonly plan: InsertPlan;
}

/** Then each of the inserts runs alone, so that none waits for the locked row of another. */
const LOCK_MS = 50;

/** The inserts from an index on that one statement can store. */
export function sharedInserts(steps: readonly Step[], from: number): readonly InsertStep[] {
  const found: InsertStep[] = [];
  for (let index = from; index < steps.length; index++) {
    const step = steps[index]!;
    const [first = step] = found;
    if (!isPlain(step) || !isAlike(step.plan, first.plan as InsertPlan)) break;
    found.push(step);
  }
  return found;
}

/** Whether nothing is checked or returned for each of them. Triggers of an adopted table may see the rows before. */
export function isPlain(step: Step): step is InsertStep {
  const { plan, context, isDependent } = step;
  const { into, singular, maxAffected, affects, preconditions, restriction, returning } = plan;
  const options = [isDependent, maxAffected, affects, preconditions, restriction, returning];
  return (
    plan.kind === 'insert' &&
    plan.conflict === 'refuse' &&
    !singular &&
    options.every((option) => option === undefined) &&
    !context.adopted.collections.has(into) &&
    treeReferences(into).length === 0 &&
    into.fields.every(({ copies }) => copies === undefined)
  );
}

function isAlike({ into, given }: InsertPlan, other: InsertPlan): boolean {
  return (
    into === other.into && given.length === other.given.length && given.every((field) => other.given.includes(field))
  );
}

export function mergedPlan(steps: readonly InsertStep[]): InsertPlan {
  return { ...steps[0]!.plan, rows: steps.flatMap(({ plan }) => plan.rows) };
}

/** `json` are the rows of the merged plan. */
export async function insertTogether(
  runner: Runner,
  steps: readonly InsertStep[],
  json: string,
  lockMs?: number,
): Promise<readonly WriteResult[]> {
  const origins = steps.flatMap(({ context: { origin }, plan: { rows } }) => rows.map(() => origin));
  const statement = compileInserts(steps[0]!.context, mergedPlan(steps), json, origins, lockMs);
  const [written] = await query<{ keys: readonly (readonly string[])[] }>(runner, statement);
  const keys = written!.keys.values();
  return steps.map(({ plan: { rows } }) => {
    const [key] = keys.take(rows.length).toArray();
    return { affected: rows.length, inserted: rows.length, ...(rows.length === 1 && key !== undefined && { key }) };
  });
}

/** Stores rows of several requests by one statement, which waits for no locked row. */
export function insertShared(
  pool: Pool,
  steps: readonly InsertStep[],
  limitMs: number,
): Promise<readonly WriteResult[]> {
  return pool.dedicated('write', async (connection) => {
    const startedAt = performance.now();
    const { into, rows } = mergedPlan(steps);
    const json = rowsAsJson(into.fields, rows);
    const results = await insertTogether(connection, steps, json, LOCK_MS).catch((error) => {
      throw isSurelyUndone(error) ? error : new UnconfirmedCommit(error);
    });
    await confirm(connection, startedAt, limitMs);
    return results;
  });
}

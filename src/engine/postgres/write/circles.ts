/**
 * Circles in trees. Two transactions that move rows at the same time do not see each other's rows. So the second one
 * waits for a lock of the table, and its check then sees the rows of the first.
 */
import type { WritePlan } from '../../../plan/write-plan.ts';
import { checkCircle, circleChecks, mayMove, type RowAbove } from '../../shared/circles.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import { ADVISORY_LOCKS, query, type Runner } from '../driver.ts';
import type { Step, WriteContext } from './step.ts';

/** Taken before the locks of rows, and in the order of names: nobody waits for it with rows that others need. */
export async function lockTrees(runner: Runner, steps: readonly Step[]): Promise<void> {
  const moving = steps.filter(({ plan, context }) => !context.isRestricted && mayMove(plan));
  const names = new Set(moving.map(({ plan }) => plan.into.name));
  for (const name of [...names].sort()) await lockTree(runner, name);
}

export async function lockTree(runner: Runner, table: string): Promise<void> {
  const lock = `pg_advisory_xact_lock(${ADVISORY_LOCKS.tree}, ${quoteText(identifier(table))}::regclass::oid::int4)`;
  await query(runner, `select ${lock}`);
}

/** A statement of its own sees the stored rows, and those of the transaction that had the lock before. */
export async function withoutCircles<T>(
  runner: Runner,
  { plan, context: { dialect, isRestricted } }: { readonly plan: WritePlan; readonly context: WriteContext },
  write: () => Promise<T>,
): Promise<T> {
  // The check would need the right to read.
  if (isRestricted) return write();
  const checks = await Promise.all(
    circleChecks(plan, dialect).map(async (check) => {
      return { ...check, roots: check.before && (await query<RowAbove>(runner, check.before)) };
    }),
  );
  const result = await write();
  for (const { reference, after, roots } of checks) {
    checkCircle(plan.into, reference, await query<RowAbove>(runner, after), roots, plan);
  }
  return result;
}

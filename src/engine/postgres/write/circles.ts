/**
 * Circles in trees. Of two transactions that move rows at once, neither sees what the other wrote. So the second one
 * waits for a lock of the table, and its check then sees the rows of the first.
 */
import type { WritePlan } from '../../../plan/types.ts';
import { checkCircle, compileAbove, mayMove, type RowAbove, writtenReferences } from '../../shared/circles.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import { ADVISORY_LOCKS, query, type Runner } from '../driver.ts';
import type { WriteContext } from './statements.ts';

/** Taken before the locks of rows, and in the order of names: nobody waits for it with rows that others need. */
export async function lockTrees(runner: Runner, plans: readonly WritePlan[]): Promise<void> {
  const names = new Set(plans.filter(mayMove).map(({ into }) => into.name));
  for (const name of [...names].sort()) await lockTree(runner, name);
}

export async function lockTree(runner: Runner, table: string): Promise<void> {
  const lock = `pg_advisory_xact_lock(${ADVISORY_LOCKS.tree}, ${quoteText(identifier(table))}::regclass::oid::int4)`;
  await query(runner, { sql: `select ${lock}`, params: [] });
}

/** A statement of its own sees the stored rows, and those of the transaction that had the lock before. */
export async function checkCircles(
  runner: Runner,
  { plan, context }: { readonly plan: WritePlan; readonly context: WriteContext },
): Promise<void> {
  for (const reference of writtenReferences(plan)) {
    const rows = await query<RowAbove>(runner, compileAbove(plan, reference, context.dialect));
    checkCircle(plan.into, reference, rows, plan);
  }
}

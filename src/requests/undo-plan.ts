/** Plans the writes of an undo. Each row must still be as it was when the log was read. */
import type { Collection } from '../collection/declaration.ts';
import type { Permissions } from '../plan/access/permissions.ts';
import type { WritePlan } from '../plan/types.ts';
import { groupReverts, type LoggedChange, planRevert } from '../plan/write/undo.ts';
import type { LogReader } from './undo-log.ts';

export interface PlannedRevert {
  readonly plan: WritePlan;
  /** As the caller sees it. */
  readonly collection: Collection;
}

/** `changes` come in the order in which they are reverted. */
export async function planUndo(
  changes: readonly LoggedChange[],
  log: LogReader,
  permissions: Permissions | undefined,
): Promise<readonly PlannedRevert[]> {
  const newest = [...Map.groupBy(changes, ({ collection, key }) => `${collection.name} ${key}`).values()];
  const preconditions = await log.preconditions(newest.map(([change]) => change!));
  const planned: PlannedRevert[] = [];
  for (const revert of groupReverts(changes)) {
    const plan = planRevert(revert, permissions);
    if (plan === undefined) continue;
    const checked = revert.flatMap((change) => preconditions.get(change) ?? []);
    const [{ collection }] = revert;
    planned.push({ plan: checked.length === 0 ? plan : { ...plan, preconditions: checked }, collection });
  }
  return planned;
}

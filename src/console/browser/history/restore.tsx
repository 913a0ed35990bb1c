/** The ways to restore: what a request changed, or a row. */
import { type Change, rowFilter } from '../api/changes.ts';
import type { Pair } from '../api/query/list.ts';
import { titleOfChange } from '../api/query/title-lookup.ts';
import { showDialog } from '../components/dialog.tsx';
import { dialogOnDemand } from '../components/on-demand.tsx';
import { t } from '../i18n/text.ts';

const RestoreDialog = dialogOnDemand(() => import('./restore-dialog.tsx'));

/** Shows what an undo of these changes would do, and asks for it. */
export const askToRestore = (title: string, filters: readonly Pair[]): Promise<void> =>
  showDialog(<RestoreDialog title={title} filters={filters} />);

/** Restores a row as it was before a change, which undoes the later ones as well. */
export function restoreRow(change: Change): Promise<void> {
  const { collection: name, key, seq } = change;
  const filters: readonly Pair[] = [...rowFilter({ name }, key), ['seq', `gte.${seq}`]];
  return askToRestore(t.history.restoreTitle(titleOfChange(change)), filters);
}

/** Entries of the log of one row, each with its values and the ways to restore them. */
import type { Collection, Field } from '../api/catalogue.ts';
import { type Change, rowFilter } from '../api/changes.ts';
import { titleOfChange, useChangeTitles } from '../api/query/find-rows.ts';
import type { Pair } from '../api/query/list.ts';
import { Button } from '../components/button.tsx';
import { showDialog } from '../components/dialog.tsx';
import { onDemand } from '../components/on-demand.tsx';
import { formatMoment } from '../fields/dates.ts';
import { t } from '../i18n/text.ts';
import { ChangeValues } from './values.tsx';

const RestoreDialog = onDemand(() => import('./restore-dialog.tsx'));

interface ChangeListProps {
  readonly collection: Collection;
  readonly changes: readonly Change[];
  readonly only?: string | undefined;
  readonly onRestoreValue: (change: Change, field: Field) => void;
}

export function ChangeList({ collection, changes, only, onRestoreValue }: ChangeListProps) {
  useChangeTitles(changes);
  return (
    <ul className="change-list stack">
      {changes.map((change) => (
        <li key={change.seq}>
          <p>
            <strong>{change.actor ?? t.history.unknown}</strong> {t.history.kinds[change.kind]}{' '}
            <time dateTime={change.at}>{formatMoment(change.at)}</time>
          </p>
          <ChangeValues
            collection={collection}
            change={change}
            only={only}
            onRestore={change.kind === 'update' ? (field) => onRestoreValue(change, field) : undefined}
          />
          {change.kind === 'update' && (
            <Button kind="quiet" className="small" icon="rotate-ccw" onClick={() => restoreRow(change)}>
              {t.history.restoreRow.update}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Restores a row as it was before a change, which undoes the later ones as well. */
export function restoreRow(change: Change): Promise<void> {
  const { collection: name, key, seq } = change;
  const filters: readonly Pair[] = [...rowFilter({ name }, key), ['seq', `gte.${seq}`]];
  return showDialog(<RestoreDialog title={t.history.restoreTitle(titleOfChange(change))} filters={filters} />);
}

/** Entries of the log of one row, each with its values and the ways to restore them. */
import { useState } from 'react';
import type { Collection, Field } from '../api/catalogue.ts';
import { type Change, rowFilter } from '../api/changes.ts';
import type { Pair } from '../api/query/list.ts';
import { titleOfChange, useChangeTitles } from '../api/query/title-lookup.ts';
import { Button } from '../components/button.tsx';
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
  const [restored, setRestored] = useState<Change>();
  return (
    <>
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
              <Button kind="quiet" className="small" icon="rotate-ccw" onClick={() => setRestored(change)}>
                {t.history.restoreRow.update}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <RestoreRow change={restored} onClose={() => setRestored(undefined)} />
    </>
  );
}

/** Restores a row as it was before a change, which undoes the later ones as well. */
export function RestoreRow({
  change,
  onClose,
}: {
  readonly change?: Change | undefined;
  readonly onClose: () => void;
}) {
  if (change === undefined) return null;
  const filters: readonly Pair[] = [
    ...rowFilter({ name: change.collection }, change.key),
    ['seq', `gte.${change.seq}`],
  ];
  return <RestoreDialog title={t.history.restoreTitle(titleOfChange(change))} filters={filters} onClose={onClose} />;
}

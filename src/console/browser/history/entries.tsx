/** Entries of the log, each with its values and the ways to restore them. */
import { useState } from 'react';
import { Link } from 'wouter';
import { collectionNamed, type Field, titleOfCollection } from '../api/catalogue.ts';
import { type Change, rowFilter, rowOfLogKey } from '../api/changes.ts';
import { rowAddress } from '../api/query/keys.ts';
import type { Pair } from '../api/query/list.ts';
import { titleOfChange, useChangeTitles } from '../api/query/title-lookup.ts';
import { Button } from '../components/button.tsx';
import { onDemand } from '../components/on-demand.tsx';
import { formatMoment } from '../fields/dates.ts';
import { t } from '../i18n/text.ts';
import { ChangeValues } from './values.tsx';

const RestoreDialog = onDemand(() => import('./restore-dialog.tsx'));

interface ChangeListProps {
  readonly changes: readonly Change[];
  /** Whether the entries name their rows. The history of one row does not. */
  readonly hasRows: boolean;
  readonly only?: string | undefined;
  readonly onRestoreValue: (change: Change, field: Field) => void;
}

export function ChangeList({ changes, hasRows, only, onRestoreValue }: ChangeListProps) {
  useChangeTitles(changes);
  const [restored, setRestored] = useState<Change>();
  return (
    <ul className="change-list stack">
      {changes.map((change) => {
        const collection = collectionNamed(change.collection);
        if (collection === undefined) return null;
        const title = titleOfChange(change);
        return (
          <li key={change.seq}>
            <p className="change-head">
              {hasRows ? (
                <>
                  <Link href={rowAddress(collection, rowOfLogKey(collection, change.key))}>{title}</Link>{' '}
                  <span className="help">{titleOfCollection(collection)}</span> {t.history.kinds[change.kind]}
                </>
              ) : (
                <>
                  <strong>{change.actor ?? t.history.unknown}</strong> {t.history.kinds[change.kind]}{' '}
                  <time dateTime={change.at}>{formatMoment(change.at)}</time>
                </>
              )}
            </p>
            <ChangeValues
              collection={collection}
              change={change}
              only={only}
              onRestore={change.kind === 'update' ? (field) => onRestoreValue(change, field) : undefined}
            />
            {(hasRows || change.kind === 'update') && (
              <Button kind="quiet" className="small" icon="rotate-ccw" onClick={() => setRestored(change)}>
                {t.history.restoreRow[change.kind]}
              </Button>
            )}
          </li>
        );
      })}
      {restored !== undefined && (
        <RestoreDialog
          title={t.history.restoreTitle(titleOfChange(restored))}
          filters={sinceChange(restored)}
          onClose={() => setRestored(undefined)}
        />
      )}
    </ul>
  );
}

/** Selects a change and all later ones of its row: their undo leads to the row as it was before. */
function sinceChange({ collection, key, seq }: Change): readonly Pair[] {
  return [...rowFilter({ name: collection }, key), ['seq', `gte.${seq}`]];
}

/** Changes as a list, each with its values, old and new, and a button to get an old one back. */
import type { ReactNode } from 'react';
import { type Collection, collectionNamed, type Field, labelOf, mayWrite } from '../api/catalogue.ts';
import { type Change, hasNoLog, type RevertingChange } from '../api/changes.ts';
import { useChangeTitles } from '../api/query/title-lookup.ts';
import { isSame } from '../base/same.ts';
import { IconButton } from '../components/button.tsx';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { shownValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';

/** The fields that a change concerns, in their declared order. Times that the service set are left out. */
export function changedFields(
  { fields }: Collection,
  { before, after }: Pick<Change, 'before' | 'after'>,
): readonly Field[] {
  return fields.filter(
    ({ name, onUpdate }) => onUpdate === undefined && !isSame(before?.[name] ?? null, after?.[name] ?? null),
  );
}

interface LogStateProps {
  readonly query: { readonly data: unknown; readonly error: unknown; readonly refetch: () => unknown };
}

/** Why a part of the log is not shown yet. */
export function LogState({ query: { data, error, refetch } }: LogStateProps) {
  if (hasNoLog(error)) return <p className="help">{t.history.off}</p>;
  if (error !== null) return <ErrorMessage error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton lines={3} /> : null;
}

interface ChangeListProps<Of> {
  readonly changes: readonly Of[];
  /** The row of a change, or the person who made it. */
  readonly headOf: (change: Of) => ReactNode;
  /** The fields with their values; by default all that the change concerns. */
  readonly isShown?: (change: Of, field: Field) => boolean;
  readonly onRestore?: (change: Of, field: Field) => void;
}

export function ChangeList<Of extends RevertingChange & { readonly seq?: number }>(props: ChangeListProps<Of>) {
  const { changes, headOf, isShown = () => true, onRestore } = props;
  useChangeTitles(changes);
  return (
    <ul className="change-list stack">
      {changes.map((change) => {
        const { key, kind, before, after, seq } = change;
        const collection = collectionNamed(change.collection);
        const fields = collection === undefined ? [] : changedFields(collection, change);
        return (
          <li key={`${change.collection} ${key} ${seq}`}>
            <p className="line wrap">{headOf(change)}</p>
            <dl>
              {fields
                .filter((field) => isShown(change, field))
                .map((field) => {
                  const place = { collection: collection!, field };
                  const mayRestore = kind === 'update' && mayWrite(place.collection, field, false);
                  return (
                    <div key={field.name} className="line wrap">
                      <dt className="help">{labelOf(field)}</dt>
                      <dd>
                        {before !== null && <del>{shownValue(place, before)}</del>}
                        {before !== null && after !== null && ' → '}
                        {after !== null && <ins>{shownValue(place, after)}</ins>}
                        {onRestore !== undefined && mayRestore && (
                          <IconButton
                            icon="undo-2"
                            className="small"
                            label={t.history.restoreValue(shownValue(place, before))}
                            onClick={() => onRestore(change, field)}
                          />
                        )}
                      </dd>
                    </div>
                  );
                })}
            </dl>
          </li>
        );
      })}
    </ul>
  );
}

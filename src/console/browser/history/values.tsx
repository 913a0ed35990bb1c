/** The values of a change: field by field, old and new. */
import { type Collection, type Field, labelOf, mayWrite } from '../api/catalogue.ts';
import { type Change, hasNoLog } from '../api/changes.ts';
import { isSame } from '../base/same.ts';
import { IconButton } from '../components/button.tsx';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { shownValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';

type Values = Pick<Change, 'before' | 'after'>;

/** The fields that a change concerns, in their declared order. Times that the service set are left out. */
export function changedFields({ fields }: Collection, { before, after }: Values): readonly Field[] {
  return fields.filter(
    ({ name, onUpdate }) => onUpdate === undefined && !isSame(before?.[name] ?? null, after?.[name] ?? null),
  );
}

export const valueIn = (collection: Collection, field: Field, row: Change['before']): string =>
  shownValue({ collection, field }, row);

interface LogStateProps {
  readonly query: { readonly data: unknown; readonly error: unknown; readonly refetch: () => unknown };
}

/** Why a part of the log is not shown yet. */
export function LogState({ query: { data, error, refetch } }: LogStateProps) {
  if (hasNoLog(error)) return <p className="help">{t.history.off}</p>;
  if (error !== null) return <ErrorMessage error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton lines={3} /> : null;
}

interface OldAndNewProps {
  readonly collection: Collection;
  readonly field: Field;
  readonly change: Values;
}

export function OldAndNew({ collection, field, change: { before, after } }: OldAndNewProps) {
  return (
    <>
      {before !== null && <del>{valueIn(collection, field, before)}</del>}
      {before !== null && after !== null && ' → '}
      {after !== null && <ins>{valueIn(collection, field, after)}</ins>}
    </>
  );
}

interface ChangeValuesProps {
  readonly collection: Collection;
  readonly change: Values;
  readonly only?: string | undefined;
  readonly onRestore?: ((field: Field) => void) | undefined;
}

export function ChangeValues({ collection, change, only, onRestore }: ChangeValuesProps) {
  const fields = changedFields(collection, change).filter(({ name }) => only === undefined || name === only);
  return (
    <dl className="change-values">
      {fields.map((field) => (
        <div key={field.name} className="line wrap">
          <dt className="help">{labelOf(field)}</dt>
          <dd>
            <OldAndNew collection={collection} field={field} change={change} />
            {onRestore !== undefined && mayWrite(collection, field, false) && (
              <IconButton
                icon="undo-2"
                className="small"
                label={t.history.restoreValue(valueIn(collection, field, change.before))}
                onClick={() => onRestore(field)}
              />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The values of a change: field by field, old and new. */
import { type Collection, type Field, labelOf, mayWrite } from '../api/catalogue.ts';
import type { Change } from '../api/changes.ts';
import { isSame } from '../base/same.ts';
import { IconButton } from '../components/button.tsx';
import { formatValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';

type Values = Pick<Change, 'before' | 'after'>;

/** The fields that a change concerns, in their declared order. Times that the service set are left out. */
export function changedFields({ fields }: Collection, { before, after }: Values): readonly Field[] {
  return fields.filter(
    ({ name, onUpdate }) => onUpdate === undefined && !isSame(before?.[name] ?? null, after?.[name] ?? null),
  );
}

interface ChangeValuesProps {
  readonly collection: Collection;
  readonly change: Values;
  readonly only?: string | undefined;
  readonly onRestore?: ((field: Field) => void) | undefined;
}

export function ChangeValues({ collection, change, only, onRestore }: ChangeValuesProps) {
  const { before, after } = change;
  const fields = changedFields(collection, change).filter(({ name }) => only === undefined || name === only);
  const value = (field: Field, row: Change['before']) =>
    formatValue({ collection, field }, row?.[field.name]) || t.app.empty;
  return (
    <dl className="change-values">
      {fields.map((field) => (
        <div key={field.name} className="line wrap">
          <dt>{labelOf(field)}</dt>
          <dd>
            {before !== null && <del>{value(field, before)}</del>}
            {before !== null && after !== null && ' → '}
            {after !== null && <ins>{value(field, after)}</ins>}
            {onRestore !== undefined && before !== null && after !== null && mayWrite(collection, field, false) && (
              <IconButton
                icon="undo-2"
                className="small"
                label={t.history.restoreValue(value(field, before))}
                onClick={() => onRestore(field)}
              />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

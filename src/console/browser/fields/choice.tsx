/** Fields with a few allowed values (`oneOf`). */
import type { Value } from '../api/catalogue.ts';
import { t } from '../i18n/text.ts';
import { SelectFilter } from './filters.tsx';
import type { CellProps, FieldKind, FieldPlace, FilterProps, InputProps } from './kind.ts';
import { parsePlain } from './rules.ts';

const print = (_place: FieldPlace, value: Value): string => (value === null ? '' : String(value));

function ChoiceCell({ field, row }: CellProps) {
  const value = row[field.name] ?? null;
  return value === null ? null : <span className="tag">{String(value)}</span>;
}

function ChoiceInput({ field, id, text, onChange, isInvalid, isDisabled, isFocused, describedBy }: InputProps) {
  return (
    <select
      id={id}
      value={text}
      disabled={isDisabled}
      autoFocus={isFocused}
      aria-invalid={isInvalid}
      aria-describedby={describedBy}
      onChange={({ target }) => onChange(target.value)}
    >
      {(!field.required || text === '') && <option value="">{t.fields.choose}</option>}
      {field.rules.oneOf!.map((value) => (
        <option key={String(value)}>{String(value)}</option>
      ))}
    </select>
  );
}

function ChoiceFilter(props: FilterProps) {
  const options = props.field.rules.oneOf!.map((value) => ({ value: `eq.${value}`, label: String(value) }));
  return <SelectFilter {...props} options={options} />;
}

export const choice: FieldKind = {
  name: 'choice',
  format: print,
  print,
  parse: ({ field }, text) => parsePlain(field, text.trim()),
  Cell: ChoiceCell,
  Input: ChoiceInput,
  Filter: ChoiceFilter,
};

/** json values, and lists that are not plain texts, entered as JSON text. Numbers keep their digits. */
import { parseJson } from '../../../collection/exact-json.ts';
import type { Value } from '../api/catalogue.ts';
import { t } from '../i18n/text.ts';
import { ContainsFilter } from './filters.tsx';
import type { CellProps, FieldKind, FieldPlace, InputProps, Parsed } from './kind.ts';

const format = (_place: FieldPlace, value: Value): string => (value === null ? '' : JSON.stringify(value));
const print = (_place: FieldPlace, value: Value): string => (value === null ? '' : JSON.stringify(value, null, 2));

function parse(_place: FieldPlace, text: string): Parsed {
  try {
    return { value: parseJson(text) as Value };
  } catch {
    return { problem: t.errors.notJson };
  }
}

function JsonCell({ collection, field, row }: CellProps) {
  return <code>{format({ collection, field }, row[field.name] ?? null)}</code>;
}

function JsonInput({ id, text, onChange, isInvalid, isDisabled, isFocused, describedBy }: InputProps) {
  return (
    <textarea
      id={id}
      rows={5}
      className="code"
      spellCheck={false}
      value={text}
      disabled={isDisabled}
      autoFocus={isFocused}
      aria-invalid={isInvalid}
      aria-describedby={describedBy}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

export const json: FieldKind = {
  name: 'json',
  format,
  print,
  parse,
  Cell: JsonCell,
  Input: JsonInput,
  Filter: ContainsFilter,
};

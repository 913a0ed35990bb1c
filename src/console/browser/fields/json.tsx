/** json values, and lists that are not plain texts, entered as JSON text. Numbers keep their digits. */
import { parseJson } from '../../../collection/exact-json.ts';
import type { Value } from '../api/catalogue.ts';
import { t } from '../i18n/text.ts';
import type { CellProps, FieldKind, FieldPlace, InputProps, Parsed } from './kind.ts';
import { parseCell } from './parse.ts';
import { text, textAttributes } from './text.tsx';

const format = (_place: FieldPlace, value: Value): string => JSON.stringify(value);
const print = (_place: FieldPlace, value: Value): string => JSON.stringify(value, null, 2);

function parse(place: FieldPlace, typed: string): Parsed {
  if (place.field.type.input === 'list') return parseCell(place, typed);
  try {
    return { value: parseJson(typed) as Value };
  } catch {
    return { problem: t.errors.notJson };
  }
}

function JsonCell(props: CellProps) {
  const value = props.row[props.field.name] ?? null;
  return value === null ? null : <code>{format(props, value)}</code>;
}

function JsonInput(props: InputProps) {
  return <textarea {...textAttributes(props)} rows={5} className="code" spellCheck={false} />;
}

export const json: FieldKind = {
  ...text,
  name: 'json',
  format,
  print,
  parse,
  Cell: JsonCell,
  Input: JsonInput,
};

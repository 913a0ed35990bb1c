/** Texts, and everything else that is entered as plain text. */
import { type Field, isText, titleFieldOf, type Value } from '../api/catalogue.ts';
import { ContainsFilter } from './filters.tsx';
import type { CellProps, FieldKind, FieldPlace, InputProps } from './kind.ts';
import { parsePlain } from './rules.ts';

const LONG_NAMES = /(^|_)(description|notes?|comments?|summary|details|text|body|remarks?)$/;
const LINE = 80;

/** Whether the text may be longer than a line, by its name, its rules or its value. */
export function isLongText({ collection, field }: FieldPlace, text = ''): boolean {
  const isLong = (each: Field) => LONG_NAMES.test(each.name) || (each.rules.maxLength ?? 0) > 2 * LINE;
  if (!isText(field) || field === titleFieldOf(collection)) return false;
  return isLong(field) || text.length > LINE || text.includes('\n');
}

export function TextInput({
  collection,
  field,
  id,
  text,
  onChange,
  isInvalid,
  isDisabled,
  isFocused,
  describedBy,
}: InputProps) {
  const shared = {
    id,
    value: text,
    disabled: isDisabled,
    autoFocus: isFocused,
    required: field.required,
    'aria-invalid': isInvalid,
    'aria-describedby': describedBy,
    onChange: ({ target }: { target: HTMLInputElement | HTMLTextAreaElement }) => onChange(target.value),
  };
  if (isLongText({ collection, field }, text)) return <textarea {...shared} rows={4} />;
  return <input {...shared} type="text" autoComplete="off" />;
}

const print = (_place: FieldPlace, value: Value): string => (value === null ? '' : String(value));

export function TextCell({ field, row }: CellProps) {
  return <>{String(row[field.name] ?? '')}</>;
}

export const text: FieldKind = {
  name: 'text',
  format: print,
  print,
  parse: ({ field }, typed) => parsePlain(field, isText(field) ? typed : typed.trim()),
  Cell: TextCell,
  Input: TextInput,
  Filter: ContainsFilter,
};

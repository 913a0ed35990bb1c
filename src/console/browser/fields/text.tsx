/** Texts, and everything else that is entered as plain text. Other kinds extend it. */
import { type Field, isText, titleFieldOf, translatedBy } from '../api/catalogue.ts';
import { ContainsFilter } from './filters.tsx';
import type { CellProps, FieldKind, FieldPlace, InputProps } from './kind.ts';
import { parseCell } from './parse.ts';

const LONG_NAMES = /(^|_)(description|notes?|comments?|summary|details|text|body|remarks?)$/;
const LINE = 80;

/** Whether the text may be longer than a line, by its name, its rules or its value. */
export function isLongText({ collection, field }: FieldPlace, text = ''): boolean {
  const isLong = (each: Field) => LONG_NAMES.test(each.name) || (each.rules.maxLength ?? 0) > 2 * LINE;
  // A translation is as long as the field that it translates.
  const own = translatedBy(collection, field)?.of ?? field;
  if (!isText(field) || own === titleFieldOf(collection)) return false;
  return isLong(own) || text.length > LINE || text.includes('\n');
}

/** The attributes of an input, except for its value. */
export function inputAttributes({ id, isDisabled, isFocused, isInvalid, describedBy }: InputProps) {
  return {
    id,
    disabled: isDisabled,
    autoFocus: isFocused,
    'aria-invalid': isInvalid,
    'aria-describedby': describedBy,
  };
}

/** The attributes of an input whose value is the text. */
export function textAttributes(props: InputProps) {
  const { text, onChange } = props;
  return {
    ...inputAttributes(props),
    value: text,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  };
}

export function TextInput(props: InputProps) {
  const attributes = { ...textAttributes(props), required: props.field.required };
  if (isLongText(props, props.text)) return <textarea {...attributes} rows={4} />;
  return <input {...attributes} type="text" autoComplete="off" />;
}

/** A cell that shows the value as text. */
export const textCell = (format: FieldKind['format']) =>
  function TextCell({ collection, field, row }: CellProps) {
    const value = row[field.name] ?? null;
    return value === null ? null : format({ collection, field }, value);
  };

const print: FieldKind['print'] = (_place, value) => String(value);

export const text: FieldKind = {
  name: 'text',
  format: print,
  print,
  parse: parseCell,
  Cell: textCell(print),
  Input: TextInput,
  Filter: ContainsFilter,
};

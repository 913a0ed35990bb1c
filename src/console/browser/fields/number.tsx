/** Numbers in the format of the reader, with all digits. */
import { isDecimal, type Value } from '../api/catalogue.ts';
import { t } from '../i18n/text.ts';
import { rangeFilter } from './filters.tsx';
import type { CellProps, FieldKind, FieldPlace, InputProps, Parsed } from './kind.ts';
import { editableNumber, formatDigits, readNumber } from './numbers.ts';
import { parsePlain } from './rules.ts';

/** Identifiers have no thousands separators. */
const IDENTIFIERS = /(^|_)(id|code|barcode|ean|gtin|isbn|zip|year|number)$/;

function format({ collection, field }: FieldPlace, value: Value): string {
  if (value === null) return '';
  if (collection.key.includes(field) || IDENTIFIERS.test(field.name)) return String(value);
  return formatDigits(String(value), isDecimal(field) ? 2 : 0);
}

const print = (_place: FieldPlace, value: Value): string => (value === null ? '' : editableNumber(String(value)));

function parse({ field }: FieldPlace, text: string): Parsed {
  const plain = readNumber(text);
  return plain === undefined ? { problem: t.errors.notANumber(text) } : parsePlain(field, plain);
}

function NumberCell({ collection, field, row }: CellProps) {
  return <>{format({ collection, field }, row[field.name] ?? null)}</>;
}

function NumberInput({ field, id, text, onChange, isInvalid, isDisabled, isFocused, describedBy }: InputProps) {
  return (
    <input
      id={id}
      type="text"
      inputMode={isDecimal(field) ? 'decimal' : 'numeric'}
      className="number"
      autoComplete="off"
      value={text}
      disabled={isDisabled}
      autoFocus={isFocused}
      required={field.required}
      aria-invalid={isInvalid}
      aria-describedby={describedBy}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

export const number: FieldKind = {
  name: 'number',
  isRightAligned: true,
  format,
  print,
  parse,
  Cell: NumberCell,
  Input: NumberInput,
  Filter: rangeFilter({ parse, print }, 'text'),
};

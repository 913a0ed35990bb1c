/** Numbers in the format of the reader, with all digits. */
import { isDecimal, type Value } from '../api/catalogue.ts';
import { editableNumber, formatDigits } from '../i18n/numbers.ts';
import { rangeFilter } from './filters.tsx';
import type { FieldKind, FieldPlace, InputProps } from './kind.ts';
import { parseCell } from './parse.ts';
import { text, textAttributes, textCell } from './text.tsx';

/** Identifiers have no thousands separators. */
const IDENTIFIERS = /(^|_)(id|code|barcode|ean|gtin|isbn|zip|year|number)$/;

function format({ collection, field }: FieldPlace, value: Value): string {
  if (collection.key.includes(field) || IDENTIFIERS.test(field.name)) return String(value);
  return formatDigits(String(value), isDecimal(field) ? 2 : 0);
}

const print = (_place: FieldPlace, value: Value): string => editableNumber(String(value));

function NumberInput(props: InputProps) {
  return (
    <input
      {...textAttributes(props)}
      type="text"
      inputMode={isDecimal(props.field) ? 'decimal' : 'numeric'}
      className="number"
      autoComplete="off"
      required={props.field.required}
    />
  );
}

export const number: FieldKind = {
  ...text,
  name: 'number',
  isRightAligned: true,
  format,
  print,
  Cell: textCell(format),
  Input: NumberInput,
  Filter: rangeFilter({ parse: parseCell, print }, 'text'),
};

/** Numbers in the format of the reader, with all digits. */
import type { ColumnNotation } from '../../../import/notation.ts';
import { isDecimal, type Value } from '../api/catalogue.ts';
import { editableNumber, formatDigits } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { parseNotated } from './columns.ts';
import { rangeFilter } from './filters.tsx';
import type { FieldKind, FieldPlace, InputProps, Parsed } from './kind.ts';
import { parsePlain } from './rules.ts';
import { textAttributes, textCell } from './text.tsx';

/** Identifiers have no thousands separators. */
const IDENTIFIERS = /(^|_)(id|code|barcode|ean|gtin|isbn|zip|year|number)$/;

function format({ collection, field }: FieldPlace, value: Value): string {
  if (collection.key.includes(field) || IDENTIFIERS.test(field.name)) return String(value);
  return formatDigits(String(value), isDecimal(field) ? 2 : 0);
}

const print = (_place: FieldPlace, value: Value): string => editableNumber(String(value));

function parse({ field }: FieldPlace, text: string, notation?: ColumnNotation): Parsed {
  return parseNotated(field, text, notation, (plain) =>
    plain === undefined ? { problem: t.errors.notANumber(text) } : parsePlain(field, plain),
  );
}

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
  name: 'number',
  isRightAligned: true,
  format,
  print,
  parse,
  Cell: textCell(format),
  Input: NumberInput,
  Filter: rangeFilter({ parse, print }, 'text'),
};

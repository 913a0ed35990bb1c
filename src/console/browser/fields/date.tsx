/** Dates and times, with the browser's own inputs. A point in time is shown and entered in local time. */
import type { ColumnNotation } from '../../../import/notation.ts';
import type { Value } from '../api/catalogue.ts';
import { parseNotated } from './columns.ts';
import { dateInputOf, editableTime, formatDate, readTime } from './dates.ts';
import { rangeFilter } from './filters.tsx';
import type { FieldKind, FieldPlace, InputProps, Parsed } from './kind.ts';
import { parsePlain } from './rules.ts';
import { textAttributes, textCell } from './text.tsx';

const format = ({ field }: FieldPlace, value: Value): string => formatDate(field, String(value));

const print = ({ field }: FieldPlace, value: Value): string => editableTime(field, String(value)) ?? String(value);

function parse({ field }: FieldPlace, text: string, notation?: ColumnNotation): Parsed {
  return parseNotated(field, text, notation, (plain) => parsePlain(field, readTime(field, plain ?? text.trim())));
}

function DateInput(props: InputProps) {
  const { field, text } = props;
  return (
    <input
      {...textAttributes(props)}
      type={dateInputOf(field, text)}
      step={field.type.input === 'date' ? undefined : 'any'}
      required={field.required}
    />
  );
}

export const date: FieldKind = {
  name: 'date',
  format,
  print,
  parse,
  Cell: textCell(format),
  Input: DateInput,
  Filter: rangeFilter({ parse, print }, 'date'),
};

/** Dates and times, with the browser's own inputs. A point in time is shown and entered in local time. */
import type { Value } from '../api/catalogue.ts';
import { dateInputOf, editableTime, formatDate, readTime } from './dates.ts';
import { rangeFilter } from './filters.tsx';
import type { FieldKind, FieldPlace, InputProps, Parsed } from './kind.ts';
import { parsePlain } from './rules.ts';
import { textAttributes, textCell } from './text.tsx';

const format = ({ field }: FieldPlace, value: Value): string => formatDate(field, String(value));

const print = ({ field }: FieldPlace, value: Value): string => editableTime(field, String(value)) ?? String(value);

/** Day, month and year as people write them: 31.12.2026, 31/12/2026. */
const DAY_FIRST = /^(\d{1,2})[./](\d{1,2})[./](\d{4})(?=$|[ T])/;

function parse({ field }: FieldPlace, text: string): Parsed {
  const plain = text
    .trim()
    .replace(DAY_FIRST, (_all, day, month, year) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
  return parsePlain(field, readTime(field, plain));
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

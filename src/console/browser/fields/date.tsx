/** Dates and times, with the browser's own inputs. A point in time is shown and entered in local time. */
import type { Value } from '../api/catalogue.ts';
import { dateInputOf, editableTime, formatDate, readTime } from './dates.ts';
import { rangeFilter } from './filters.tsx';
import type { CellProps, FieldKind, FieldPlace, InputProps, Parsed } from './kind.ts';
import { parsePlain } from './rules.ts';

const format = ({ field }: FieldPlace, value: Value): string =>
  value === null ? '' : formatDate(field, String(value));

function print({ field }: FieldPlace, value: Value): string {
  return value === null ? '' : (editableTime(field, String(value)) ?? String(value));
}

/** Day, month and year as people write them: 31.12.2026, 31/12/2026. */
const DAY_FIRST = /^(\d{1,2})[./](\d{1,2})[./](\d{4})(?=$|[ T])/;

function parse({ field }: FieldPlace, text: string): Parsed {
  const plain = text
    .trim()
    .replace(DAY_FIRST, (_all, day, month, year) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
  return parsePlain(field, readTime(field, plain));
}

function DateCell({ collection, field, row }: CellProps) {
  return <>{format({ collection, field }, row[field.name] ?? null)}</>;
}

function DateInput({ field, id, text, onChange, isInvalid, isDisabled, isFocused, describedBy }: InputProps) {
  return (
    <input
      id={id}
      type={dateInputOf(field, text)}
      step={field.type.input === 'date' ? undefined : 'any'}
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

export const date: FieldKind = {
  name: 'date',
  format,
  print,
  parse,
  Cell: DateCell,
  Input: DateInput,
  Filter: rangeFilter({ parse, print }, 'date'),
};

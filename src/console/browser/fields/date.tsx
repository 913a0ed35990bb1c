/** Dates and times, with the browser's own inputs. A point in time is shown and entered in local time. */
import type { Value } from '../api/catalogue.ts';
import { dateInputOf, editableTime, formatDate } from './dates.ts';
import { rangeFilter } from './filters.tsx';
import type { FieldKind, FieldPlace, InputProps } from './kind.ts';
import { parseCell } from './parse.ts';
import { textAttributes, textCell } from './text.tsx';

const format = ({ field }: FieldPlace, value: Value): string => formatDate(field, String(value));

const print = ({ field }: FieldPlace, value: Value): string => editableTime(field, String(value)) ?? String(value);

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
  parse: parseCell,
  Cell: textCell(format),
  Input: DateInput,
  Filter: rangeFilter({ parse: parseCell, print }, 'date'),
};

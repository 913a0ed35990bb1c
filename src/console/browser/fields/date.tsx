/** Dates and times, with the browser's own inputs. A point in time is shown and entered in local time. */
import type { Value } from '../api/catalogue.ts';
import { Options } from '../components/inputs.tsx';
import { t } from '../i18n/text.ts';
import { dateInputOf, editableTime, formatDate } from './dates.ts';
import { operandOf, rangeFilter } from './filters.tsx';
import type { FieldKind, FieldPlace, FilterProps, InputProps } from './kind.ts';
import { parseCell } from './parse.ts';
import { text as plainText, textAttributes, textCell } from './text.tsx';

const format = ({ field }: FieldPlace, value: Value): string => formatDate(field, String(value));

const print = ({ field }: FieldPlace, value: Value): string => editableTime(field, String(value)) ?? String(value);

/** The text of a date whose parts are not all there: the browser's input has no value then, as if it were empty. */
const INCOMPLETE = '…';

function DateInput(props: InputProps) {
  const { field, onChange } = props;
  const text = props.text === INCOMPLETE ? '' : props.text;
  const report = ({ currentTarget: { value, validity } }: { readonly currentTarget: HTMLInputElement }) => {
    const next = validity.badInput ? INCOMPLETE : value;
    if (next !== props.text) onChange(next);
  };
  return (
    <input
      {...textAttributes({ ...props, text })}
      type={dateInputOf(field, text)}
      onChange={report}
      // The first part changes no value.
      onKeyUp={report}
      step={field.type.input === 'date' ? undefined : 'any'}
      required={field.required}
    />
  );
}

const DateRange = rangeFilter({ parse: parseCell, print }, 'date');

/** A period that moves with the day, or a range. */
function DateFilter(props: FilterProps) {
  const period = operandOf(props.conditions, 'during');
  if (props.field.type.input === 'time') return <DateRange {...props} />;
  return (
    <div className="stack">
      <select
        aria-label={t.find.period}
        value={period}
        onChange={({ target }) => props.onChange(target.value === '' ? [] : [`during.${target.value}`])}
      >
        <option value="">{t.find.anyPeriod}</option>
        <Options of={t.find.periods} />
      </select>
      {period === '' && <DateRange {...props} />}
    </div>
  );
}

export const date: FieldKind = {
  ...plainText,
  name: 'date',
  format,
  print,
  Cell: textCell(format),
  Input: DateInput,
  Filter: DateFilter,
};

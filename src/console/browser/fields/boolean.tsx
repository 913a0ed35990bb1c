/** Booleans, and numbers that are used as a flag: anything but 0 is yes. */
import { readFlag } from '../../../import/flags.ts';
import type { Value } from '../api/catalogue.ts';
import { Icon } from '../components/icon.tsx';
import { t } from '../i18n/text.ts';
import type { CellProps, FieldKind, FieldPlace, InputProps } from './kind.ts';
import { parseCell } from './parse.ts';
import { inputAttributes, textAttributes } from './text.tsx';

const isYes = (value: Value): boolean => value !== null && value !== 0 && value !== false;

const print = (_place: FieldPlace, value: Value): string => (isYes(value) ? t.app.yes : t.app.no);

function BooleanCell({ field, row }: CellProps) {
  const value = row[field.name] ?? null;
  if (value === null || !isYes(value)) return <span className="visually-hidden">{value === null ? '' : t.app.no}</span>;
  return <Icon name="check" label={t.app.yes} />;
}

function BooleanInput(props: InputProps) {
  const isOn = readFlag(props.text) === true;
  if (props.field.required)
    return (
      <input
        {...inputAttributes(props)}
        type="checkbox"
        role="switch"
        checked={isOn}
        aria-checked={isOn}
        onChange={({ target }) => props.onChange(target.checked ? t.app.yes : t.app.no)}
      />
    );
  return (
    <select {...textAttributes(props)}>
      <option value="">{t.app.empty}</option>
      <option>{t.app.yes}</option>
      <option>{t.app.no}</option>
    </select>
  );
}

export const boolean: FieldKind = {
  name: 'boolean',
  format: print,
  print,
  parse: parseCell,
  Cell: BooleanCell,
  Input: BooleanInput,
};

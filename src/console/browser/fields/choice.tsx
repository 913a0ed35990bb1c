/** Fields with a few allowed values (`oneOf`), each with a colour of its own. */
import type { CSSProperties } from 'react';
import { t } from '../i18n/text.ts';
import type { CellProps, FieldKind, InputProps } from './kind.ts';
import { text, textAttributes } from './text.tsx';

function ChoiceCell({ field, row }: CellProps) {
  const value = row[field.name] ?? null;
  if (value === null) return null;
  const at = field.rules.oneOf!.findIndex((each) => String(each) === String(value));
  return (
    <span className="tag coloured" style={{ '--hue': at * HUE_STEP + FIRST_HUE } as CSSProperties}>
      {String(value)}
    </span>
  );
}

/** Degrees of the colour circle: neighbours in the declaration differ clearly, and red, which alarms, comes late. */
const HUE_STEP = 202.5;
const FIRST_HUE = 250;

function ChoiceInput(props: InputProps) {
  const { field, text: chosen } = props;
  return (
    <select {...textAttributes(props)}>
      {(!field.required || chosen === '') && <option value="">{t.fields.choose}</option>}
      {field.rules.oneOf!.map((value) => (
        <option key={String(value)}>{String(value)}</option>
      ))}
    </select>
  );
}

export const choice: FieldKind = {
  ...text,
  name: 'choice',
  Cell: ChoiceCell,
  Input: ChoiceInput,
  Filter: undefined,
};

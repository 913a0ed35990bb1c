/** Fields with a few allowed values (`oneOf`). */
import { t } from '../i18n/text.ts';
import type { CellProps, FieldKind, InputProps } from './kind.ts';
import { text, textAttributes } from './text.tsx';

function ChoiceCell({ field, row }: CellProps) {
  const value = row[field.name] ?? null;
  return value === null ? null : <span className="tag">{String(value)}</span>;
}

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

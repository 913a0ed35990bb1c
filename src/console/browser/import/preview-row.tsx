/** A row of the preview: its result, its changes, and its bad cells as inputs. */
import { type KeyboardEvent, useState } from 'react';
import { type Field, labelOf } from '../api/catalogue.ts';
import { formatValue, kindOf } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import type { ImportOptions } from './columns.ts';
import type { RowPlan } from './plan.ts';
import { cellText } from './sheet.ts';

const LONGEST_CELL = 200;

interface PreviewRowProps {
  readonly options: ImportOptions;
  readonly at: number;
  readonly plan: RowPlan;
  readonly onFix: (column: number, text: string) => void;
}

export function PreviewRow({ options, at, plan, onFix }: PreviewRowProps) {
  const { collection, sheet, mapping } = options;
  const { line, cells, broken } = sheet.rows[at]!;
  const faults = plan.kind === 'bad' ? plan.faults : [];
  return (
    <tr data-plan={plan.kind}>
      <td>{line}</td>
      <td className={plan.kind === 'bad' ? 'problem' : ''}>
        {faults.length === 0
          ? t.importing.kinds[plan.kind]
          : faults.map(({ message }) => <div key={message}>{message}</div>)}
        {broken !== undefined && <code>{broken.text.slice(0, LONGEST_CELL)}</code>}
      </td>
      {sheet.columns.map((name, column) => {
        const field = mapping[column];
        const isBad = field !== undefined && broken === undefined && faults.some((fault) => fault.field === field.name);
        const isNumber = field !== undefined && kindOf({ collection, field }).isRightAligned === true;
        const text = cellText(cells[column]);
        return (
          <td
            key={name}
            data-bad={isBad}
            className={`${field === undefined ? 'ignored' : ''}${isNumber ? ' number' : ''}`}
          >
            {isBad ? (
              <CellInput
                label={t.importing.cellOf(labelOf(field), line)}
                text={text}
                onFix={(typed) => onFix(column, typed)}
              />
            ) : (
              <Shown options={options} plan={plan} field={field} text={text} />
            )}
          </td>
        );
      })}
    </tr>
  );
}

interface ShownProps {
  readonly options: ImportOptions;
  readonly plan: RowPlan;
  readonly field: Field | undefined;
  readonly text: string;
}

/** The cell as in the file, or the old and the new value. */
function Shown({ options: { collection }, plan, field, text }: ShownProps) {
  const isChanged =
    field !== undefined &&
    (plan.kind === 'change' || plan.kind === 'exists') &&
    (field.name in plan.changes || field.name in plan.pending);
  if (!isChanged) return <>{text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text}</>;
  const place = { collection, field };
  return (
    <span data-change={field.name}>
      <del>{formatValue(place, plan.stored[field.name])}</del>
      {' → '}
      <ins>{plan.pending[field.name] ?? formatValue(place, plan.changes[field.name])}</ins>
    </span>
  );
}

interface CellInputProps {
  readonly label: string;
  readonly text: string;
  readonly onFix: (text: string) => void;
}

/** An input for a bad cell. It reports a new value on blur, or on Enter, which moves to the next bad cell. */
function CellInput({ label, text, onFix }: CellInputProps) {
  const [typed, setTyped] = useState(text);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter') return;
    const input = event.currentTarget;
    const all = [...document.querySelectorAll<HTMLInputElement>('td[data-bad=true] input')];
    const next = all[all.indexOf(input) + 1];
    if (next === undefined) input.blur();
    else next.focus();
  };
  return (
    <input
      aria-label={label}
      aria-invalid
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={() => typed !== text && onFix(typed)}
      onKeyDown={onKeyDown}
    />
  );
}

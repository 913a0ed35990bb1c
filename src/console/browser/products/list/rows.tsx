/** The rows of the grid. A row renders again only if its own data changes. */
import { type ComponentProps, type MouseEvent, memo, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import type { Field } from '../../../../collection/declaration.ts';
import { fieldNamed, type KeyedRow, key, titleOf } from '../../shared/api/collection.ts';
import { mayWrite } from '../../shared/api/rights.ts';
import { ProblemInPlace } from '../../shared/page/problem.tsx';
import { DeleteRow } from '../form/deletion-dialog.tsx';
import { columnClass } from './grid-style.ts';
import { type Draft, type EditingActions, useEditing } from './inline-editing.tsx';
import { RowActions } from './row-actions.tsx';
import { CellInput, CellValue } from './row-cell.tsx';
import { type SelectionActions, useSelection } from './selection.tsx';
import { useShownRows } from './visible-rows.tsx';

export function Rows({ columns }: { readonly columns: readonly Field[] }) {
  const { rows, created } = useShownRows();
  const { ids: selected, actions: selecting } = useSelection();
  const { draft, actions } = useEditing();
  const [deleting, setDeleting] = useState<KeyedRow>();
  const navigate = useNavigate();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click targets are links, which handle keys themselves
    <tbody onClick={(event) => followLink(event, navigate)}>
      {rows.map((record) => (
        <Row
          key={record.id}
          record={record}
          columns={columns.map(({ name }) => name).join()}
          draft={draft?.original.row.id === record.id ? draft : undefined}
          actions={actions}
          isSelected={selected.includes(record.id)}
          isNew={record.id === created}
          selecting={selecting}
          remove={setDeleting}
        />
      ))}
      {deleting !== undefined && <DeleteRow record={deleting} close={() => setDeleting(undefined)} />}
    </tbody>
  );
}

/**
 * One click handler for the links of all rows. A router link per row would take longer to render than the rest of the
 * row.
 */
function followLink(event: MouseEvent, navigate: (to: string) => void): void {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  const href = (event.target as Element).closest('a')?.getAttribute('href');
  if (!isPlain || !href?.startsWith('#/')) return;
  event.preventDefault();
  navigate(href.slice(1));
}

const isChangeable = (field: Field) => field !== key && mayWrite(field, false);

interface RowProps {
  readonly record: KeyedRow;
  /** The column names as one string, so that memo can compare them. */
  readonly columns: string;
  readonly draft: Draft | undefined;
  readonly actions: EditingActions;
  readonly isSelected: boolean;
  /** Whether the row was just created. */
  readonly isNew: boolean;
  readonly selecting: SelectionActions;
  readonly remove: (record: KeyedRow) => void;
}

const Row = memo(function Row({ record, columns, draft, actions, isSelected, isNew, selecting, remove }: RowProps) {
  const shown = columns.split(',').flatMap((name) => fieldNamed(name) ?? []);
  const onClick: ComponentProps<'input'>['onClick'] = (event) => selecting.toggle(record.id, event.shiftKey);
  return (
    <>
      <tr className={`${isSelected ? 'selected' : ''} ${isNew ? 'new' : ''}`}>
        <td className="select">
          <input
            type="checkbox"
            aria-label={`Select ${titleOf(record)}`}
            checked={isSelected}
            onClick={onClick}
            // Only the click event knows whether Shift is pressed; the change event does not.
            onChange={() => undefined}
          />
        </td>
        {shown.map((field) => (
          <td
            key={field.name}
            className={columnClass(field)}
            onDoubleClick={() => isChangeable(field) && draft === undefined && actions.begin(record.id, field.name)}
          >
            {draft === undefined || !isChangeable(field) ? (
              <div className="value" title={longText(record[field.name])}>
                <CellValue field={field} record={record} />
              </div>
            ) : (
              <CellInput field={field} draft={draft} actions={actions} />
            )}
          </td>
        ))}
        <td className="right">
          <RowActions
            record={record}
            isEdited={draft !== undefined}
            isSaving={draft?.isSaving === true}
            actions={actions}
            remove={remove}
          />
        </td>
      </tr>
      {draft !== undefined && <Refused draft={draft} columns={shown.length + 2} />}
    </>
  );
});

/** Shows a truncated text as a tooltip. */
function longText(value: unknown): string | undefined {
  return typeof value === 'string' && value.length > 30 ? value : undefined;
}

/** The error of a failed save, below the row. */
function Refused({ draft: { faults, error }, columns }: { readonly draft: Draft; readonly columns: number }) {
  const words = Object.values(faults);
  if (words.length === 0 && error === undefined) return null;
  return (
    <tr>
      <td colSpan={columns} className="refused">
        <ProblemInPlace error={words.length > 0 ? new Error(words.join(' ')) : error} />
      </td>
    </tr>
  );
}

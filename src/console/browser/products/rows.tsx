/** The rows of the grid: a row is drawn again only when something of its own has changed. */
import { useDataTableCallbacksContext, useDataTableDataContext, useDataTableSelectedIdsContext } from 'ra-core';
import { type ComponentProps, memo, useState } from 'react';
import type { Field } from '../../../collection/declaration.ts';
import { fieldNamed, key, type Record_, titleOf } from '../shared/collection.ts';
import { mayWrite } from '../shared/rights.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { columnClass } from './grid-style.ts';
import { type Draft, type EditingActions, useEditing } from './inline-editing.tsx';
import { RowActions } from './row-actions.tsx';
import { CellInput, CellValue } from './row-cell.tsx';

export function Rows({ columns }: { readonly columns: readonly Field[] }) {
  const data = useDataTableDataContext<Record_>() ?? [];
  const selected = useDataTableSelectedIdsContext() ?? [];
  const { handleToggleItem } = useDataTableCallbacksContext();
  const { draft, actions } = useEditing();
  const [deleting, setDeleting] = useState<Record_>();
  return (
    <tbody>
      {data.map((record) => (
        <Row
          key={record.id}
          record={record}
          columns={columns.map(({ name }) => name).join()}
          draft={draft?.row.id === record.id ? draft : undefined}
          actions={actions}
          isSelected={selected.includes(record.id)}
          select={handleToggleItem}
          remove={setDeleting}
        />
      ))}
      {deleting !== undefined && <DeleteDialog record={deleting} close={() => setDeleting(undefined)} />}
    </tbody>
  );
}

const isWritable = (field: Field) => field !== key && mayWrite(field, false);

interface RowProps {
  readonly record: Record_;
  /** The names of the columns, as one text, which is the same as long as they are. */
  readonly columns: string;
  readonly draft: Draft | undefined;
  readonly actions: EditingActions;
  readonly isSelected: boolean;
  readonly select: ReturnType<typeof useDataTableCallbacksContext>['handleToggleItem'];
  readonly remove: (record: Record_) => void;
}

const Row = memo(function Row({ record, columns, draft, actions, isSelected, select, remove }: RowProps) {
  const shown = columns.split(',').flatMap((name) => fieldNamed(name) ?? []);
  const onClick: ComponentProps<'input'>['onClick'] = (event) => void select?.(record.id, event as never);
  return (
    <tr className={isSelected ? 'selected' : ''}>
      <td className="select">
        <input
          type="checkbox"
          aria-label={`Select ${titleOf(record)}`}
          checked={isSelected}
          onClick={onClick}
          // With the shift key a click selects a range: the click says so, the change does not.
          onChange={() => undefined}
        />
      </td>
      {shown.map((field) => (
        <td
          key={field.name}
          className={columnClass(field)}
          onDoubleClick={() => isWritable(field) && draft === undefined && void actions.begin(record.id, field.name)}
        >
          {draft === undefined || !isWritable(field) ? (
            <CellValue field={field} record={record} />
          ) : (
            <CellInput field={field} draft={draft} actions={actions} />
          )}
        </td>
      ))}
      <td className="right">
        <RowActions record={record} isEdited={draft !== undefined} actions={actions} remove={remove} />
      </td>
    </tr>
  );
});

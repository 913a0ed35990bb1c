/** The buttons at the end of a row: edit in place and delete; while editing, save and cancel. */
import Check from '@mui/icons-material/Check';
import Close from '@mui/icons-material/Close';
import Delete from '@mui/icons-material/Delete';
import Edit from '@mui/icons-material/Edit';
import { type ReactNode, type Ref, useEffect, useRef } from 'react';
import { fields, fieldWith, key, type Record_, titleOf } from '../shared/collection.ts';
import type { EditingActions } from './inline-editing.tsx';

interface RowActionsProps {
  readonly record: Record_;
  readonly isEdited: boolean;
  readonly actions: EditingActions;
  readonly remove: (record: Record_) => void;
}

export function RowActions({ record, isEdited, actions: { begin, save, cancel }, remove }: RowActionsProps) {
  const title = titleOf(record);
  const editButton = useRef<HTMLButtonElement>(null);
  const wasEdited = useRef(isEdited);
  // Whoever has typed in the row goes on from there, not from the top of the page.
  useEffect(() => {
    if (wasEdited.current && !isEdited && document.activeElement === document.body) editButton.current?.focus();
    wasEdited.current = isEdited;
  }, [isEdited]);
  if (isEdited) {
    return (
      <div className="actions">
        <Action label="Save" title={title} run={() => void save()} icon={<Check fontSize="small" color="primary" />} />
        <Action label="Cancel" title={title} run={cancel} icon={<Close fontSize="small" />} />
      </div>
    );
  }
  const first = fieldWith('title') ?? fields.find((field) => field !== key) ?? key;
  const edit = () => begin(record.id, first.name);
  return (
    <div className="actions">
      <Action label="Edit in place" title={title} run={edit} icon={<Edit fontSize="small" />} element={editButton} />
      <Action label="Delete" title={title} run={() => remove(record)} icon={<Delete fontSize="small" />} />
    </div>
  );
}

interface ActionProps {
  readonly label: string;
  readonly title: string;
  readonly run: () => void;
  readonly icon: ReactNode;
  readonly element?: Ref<HTMLButtonElement>;
}

function Action({ label, title, run, icon, element }: ActionProps) {
  return (
    <button ref={element} type="button" title={label} aria-label={`${label}: ${title}`} onClick={run}>
      {icon}
    </button>
  );
}

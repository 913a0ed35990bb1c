/** The buttons of a row: edit and delete, or save and cancel during an edit. */
import { type Ref, useEffect, useRef } from 'react';
import { fields, type KeyedRow, key, titleField, titleOf } from '../../shared/api/collection.ts';
import { mayDelete, mayUpdate, mayWrite } from '../../shared/api/rights.ts';
import { Icon, type IconName } from '../../shared/page/icon.tsx';
import type { EditingActions } from './inline-editing.tsx';

interface RowActionsProps {
  readonly record: KeyedRow;
  readonly isEdited: boolean;
  readonly isSaving: boolean;
  readonly actions: EditingActions;
  readonly remove: (record: KeyedRow) => void;
}

export function RowActions({ record, isEdited, isSaving, actions: { begin, save, cancel }, remove }: RowActionsProps) {
  const title = titleOf(record);
  const editButton = useRef<HTMLButtonElement>(null);
  const wasEdited = useRef(isEdited);
  // After an edit, keep the focus in the row instead of the top of the page.
  useEffect(() => {
    if (wasEdited.current && !isEdited && document.activeElement === document.body) editButton.current?.focus();
    wasEdited.current = isEdited;
  }, [isEdited]);
  if (isEdited) {
    return (
      <div className="actions">
        <Action label="Save" title={title} run={() => void save()} icon="check" isDisabled={isSaving} />
        <Action label="Cancel" title={title} run={cancel} icon="close" />
      </div>
    );
  }
  const writable = fields.filter((field) => field !== key && mayWrite(field, false));
  const first = writable.find((field) => field === titleField) ?? writable[0] ?? key;
  const edit = () => begin(record.id, first.name);
  return (
    <div className="actions">
      {mayUpdate && <Action label="Edit in place" title={title} run={edit} icon="edit" element={editButton} />}
      {mayDelete && <Action label="Delete" title={title} run={() => remove(record)} icon="delete" />}
    </div>
  );
}

interface ActionProps {
  readonly label: string;
  readonly title: string;
  readonly run: () => void;
  readonly icon: IconName;
  readonly isDisabled?: boolean;
  readonly element?: Ref<HTMLButtonElement>;
}

function Action({ label, title, run, icon, isDisabled = false, element }: ActionProps) {
  return (
    <button
      ref={element}
      type="button"
      title={label}
      aria-label={`${label}: ${title}`}
      onClick={run}
      disabled={isDisabled}
    >
      <Icon name={icon} />
    </button>
  );
}

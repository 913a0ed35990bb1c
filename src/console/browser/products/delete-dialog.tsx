/** Deleting a row: asked first, done at once, and taken back on request, with the same id. */
import { Confirm, useNotify, useRefresh } from 'react-admin';
import { deleteRows, insertRows } from '../shared/api.ts';
import { type Record_, titleOf } from '../shared/collection.ts';
import { messageOf } from '../shared/http.ts';
import { offerUndo } from '../shared/undo.tsx';

interface DeleteDialogProps {
  readonly record: Record_;
  readonly close: () => void;
  /** When the row is gone, whoever deleted it. */
  readonly afterwards?: () => void;
}

export function DeleteDialog({ record, close, afterwards }: DeleteDialogProps) {
  const refresh = useRefresh();
  const notify = useNotify();
  const title = titleOf(record);

  const remove = async () => {
    close();
    try {
      const rows = await deleteRows([record.id]);
      if (rows.length === 0) notify(`${title} was deleted already, by someone else.`, { type: 'warning' });
      else offerUndo(`${title} was deleted.`, () => insertRows(rows));
      afterwards?.();
    } catch (error) {
      notify(messageOf(error), { type: 'error' });
    }
    refresh();
  };

  return (
    <Confirm
      isOpen
      title={`Delete ${title}?`}
      content="It is removed from the catalogue at once. You can undo this for a moment afterwards."
      confirm="Delete"
      confirmColor="warning"
      onConfirm={() => void remove()}
      onClose={close}
    />
  );
}

/** What can be done to a selection: change one field of all, or delete them all; both can be undone. */
import Delete from '@mui/icons-material/Delete';
import Edit from '@mui/icons-material/EditNote';
import { Button } from '@mui/material';
import { useState } from 'react';
import { Confirm, useListContext, useNotify, useRefresh } from 'react-admin';
import { type Changes, changeRows, deleteRows, insertRows, restoreFields } from '../shared/api.ts';
import { collectionName } from '../shared/collection.ts';
import { messageOf } from '../shared/http.ts';
import { counted } from '../shared/numbers.ts';
import { mayDelete } from '../shared/rights.ts';
import { offerUndo } from '../shared/undo.tsx';
import { BulkEditDialog, CHANGEABLE } from './bulk-edit-dialog.tsx';

export function BulkActions() {
  const { selectedIds, onUnselectItems } = useListContext();
  const ids = (selectedIds ?? []).map(Number);
  const [asking, setAsking] = useState<'edit' | 'delete'>();
  const notify = useNotify();
  const refresh = useRefresh();
  const named = (count: number) => counted(count, collectionName.replace(/s$/, ''), collectionName);

  const attempt = async (work: () => Promise<void>) => {
    setAsking(undefined);
    try {
      await work();
      onUnselectItems();
    } catch (error) {
      notify(messageOf(error), { type: 'error', multiLine: true });
    }
    refresh();
  };
  const remove = () =>
    attempt(async () => {
      const rows = await deleteRows(ids);
      offerUndo(`${named(rows.length)} deleted.`, () => insertRows(rows));
    });
  const change = (changes: Changes) =>
    attempt(async () => {
      const before = await changeRows(ids, changes);
      offerUndo(`${named(before.length)} changed.`, () => restoreFields(before, Object.keys(changes)));
    });

  return (
    <>
      {CHANGEABLE.length > 0 && (
        <Button size="small" startIcon={<Edit />} onClick={() => setAsking('edit')}>
          Change a field
        </Button>
      )}
      {mayDelete && (
        <Button size="small" color="error" startIcon={<Delete />} onClick={() => setAsking('delete')}>
          Delete
        </Button>
      )}
      {asking === 'edit' && (
        <BulkEditDialog what={named(ids.length)} apply={change} close={() => setAsking(undefined)} />
      )}
      <Confirm
        isOpen={asking === 'delete'}
        title={`Delete ${named(ids.length)}?`}
        content="They are removed from the catalogue at once. You can undo this for a moment afterwards."
        confirm="Delete"
        confirmColor="warning"
        onConfirm={() => void remove()}
        onClose={() => setAsking(undefined)}
      />
    </>
  );
}

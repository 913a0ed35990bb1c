/** Deleting a row: asked first, done at once, and taken back on request, with the same id. */
import Delete from '@mui/icons-material/Delete';
import { Button, IconButton, Tooltip } from '@mui/material';
import { useState } from 'react';
import { Confirm, useNotify, useRecordContext, useRedirect, useRefresh } from 'react-admin';
import { deleteRows, insertRows } from '../shared/api.ts';
import { collectionName, type Record_, titleOf } from '../shared/collection.ts';
import { messageOf } from '../shared/http.ts';
import { offerUndo } from '../shared/undo.tsx';

interface DeleteButtonProps {
  readonly afterwards: 'list' | 'stay';
}

export function DeleteButton({ afterwards }: DeleteButtonProps) {
  const record = useRecordContext<Record_>();
  const [isAsking, setAsking] = useState(false);
  const redirect = useRedirect();
  const refresh = useRefresh();
  const notify = useNotify();
  if (record === undefined) return null;
  const title = titleOf(record);

  const remove = async () => {
    setAsking(false);
    try {
      const rows = await deleteRows([record.id]);
      if (rows.length === 0) notify(`${title} was deleted already, by someone else.`, { type: 'warning' });
      else offerUndo(`${title} was deleted.`, () => insertRows(rows));
    } catch (error) {
      notify(messageOf(error), { type: 'error' });
    }
    if (afterwards === 'list') redirect('list', collectionName);
    refresh();
  };

  return (
    <>
      {afterwards === 'stay' ? (
        <Tooltip title="Delete">
          <IconButton size="small" aria-label={`Delete ${title}`} onClick={() => setAsking(true)}>
            <Delete fontSize="small" />
          </IconButton>
        </Tooltip>
      ) : (
        <Button color="error" startIcon={<Delete />} onClick={() => setAsking(true)}>
          Delete
        </Button>
      )}
      <Confirm
        isOpen={isAsking}
        title={`Delete ${title}?`}
        content="It is removed from the catalogue at once. You can undo this for a moment afterwards."
        confirm="Delete"
        confirmColor="warning"
        onConfirm={() => void remove()}
        onClose={() => setAsking(false)}
      />
    </>
  );
}

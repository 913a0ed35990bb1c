/** The form's way to delete its row; the list is shown then. */
import Delete from '@mui/icons-material/Delete';
import { Button } from '@mui/material';
import { useState } from 'react';
import { useRecordContext, useRedirect } from 'react-admin';
import { collectionName, type Record_ } from '../shared/collection.ts';
import { DeleteRow } from './deletion-dialog.tsx';

export function DeleteButton() {
  const record = useRecordContext<Record_>();
  const [isAsking, setAsking] = useState(false);
  const redirect = useRedirect();
  if (record === undefined) return null;
  return (
    <>
      <Button color="error" startIcon={<Delete />} onClick={() => setAsking(true)}>
        Delete
      </Button>
      {isAsking && (
        <DeleteRow record={record} close={() => setAsking(false)} afterwards={() => redirect('list', collectionName)} />
      )}
    </>
  );
}

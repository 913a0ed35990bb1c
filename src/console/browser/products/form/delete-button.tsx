/** The delete button of the form. */
import Delete from '@mui/icons-material/Delete';
import { Button } from '@mui/material';
import { useState } from 'react';
import type { KeyedRow } from '../../shared/api/collection.ts';
import { DeleteRow } from './deletion-dialog.tsx';

interface DeleteButtonProps {
  readonly record: KeyedRow;
  readonly afterwards: () => void;
}

export function DeleteButton({ record, afterwards }: DeleteButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button color="error" startIcon={<Delete />} onClick={() => setAsking(true)}>
        Delete
      </Button>
      {isAsking && <DeleteRow record={record} close={() => setAsking(false)} afterwards={afterwards} />}
    </>
  );
}

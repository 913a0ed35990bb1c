/** Asks before rows are deleted. It names what else is deleted, and whether the deletion can be undone. */
import { Button, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle } from '@mui/material';
import { useState } from 'react';
import { useRefresh } from 'react-admin';
import { deletedWithRows, type KeyedRow, titleOf, titleOfCollection } from '../../shared/api/collection.ts';
import { mayRestore, seesWholeRows } from '../../shared/api/rights.ts';
import { ProblemInPlace } from '../../shared/page/problem.tsx';
import { deleteAll, isDeletionUndoable, type Target } from '../../shared/undo/bulk.ts';
import { offerUndo, showMessage } from '../../shared/undo/undo.tsx';

interface DeletionDialogProps {
  readonly what: string;
  readonly isUndoable: boolean;
  readonly apply: () => Promise<void>;
  readonly close: () => void;
}

export function DeletionDialog({ what, isUndoable, apply, close }: DeletionDialogProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      await apply();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <Dialog open onClose={close} aria-labelledby="deletion-title">
      <DialogTitle id="deletion-title" sx={{ overflowWrap: 'anywhere' }}>
        Delete {what}?
      </DialogTitle>
      <DialogContent>
        <DialogContentText>
          {isUndoable
            ? 'You can undo this.'
            : mayRestore
              ? 'This cannot be undone, because there are too many rows.'
              : `This cannot be undone, because you ${
                  seesWholeRows ? 'may not create rows' : 'do not see all fields'
                }.`}
          {deletedWithRows.length > 0 &&
            ` Related rows in ${deletedWithRows.map(titleOfCollection).join(', ')} are also deleted, and undo does not restore them.`}
        </DialogContentText>
        {error !== undefined && <ProblemInPlace error={error} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        <Button onClick={() => void remove()} color="error" variant="contained" disabled={isBusy} autoFocus>
          {error === undefined ? 'Delete' : 'Try again'}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface DeleteRowProps {
  readonly record: KeyedRow;
  readonly close: () => void;
  /** Called when the row no longer exists. */
  readonly afterwards?: () => void;
}

export function DeleteRow({ record, close, afterwards }: DeleteRowProps) {
  const refresh = useRefresh();
  const title = titleOf(record);
  const target: Target = { kind: 'rows', ids: [record.id] };
  const remove = async () => {
    const { count, undo } = await deleteAll(target);
    close();
    afterwards?.();
    refresh();
    if (count === 0) showMessage(`${title} was already deleted by someone else.`, 'warning');
    else if (undo === undefined) showMessage(`${title} was deleted.`, 'success');
    else offerUndo(`${title} was deleted.`, undo);
  };
  return <DeletionDialog what={title} isUndoable={isDeletionUndoable(target)} apply={remove} close={close} />;
}

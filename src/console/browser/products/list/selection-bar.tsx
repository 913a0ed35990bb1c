/** The toolbar of a selection: its size, and actions that change or delete the selected rows. */
import Close from '@mui/icons-material/Close';
import Delete from '@mui/icons-material/Delete';
import Edit from '@mui/icons-material/EditNote';
import { Box, Button, IconButton } from '@mui/material';
import { useState } from 'react';
import { useListContext, useRefresh } from 'react-admin';
import type { Field } from '../../../../collection/declaration.ts';
import type { Value } from '../../../../collection/value.ts';
import { countedRows, type KeyedRow, titleOf } from '../../shared/api/collection.ts';
import { mayDelete } from '../../shared/api/rights.ts';
import {
  type BulkResult,
  changeAll,
  changeEach,
  countOf,
  deleteAll,
  isDeletionUndoable,
  type RowChange,
  type Target,
} from '../../shared/undo/bulk.ts';
import { offerUndo, showMessage } from '../../shared/undo/undo.tsx';
import { BULK_FIELDS, BulkEditDialog } from '../bulk/bulk-edit-dialog.tsx';
import { DeletionDialog } from '../form/deletion-dialog.tsx';
import { selectionBarStyle } from './grid-style.ts';
import { useSelection } from './selection.tsx';

export function SelectionBar() {
  const { target, ids, isWholePage, isAllMatching, actions } = useSelection();
  const { total = 0 } = useListContext();
  if (target === undefined) return null;
  return (
    <Box role="toolbar" aria-label="Selection" sx={selectionBarStyle}>
      <IconButton size="small" aria-label="Unselect" title="Unselect" onClick={actions.clear}>
        <Close fontSize="small" />
      </IconButton>
      <span role="status">
        {isAllMatching ? `All ${countedRows(total)} that match are selected.` : `${countedRows(ids.length)} selected.`}
      </span>
      {isWholePage && !isAllMatching && total > ids.length && (
        <Button size="small" onClick={actions.selectMatching}>
          Select all {countedRows(total)} that match
        </Button>
      )}
      <BulkActions target={target} clear={actions.clear} />
    </Box>
  );
}

/** Rows that a message names; further rows are counted. */
const MAX_NAMES = 3;

function named(rows: readonly KeyedRow[]): string {
  const names = rows.slice(0, MAX_NAMES).map(titleOf).join(', ');
  return rows.length <= MAX_NAMES ? names : `${names} and ${rows.length - MAX_NAMES} more`;
}

function BulkActions({ target, clear }: { readonly target: Target; readonly clear: () => void }) {
  const [asking, setAsking] = useState<'edit' | 'delete'>();
  const refresh = useRefresh();
  const finish = ({ count, undo }: BulkResult, what: string) => {
    setAsking(undefined);
    clear();
    refresh();
    const text = `${countedRows(count)} ${what}.`;
    if (undo === undefined) showMessage(text, 'success');
    else offerUndo(text, undo);
  };
  const change = async (field: Field, value: Value) => finish(await changeAll(target, field, value), 'changed');
  const changeNumbers = async (field: Field, changes: readonly RowChange[]) => {
    const done = await changeEach(changes, field);
    finish(
      done,
      `changed${done.left.length === 0 ? '' : `. Not changed, because someone else changed them first: ${named(done.left)}`}`,
    );
  };
  const remove = async () => finish(await deleteAll(target), 'deleted');
  const what = countedRows(countOf(target));
  const close = () => setAsking(undefined);
  return (
    <Box sx={{ display: 'flex', ml: 'auto' }}>
      {BULK_FIELDS.length > 0 && (
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
        <BulkEditDialog what={what} target={target} apply={change} applyEach={changeNumbers} close={close} />
      )}
      {asking === 'delete' && (
        <DeletionDialog what={what} isUndoable={isDeletionUndoable(target)} apply={remove} close={close} />
      )}
    </Box>
  );
}

/** Taking back a change to one row: only what was changed, and only if nobody has changed it since. */
import { useCallback } from 'react';
import { useNotify } from 'react-admin';
import { changeRow, readRow } from '../shared/api.ts';
import { fields, type Record_, titleOf } from '../shared/collection.ts';
import { offerUndo } from '../shared/undo.tsx';

export function useOfferUndoOfChange(): (before: Record_ | undefined, after: Record_) => void {
  const notify = useNotify();
  return useCallback(
    (before, after) => {
      const names = fields.map(({ name }) => name).filter((name) => before?.[name] !== after[name]);
      if (before === undefined || names.length === 0) return notify('Nothing was changed.', { type: 'info' });
      offerUndo(`${titleOf(after)} was saved.`, async () => {
        const { row, version } = await readRow(after.id);
        if (names.some((name) => row[name] !== after[name])) throw new Error('someone else has changed it since.');
        await changeRow(after.id, Object.fromEntries(names.map((name) => [name, before[name]])), version);
      });
    },
    [notify],
  );
}

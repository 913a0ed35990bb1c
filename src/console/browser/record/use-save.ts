/** Saves and deletes rows, and reports the result. */
import { type Collection, labelOf, type Row, titleOf } from '../api/catalogue.ts';
import { useWrite } from '../api/queries.ts';
import { keyText } from '../api/query/text.ts';
import { queryClient } from '../api/query-client.ts';
import { createRow, deleteRows } from '../api/rows.ts';
import { saveRow } from '../api/save-row.ts';
import { notify, notifyError, notifySaved, undoOf } from '../components/toasts.tsx';
import { t } from '../i18n/text.ts';
import { type DraftOptions, useDraft } from './use-draft.ts';

export type RowForm = ReturnType<typeof useRowForm>;

/** The form of a row, new or stored: its draft, and the save of it. */
export function useRowForm(collection: Collection, row: Row | undefined, options?: DraftOptions) {
  const draft = useDraft(collection, row, options);
  const { isPending, run } = useWrite(collection, async (values: Row) => {
    if (row !== undefined) return saveRow(collection, draft.shown, values);
    // A repeated save after a lost answer stores the row once.
    const { rows, requestId } = await createRow(collection, values, draft.id);
    return { kind: 'created', row: rows[0]!, requestId } as const;
  });
  /** Resolves to the stored row; undefined if nothing was stored, and the form shows why. */
  const save = async (): Promise<Row | undefined> => {
    const values = draft.read();
    if (values === undefined) return undefined;
    try {
      const outcome = await run(values);
      if (outcome === undefined) return undefined;
      const stored = 'row' in outcome ? outcome.row : draft.shown;
      // The reload after a save may fail. The form then shows the values that the service returned.
      const key = ['row', collection.name, keyText(collection, stored)];
      queryClient.setQueryData<Row>(key, (before) => before && { ...before, ...stored });
      if (outcome.kind === 'conflict') {
        draft.showConflict(outcome);
        return undefined;
      }
      draft.settle(draft.texts, stored);
      if (outcome.kind === 'created')
        notify(t.record.created(titleOf(collection, stored)), undoOf('create', collection, outcome.requestId));
      else {
        const merged = outcome.kind === 'saved' ? outcome.merged : [];
        const names = merged.map((name) => labelOf(collection.byName.get(name)!)).join(', ');
        notifySaved(collection, outcome, names === '' ? t.record.saved : t.record.merged(names));
      }
      return stored;
    } catch (failure) {
      if (!draft.showErrors(failure)) notifyError(failure);
      return undefined;
    }
  };
  return { ...draft, isPending, save };
}

/** Deletes a row. Resolves to whether it was deleted. */
export function useDelete(collection: Collection): (row: Row) => Promise<boolean> {
  const { run } = useWrite(collection, (row: Row) => deleteRows(collection, [row]));
  return async (row) => {
    try {
      const written = await run(row);
      if (written !== undefined) notify(t.record.deleted, undoOf('delete', collection, written.requestId));
      return written !== undefined;
    } catch (failure) {
      notifyError(failure);
      return false;
    }
  };
}

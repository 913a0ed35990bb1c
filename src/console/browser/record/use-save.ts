/** Saves the draft of a row, new or stored, and reports the result. */
import { type Collection, labelOf, type Row, titleOf } from '../api/catalogue.ts';
import { useWrite } from '../api/queries.ts';
import { keyText } from '../api/query/keys.ts';
import { queryClient } from '../api/query-client.ts';
import { createRow, deleteRows } from '../api/rows.ts';
import { saveRow } from '../api/save-row.ts';
import { notify, notifyError, notifySaved, undoOf } from '../components/toasts.tsx';
import { t } from '../i18n/text.ts';
import type { Draft } from './use-draft.ts';

/**
 * Writes the values of a draft. `save` resolves to undefined if nothing was stored; the form then shows why. `finish`
 * gets the result of the write, and returns that of the save.
 */
function useDraftWrite<Result, Saved>(
  collection: Collection,
  draft: Draft,
  write: (values: Row) => Promise<Result>,
  finish: (result: Result) => Saved | undefined,
) {
  const { isPending, run } = useWrite(collection, write);
  const save = async (): Promise<Saved | undefined> => {
    const values = draft.read();
    if (values === undefined) return undefined;
    try {
      const result = await run(values);
      return result && finish(result);
    } catch (failure) {
      if (!draft.showErrors(failure)) notifyError(failure);
      return undefined;
    }
  };
  return { isPending, save };
}

/** Saves the changes to a stored row. `save` resolves to true if the row has the wanted values. */
export function useSave(collection: Collection, draft: Draft) {
  const write = (values: Row) => saveRow(collection, draft.shown, values);
  return useDraftWrite(collection, draft, write, (outcome) => {
    if (outcome.kind === 'undecided') return undefined;
    const row = 'row' in outcome ? outcome.row : draft.shown;
    // The reload after a save may fail. The form then shows the values that the service returned.
    const key = ['row', collection.name, keyText(collection, row)];
    queryClient.setQueryData<Row>(key, (before) => before && { ...before, ...row });
    draft.settle(draft.texts, row);
    const merged = outcome.kind === 'saved' ? outcome.merged : [];
    const names = merged.map((name) => labelOf(collection.byName.get(name)!)).join(', ');
    notifySaved(collection, outcome, names === '' ? t.record.saved : t.record.merged(names));
    if (outcome.kind === 'unchanged') notify(t.record.alreadyStored);
    return true;
  });
}

/** Deletes a row. Resolves to whether it was deleted. */
export function useDelete(collection: Collection, row: Row): () => Promise<boolean> {
  const { run } = useWrite(collection, () => deleteRows(collection, [row]));
  return async () => {
    try {
      const written = await run(undefined);
      if (written !== undefined) notify(t.record.deleted, undoOf('delete', collection, written.requestId));
      return written !== undefined;
    } catch (failure) {
      notifyError(failure);
      return false;
    }
  };
}

/** Stores a new row, and resolves to it. A repeated save after a lost answer stores the row once. */
export function useCreate(collection: Collection, draft: Draft) {
  const write = (row: Row) => createRow(collection, row, draft.id);
  return useDraftWrite(collection, draft, write, ({ rows: [row], requestId }) => {
    draft.settle(draft.texts, row!);
    notify(t.record.created(titleOf(collection, row!)), undoOf('create', collection, requestId));
    return row;
  });
}

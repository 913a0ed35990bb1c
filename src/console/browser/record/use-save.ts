/** Saves the draft of a row, new or stored, and reports the result. */
import { type Collection, labelOf, mayUndo, type Row } from '../api/catalogue.ts';
import { queryClient, useWrite } from '../api/queries.ts';
import { keyText } from '../api/query/keys.ts';
import { createRow } from '../api/rows.ts';
import { type SaveOutcome, saveRow } from '../api/save-row.ts';
import { notify, notifyError } from '../app/toasts.tsx';
import { t } from '../i18n/text.ts';
import type { Draft } from './use-draft.ts';

interface Save<Result> {
  readonly isPending: boolean;
  /** Resolves to undefined if nothing was stored. The form then shows why. */
  readonly save: () => Promise<Result | undefined>;
}

/** Saves the changes to a stored row. Resolves to true if the row has the wanted values. */
export function useSave(collection: Collection, draft: Draft): Save<true> {
  const { isPending, run } = useWrite(collection, (values: Row) => saveRow(collection, draft.shown, values));
  return {
    isPending,
    async save() {
      const values = draft.read();
      if (values === undefined) return undefined;
      try {
        const outcome = await run(values);
        if (outcome === undefined || outcome.kind === 'editing') return undefined;
        const row = 'row' in outcome ? outcome.row : draft.shown;
        showAtOnce(collection, row);
        draft.settle(draft.texts, row);
        report(collection, outcome);
        return true;
      } catch (failure) {
        if (!draft.showErrors(failure)) notifyError(failure);
        return undefined;
      }
    },
  };
}

/** The reload after a save may fail. The form then shows the values that the service returned. */
function showAtOnce(collection: Collection, row: Row): void {
  const key = ['row', collection.name, keyText(collection, row)];
  queryClient.setQueryData<Row>(key, (before) => before && { ...before, ...row });
}

function report(collection: Collection, outcome: SaveOutcome): void {
  if (outcome.kind === 'saved') {
    const names = outcome.merged.map((name) => labelOf(collection.byName.get(name)!)).join(', ');
    const undoable = mayUndo('update', collection) ? { requestId: outcome.requestId } : {};
    notify(names === '' ? t.record.saved : t.record.merged(names), undoable);
  }
  if (outcome.kind === 'stored' || outcome.kind === 'unchanged') notify(t.record.alreadyStored);
  if (outcome.kind === 'theirs') notify(t.record.keptTheirs);
}

/** Stores a new row, and resolves to it. A repeated save after a lost answer stores the row once. */
export function useCreate(collection: Collection, draft: Draft): Save<Row> {
  const { isPending, run } = useWrite(collection, (row: Row) => createRow(collection, row, draft.id));
  return {
    isPending,
    async save() {
      const values = draft.read();
      if (values === undefined) return undefined;
      try {
        const written = await run(values);
        if (written === undefined) return undefined;
        draft.settle(draft.texts, written.rows[0]!);
        notify(t.record.created, mayUndo('create', collection) ? { requestId: written.requestId } : {});
        return written.rows[0];
      } catch (failure) {
        if (!draft.showErrors(failure)) notifyError(failure);
        return undefined;
      }
    },
  };
}

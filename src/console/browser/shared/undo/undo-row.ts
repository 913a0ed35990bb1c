/** Undoes the change of one row: only fields that this person changed, and only if they are still unchanged. */

import { changeRow, readRow } from '../api/api.ts';
import { fieldNamed, fields, itemPath, type KeyedRow, labelOf, titleOf } from '../api/collection.ts';
import { ask } from '../api/http.ts';
import { HttpError } from '../api/http-error.ts';
import { mayDelete } from '../api/rights.ts';
import type { Outcome, StoredChange } from '../api/save-row.ts';
import { isSame } from '../values/same.ts';
import { offerUndo, showMessage } from './undo.tsx';

/** Reports the outcome of a save. */
export function reportOutcome(outcome: Outcome): void {
  if (outcome.kind === 'saved') offerUndoOfChange(outcome.change);
  else if (outcome.kind === 'theirs') showMessage("Kept the other person's values. Your changes were not saved.");
  else if (outcome.kind === 'stored') showMessage(`${titleOf(outcome.row)} already holds these values.`);
  else if (outcome.kind === 'unchanged') showMessage('Nothing was changed.');
}

function offerUndoOfChange(change: StoredChange): void {
  const others =
    change.merged.length === 0 ? '' : ` Someone else also changed ${labels(change.merged)}. Both changes are kept.`;
  offerUndo(`${titleOf(change.row)} was saved.${others}`, () => undoChange(change));
}

export function offerUndoOfCreation(row: KeyedRow): void {
  const text = `${titleOf(row)} was created.`;
  if (mayDelete) offerUndo(text, () => undoCreation(row));
  else showMessage(text, 'success');
}

/** Resolves to a message. */
async function undoChange({ row: { id }, before, after }: StoredChange): Promise<string> {
  return retryOnConflict(async () => {
    const { row, version } = await readRow(id);
    const names = Object.keys(after);
    const left = names.filter((name) => !isSame(row[name], after[name]));
    const back = names.filter((name) => !left.includes(name));
    if (back.length > 0) await changeRow(id, Object.fromEntries(back.map((name) => [name, before[name]])), version);
    if (left.length === 0) return 'Undone.';
    const reason = `someone else changed ${labels(left)}`;
    return back.length === 0 ? `Nothing was undone: ${reason}.` : `Undone in part: ${reason}.`;
  });
}

async function undoCreation(created: KeyedRow): Promise<string> {
  return retryOnConflict(async () => {
    const { row, version } = await readRow(created.id);
    const isOurs = fields.every(({ name }) => isSame(row[name], created[name]));
    if (!isOurs) return `Nothing was undone: someone else changed ${titleOf(row)}.`;
    await ask(itemPath(created.id), { method: 'DELETE', headers: { 'if-match': version } });
    return 'Undone.';
  });
}

/** Tries again if the row changes between read and write. */
async function retryOnConflict(attempt: () => Promise<string>): Promise<string> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const status = error instanceof HttpError ? error.status : undefined;
      if (status === 404) return 'Nothing was undone: someone else deleted it.';
      if (status !== 412) throw error;
    }
  }
}

function labels(names: readonly string[]): string {
  return names.map((name) => labelOf(fieldNamed(name)!)).join(', ');
}

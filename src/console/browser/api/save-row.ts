/**
 * Saves the changes to a row without overwriting others. Changes to different fields are merged. If both people changed
 * the same field to different values, nothing is saved: the person sees the stored values, and may save again.
 */

import { isSame } from '../base/same.ts';
import type { Collection, Row } from './catalogue.ts';
import { lastPerson } from './changes.ts';
import { ApiError } from './errors.ts';
import { keyText } from './query/text.ts';
import { changeRows, changesOf, readRow } from './rows.ts';

export type SaveOutcome =
  | { readonly kind: 'saved'; readonly row: Row; readonly requestId: string; readonly merged: readonly string[] }
  /** The person changed nothing. */
  | { readonly kind: 'unchanged' }
  /** The stored row holds these values already: someone else stored them, or the answer to an earlier save was lost. */
  | { readonly kind: 'stored'; readonly row: Row }
  | Conflict;

/** Nothing was saved; `row` is the stored one, in which `person` changed these fields. */
export interface Conflict {
  readonly kind: 'conflict';
  readonly row: Row;
  readonly person: string;
  readonly fields: readonly string[];
}

/** A row that others change again and again is given up after this many attempts. */
const MAX_ATTEMPTS = 5;

/**
 * Saves a row. `shown` is the row that the person saw. The old values of the changed fields are the condition. Saves
 * with one request id are undone together.
 */
export async function saveRow(
  collection: Collection,
  shown: Row,
  values: Row,
  requestId?: string,
): Promise<SaveOutcome> {
  let theirs = shown;
  const mine = changesOf(shown, values);
  if (Object.keys(mine).length === 0) return { kind: 'unchanged' };
  for (let attempt = 1; ; attempt++) {
    const wanted = changesOf(theirs, mine);
    if (Object.keys(wanted).length === 0) return { kind: 'stored', row: theirs };
    const fields = Object.keys(wanted).filter((name) => !isSame(theirs[name], shown[name]));
    if (fields.length > 0)
      return { kind: 'conflict', row: theirs, person: await lastPerson(collection, theirs, fields), fields };
    try {
      const written = await changeRows(collection, [{ row: theirs, changes: wanted }], requestId);
      const row = written.rows[0] ?? { ...theirs, ...wanted };
      const others = changesOf(ownFields(collection, theirs), ownFields(collection, row));
      const merged = Object.keys({ ...changesOf(shown, ownFields(collection, theirs)), ...others });
      return {
        kind: 'saved',
        row,
        requestId: written.requestId,
        merged: merged.filter((name) => isMerged(collection, name, wanted)),
      };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || attempt === MAX_ATTEMPTS) throw error;
    }
    theirs = await readRow(collection, keyText(collection, shown));
  }
}

/** Whether another person changed the field. The service sets or computes some fields itself, and the key stays. */
function isMerged({ byName, key }: Collection, name: string, wanted: Row): boolean {
  const field = byName.get(name);
  if (field === undefined || name in wanted || key.includes(field)) return false;
  return field.onUpdate === undefined && !field.readOnly;
}

function ownFields({ fields }: Collection, row: Row): Row {
  return Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null]));
}

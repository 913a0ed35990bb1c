/**
 * Saves the changes to a row without overwriting others. Changes to different fields are merged. If both people changed
 * the same field to different values, the person decides.
 */

import { isSame } from '../base/same.ts';
import type { Collection, Row } from './catalogue.ts';
import { lastPerson } from './changes.ts';
import { ApiError } from './errors.ts';
import { keyText } from './query/text.ts';
import { type Conflict, conflicts, type Decision } from './questions.ts';
import { changeRows, changesOf, readRow } from './rows.ts';

export type SaveOutcome =
  | { readonly kind: 'saved'; readonly row: Row; readonly requestId: string; readonly merged: readonly string[] }
  /** The person changed nothing. */
  | { readonly kind: 'unchanged' }
  /** The stored row holds these values already: someone else stored them, or the answer to an earlier save was lost. */
  | { readonly kind: 'stored'; readonly row: Row }
  /** The person kept the values of the other person. */
  | { readonly kind: 'theirs'; readonly row: Row }
  /** Nobody decided yet; `row` is the stored one, which `person` changed. */
  | { readonly kind: 'undecided'; readonly row: Row; readonly person: string };

interface SaveOptions {
  /** Ends a conflict; by default a dialog asks. */
  readonly decide?: (conflict: Conflict) => Promise<Decision> | Decision;
  /** Saves with one id are undone together. */
  readonly requestId?: string | undefined;
}

/** A row that others change again and again is given up after this many attempts. */
const MAX_ATTEMPTS = 5;

/**
 * Saves a row. `shown` is the row that the person saw. The old values of the changed fields are the condition.
 */
export async function saveRow(
  collection: Collection,
  shown: Row,
  values: Row,
  { decide = (conflict) => conflicts.ask(conflict), requestId }: SaveOptions = {},
): Promise<SaveOutcome> {
  let base = shown;
  let theirs = shown;
  let mine = changesOf(base, values);
  if (Object.keys(mine).length === 0) return { kind: 'unchanged' };
  for (let attempt = 1; ; ) {
    const wanted = changesOf(theirs, mine);
    if (Object.keys(wanted).length === 0) return { kind: 'stored', row: theirs };
    const disputed = Object.keys(wanted).filter((name) => !isSame(theirs[name], base[name]));
    if (disputed.length > 0) {
      const person = await lastPerson(collection, theirs, disputed);
      const decision = await decide({ collection, mine: wanted, theirs, person, disputed });
      if (decision === undefined) return { kind: 'undecided', row: theirs, person };
      if (Object.keys(decision).length === 0) return { kind: 'theirs', row: theirs };
      mine = decision;
      base = theirs;
      continue;
    }
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
    attempt += 1;
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

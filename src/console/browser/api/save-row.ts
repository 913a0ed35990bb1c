/**
 * Saves the changes to a row without overwriting others. Changes to different fields are merged. If both people changed
 * the same field to different values, the person decides.
 */
import { isSame } from '../fields/same.ts';
import type { Collection, Row } from './catalogue.ts';
import { askForDecision } from './conflict.ts';
import { ApiError } from './errors.ts';
import { keyText } from './keys.ts';
import { changeRow, changesOf, readRow, type Versioned } from './rows.ts';

export type SaveOutcome =
  | { readonly kind: 'saved'; readonly row: Row; readonly requestId: string; readonly merged: readonly string[] }
  /** The person changed nothing. */
  | { readonly kind: 'unchanged' }
  /** The stored row holds these values already: someone else stored them, or the answer to an earlier save was lost. */
  | { readonly kind: 'stored'; readonly row: Row }
  /** The person kept the values of the other person. */
  | { readonly kind: 'theirs'; readonly row: Row }
  /** The person went back to editing. */
  | { readonly kind: 'editing' };

/** Saves a row. `original` is the row that the person saw, with its version if known. */
export async function saveRow(
  collection: Collection,
  original: Partial<Versioned> & Pick<Versioned, 'row'>,
  values: Row,
): Promise<SaveOutcome> {
  const { row: shown } = original;
  const key = keyText(collection, shown);
  const requestId = crypto.randomUUID();
  let base = shown;
  let mine = changesOf(base, values);
  if (Object.keys(mine).length === 0) return { kind: 'unchanged' };
  let current =
    original.version === undefined ? await readRow(collection, key) : { row: base, version: original.version };
  for (;;) {
    const { row: theirs, version } = current;
    const wanted = changesOf(theirs, mine);
    if (Object.keys(wanted).length === 0) return { kind: 'stored', row: theirs };
    const disputed = Object.keys(wanted).filter((name) => !isSame(theirs[name], base[name]));
    if (disputed.length > 0) {
      const decision = await askForDecision({ collection, mine: wanted, base, theirs, disputed });
      if (decision === undefined) return { kind: 'editing' };
      if (Object.keys(decision).length === 0) return { kind: 'theirs', row: theirs };
      mine = decision;
      base = theirs;
      continue;
    }
    try {
      const row = await changeRow(collection, key, wanted, version, requestId);
      const merged = Object.keys(changesOf(shown, ownFields(collection, theirs))).filter((name) => !(name in wanted));
      return { kind: 'saved', row, requestId, merged };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412) throw error;
    }
    current = await readRow(collection, key);
  }
}

function ownFields({ fields }: Collection, row: Row): Row {
  return Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null]));
}

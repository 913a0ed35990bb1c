/**
 * Saves the changes to a row without overwriting others. Changes to different fields are merged. If both people changed
 * the same field to different values, the person decides.
 */

import { isSame } from '../values/same.ts';
import { type Changes, changeRow, readRow, type Versioned } from './api.ts';
import { type Cells, fields, type KeyedRow } from './collection.ts';
import { askForDecision } from './conflict.ts';
import { HttpError } from './http-error.ts';

/** A stored change, with enough data to undo it. */
export interface StoredChange {
  readonly row: KeyedRow;
  readonly before: Cells;
  readonly after: Cells;
  /** Fields that others changed and that were kept. */
  readonly merged: readonly string[];
}

export type Outcome =
  | { readonly kind: 'saved'; readonly change: StoredChange }
  /** The person changed nothing. */
  | { readonly kind: 'unchanged' }
  /** The stored row holds these values already: someone else stored them, or the answer to an earlier save was lost. */
  | { readonly kind: 'stored'; readonly row: KeyedRow }
  /** The person kept the values of the other person. */
  | { readonly kind: 'theirs' }
  /** The person went back to editing. */
  | { readonly kind: 'editing' };

/** Saves a row. `begun` is the row that the person saw, with its version if known. */
export async function saveRow(original: Partial<Versioned> & { row: KeyedRow }, values: Cells): Promise<Outcome> {
  const shown = original.row;
  let base = shown;
  let mine = changesOf(base, values);
  if (Object.keys(mine).length === 0) return { kind: 'unchanged' };
  let current = original.version === undefined ? await readRow(base.id) : { row: base, version: original.version };
  for (;;) {
    const { row: theirs, version } = current;
    const wanted = changesOf(theirs, mine);
    if (Object.keys(wanted).length === 0) return { kind: 'stored', row: theirs };
    const disputed = Object.keys(wanted).filter((name) => !isSame(theirs[name], base[name]));
    if (disputed.length > 0) {
      const decision = await askForDecision({ id: base.id, mine: wanted, base, theirs, disputed });
      if (decision === undefined) return { kind: 'editing' };
      if (Object.keys(decision).length === 0) return { kind: 'theirs' };
      mine = decision;
      base = theirs;
      continue;
    }
    try {
      const saved = await changeRow(base.id, wanted, version);
      return { kind: 'saved', change: changeOf(shown, theirs, saved.row, Object.keys(wanted)) };
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 412) throw error;
    }
    current = await readRow(base.id);
  }
}

export function changesOf(before: Cells, values: Changes): Changes {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !isSame(value, before[name])));
}

function changeOf(shown: Cells, before: Cells, row: KeyedRow, names: readonly string[]): StoredChange {
  const only = (cells: Cells) => Object.fromEntries(names.map((name) => [name, cells[name] ?? null]));
  const merged = fields.map(({ name }) => name).filter((name) => !isSame(shown[name], before[name]));
  return { row, before: only(before), after: only(row), merged: merged.filter((name) => !names.includes(name)) };
}

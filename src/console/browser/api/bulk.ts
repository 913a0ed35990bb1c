/** Changes and deletions of many rows. A row that another person changed or deleted in the meantime is kept. */
import { isSame } from '../fields/same.ts';
import type { Collection, Row } from './catalogue.ts';
import { ask } from './client.ts';
import { ApiError } from './errors.ts';
import { pathOf } from './query/filter-text.ts';
import { keysFilter, keyText } from './query/keys.ts';
import { changeRows, KEYS_PER_REQUEST, type RowEdit, type Written } from './rows.ts';

/** The largest number of rows that one transaction changes by key. */
export const MAX_EDITED_ROWS = 1_000;
const MAX_ATTEMPTS = 5;

export interface BulkOutcome extends Written {
  /** Rows that someone else changed or deleted first. */
  readonly skipped: readonly Row[];
}

/** The stored rows, by key. */
export async function readStored(collection: Collection, rows: readonly Row[]): Promise<ReadonlyMap<string, Row>> {
  const stored = new Map<string, Row>();
  for (let start = 0; start < rows.length; start += KEYS_PER_REQUEST) {
    const part = rows.slice(start, start + KEYS_PER_REQUEST);
    const { json } = await ask(`${pathOf(collection)}?${keysFilter(collection, part)}`);
    for (const row of json as Row[]) stored.set(keyText(collection, row), row);
  }
  return stored;
}

/** Splits edits into those whose rows still have the shown values, and those of changed or deleted rows. */
async function splitByState(collection: Collection, edits: readonly RowEdit[]) {
  const stored = await readStored(
    collection,
    edits.map(({ row }) => row),
  );
  const isUnchanged = ({ row, changes }: RowEdit) => {
    const now = stored.get(keyText(collection, row));
    return now !== undefined && Object.keys(changes).every((name) => isSame(now[name], row[name]));
  };
  return { unchanged: edits.filter(isUnchanged), changed: edits.filter((edit) => !isUnchanged(edit)) };
}

/** Changes rows in one transaction, except those that someone else changed since the person saw them. */
export async function changeUnchangedRows(collection: Collection, edits: readonly RowEdit[]): Promise<BulkOutcome> {
  let left = edits;
  const skipped: Row[] = [];
  for (let attempt = 1; left.length > 0; attempt++) {
    try {
      return { ...(await changeRows(collection, left)), skipped };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || attempt === MAX_ATTEMPTS) throw error;
    }
    const { unchanged, changed } = await splitByState(collection, left);
    skipped.push(...changed.map(({ row }) => row));
    left = unchanged;
  }
  return { requestId: '', rows: [], skipped };
}

/** Changes of many rows. A row that another person changed or deleted in the meantime is kept. */

import { isSame } from '../base/same.ts';
import type { Collection, Row } from './catalogue.ts';
import { ApiError } from './errors.ts';
import { keyText } from './query/keys.ts';
import { changeRows, changesOf, newRequestId, type RowEdit, type Written } from './rows.ts';
import { readStored } from './stored-rows.ts';

/** The largest number of rows that one transaction changes by key. */
export const MAX_EDITED_ROWS = 1_000;
const MAX_ATTEMPTS = 5;
/** Before another attempt if no answer came. */
const PAUSE_MS = 1_000;

export interface BulkOutcome extends Written {
  /** Rows that someone else changed or deleted first. */
  readonly skipped: readonly Row[];
  /** The deleted ones of these. */
  readonly deleted: ReadonlySet<Row>;
}

/**
 * Changes rows in one transaction, except those that someone else changed since the person saw them. If the answer is
 * lost, it compares the stored rows to see whether they were changed.
 */
export async function changeUnchangedRows(
  collection: Collection,
  edits: readonly RowEdit[],
  requestId: string = newRequestId(),
): Promise<BulkOutcome> {
  let left = edits;
  const [rows, skipped, deleted]: [Row[], Row[], Set<Row>] = [[], [], new Set()];
  for (let attempt = 1; left.length > 0; attempt++) {
    try {
      rows.push(...(await changeRows(collection, left, requestId)).rows);
      break;
    } catch (error) {
      // fetch throws a TypeError if no answer came.
      const isLost = error instanceof TypeError;
      const isConflict = error instanceof ApiError && error.status === 412;
      if (!(isLost || isConflict) || attempt === MAX_ATTEMPTS) throw error;
      if (isLost) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    const stored = await readStored(
      collection,
      left.map(({ row }) => row),
    );
    left = left.filter(({ row, changes }) => {
      const now = stored.get(keyText(collection, row));
      if (now === undefined) deleted.add(row);
      else if (Object.keys(changesOf(now, changes)).length === 0) rows.push(now);
      else if (Object.keys(changes).every((name) => isSame(now[name], row[name]))) return true;
      else skipped.push(row);
      return false;
    });
  }
  return { requestId, rows, skipped: [...skipped, ...deleted], deleted };
}

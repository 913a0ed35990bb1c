/** Changes of many rows. A row that another person changed or deleted in the meantime is kept. */
import type { Collection, Row } from './catalogue.ts';
import { keyText } from './query/keys.ts';
import { changesOf, changeUnchanged, newRequestId, type RowEdit, type Written } from './rows.ts';
import { readStored } from './stored-rows.ts';

/** The largest number of rows that one transaction changes by key. */
export const MAX_EDITED_ROWS = 1_000;

export interface BulkOutcome extends Written {
  /** Rows that someone else changed or deleted first. */
  readonly skipped: readonly Row[];
  /** The deleted ones of these. */
  readonly deleted: ReadonlySet<Row>;
}

interface BulkOptions {
  readonly requestId?: string;
  readonly added?: readonly Row[];
  readonly idempotencyKey?: string;
}

/**
 * Changes and adds rows in one transaction, except those that someone else changed since the person saw them. A row
 * that has the wanted values already counts as changed.
 */
export async function changeUnchangedRows(
  collection: Collection,
  edits: readonly RowEdit[],
  { requestId = newRequestId(), added = [], idempotencyKey }: BulkOptions = {},
): Promise<BulkOutcome> {
  const changed = await changeUnchanged(collection, edits, requestId, added, idempotencyKey);
  const left = edits.filter((_edit, at) => changed[at] === undefined);
  const stored = await readStored(
    collection,
    left.map(({ row }) => row),
  );
  const rows = changed.filter((row) => row !== undefined);
  const [skipped, deleted]: [Row[], Set<Row>] = [[], new Set()];
  for (const { row, changes } of left) {
    const now = stored.get(keyText(collection, row));
    if (now === undefined) deleted.add(row);
    else if (Object.keys(changesOf(now, changes)).length === 0) rows.push(now);
    else skipped.push(row);
  }
  return { requestId, rows, skipped: [...skipped, ...deleted], deleted };
}

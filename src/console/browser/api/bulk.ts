/** Changes of many rows. A row that another person changed or deleted in the meantime is kept. */
import { newId } from '../base/ids.ts';
import type { Collection, Row } from './catalogue.ts';
import { keyText, pathOf } from './query/text.ts';
import { changesOf, editRequests, newRequestId, type RowEdit, sendBatch, type Written } from './rows.ts';
import { readStored } from './stored-rows.ts';
import { rememberWritten } from './written-rows.ts';

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
 * Changes and adds rows in transactions of up to 1,000, except those that someone else changed since the person saw
 * them. A row that has the wanted values already counts as changed.
 */
export async function changeUnchangedRows(
  collection: Collection,
  edits: readonly RowEdit[],
  { requestId = newRequestId(), added = [], idempotencyKey = newId() }: BulkOptions = {},
): Promise<BulkOutcome> {
  const path = pathOf(collection);
  const body = [...editRequests(collection, edits), ...added.map((row) => ({ method: 'POST', path, body: row }))];
  const changed: (Row | undefined)[] = [];
  for (let start = 0; start < body.length; start += MAX_EDITED_ROWS) {
    const part = body.slice(start, start + MAX_EDITED_ROWS);
    changed.push(...(await sendBatch(part, requestId, `${idempotencyKey}-${start}`)).map(([row]) => row));
  }
  const left = edits.filter((_edit, at) => changed[at] === undefined);
  const stored = await readStored(
    collection,
    left.map(({ row }) => row),
  );
  const rows = changed.slice(0, edits.length).filter((row) => row !== undefined);
  rememberWritten(collection, rows);
  const [skipped, deleted]: [Row[], Set<Row>] = [[], new Set()];
  for (const { row, changes } of left) {
    const now = stored.get(keyText(collection, row));
    if (now === undefined) deleted.add(row);
    else if (Object.keys(changesOf(now, changes)).length === 0) rows.push(now);
    else skipped.push(row);
  }
  return { requestId, rows, skipped: [...skipped, ...deleted], deleted };
}

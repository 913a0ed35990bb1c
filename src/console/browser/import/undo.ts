/** Undoes an import, but only in rows that are still as the import left them. Changes by others stay. */
import { fields, key } from '../shared/api/collection.ts';
import { makeReverter, type Step, stillEqualAll, stillEquals } from '../shared/undo/restore-values.ts';
import { stored } from './cells.ts';
import { ROWS_PER_REQUEST } from './dry-run.ts';
import type { Change } from './row-outcome.ts';
import { currentRows, isStored, type Report } from './send.ts';
import { listed, parts, type StoredRow } from './stored-rows.ts';

export interface UndoResult {
  readonly removed: number;
  readonly restored: number;
  /** Rows that others changed or deleted. */
  readonly kept: number;
}

/** Conditions per request and length of its URL; below the limits of the service and of common proxies. */
const MAX_CONDITIONS = 450;
const MAX_URL = 6_000;

export async function undoImport({ created, changed }: Report, progress: (done: number) => void): Promise<UndoResult> {
  const total = { removed: 0, restored: 0, kept: 0 };
  for (let start = 0; start < created.length; start += ROWS_PER_REQUEST) {
    const part = created.slice(start, start + ROWS_PER_REQUEST);
    const current = await currentRows(part.map(idOf));
    const untouched = part.filter((row) => {
      const now = current.get(stored(key, row[key.name]).same);
      return now !== undefined && fields.every((field) => isStored(now, field, stored(field, row[field.name]).same));
    });
    const removed = await makeReverter([...removals(untouched)], (rows) => progress(start + rows))();
    total.removed += removed;
    total.kept += part.length - removed;
    progress(start + part.length);
  }
  for (let start = 0; start < changed.length; start += ROWS_PER_REQUEST) {
    const part = changed.slice(start, start + ROWS_PER_REQUEST);
    const current = await currentRows(part.map(({ row }) => idOf(row)));
    const back = part.map(({ row, changes }) => {
      const now = current.get(stored(key, row[key.name]).same);
      const still = changes.filter(({ field, after }) => now !== undefined && isStored(now, field, after.same));
      return { row, changes: still, isWhole: still.length === changes.length };
    });
    const some = back.filter(({ changes }) => changes.length > 0);
    const restored = await makeReverter([...restorations(some)], (rows) => progress(created.length + start + rows))();
    total.restored += restored;
    // Count rows that were kept in part, and rows that others changed before the request.
    total.kept += back.filter(({ isWhole }) => !isWhole).length + (some.length - restored);
    progress(created.length + start + part.length);
  }
  return total;
}

/** Yields requests that delete a few rows each, on condition that every field is unchanged. */
function* removals(rows: readonly StoredRow[]): Generator<Step> {
  const each = rows.map((row) => `and(${fields.map((field) => stillEquals(field, row[field.name])).join(',')})`);
  let start = 0;
  while (start < each.length) {
    let end = start + 1;
    for (let length = encodeURIComponent(each[start]!).length; end < each.length; end++) {
      length += encodeURIComponent(each[end]!).length + 3;
      if (length > MAX_URL || (end - start + 1) * (fields.length + 1) > MAX_CONDITIONS) break;
    }
    const query = `or=(${encodeURIComponent(each.slice(start, end).join(','))})`;
    yield { method: 'DELETE', query, rows: end - start };
    start = end;
  }
}

/** Yields one request per group of rows with the same changes. */
function* restorations(
  rows: readonly { readonly row: StoredRow; readonly changes: readonly Change[] }[],
): Generator<Step> {
  const alike = Map.groupBy(rows, ({ changes }) =>
    JSON.stringify(changes.map(({ field, before, after }) => [field.name, before.same, after.same])),
  );
  for (const same of alike.values()) {
    const [{ changes }] = same as [(typeof same)[number]];
    const body = Object.fromEntries(changes.map(({ field, before }) => [field.name, before.json]));
    const conditions = stillEqualAll(changes.map(({ field, after }) => stillEquals(field, after.json)));
    for (const ids of parts(same.map(({ row }) => stored(key, row[key.name])))) {
      const query = `${key.name}=in.(${ids.map(listed).join(',')})&${conditions}`;
      yield { method: 'PATCH', query, body, rows: ids.length };
    }
  }
}

function idOf(row: StoredRow): { readonly id: ReturnType<typeof stored> } {
  return { id: stored(key, row[key.name]) };
}

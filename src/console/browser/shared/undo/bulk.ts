/**
 * Changes and deletes many rows with one request: the selected rows, or all that match the filter. Undo only reverts
 * values that are still as the request left them: its filter names them.
 */
import type { Field } from '../../../../collection/declaration.ts';
import type { Value } from '../../../../collection/value.ts';
import { keysAre, parts, withId } from '../api/api.ts';
import { countedRows, type Id, type KeyedRow, key, listPath, titleField } from '../api/collection.ts';
import { ask, countIn } from '../api/http.ts';
import { type Filter, pairsOf, queryText } from '../api/query.ts';
import { mayRestore } from '../api/rights.ts';
import { chunksOf, sendUnchanged } from '../api/while-unchanged.ts';
import { isSame } from '../values/same.ts';
import { makeReverter, stillEqualAll, stillEquals } from './restore-values.ts';
import type { Undo } from './undo.tsx';

export type Target =
  | { readonly kind: 'rows'; readonly ids: readonly Id[] }
  /** All rows that match the filter. If more match than `count`, the service changes nothing. */
  | { readonly kind: 'matching'; readonly filter: Filter; readonly count: number };

export interface BulkResult {
  readonly count: number;
  /** Absent if there are too many rows to remember. */
  readonly undo?: Undo;
}

/** Rows that the page remembers for undo. */
const UNDOABLE_ROWS = 5_000;

export const countOf = (target: Target): number => (target.kind === 'rows' ? target.ids.length : target.count);
export const isUndoable = (target: Target): boolean => countOf(target) <= UNDOABLE_ROWS;
/** Undo of a deletion needs the right to create rows. */
export const isDeletionUndoable = (target: Target): boolean => mayRestore && isUndoable(target);

export async function changeAll(target: Target, field: Field, value: Value): Promise<BulkResult> {
  const { name } = field;
  const url = urlOf(target);
  const before = isUndoable(target) ? await readRows(`${url}&select=${key.name},${name}`) : undefined;
  const { headers } = await ask(url, {
    method: 'PATCH',
    headers: preferHeader(target, 'minimal'),
    body: { [name]: value },
  });
  const changed = before
    ?.map((row): RowChange => ({ row, before: row[name] ?? null, after: value }))
    .filter((each) => !isSame(each.before, each.after));
  return { count: countIn(headers), ...(changed && { undo: undoChanges(changed, field) }) };
}

/** The change of one field in one row. */
export interface RowChange {
  readonly row: KeyedRow;
  readonly before: Value;
  readonly after: Value;
}

/** Reads the rows of a target, with this field and their titles. */
export function rowsFor(target: Target, field: Field): Promise<KeyedRow[]> {
  const names = new Set([key.name, ...(titleField === undefined ? [] : [titleField.name]), field.name]);
  return readRows(`${urlOf(target)}&select=${[...names].join(',')}`);
}

/** The result of a change per row. `left` are rows that others changed since they were shown. */
interface BulkRowsResult extends BulkResult {
  readonly left: readonly KeyedRow[];
}

export async function changeEach(changes: readonly RowChange[], field: Field): Promise<BulkRowsResult> {
  const { name } = field;
  const shown = changes.map((of) => ({ of, id: String(of.row.id), conditions: [stillEquals(field, of.before)] }));
  const changed: RowChange[] = [];
  const left: RowChange[] = [];
  for (const part of chunksOf(shown)) {
    const others = await sendUnchanged(part, {
      send: async (some, filter) => {
        await ask(`${listPath}?${filter}`, {
          method: 'PATCH',
          headers: { prefer: 'return=minimal', 'if-match': '*' },
          body: some.map(({ row, after }) => ({ [key.name]: row[key.name], [name]: after })),
        });
        changed.push(...some);
      },
      unchanged: async (some) => {
        const rows = await readRows(
          `${listPath}?${keysAre(some.map(({ of }) => of.row.id))}&select=${key.name},${name}`,
        );
        const now = new Map(rows.map((row) => [row.id, row]));
        return some.filter(({ of: { row, before } }) => now.has(row.id) && isSame(now.get(row.id)![name], before));
      },
    });
    left.push(...others);
  }
  const undo = changed.length > 0 && { undo: undoChanges(changed, field) };
  return { count: changed.length, left: left.map(({ row }) => row), ...undo };
}

export async function deleteAll(target: Target): Promise<BulkResult> {
  const isRemembered = isDeletionUndoable(target);
  const { headers, body } = await ask(urlOf(target), {
    method: 'DELETE',
    headers: preferHeader(target, isRemembered ? 'representation' : 'minimal'),
  });
  const count = countIn(headers);
  return { count, ...(isRemembered && count > 0 && { undo: () => restoreRows(body, count) }) };
}

/** Sends one request per previous value, for the rows that still hold the new one. */
function undoChanges(changes: readonly RowChange[], field: Field): Undo {
  const alike = Map.groupBy(changes, ({ before, after }) => JSON.stringify([before, after]));
  const steps = [...alike.values()]
    .flatMap((same) => [...parts(same)])
    .map((some) => ({
      method: 'PATCH' as const,
      query: `${keysAre(some.map(({ row }) => row.id))}&${stillEqualAll([stillEquals(field, some[0]!.after)])}`,
      body: { [field.name]: some[0]!.before },
      rows: some.length,
    }));
  const revert = makeReverter(steps);
  return async () => outcome(await revert(), changes.length, 'changed or deleted');
}

/** Stores deleted rows again with their keys. It sends the text of the answer back, so that no digit is lost. */
async function restoreRows(text: string, count: number): Promise<string> {
  const { json } = await ask(`${listPath}?select=${key.name}`, {
    method: 'POST',
    headers: { prefer: 'resolution=ignore-duplicates, return=representation' },
    body: text,
  });
  return outcome((json as unknown[]).length, count, 'created again');
}

function outcome(done: number, all: number, what: string): string {
  if (done === all) return 'Undone.';
  const left = all - done;
  const reason = `${left === 1 ? 'one was' : `${left} were`} ${what} by someone else`;
  return done === 0 ? `Nothing was undone: ${reason}.` : `Undone for ${countedRows(done)}; ${reason}.`;
}

async function readRows(url: string): Promise<KeyedRow[]> {
  return ((await ask(url)).json as KeyedRow[]).map(withId);
}

/** The URL of a target. A write always needs a filter, also for all rows. */
function urlOf(target: Target): string {
  if (target.kind === 'rows') return `${listPath}?${keysAre(target.ids)}`;
  return `${listPath}?${queryText(pairsOf(target.filter)) || `${key.name}=not.is.null`}`;
}

function preferHeader(target: Target, returned: string): Readonly<Record<string, string>> {
  return { prefer: `return=${returned}, count=exact, handling=strict, max-affected=${countOf(target)}` };
}

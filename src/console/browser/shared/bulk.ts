/**
 * Changing and deleting many rows by one request: those that are selected, or all that match the filter. What is undone is
 * what that request changed, where it is still so: the filter of each undoing names the value that was stored.
 */
import type { Field } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { keysAre, parts, withId } from './api.ts';
import { countedRows, type Id, key, listPath, type Record_, titleField } from './collection.ts';
import { ask, countIn } from './http.ts';
import { type Filter, pairsOf, queryText } from './query.ts';
import { mayRestore } from './rights.ts';
import { isSame } from './same.ts';
import { areStill, isStill, takingBack } from './taking-back.ts';
import type { Undo } from './undo.tsx';
import { partsOf, sendUnchanged } from './while-unchanged.ts';

export type Target =
  | { readonly kind: 'rows'; readonly ids: readonly Id[] }
  /** So many were counted; if more match by then, nothing is done. */
  | { readonly kind: 'matching'; readonly filter: Filter; readonly count: number };

export interface Done {
  readonly count: number;
  /** Absent where there are too many rows to remember. */
  readonly undo?: Undo;
}

/** Rows that a browser remembers to bring them back. */
const UNDOABLE_ROWS = 5_000;

export const countOf = (target: Target): number => (target.kind === 'rows' ? target.ids.length : target.count);
export const isUndoable = (target: Target): boolean => countOf(target) <= UNDOABLE_ROWS;
/** Only by those who may make rows. */
export const isDeletionUndoable = (target: Target): boolean => mayRestore && isUndoable(target);

export async function changeAll(target: Target, field: Field, value: Value): Promise<Done> {
  const { name } = field;
  const url = urlOf(target);
  const before = isUndoable(target) ? await rowsAt(`${url}&select=${key.name},${name}`) : undefined;
  const { headers } = await ask(url, {
    method: 'PATCH',
    headers: preferring(target, 'minimal'),
    body: { [name]: value },
  });
  const changed = before
    ?.map((row): RowChange => ({ row, before: row[name] ?? null, after: value }))
    .filter((each) => !isSame(each.before, each.after));
  return { count: countIn(headers), ...(changed && { undo: changeBack(changed, field) }) };
}

/** What becomes of a field of one row. */
export interface RowChange {
  readonly row: Record_;
  readonly before: Value;
  readonly after: Value;
}

/** The rows of a target, with a field of theirs and what they are called. */
export function rowsFor(target: Target, field: Field): Promise<Record_[]> {
  const names = new Set([key.name, ...(titleField === undefined ? [] : [titleField.name]), field.name]);
  return rowsAt(`${urlOf(target)}&select=${[...names].join(',')}`);
}

/** What became of a value of its own for each row: those that others have changed since they were shown are left. */
export interface DoneEach extends Done {
  readonly left: readonly Record_[];
}

export async function changeEach(changes: readonly RowChange[], field: Field): Promise<DoneEach> {
  const { name } = field;
  const shown = changes.map((of) => ({ of, id: String(of.row.id), conditions: [isStill(field, of.before)] }));
  const changed: RowChange[] = [];
  const left: RowChange[] = [];
  for (const part of partsOf(shown)) {
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
        const rows = await rowsAt(`${listPath}?${keysAre(some.map(({ of }) => of.row.id))}&select=${key.name},${name}`);
        const now = new Map(rows.map((row) => [row.id, row]));
        return some.filter(({ of: { row, before } }) => now.has(row.id) && isSame(now.get(row.id)![name], before));
      },
    });
    left.push(...others);
  }
  const undo = changed.length > 0 && { undo: changeBack(changed, field) };
  return { count: changed.length, left: left.map(({ row }) => row), ...undo };
}

export async function deleteAll(target: Target): Promise<Done> {
  const isRemembered = isDeletionUndoable(target);
  const { headers, body } = await ask(urlOf(target), {
    method: 'DELETE',
    headers: preferring(target, isRemembered ? 'representation' : 'minimal'),
  });
  const count = countIn(headers);
  return { count, ...(isRemembered && count > 0 && { undo: () => insertAgain(body, count) }) };
}

/** One request for each value that there was before, on the rows that still hold what was stored then. */
function changeBack(changes: readonly RowChange[], field: Field): Undo {
  const alike = Map.groupBy(changes, ({ before, after }) => JSON.stringify([before, after]));
  const steps = [...alike.values()]
    .flatMap((same) => [...parts(same)])
    .map((some) => ({
      method: 'PATCH' as const,
      query: `${keysAre(some.map(({ row }) => row.id))}&${areStill([isStill(field, some[0]!.after)])}`,
      body: { [field.name]: some[0]!.before },
      rows: some.length,
    }));
  const takeBack = takingBack(steps);
  return async () => outcome(await takeBack(), changes.length, 'changed or deleted');
}

/** As they were, with their keys; the text of the answer is sent back as it is, so that no digit is lost. */
async function insertAgain(text: string, count: number): Promise<string> {
  const { json } = await ask(`${listPath}?select=${key.name}`, {
    method: 'POST',
    headers: { prefer: 'resolution=ignore-duplicates, return=representation' },
    body: text,
  });
  return outcome((json as unknown[]).length, count, 'made anew');
}

function outcome(done: number, all: number, what: string): string {
  if (done === all) return 'Undone.';
  const left = all - done;
  const reason = `${left === 1 ? 'one was' : `${left} were`} ${what} by someone else since`;
  return done === 0 ? `Nothing was undone: ${reason}.` : `Undone for ${countedRows(done)}; ${reason}.`;
}

async function rowsAt(url: string): Promise<Record_[]> {
  return ((await ask(url)).json as Record_[]).map(withId);
}

/** A write names what it is about, even where that is everything. */
function urlOf(target: Target): string {
  if (target.kind === 'rows') return `${listPath}?${keysAre(target.ids)}`;
  return `${listPath}?${queryText(pairsOf(target.filter)) || `${key.name}=not.is.null`}`;
}

function preferring(target: Target, returned: string): Readonly<Record<string, string>> {
  return { prefer: `return=${returned}, count=exact, handling=strict, max-affected=${countOf(target)}` };
}

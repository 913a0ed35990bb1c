/**
 * Writes of the grid. The grid shows a change before the service confirms it. A change that is not stored stays in a
 * list at the foot until the person decides, also on other pages: nothing that was typed is lost, and no dialog takes
 * the focus. Writes run one after the other, so that a second change of a cell has the first as its condition.
 */
import { setLineValue } from '../api/added-rows.ts';
import { changeUnchangedRows } from '../api/bulk.ts';
import { type Collection, type Field, labelOf, type Row, titleOf, type Value } from '../api/catalogue.ts';
import { ApiError } from '../api/errors.ts';
import { explain } from '../api/explain.ts';
import { invalidate, patchLoadedRows } from '../api/queries.ts';
import type { ListQuery } from '../api/query/list.ts';
import { keyOf, keyText } from '../api/query/text.ts';
import { newRequestId, type RowEdit } from '../api/rows.ts';
import { saveRow } from '../api/save-row.ts';
import { unlessGivenUp } from '../api/session/connection.ts';
import { Store } from '../base/store.ts';
import { notify, notifySaved, undoOf } from '../components/toasts.tsx';
import type { FieldPlace } from '../fields/kind.ts';
import { findValue } from '../fields/names.ts';
import { printValue, shownValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';

/** A change that the service rejected, or that another person was quicker to make, or a text that is not a value. */
export interface UnsavedCell extends FieldPlace {
  /** The row as it is stored. */
  readonly row: Row;
  readonly value: Value | undefined;
  readonly text: string;
  readonly problem: string;
  /** Whether someone deleted the row. */
  readonly isGone: boolean;
}

/** By the name of the cell. */
export const unsavedCells = new Store<ReadonlyMap<string, UnsavedCell>>(new Map());
let queue: Promise<unknown> = Promise.resolve();
/** The number of writes of a cell that are not finished. */
const pending = new Map<string, number>();

export const cellName = (collection: Collection, row: Row, field: Pick<Field, 'name'>): string =>
  `${collection.name} ${keyText(collection, row)} ${field.name}`;

/** Whether a write of this cell is in flight. */
export const isPending = (cell: string): boolean => pending.has(cell);

globalThis.addEventListener?.('beforeunload', (event) => {
  if (pending.size + unsavedCells.get().size > 0) event.preventDefault();
});

/** Keeps an unsaved change in the list, or removes it. */
function setUnsaved(cell: string, unsaved?: UnsavedCell): void {
  const cells = new Map(unsavedCells.get());
  if (unsaved !== undefined) cells.set(cell, unsaved);
  else if (!cells.delete(cell)) return;
  unsavedCells.set(cells);
}

/** Forgets an unsaved change; the stored value stays. */
export const discardEdit = ({ collection, field }: FieldPlace, row: Row): void =>
  setUnsaved(cellName(collection, row, field));

/** Lists a text that is not a value of its field. */
export const keepText = (place: FieldPlace, row: Row, text: string, problem: string): void =>
  setUnsaved(cellName(place.collection, row, place.field), {
    ...place,
    row,
    value: undefined,
    text,
    problem,
    isGone: false,
  });

/** Shows values of rows in all loaded lists. */
const patch = (collection: Collection, edits: readonly RowEdit[]): void =>
  patchLoadedRows(collection, new Map(edits.map(({ row, changes }) => [keyText(collection, row), changes])));

/**
 * Runs a write after the earlier ones. `show` shows stored rows, except in cells that a later write changes. `check`
 * throws if the person gave up while the write waited.
 */
function enqueue(
  collection: Collection,
  edits: readonly RowEdit[],
  write: (show: (rows: readonly Row[]) => void, check: () => void) => Promise<void>,
): Promise<unknown> {
  const cells = new Set(
    edits.flatMap(({ row, changes }) => Object.keys(changes).map((name) => cellName(collection, row, { name }))),
  );
  const show = (rows: readonly Row[]) => {
    const isLast = (cell: string) => (pending.get(cell) ?? 0) <= (cells.has(cell) ? 1 : 0);
    const shown = (row: Row): Row =>
      Object.fromEntries(Object.entries(row).filter(([name]) => isLast(cellName(collection, row, { name }))));
    patch(
      collection,
      rows.map((row) => ({ row, changes: shown(row) })),
    );
  };
  const check = unlessGivenUp();
  patch(collection, edits);
  for (const cell of cells) pending.set(cell, (pending.get(cell) ?? 0) + 1);
  const done = queue
    .then(() => write(show, check))
    .finally(() => {
      for (const cell of cells)
        if (pending.get(cell) === 1) pending.delete(cell);
        else pending.set(cell, pending.get(cell)! - 1);
      void invalidate(collection, 'none');
    });
  // The next write does not wait for success.
  queue = done.catch(() => undefined);
  return done;
}

/**
 * Without a value, the text is the name of a row, which the service finds. `requestId` is that of several cells, which
 * have one message. Resolves to whether the value is stored.
 */
export function saveCell(
  place: FieldPlace,
  row: Row,
  value: Value | undefined,
  text: string,
  requestId?: string,
): Promise<boolean> {
  const { collection, field } = place;
  const cell = cellName(collection, row, field);
  setUnsaved(cell);
  let isStored = false;
  let known = value;
  const changes = { [field.name]: value === undefined ? (row[field.name] ?? null) : value };
  const write = enqueue(collection, [{ row, changes }], async (show, check) => {
    const keep = (stored: Row, problem: string, isGone = false) => {
      show([{ ...keyOf(collection, row), [field.name]: stored[field.name] ?? null }]);
      setUnsaved(cell, { ...place, row: stored, value: known, text, problem, isGone });
    };
    try {
      check();
      const parsed = value === undefined ? await findValue(place, text) : { value };
      if ('problem' in parsed) return keep(row, parsed.problem);
      known = parsed.value;
      const outcome = await saveRow(collection, row, { [field.name]: known }, requestId);
      if (outcome.kind === 'unchanged') return;
      if (outcome.kind === 'conflict')
        return keep(outcome.row, t.record.changedTo(outcome.person, shownValue(place, outcome.row)));
      show([outcome.row]);
      isStored = true;
      if (requestId === undefined)
        notifySaved(collection, outcome, t.grid.saved(titleOf(collection, outcome.row)), { topic: 'cell' });
    } catch (error) {
      const isGone = error instanceof ApiError && error.status === 404;
      keep(row, isGone ? t.record.someoneDeleted : explain(error, collection), isGone);
    }
  });
  return write.then(() => isStored);
}

/** Saves the values of all these cells over the stored ones, with one message and one undo. */
export async function saveCells(collection: Collection, cells: readonly UnsavedCell[]): Promise<void> {
  const requestId = newRequestId();
  const saves = cells.flatMap((cell) =>
    cell.value === undefined ? [] : [saveCell(cell, cell.row, cell.value, cell.text, requestId)],
  );
  const count = (await Promise.all(saves)).filter((isStored) => isStored).length;
  if (count > 0) notify(t.grid.cellsChanged(count), undoOf('update', collection, requestId));
}

/** Sets a value of a new row. The row is stored when it has all required values. */
export async function saveLine(query: ListQuery, place: FieldPlace, line: Row, value: Value, text: string) {
  const { collection, field } = place;
  try {
    const stored = await setLineValue(query, line, field, value, ({ rows: [row], requestId }) => {
      notify(t.record.created(titleOf(collection, row!)), {
        ...undoOf('create', collection, requestId),
        topic: 'cell',
      });
      void invalidate(collection, 'none');
    });
    if (stored !== undefined) await saveCell(place, stored, value, text);
  } catch (error) {
    notify(t.grid.notSaved(t.record.newRow, labelOf(field), explain(error, collection)), { isError: true });
  }
}

/**
 * Changes and adds many rows in one request. `report` makes the message of the stored cells. A rejected request throws.
 * Rows that someone else changed first are saved cell by cell, so that nothing but the conflicts stays in the list. A
 * repetition with the same request id stores nothing if the first was stored without an answer.
 */
export function saveRows(
  collection: Collection,
  edits: readonly RowEdit[],
  report: (cells: number) => string,
  added: readonly Row[] = [],
  requestId = newRequestId(),
): Promise<unknown> {
  return enqueue(collection, edits, async (show, check) => {
    try {
      check();
      const options = { added, requestId, idempotencyKey: requestId };
      const { rows, skipped } = await changeUnchangedRows(collection, edits, options);
      show(rows);
      const cells = edits.flatMap(({ row, changes }) => Object.entries(changes).map((each) => [row, ...each] as const));
      const left = cells.filter(([row]) => skipped.includes(row));
      const count = cells.length - left.length;
      for (const [row, name, value] of left) {
        const place = { collection, field: collection.byName.get(name)! };
        void saveCell(place, row, value, printValue(place, value), count === 0 ? undefined : requestId);
      }
      const right = added.length > 0 ? 'create' : 'update';
      if (count + added.length > 0) notify(report(count), undoOf(right, collection, requestId));
      if (added.length > 0) void invalidate(collection);
    } catch (error) {
      show(edits.map(({ row }) => row));
      throw new Error(t.grid.nothingChanged(explain(error, collection)));
    }
  });
}

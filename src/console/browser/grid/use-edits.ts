/**
 * Writes of the grid. The grid shows a change before the service confirms it, and shows the old value again if the
 * service rejects it. Writes run one after the other, so that a second change of a cell has the first as its condition.
 */
import { useMemo, useRef, useState } from 'react';
import { changeUnchangedRows } from '../api/bulk.ts';
import { type Collection, type Field, labelOf, type Row, titleOf, type Value } from '../api/catalogue.ts';
import { explain } from '../api/explain.ts';
import { invalidate, patchLoadedRows } from '../api/queries.ts';
import { keyText } from '../api/query/keys.ts';
import type { RowEdit } from '../api/rows.ts';
import { saveRow } from '../api/save-row.ts';
import { notify, notifySaved, undoOf } from '../components/toasts.tsx';
import { t } from '../i18n/text.ts';

/** A rejected change of a cell. The editor starts with the typed text. */
export interface FailedEdit {
  readonly text: string;
  readonly problem: string;
}

export interface Edits {
  readonly failed: ReadonlyMap<string, FailedEdit>;
  /** Whether a write of this cell is in flight. */
  readonly isPending: (cell: string) => boolean;
  readonly saveCell: (row: Row, field: Field, value: Value, text: string) => Promise<void>;
  /** Changes many rows in one request. `report` makes the message. */
  readonly saveRows: (edits: readonly RowEdit[], report: (count: number) => string) => Promise<void>;
}

export const cellName = (collection: Collection, row: Row, field: Pick<Field, 'name'>): string =>
  `${keyText(collection, row)} ${field.name}`;

/** The message after a bulk change, with the names of rows that were kept. */
export function bulkMessage(collection: Collection, message: string, skipped: readonly Row[]): string {
  if (skipped.length === 0) return message;
  return `${message} ${t.grid.skipped(skipped.map((row) => titleOf(collection, row)).join(', '))}`;
}

export function useEdits(collection: Collection): Edits {
  const [failed, setFailed] = useState<ReadonlyMap<string, FailedEdit>>(new Map());
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const pending = useRef(new Map<string, number>());
  return useMemo(() => {
    const patch = (row: Row, values: Row) => patchLoadedRows(collection, new Map([[keyText(collection, row), values]]));
    const setFailure = (cell: string, failure: FailedEdit | undefined) =>
      setFailed((before) => {
        if (failure === undefined && !before.has(cell)) return before;
        const after = new Map(before);
        if (failure === undefined) after.delete(cell);
        else after.set(cell, failure);
        return after;
      });
    /** Runs a write after the earlier ones. Its cells are pending until then. */
    const enqueue = async (cells: readonly string[], write: () => Promise<void>) => {
      const count = (cell: string, by: number) => pending.current.set(cell, (pending.current.get(cell) ?? 0) + by);
      for (const cell of cells) count(cell, 1);
      const done = queue.current.then(write).finally(() => {
        for (const cell of cells) count(cell, -1);
        void invalidate(collection, 'none');
      });
      queue.current = done.catch(() => undefined);
      return done;
    };
    return {
      failed,
      isPending: (cell) => (pending.current.get(cell) ?? 0) > 0,
      saveCell(row, field, value, text) {
        const cell = cellName(collection, row, field);
        setFailure(cell, undefined);
        patch(row, { [field.name]: value });
        return enqueue([cell], async () => {
          try {
            const outcome = await saveRow(collection, row, { [field.name]: value });
            if (outcome.kind === 'unchanged') return;
            if (outcome.kind === 'editing') {
              patch(row, { [field.name]: row[field.name] ?? null });
              return setFailure(cell, { text, problem: t.errors.changedByOthers });
            }
            patch(row, outcome.row);
            notifySaved(collection, outcome, t.grid.saved(titleOf(collection, outcome.row)), { topic: 'cell' });
          } catch (error) {
            const problem = explain(error, collection);
            patch(row, { [field.name]: row[field.name] ?? null });
            setFailure(cell, { text, problem });
            notify(t.grid.notSaved(titleOf(collection, row), labelOf(field), problem), { isError: true, topic: cell });
          }
        });
      },
      saveRows(edits, report) {
        const patchAll = (valuesOf: (edit: RowEdit) => Row) =>
          patchLoadedRows(collection, new Map(edits.map((edit) => [keyText(collection, edit.row), valuesOf(edit)])));
        const oldValues = ({ row, changes }: RowEdit): Row =>
          Object.fromEntries(Object.keys(changes).map((name) => [name, row[name] ?? null]));
        patchAll(({ changes }) => changes as Row);
        const cells = edits.flatMap(({ row, changes }) =>
          Object.keys(changes).map((name) => cellName(collection, row, { name })),
        );
        return enqueue(cells, async () => {
          try {
            const { rows, skipped, requestId } = await changeUnchangedRows(collection, edits);
            patchLoadedRows(collection, new Map(rows.map((row) => [keyText(collection, row), row])));
            const message = bulkMessage(collection, report(rows.length), skipped);
            notify(message, rows.length === 0 ? {} : undoOf('update', collection, requestId));
            if (skipped.length > 0) void invalidate(collection);
          } catch (error) {
            patchAll(oldValues);
            notify(t.grid.nothingChanged(explain(error, collection)), { isError: true });
          }
        });
      },
    };
  }, [collection, failed]);
}

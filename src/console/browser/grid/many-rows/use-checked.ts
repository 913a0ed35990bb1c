/** The checked rows of a list. Another filter, search or order clears them. */
import { useState } from 'react';
import { isStored } from '../../api/added-rows.ts';
import type { Row } from '../../api/catalogue.ts';
import { loadedRow, loadRows } from '../../api/queries.ts';
import { type ListQuery, listUrl } from '../../api/query/list.ts';
import { keyText } from '../../api/query/text.ts';
import { notifyError } from '../../components/toasts.tsx';

export type CheckedRows = ReturnType<typeof useChecked>;

interface State {
  readonly url: string;
  readonly rows: ReadonlyMap<string, Row>;
  readonly isAll: boolean;
  /** The row that was checked last, where a range begins. */
  readonly last: number;
}

export function useChecked(query: ListQuery) {
  const { collection } = query;
  const url = listUrl(query);
  const none: State = { url, rows: new Map(), isAll: false, last: 0 };
  const [stored, setState] = useState<State>(none);
  const state = stored.url === url ? stored : none;
  return {
    rows: state.rows,
    /** Whether all rows that match the query are checked, also those that are not loaded. */
    isAll: state.isAll,
    has: (row: Row | undefined): boolean =>
      state.isAll || (row !== undefined && state.rows.has(keyText(collection, row))),
    check(index: number, isRange: boolean): void {
      const row = loadedRow(query, index);
      if (row === undefined || !isStored(collection, row)) return;
      const isAdded = !state.rows.has(keyText(collection, row));
      const [first, last] = isRange ? [Math.min(index, state.last), Math.max(index, state.last)] : [index, index];
      loadRows(query, first, last).then((rows) => {
        const next = new Map(state.isAll ? [] : state.rows);
        for (const each of rows) {
          if (isAdded) next.set(keyText(collection, each), each);
          else next.delete(keyText(collection, each));
        }
        setState({ url, rows: next, isAll: false, last: index });
      }, notifyError);
    },
    /** Checks a row, or not, wherever it is shown. */
    toggle(row: Row): void {
      const next = new Map(state.isAll ? [] : state.rows);
      if (!next.delete(keyText(collection, row))) next.set(keyText(collection, row), row);
      setState({ url, rows: next, isAll: false, last: 0 });
    },
    checkAll: () => setState({ ...none, isAll: !state.isAll && state.rows.size === 0 }),
    clear: () => setState(none),
  };
}

/** The rows that the grid shows: those of the page, and before them the one that was made just now, wherever it would stand. */
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { useGetOne, useListContext } from 'react-admin';
import { useLocation } from 'react-router-dom';
import { collectionName, type Id, type Record_ } from '../shared/collection.ts';

const Context = createContext<readonly Record_[]>([]);
const NONE: readonly Record_[] = [];

export const useShownRows = (): readonly Record_[] => useContext(Context);

export function ShownRows({ children }: { readonly children: ReactNode }) {
  const { data = NONE } = useListContext<Record_>();
  const created = useCreated();
  const isApart = created !== undefined && !data.some(({ id }) => id === created);
  const { data: row } = useGetOne<Record_>(collectionName, { id: created ?? '' }, { enabled: isApart, retry: false });
  const rows = useMemo(() => (isApart && row !== undefined ? [row, ...data] : data), [isApart, row, data]);
  return <Context.Provider value={rows}>{children}</Context.Provider>;
}

/** The row that was made on the page one comes from; it is named by the step in the history of the browser. */
export function useCreated(): Id | undefined {
  return (useLocation().state as { created?: Id } | null)?.created;
}

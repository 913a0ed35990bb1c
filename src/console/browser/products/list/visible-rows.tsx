/** The rows of the grid: the rows of the page, preceded by the row that was just created. */
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { useGetOne, useListContext } from 'react-admin';
import { collectionName, type Id, type KeyedRow } from '../../shared/api/collection.ts';

interface Shown {
  readonly rows: readonly KeyedRow[];
  /** The row that was just created. */
  readonly created: Id | undefined;
}

const NONE: readonly KeyedRow[] = [];
const Context = createContext<Shown>({ rows: NONE, created: undefined });

export const useShownRows = (): Shown => useContext(Context);

/** The last created key, and the list location where it is shown first. Elsewhere it is an ordinary row. */
let made: { readonly id: Id; place?: string } | undefined;

export function rememberCreated(id: Id): void {
  made = { id };
}

export function ShownRows({ children }: { readonly children: ReactNode }) {
  const { data = NONE, place } = useListLocation();
  const created = createdAt(place);
  const isApart = created !== undefined && !data.some(({ id }) => id === created);
  const { data: row, error } = useGetOne<KeyedRow>(
    collectionName,
    { id: created ?? '' },
    { enabled: isApart, retry: false },
  );
  const first = isApart && !error ? row : undefined;
  const shown = useMemo(
    () => ({ rows: first === undefined ? data : [first, ...data], created }),
    [first, data, created],
  );
  return <Context.Provider value={shown}>{children}</Context.Provider>;
}

function createdAt(place: string): Id | undefined {
  if (made === undefined) return undefined;
  made.place ??= place;
  if (made.place !== place) made = undefined;
  return made?.id;
}

/** The location of the list as a comparable string. */
export function useListLocation() {
  const { data, filterValues, page, perPage, sort } = useListContext<KeyedRow>();
  return { data, place: JSON.stringify([filterValues, page, perPage, sort]) };
}

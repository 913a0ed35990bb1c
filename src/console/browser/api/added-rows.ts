/**
 * New rows at the end of a list. A line becomes a row of the service as soon as it has all required values. It keeps
 * its place until the list is read again.
 */
import { useQuery } from '@tanstack/react-query';
import { newId } from '../base/ids.ts';
import { type Collection, type Field, isNeeded, mayWrite, type Row, type Value } from './catalogue.ts';
import { type ListQuery, listUrl } from './query/list.ts';
import { queryClient } from './query-client.ts';
import { createRow, type Page, type Written } from './rows.ts';

/** The name of a line. Rows of the service do not have it. */
const LINE = '~line';
/** The lines that are being stored. */
const inFlight = new Map<string, Promise<Row | undefined>>();

const addedKey = (query: ListQuery) => ['list', query.collection.name, listUrl(query), 'added'];

/** Whether the service has the row. */
export const isStored = ({ key }: Collection, row: Row): boolean => key.every(({ name }) => row[name] !== undefined);

export const addedRows = (query: ListQuery): readonly Row[] =>
  queryClient.getQueryData<Page>(addedKey(query))?.rows ?? [];

const setAdded = (query: ListQuery, rows: readonly Row[]): void =>
  void queryClient.setQueryData<Page>(addedKey(query), { rows, total: undefined });

/** A list that is read again contains the stored ones. */
export function useAddedRows(query: ListQuery): readonly Row[] {
  const { collection } = query;
  const { data } = useQuery<Page>({
    queryKey: addedKey(query),
    queryFn: () => ({ rows: addedRows(query).filter((row) => !isStored(collection, row)), total: undefined }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.rows ?? NONE;
}

const NONE: readonly Row[] = [];

/** The values that the filters of a list require: a new row belongs to the list. */
function filterValues({ collection, filters }: ListQuery): Row {
  const values = filters.flatMap(([name, condition]) => {
    const field = collection.byName.get(name);
    const [, text] = /^(?:eq|is)\.(.*)$/s.exec(condition) ?? [];
    if (field === undefined || text === undefined || text === 'null' || !mayWrite(collection, field, true)) return [];
    const value: Value = text === 'true' || text === 'false' ? text === 'true' : text;
    return [[name, value] as const];
  });
  return Object.fromEntries(values);
}

/** The fields that a line still needs before the service can store it. */
export const missingFields = (collection: Collection, row: Row): readonly Field[] =>
  collection.fields.filter((field) => isNeeded(collection, field) && (row[field.name] ?? null) === null);

/**
 * Sets a value of a line. Resolves to a stored row if the value is still to be written to it. `onStored` reports a new
 * row; an error throws, and the line stays.
 */
export async function setLineValue(
  query: ListQuery,
  line: Row,
  { name }: Field,
  value: Value,
  onStored: (written: Written) => void,
): Promise<Row | undefined> {
  const { collection } = query;
  const id = (line[LINE] as string | undefined) ?? newId();
  const isLine = (row: Row) => row[LINE] === id;
  const before = addedRows(query).find(isLine) ?? { ...filterValues(query), [LINE]: id };
  const patch = (values: Row) =>
    setAdded(
      query,
      addedRows(query).some(isLine)
        ? addedRows(query).map((row) => (isLine(row) ? { ...row, ...values } : row))
        : [...addedRows(query), { ...before, ...values }],
    );
  const running = inFlight.get(id);
  if (running === undefined) patch({ [name]: value });
  const stored = running === undefined ? before : await running.catch(() => undefined);
  if (stored !== undefined && isStored(collection, stored)) return stored;
  if (running !== undefined) patch({ [name]: value });
  const row = addedRows(query).find(isLine)!;
  if (missingFields(collection, row).length > 0) return undefined;
  const known = Object.entries(row).filter(([each]) => each !== LINE);
  const storing = createRow(collection, Object.fromEntries(known), id).then((written) => {
    patch(written.rows[0]!);
    onStored(written);
    return written.rows[0];
  });
  inFlight.set(id, storing);
  await storing.finally(() => inFlight.delete(id));
  return undefined;
}

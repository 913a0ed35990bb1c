/** Query hooks. The keys begin with `list` or `row` and the name of the collection. */
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { addedRows } from './added-rows.ts';
import type { Collection, Row } from './catalogue.ts';
import { ApiError } from './errors.ts';
import { type ListQuery, listUrl, PAGE_SIZE } from './query/list.ts';
import { keyText } from './query/text.ts';
import { queryClient } from './query-client.ts';
import { type Page, readPage, readRow } from './rows.ts';

const listKey = (query: ListQuery) => ['list', query.collection.name, listUrl(query)];

/** The key of the position where the feed of the lists of a collection begins. */
export const feedKey = ({ name }: Collection) => ['feed-start', name];

/** The rows of a list from one index to another, in pages of 200. */
export function useRows(query: ListQuery, first: number, last: number) {
  const client = useQueryClient();
  const key = listKey(query);
  const from = Math.floor(first / PAGE_SIZE);
  const to = Math.max(from, Math.floor(last / PAGE_SIZE));
  const wanted = [...new Set([0, ...Array.from({ length: to - from + 1 }, (_, at) => from + at)])];
  const pages = useQueries({
    queries: wanted.map((page) => ({
      queryKey: [...key, page],
      queryFn: ({ signal }: { signal: AbortSignal }) => readPage(query, page, signal),
      // The feed of a list reports changes, and moves no row.
      refetchOnWindowFocus: () => queryClient.getQueryData(feedKey(query.collection)) === undefined,
    })),
  });
  const byPage = new Map<number, Page | undefined>(wanted.map((page, at) => [page, pages[at]!.data]));
  /** Undefined until its page has loaded. */
  const rowAt = (index: number): Row | undefined => byPage.get(Math.floor(index / PAGE_SIZE))?.rows[index % PAGE_SIZE];
  return {
    rowAt,
    /** The loaded ones of the first rows. */
    firstRows: (count: number) =>
      Array.from({ length: count }, (_, at) => rowAt(at)).filter((row) => row !== undefined),
    /** Without added rows. Undefined until the first page has loaded. */
    total: byPage.get(0)?.total,
    error: pages.find(({ error }) => error !== null)?.error ?? null,
    isLoading: byPage.get(0) === undefined,
    refetch: () => void client.invalidateQueries({ queryKey: key }),
  };
}

/** A row with the titles of the rows that it refers to. */
export function useRow(collection: Collection, key: string | undefined) {
  return useQuery<Row>({
    queryKey: ['row', collection.name, key],
    queryFn: ({ signal }) => readRow(collection, key!, signal),
    enabled: key !== undefined,
    staleTime: 0,
  });
}

/** Replaces rows in all loaded lists, before or after the service confirms them. */
export function patchLoadedRows(collection: Collection, patches: ReadonlyMap<string, Row>): void {
  queryClient.setQueriesData<Page>({ queryKey: ['list', collection.name] }, (page) => {
    if (page?.rows === undefined || !page.rows.some((row) => patches.has(keyText(collection, row)))) return page;
    const patched = (row: Row, patch = patches.get(keyText(collection, row))) => (patch ? { ...row, ...patch } : row);
    return { ...page, rows: page.rows.map((row) => patched(row)) };
  });
}

/**
 * Reloads everything that shows rows of a collection. `lists` is `none` if the grid has the new values already; then
 * the lists are only outdated.
 */
export function invalidate({ name }: Pick<Collection, 'name'>, lists: 'active' | 'none' = 'active'): Promise<unknown> {
  const others = [['row', name], ['figures', name], ['changes']];
  return Promise.all([
    queryClient.invalidateQueries({ queryKey: ['list', name], refetchType: lists }),
    ...others.map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  ]);
}

/** The number of rows of a list without the added ones; 0 until its first page is loaded. */
const loadedTotal = (query: ListQuery): number => queryClient.getQueryData<Page>([...listKey(query), 0])?.total ?? 0;

/** The number of rows of a list with the added ones. */
export const loadedCount = (query: ListQuery): number => loadedTotal(query) + addedRows(query).length;

/** The row at an index of a list, if its page is loaded. */
export function loadedRow(query: ListQuery, index: number): Row | undefined {
  const total = loadedTotal(query);
  if (index >= total) return addedRows(query)[index - total];
  const page = queryClient.getQueryData<Page>([...listKey(query), Math.floor(index / PAGE_SIZE)]);
  return page?.rows[index % PAGE_SIZE];
}

/** The index of a row in a list; -1 if its page is not loaded. */
export function loadedIndex(query: ListQuery, key: string): number {
  for (const [queryKey, page] of queryClient.getQueriesData<Partial<Page>>({ queryKey: listKey(query) })) {
    const at = page?.rows?.findIndex((row) => keyText(query.collection, row) === key) ?? -1;
    if (at >= 0) return Number(queryKey.at(-1)) * PAGE_SIZE + at;
  }
  return -1;
}

/** All loaded rows of a collection, in any list. */
export function loadedRows({ name }: Pick<Collection, 'name'>): readonly Row[] {
  const pages = queryClient.getQueriesData<Partial<Page>>({ queryKey: ['list', name] });
  return pages.flatMap(([, page]) => page?.rows ?? []);
}

/** Loads the rows of a list from one index to another, both included. */
export async function loadRows(query: ListQuery, first: number, last: number): Promise<readonly Row[]> {
  const total = loadedTotal(query);
  const added = last < total ? [] : addedRows(query).slice(Math.max(0, first - total), last - total + 1);
  return first < total || total === 0
    ? [...(await loadPages(query, first, total === 0 ? last : Math.min(last, total - 1))), ...added]
    : added;
}

async function loadPages(query: ListQuery, first: number, last: number): Promise<readonly Row[]> {
  const pages: Page[] = [];
  for (let page = Math.floor(first / PAGE_SIZE); page <= Math.floor(last / PAGE_SIZE); page++)
    pages.push(
      await queryClient.ensureQueryData({
        queryKey: [...listKey(query), page],
        queryFn: () => readPage(query, page),
      }),
    );
  const skipped = first % PAGE_SIZE;
  return pages.flatMap(({ rows }) => rows).slice(skipped, skipped + last - first + 1);
}

/** A write that reloads the collection afterwards. A second call while the first one runs does nothing. */
export function useWrite<Input, Result>(collection: Collection, write: (input: Input) => Promise<Result>) {
  const { isPending, error, mutateAsync } = useMutation({
    mutationFn: write,
    // Without credentials, a reload would ask for them again.
    onSettled: (_result, failure) =>
      failure instanceof ApiError && failure.status === 401 ? undefined : invalidate(collection),
  });
  const isRunning = useRef(false);
  return {
    isPending,
    error,
    async run(input: Input): Promise<Result | undefined> {
      if (isRunning.current) return undefined;
      isRunning.current = true;
      try {
        return await mutateAsync(input);
      } finally {
        isRunning.current = false;
      }
    },
  };
}

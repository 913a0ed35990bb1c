/** Loads the first page of the list before the first render, so that the grid renders once. */
import { QueryClient } from '@tanstack/react-query';
import { collectionName, key } from './collection.ts';
import { isRequested, ROWS_PER_PAGE } from './early.ts';
import { dataProvider } from './provider.ts';

export const queryClient = new QueryClient();

/** The parameters of the list without any in the address. */
const PARAMS = {
  pagination: { page: 1, perPage: ROWS_PER_PAGE },
  sort: { field: key.name, order: 'ASC' },
  filter: {},
} as const;
export const FIRST_SORT = PARAMS.sort;

/** The first render waits at most this long. */
const MAX_WAIT_MS = 100;

let first: unknown;

/** The first view does not refetch these rows; later views do. */
export const freshness = ({ state }: { readonly state: { readonly data: unknown } }): number =>
  state.data !== undefined && state.data === first ? Number.POSITIVE_INFINITY : 0;

export function endFreshness(): void {
  first = undefined;
}

export async function readFirstPage(): Promise<void> {
  if (!isRequested) return;
  const asked = queryClient
    .fetchQuery({
      queryKey: [collectionName, 'getList', PARAMS],
      queryFn: ({ signal }) => dataProvider.getList(collectionName, { ...PARAMS, signal }),
      retry: false,
      networkMode: 'always',
    })
    .then(
      (answer) => {
        first = answer;
      },
      // The list requests it again and shows the error.
      () => undefined,
    );
  await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
}

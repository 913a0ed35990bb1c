/**
 * The first page of the list, where that is what was opened: its rows are there when the grid is first drawn, so that it is
 * drawn once.
 */
import { QueryClient } from '@tanstack/react-query';
import { collectionName, key } from './collection.ts';
import { hasBegun, ROWS_PER_PAGE } from './early.ts';
import { dataProvider } from './provider.ts';

export const queryClient = new QueryClient();

/** As the list asks for it, if its address says nothing else. */
const PARAMS = {
  pagination: { page: 1, perPage: ROWS_PER_PAGE },
  sort: { field: key.name, order: 'ASC' },
  filter: {},
} as const;
export const FIRST_SORT = PARAMS.sort;

/** Longer than that the frame of the page does not wait for them. */
const PATIENCE_MS = 100;

let first: unknown;

/** What was read for the first view is not asked for again by it; whatever comes after it is. */
export const freshness = ({ state }: { readonly state: { readonly data: unknown } }): number =>
  state.data !== undefined && state.data === first ? Number.POSITIVE_INFINITY : 0;

export function endFreshness(): void {
  first = undefined;
}

export async function readFirstPage(): Promise<void> {
  if (!hasBegun) return;
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
      // The list asks again, and says what is wrong.
      () => undefined,
    );
  await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}

/** Answers that stay until rows are stored, so that another check of a file only asks for the rows that changed. */
import { queryClient } from '../api/query-client.ts';

/** The rows of one request. A changed row repeats only the requests of its part of the file. */
export const ROWS_PER_REQUEST = 1_000;
const KEY = 'import';

export const askOnce = <Of>(key: readonly unknown[], queryFn: () => Promise<Of>): Promise<Of> =>
  queryClient.fetchQuery({
    queryKey: [KEY, ...key],
    queryFn,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });

export const forgetAnswers = (): void => queryClient.removeQueries({ queryKey: [KEY] });

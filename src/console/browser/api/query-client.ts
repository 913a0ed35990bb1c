/** The cache of all requests of the page. */
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './errors.ts';

const MAX_RETRIES = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      gcTime: 60_000,
      networkMode: 'always',
      // A list that is there stays: an answer from before a waiting write would hide its value.
      refetchOnReconnect: ({ state }) => state.status === 'error',
      // The service answered a rejected request; only a lost connection is worth another attempt.
      retry: (count, error) => !(error instanceof ApiError && error.status < 500) && count < MAX_RETRIES,
    },
    mutations: { networkMode: 'always' },
  },
});

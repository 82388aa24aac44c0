import { QueryClient, queryOptions, type UseQueryResult } from '@tanstack/preact-query';
import type { Portico } from '../../../client/portico.ts';
import { api, withToken } from './api.ts';
import { lost } from './connection.ts';

/** Reads from the API, as long as what is read is asked for. */
export type Get = Portico['get'];

/** What a component shows of a query: what was read before stays while something newer is read. */
export type Loaded<T = unknown> = Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;

const KEPT_MS = 3_600_000;

/** What was read last, so that going back shows it at once while something newer is read. */
export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      gcTime: KEPT_MS,
      // The client tries again by itself, and the page says where the connection is lost.
      retry: false,
      networkMode: 'always',
      refetchOnReconnect: false,
      refetchOnWindowFocus: false,
      // Numbers of many digits and names such as `__proto__` stay as they were read.
      structuralSharing: false,
    },
  },
});

// When the connection is back, all that is shown is read again.
lost.subscribe((isLost) => {
  if (!isLost) void cache.refetchQueries({ type: 'active' });
});

/** Shows what the server answered to a change. A read that began before may know nothing of it: its answer is not waited for. */
export const show = async <T>({ queryKey }: { readonly queryKey: readonly unknown[] }, now: T): Promise<void> => {
  await cache.cancelQueries({ queryKey, exact: true });
  cache.setQueryData(queryKey, now);
};

/** A query by its key; what was read less than `staleTime` milliseconds ago is not read again. */
export const reading = <T>(
  key: readonly unknown[],
  read: (get: Get, signal: AbortSignal) => Promise<T>,
  staleTime = 0,
) =>
  queryOptions({
    queryKey: key,
    queryFn: ({ signal }) => {
      const get = (path: string, options?: object) => api.get(path as never, { ...options, signal } as never);
      return withToken(() => read(get as Get, signal));
    },
    staleTime,
  });

import { LRUCache } from 'lru-cache';
import type { Listener } from './listener.ts';

interface CacheOptions<V> {
  readonly listener: Listener;
  /** Triggers send on it when the rows change. */
  readonly channel: string;
  readonly maxEntries: number;
  /** Bounds how long a value stays: a connection that fell silent is not known to be lost at once. */
  readonly ttlMs: number;
  /** Whether a notification is about this value; without it, each one is about every value. */
  isStale?(value: V, payload: string): boolean;
}

export type Cache<V extends object> = ReturnType<typeof openCache<V>>;

/**
 * Rows of the database that are kept for a short time, by key, until a notification invalidates them. While notifications cannot arrive,
 * nothing is cached and no `load` is shared. A value that was being loaded when a notification came is neither kept nor shared with later
 * calls: it may be from before the change.
 */
export const openCache = <V extends object>({ listener, channel, maxEntries, ttlMs, isStale }: CacheOptions<V>) => {
  const values = new LRUCache<string, V>({ max: maxEntries, ttl: ttlMs });
  let loading = new Map<string, Promise<V | null>>();
  const isListening = () => listener.isListening(channel);

  const start = (key: string, load: () => Promise<V | null>) => {
    const current = loading;
    const loaded = load()
      .then((value) => {
        if (value && current === loading && isListening()) values.set(key, value);
        return value;
      })
      .finally(() => current.delete(key));
    current.set(key, loaded);
    return loaded;
  };

  /** Removes what a notification with this payload is about; everything without one. */
  const invalidate = (payload?: string) => {
    loading = new Map();
    if (payload === undefined || !isStale) return values.clear();
    for (const [key, value] of values.entries()) if (isStale(value, payload)) values.delete(key);
  };
  listener.listen(channel, { message: invalidate, gap: () => invalidate() });

  return {
    /** The cached value, or else what `load` finds. Concurrent calls for one key share one `load`; null is not cached. */
    get: async (key: string, load: () => Promise<V | null>) =>
      isListening() ? (values.get(key) ?? loading.get(key) ?? start(key, load)) : load(),
    invalidate,
  };
};

import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Connection } from '../../domain/connection.ts';
import { DomainError } from '../../domain/errors.ts';

interface Entry<T> {
  readonly sealedUrl: string;
  readonly resource: T;
  readonly closed: PromiseWithResolvers<void>;
  leases: number;
  retired: boolean;
}

interface Resources<T> {
  open(connection: Connection): T;
  close(resource: T): Promise<unknown>;
}

const MOST = 200;

export const stopping = () => new DomainError('unavailable', 'The server is stopping.');

/** What is open for each connection, one resource at a time; it is replaced when the connection's address changes. */
export const connectionLeases = <T>({ open, close }: Resources<T>) => {
  const leaving = new Set<Promise<void>>();
  let closed = false;

  const closeIfUnused = (entry: Entry<T>) => {
    if (!entry.retired || entry.leases > 0) return;
    close(entry.resource).then(() => entry.closed.resolve(), entry.closed.reject);
  };
  const retire = (entry: Entry<T>) => {
    entry.retired = true;
    leaving.add(entry.closed.promise);
    const left = () => leaving.delete(entry.closed.promise);
    entry.closed.promise.then(left, left);
    closeIfUnused(entry);
  };
  const entries = new LRUCache<string, Entry<T>>({ max: MOST, dispose: retire });

  const entryOf = (connection: Connection): Entry<T> => {
    const known = entries.get(connection.id);
    if (known?.sealedUrl === connection.sealedUrl) return known;
    const { id, sealedUrl } = connection;
    const entry = {
      sealedUrl,
      resource: open(connection),
      closed: Promise.withResolvers<void>(),
      leases: 0,
      retired: false,
    };
    entries.set(id, entry);
    return entry;
  };

  return {
    /** A resource that was replaced is closed when its last lease is released. */
    lease(connection: Connection) {
      if (closed) throw stopping();
      const entry = entryOf(connection);
      entry.leases += 1;
      let released = false;
      return {
        resource: entry.resource,
        /** How many leases of the resource there are now. */
        count: () => entry.leases,
        /** The next lease is of another resource. */
        replace() {
          if (entries.peek(connection.id) === entry) entries.delete(connection.id);
        },
        release() {
          if (released) return;
          released = true;
          entry.leases -= 1;
          closeIfUnused(entry);
        },
      };
    },
    async close() {
      // Calls that were made before may not have taken their lease yet.
      await setImmediate();
      closed = true;
      entries.clear();
      await Promise.all(leaving);
    },
  };
};

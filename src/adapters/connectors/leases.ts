import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Connection } from '../../domain/connection.ts';
import { DomainError } from '../../domain/errors.ts';

export interface Loan<T> {
  readonly lent: T;
  /** How many have it now. */
  borrowers(): number;
  /** Whoever asks next gets another one. */
  replace(): void;
  giveBack(): void;
}

/** What is open of each connection, one at a time; it is replaced when the connection's address changes. */
export interface Lending<T> {
  /** What is lent is closed after the last one who has it gave it back, if it was replaced meanwhile. */
  lend(connection: Connection): Loan<T>;
  close(): Promise<void>;
}

interface Entry<T> {
  readonly sealedUrl: string;
  readonly lent: T;
  readonly closed: PromiseWithResolvers<void>;
  borrowed: number;
  retired: boolean;
}

interface Means<T> {
  open(connection: Connection): T;
  end(lent: T): Promise<unknown>;
}

const MOST = 200;

export const stopping = () => new DomainError('unavailable', 'The server is stopping.');

export const lending = <T>({ open, end }: Means<T>): Lending<T> => {
  const leaving = new Set<Promise<void>>();
  let closed = false;

  const endIfDone = (entry: Entry<T>) => {
    if (!entry.retired || entry.borrowed > 0) return;
    end(entry.lent).then(() => entry.closed.resolve(), entry.closed.reject);
  };
  const retire = (entry: Entry<T>) => {
    entry.retired = true;
    leaving.add(entry.closed.promise);
    const left = () => leaving.delete(entry.closed.promise);
    entry.closed.promise.then(left, left);
    endIfDone(entry);
  };
  const entries = new LRUCache<string, Entry<T>>({ max: MOST, dispose: retire });

  const entryOf = (connection: Connection): Entry<T> => {
    const known = entries.get(connection.id);
    if (known?.sealedUrl === connection.sealedUrl) return known;
    const { id, sealedUrl } = connection;
    const entry = { sealedUrl, lent: open(connection), closed: Promise.withResolvers<void>(), borrowed: 0, retired: false };
    entries.set(id, entry);
    return entry;
  };

  return {
    lend(connection) {
      if (closed) throw stopping();
      const entry = entryOf(connection);
      entry.borrowed += 1;
      let given = false;
      return {
        lent: entry.lent,
        borrowers: () => entry.borrowed,
        replace() {
          if (entries.peek(connection.id) === entry) entries.delete(connection.id);
        },
        giveBack() {
          if (given) return;
          given = true;
          entry.borrowed -= 1;
          endIfDone(entry);
        },
      };
    },
    async close() {
      // Whoever asked before may still be on the way here.
      await setImmediate();
      closed = true;
      entries.clear();
      await Promise.all(leaving);
    },
  };
};

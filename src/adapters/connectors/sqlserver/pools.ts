import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import sql from 'mssql';
import type { Connection as Session } from 'tedious';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { ConnectorSettings } from '../settings.ts';
import { type Address, poolConfig, readAddress } from './address.ts';
import { Busy, outageCode } from './errors.ts';
import { installExactValues } from './exact-values.ts';
import { guardParser, insistOnTls } from './session-guards.ts';

/** Queries have sessions of their own, so that long ones keep nobody else waiting. */
export type Purpose = 'work' | 'query';

export interface Lease {
  readonly session: Session;
  /** Gives the session back; one that is not reusable is closed. */
  release(reusable: boolean): void;
}

export interface Pools {
  /** A session that is nobody else's until it is released. A pool that was replaced meanwhile is closed after its last session. */
  lease(connection: Connection, purpose: Purpose, signal: AbortSignal): Promise<Lease>;
  address(connection: Connection): Address;
  /** How many dead sessions there may be in a row before one that was opened just now. */
  readonly most: number;
  close(): Promise<void>;
}

/** What the typings of the pool leave out. */
interface Acquiring {
  acquire(requester: object): Promise<Session>;
  release(session: Session): void;
}

type Pool = sql.ConnectionPool & Acquiring;

interface Entry {
  readonly sealedUrl: string;
  readonly pools: ReadonlyMap<Purpose, Pool>;
  readonly closed: PromiseWithResolvers<void>;
  /** Those who have a session, or wait for one. */
  borrowed: number;
  retired: boolean;
}

const MOST_POOLS = 200;
const MOST_WAITING = 200;
export const MOST_CONNECT_SECONDS = 10;
const PATIENCE_SECONDS = 5;

const ignore = () => {};

/** The address of a connection, or a refusal that tells nothing of it. */
export const addressOf = (settings: ConnectorSettings, connection: Connection): Address => {
  try {
    return readAddress(settings.sealer.open(connection.sealedUrl));
  } catch {
    // The cause is dropped because it may quote the address.
    throw new DomainError('unavailable', `The connection "${connection.name}" has an address that cannot be used.`);
  }
};

export const openPool = (
  settings: ConnectorSettings,
  address: Address,
  size: number,
  opened: (session: Session) => void = ignore,
): Pool => {
  installExactValues();
  const connectSeconds = Math.min(settings.timeoutSeconds, MOST_CONNECT_SECONDS);
  const pool = new sql.ConnectionPool({
    ...poolConfig(address, { connectSeconds, acquireSeconds: settings.timeoutSeconds, size }),
    beforeConnect(connection) {
      const session = connection as unknown as Session;
      guardParser(session);
      if (address.insists) insistOnTls(session);
      opened(session);
    },
  });
  return pool as Pool;
};

/** The pool opens a first session to see whether it can, and then waits for nothing else: a login that stalls half-way would block it for ever. */
export const connect = async (pool: Pool, seconds: number): Promise<void> => {
  if (pool.connected) return;
  const stalled = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => stalled.reject(Object.assign(new Error('The login did not come to an end.'), { code: 'ETIMEOUT', stalled: true })),
    seconds * 1000,
  );
  try {
    await Promise.race([pool.connect(), stalled.promise]);
  } finally {
    clearTimeout(timer);
  }
};

const isStalled = (error: unknown) => error instanceof Error && 'stalled' in error;

const unlessAborted = async <T>(coming: Promise<T>, signal: AbortSignal): Promise<T> => {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([coming, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    aborted.promise.catch(ignore);
  }
};

const endIfDone = (entry: Entry) => {
  if (!entry.retired || entry.borrowed > 0) return;
  // A pool that still connects refuses to be closed; it has no session yet, and nobody will ask it for one.
  Promise.all([...entry.pools.values()].map((pool) => pool.close().catch(ignore))).then(() => entry.closed.resolve(), entry.closed.reject);
};

export const sqlserverPools = (settings: ConnectorSettings): Pools => {
  const { log, timeoutSeconds, poolSize, queryPoolSize } = settings;
  const leaving = new Set<Promise<void>>();
  let closed = false;
  const retire = (entry: Entry) => {
    entry.retired = true;
    leaving.add(entry.closed.promise);
    const left = () => leaving.delete(entry.closed.promise);
    entry.closed.promise.then(left, left);
    endIfDone(entry);
  };
  const entries = new LRUCache<string, Entry>({ max: MOST_POOLS, dispose: retire });

  const entryOf = (connection: Connection): Entry => {
    const known = entries.get(connection.id);
    if (known?.sealedUrl === connection.sealedUrl) return known;
    const address = addressOf(settings, connection);
    const open = (size: number) =>
      openPool(settings, address, size).on('error', (error) => {
        log.debug({ connection: connection.id, code: outageCode(error) }, 'A session was lost.');
      }) as Pool;
    const pools = new Map([
      ['work', open(poolSize)],
      ['query', open(queryPoolSize)],
    ] as const);
    const entry = { sealedUrl: connection.sealedUrl, pools, closed: Promise.withResolvers<void>(), borrowed: 0, retired: false };
    entries.set(connection.id, entry);
    return entry;
  };

  return {
    most: Math.max(poolSize, queryPoolSize),
    address: (connection) => addressOf(settings, connection),
    async lease(connection, purpose, signal) {
      if (closed) throw new DomainError('unavailable', 'The server is stopping.');
      signal.throwIfAborted();
      const entry = entryOf(connection);
      if (entry.borrowed >= MOST_WAITING) throw new Busy();
      const pool = entry.pools.get(purpose) as Pool;
      const done = () => {
        entry.borrowed -= 1;
        endIfDone(entry);
      };
      const giveBack = (session: Session, reusable: boolean) => {
        if (!reusable) session.close();
        pool.release(session);
        done();
      };
      entry.borrowed += 1;
      const coming = connect(pool, Math.min(timeoutSeconds, MOST_CONNECT_SECONDS) + PATIENCE_SECONDS).then(() => pool.acquire(entry));
      coming.catch((error) => {
        if (isStalled(error) && entries.get(connection.id) === entry) entries.delete(connection.id);
        done();
      });
      try {
        const session = await unlessAborted(coming, signal);
        let held = true;
        return {
          session,
          release(reusable) {
            if (held) giveBack(session, reusable);
            held = false;
          },
        };
      } catch (error) {
        coming.then((late) => giveBack(late, true), ignore);
        throw error;
      }
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

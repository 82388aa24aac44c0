import sql from 'mssql';
import pRetry from 'p-retry';
import type { Connection as Session } from 'tedious';
import { abortable, inTime } from '../../../application/shared/async.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import { ignore } from '../errors.ts';
import { connectionLeases } from '../leases.ts';
import { openAddress } from '../sealed-address.ts';
import type { ConnectorSettings, Purpose } from '../settings.ts';
import { type Address, AddressError, readAddress } from './address.ts';
import { adapt } from './driver.ts';
import { Busy, isPassing, outageCode } from './errors.ts';
import { poolConfig } from './pool-config.ts';
import { lockMilliseconds } from './session.ts';

export interface Lease {
  readonly session: Session;
  /** Gives the session back; one that is not reusable is closed. */
  release(reusable: boolean): void;
}

/** What the typings of the pool leave out. */
interface Acquiring {
  acquire(requester: object): Promise<Session>;
  release(session: Session): void;
}

type Pool = sql.ConnectionPool & Acquiring;

type Open = Readonly<Record<Purpose, Pool>>;

const MOST_WAITING = 200;
export const MOST_CONNECT_SECONDS = 10;
const PATIENCE_SECONDS = 5;

/** Answers why an address cannot be used without repeating any of it. */
export const usable = <T>({ name }: Connection, use: () => T): T => {
  try {
    return use();
  } catch (error) {
    const why = error instanceof AddressError ? `: it ${error.message}` : '';
    // The cause is dropped because it may quote the address.
    throw new DomainError('unavailable', `The connection "${name}" has an address that cannot be used${why}.`);
  }
};

/** The address of a connection, or an error that repeats nothing of it. */
export const addressOf = ({ sealer }: ConnectorSettings, connection: Connection): Address => {
  const address = openAddress(sealer, connection);
  return usable(connection, () => readAddress(address));
};

export const openPool = (
  settings: ConnectorSettings,
  address: Address,
  size: number,
  opened: (session: Session) => void = ignore,
): Pool => {
  const connectSeconds = Math.min(settings.timeoutSeconds, MOST_CONNECT_SECONDS);
  const pool = new sql.ConnectionPool({
    ...poolConfig(address, { connectSeconds, acquireSeconds: settings.timeoutSeconds, size }),
    beforeConnect(connection) {
      const session = connection as unknown as Session;
      adapt(session, `set lock_timeout ${lockMilliseconds(settings.timeoutSeconds)}`);
      opened(session);
    },
  });
  return pool as Pool;
};

/** The pool opens a first session to see whether it can, and then waits for nothing else: a login that stalls half-way would block it for ever. */
export const connect = async (pool: Pool, seconds: number): Promise<void> => {
  const late = () => Object.assign(new Error('The login did not come to an end.'), { code: 'ETIMEOUT', stalled: true });
  if (!pool.connected) await inTime(() => pool.connect(), { seconds, late });
};

const isStalled = (error: unknown) => error instanceof Error && 'stalled' in error;

/** A pool that still connects refuses to be closed; it has no session yet, and gets no request for one. */
const close = (pools: Open) => Promise.all(Object.values(pools).map((pool) => pool.close().catch(ignore)));

const openPools = (settings: ConnectorSettings, connection: Connection): Open => {
  const address = addressOf(settings, connection);
  const open = () =>
    openPool(settings, address, settings.poolSize).on('error', (error) => {
      settings.log.debug({ connection_id: connection.id, code: outageCode(error) }, 'session lost');
    }) as Pool;
  return usable(connection, () => ({ work: open(), query: open() }));
};

const FIRST_WAIT_MILLISECONDS = 200;
const LONGEST_WAIT_MILLISECONDS = 5000;
/** Of the operation's time, so that its end is the server's reason and not the clock's. */
const SHARE_OF_TIME = 0.9;

export type Pools = ReturnType<typeof sqlserverPools>;

export const sqlserverPools = (settings: ConnectorSettings) => {
  const { timeoutSeconds, poolSize } = settings;
  const connectSeconds = Math.min(timeoutSeconds, MOST_CONNECT_SECONDS) + PATIENCE_SECONDS;
  const pools = connectionLeases<Open>({ open: (connection) => openPools(settings, connection), close });

  const poolsOf = (connection: Connection) => {
    const open = pools.lease(connection);
    if (open.count() <= MOST_WAITING) return open;
    open.release();
    throw new Busy();
  };

  const leaseOnce = async (connection: Connection, purpose: Purpose, signal: AbortSignal): Promise<Lease> => {
    signal.throwIfAborted();
    const open = poolsOf(connection);
    const { [purpose]: pool } = open.resource;
    const returnSession = (session: Session, reusable: boolean) => {
      if (!reusable) session.close();
      pool.release(session);
      open.release();
    };
    const coming = connect(pool, connectSeconds).then(() => pool.acquire(open));
    coming.catch((error) => {
      if (isStalled(error)) open.replace();
      open.release();
    });
    try {
      const session = await abortable(coming, signal);
      let released = false;
      return {
        session,
        release(reusable) {
          if (!released) returnSession(session, reusable);
          released = true;
        },
      };
    } catch (error) {
      coming.then((late) => returnSession(late, true), ignore);
      throw error;
    }
  };

  return {
    /** How many dead sessions there may be in a row before one that was opened just now. */
    most: poolSize,
    /**
     * A session that no other work has until it is released. Waits for a server that takes no login at present, as Azure's do while a
     * database moves or wakes up, in the operation's own time. A pool that was replaced meanwhile is closed after its last session.
     */
    lease: (connection: Connection, purpose: Purpose, signal: AbortSignal): Promise<Lease> =>
      pRetry(() => leaseOnce(connection, purpose, signal), {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: FIRST_WAIT_MILLISECONDS,
        maxTimeout: LONGEST_WAIT_MILLISECONDS,
        maxRetryTime: timeoutSeconds * 1000 * SHARE_OF_TIME,
        randomize: true,
        shouldRetry: ({ error }) => isPassing(error),
        signal,
      }),
    close: pools.close,
  };
};

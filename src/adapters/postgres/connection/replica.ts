import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Check } from '../../../application/ports/doctor.ts';
import type { Log } from '../../../application/ports/runtime.ts';
import { inTime } from '../../../application/shared/async.ts';
import { codeOf, DomainError, messageOf } from '../../../domain/errors.ts';
import { batched } from './batched.ts';
import { type Database, prepared, type Statement } from './database.ts';

/** The ways to read of a database. */
export type Reads = Pick<Database, 'read' | 'query' | 'search'>;

/** How far a server is in the log of changes: the primary has written so far, a replica replayed; null where it does neither. */
interface Place {
  /** The same of a primary and its replicas alone. */
  readonly database: string;
  readonly lsn: string | null;
}

const place = (lsn: string) => `
select (select system_identifier from pg_control_system()) || ' ' || (select oid from pg_database where datname = current_database()) as database,
  (${lsn})::text as lsn`;

/** All that this database has shown or acknowledged lies before it. What is committed asynchronously is shown before it is on the disk. */
const written = prepared('replica_must_have')`${place(
  `case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end`,
)}`;
const replayed = prepared('replica_has')`${place('case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end')}`;

const bytesTo = (lsn: string): bigint => {
  const [high = '', low = ''] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
};

/** How long a read waits until the replica has what the primary has: mostly it does after a few milliseconds. */
const WAIT_MS = 50;
const STEP_MS = 5;
/** After this a replica that does not answer counts as away. */
const ANSWERS_WITHIN_SECONDS = 0.5;
/** And so does one that does not answer a short read. */
const READS_WITHIN_SECONDS = 5;
/** How long a replica that was away or behind is left alone. */
const PAUSE_MS = 10_000;

/** The replica does not serve: the message says why. */
class Away extends Error {}

const silent = () => new Away('the replica does not answer');

const kib = (bytes: bigint) => `${Math.ceil(Number(bytes) / 1024).toLocaleString('en')} KiB`;

const ask = (side: Database, statement: Statement) =>
  batched({ most: Number.MAX_SAFE_INTEGER, isRead: true }, async (askers: readonly null[]) => {
    const [place] = await side.read<Place>(statement, []);
    return askers.map(() => place as Place);
  });

/** The errors of a server that ends, is overcharged or broken, or stops a query because the log has to go on. */
const OF_THE_SERVER = /^(08|25|40|53|55|57P|58|XX)/;

/** The driver's or the server's own error, where `database.ts` has put one with words for a caller around it. */
const causeOf = (error: unknown): unknown => (error instanceof DomainError ? error.cause : error);

/** Whether another server may have an answer. What the caller did, and what took too long, would be the same there. */
const isOfServer = (error: unknown): boolean => {
  const cause = causeOf(error);
  if (cause === undefined) return false;
  return cause instanceof pg.DatabaseError ? OF_THE_SERVER.test(codeOf(cause)) : true;
};

/** For the operator. */
const reasonOf = (error: unknown): string => messageOf(causeOf(error) ?? error);

interface Options {
  readonly primary: Database;
  readonly replica: Database;
  readonly log: Log;
  /** Tests give a shorter one. */
  readonly pauseMs?: number;
}

export type Replica = ReturnType<typeof openReplica>;

/**
 * Reads from a replica that are as new as those from the primary. Before each, the primary is asked how far it has written, and the replica
 * must have replayed that. So a client never reads an older state than one that it, another client or another process has seen. If the
 * replica is behind or away, the primary is read.
 */
export const openReplica = ({ primary, replica, log, pauseMs = PAUSE_MS }: Options) => {
  const askPrimary = ask(primary, written);
  const askReplica = ask(replica, replayed);
  const reads = { replica: 0, primary: 0 };
  let isAway = false;
  let leftAloneUntil = Number.NEGATIVE_INFINITY;

  /** Of how many bytes of the log the replica lacks at first; rejects if it still does after a while. */
  const catchUp = async ({ database, lsn }: Place): Promise<bigint> => {
    const until = performance.now() + WAIT_MS;
    let lacked: bigint | null = null;
    for (;;) {
      const there = await askReplica(null);
      if (there.database !== database) throw new Away('DATABASE_READ_URL leads to another database than DATABASE_URL');
      if (there.lsn === null) throw new Away('DATABASE_READ_URL leads to a server that is no replica');
      const lacks = bytesTo(lsn ?? '') - bytesTo(there.lsn);
      lacked ??= lacks;
      if (lacks <= 0n) return lacked;
      if (performance.now() >= until) throw new Away(`the replica is ${kib(lacks)} of the log behind`);
      await sleep(STEP_MS);
    }
  };

  const caughtUp = (at: Place, signal?: AbortSignal) =>
    inTime(() => catchUp(at), {
      seconds: ANSWERS_WITHIN_SECONDS,
      late: silent,
      ...(signal && { signal }),
    });

  const leave = (error: unknown) => {
    leftAloneUntil = performance.now() + pauseMs;
    if (!isAway) log.warn({ reason: reasonOf(error) }, 'lists and exports are read from the primary for now');
    isAway = true;
  };

  const come = () => {
    if (isAway) log.info({}, 'lists and exports are read from the replica again');
    isAway = false;
  };

  /** Whether the replica is to be tried. One that was away is tried by one read at a time. */
  const isDue = () => {
    const now = performance.now();
    if (now < leftAloneUntil) return false;
    if (isAway) leftAloneUntil = now + pauseMs;
    return true;
  };

  const reading = async <T>(work: (side: Reads) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    if (isDue()) {
      const at = await askPrimary(null);
      try {
        await caughtUp(at, signal);
        const result = await work(replica);
        come();
        reads.replica += 1;
        return result;
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof Away) && !isOfServer(error)) throw error;
        leave(error);
      }
    }
    reads.primary += 1;
    return work(primary);
  };

  const readingShortly = <T>(work: (side: Reads) => Promise<T>): Promise<T> =>
    reading((side) =>
      side === replica ? inTime(() => work(side), { seconds: READS_WITHIN_SECONDS, late: silent }) : work(side),
    );

  const lists: Reads = {
    read: (statement, values) => readingShortly((side) => side.read(statement, values)),
    query: (statement, values) => readingShortly((side) => side.query(statement, values)),
    search: (statement, values, terms) => reading((side) => side.search(statement, values, terms), terms.signal),
  };

  return {
    ...lists,

    /** How many reads each of the two has answered in this process. */
    reads: (): Readonly<Record<'replica' | 'primary', number>> => reads,

    /** What the operator learns of it. */
    async examine(): Promise<string | readonly Check[]> {
      try {
        const lacked = await caughtUp(await askPrimary(null));
        return `answers lists, searches and exports, ${lacked <= 0n ? 'and is not behind' : `and was ${kib(lacked)} of the log behind`}`;
      } catch (error) {
        const detail = `${reasonOf(error)}: lists, searches and exports are read from the primary`;
        return [{ name: 'replica', status: 'warn', detail }];
      }
    },

    close: () => replica.close(),
  };
};

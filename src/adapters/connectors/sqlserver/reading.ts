import type { RowStream } from '../../../application/ports/connectors.ts';
import { inTime } from '../../../application/shared/async.ts';
import type { Connection } from '../../../domain/connection.ts';
import type { Slot } from '../fair-gate.ts';
import type { Purpose } from '../settings.ts';
import type { SqlTable } from '../sql/dialect.ts';
import type { TableReading } from '../sql/reads.ts';
import { type Stopper, stopper } from '../stopper.ts';
import type { CatalogueColumn } from './catalogue.ts';
import { isJsonColumn } from './dialect.ts';
import { serverErrorOf, TimeUp } from './errors.ts';
import type { Lease, Pools } from './pools.ts';
import { streamRows } from './row-stream.ts';
import { type Parameter, type Run, reset, run } from './session.ts';
import { begin, readOnce, rollback } from './transaction.ts';

/** Ends work whose caller leaves, or that takes longer than so many seconds. */
export const timed = (signal: AbortSignal, seconds: number): Stopper => {
  const stop = stopper(signal);
  stop.setClock(seconds * 1000, () => new TimeUp());
  return stop;
};

export interface Visit {
  readonly pools: Pools;
  readonly connection: Connection;
  /** Waits for a slot of this credential. */
  take(purpose: Purpose, signal: AbortSignal): Promise<Slot>;
  readonly seconds: number;
  /** What is answered for an error, also for that of the clock. */
  explain(error: unknown): unknown;
}

/** The clock of the work, which runs from the slot on, and the slot. */
interface Under extends Pick<Stopper, 'signal' | 'clear'> {
  /** The session has answered. */
  begun(): void;
}

/** The work calls `clear` of what it is given when it is over, and a failure does. */
const within = async <T>(
  visit: Visit,
  purpose: Purpose,
  signal: AbortSignal,
  work: (under: Under) => Promise<T>,
): Promise<T> => {
  const slot = await visit.take(purpose, signal);
  const stop = timed(signal, visit.seconds);
  const clear = () => {
    stop.clear();
    slot.end();
  };
  try {
    return await work({ signal: stop.signal, begun: () => slot.works(true), clear });
  } catch (error) {
    clear();
    if (signal.aborted) throw signal.reason;
    throw visit.explain(error instanceof TimeUp || !stop.signal.aborted ? error : stop.signal.reason);
  }
};

/** Look-ups of this program. */
export const look = <T>(visit: Visit, work: (query: Run) => Promise<T>, signal: AbortSignal): Promise<T> =>
  within(visit, 'work', signal, async (stop) => {
    const answer = await readOnce(visit.pools, visit.connection, stop.signal, ({ session, release }) => {
      stop.begun();
      return work((statement) => run(session, statement, stop.signal)).finally(() => release(true));
    });
    stop.clear();
    return answer;
  });

interface Streaming extends Omit<Under, 'clear'> {
  /** The server is done with the statement. */
  finished(): void;
}

/** The clock runs until the statement is over, also when another session has to be tried after the first. */
const streaming = (
  visit: Visit,
  purpose: Purpose,
  signal: AbortSignal,
  open: (under: Streaming) => Promise<RowStream>,
) =>
  within(visit, purpose, signal, async ({ clear, ...under }) => {
    let over = false;
    let handedOver = false;
    const begun = () => {
      over = false;
      under.begun();
    };
    const finished = () => {
      over = true;
      if (handedOver) clear();
    };
    const stream = await open({ ...under, begun, finished });
    handedOver = true;
    if (over) clear();
    return stream;
  });

const jsonColumns = (table: SqlTable<CatalogueColumn>) => {
  const names = new Set(table.columns.filter(isJsonColumn).map(({ name }) => name));
  return (name: string) => names.has(name);
};

/** One page of a table: a statement by itself, which sees what is committed. */
export const readTable = (
  visit: Visit,
  { maxRows, table, statement }: TableReading<CatalogueColumn, Parameter, Run>,
  signal: AbortSignal,
): Promise<RowStream> =>
  streaming(visit, 'work', signal, (under) => {
    const open = async ({ session, release }: Lease) => {
      under.begun();
      const target = await table((lookUp) => run(session, lookUp, under.signal));
      return streamRows({
        session,
        statement: statement(target),
        maxRows,
        maxBytes: Number.POSITIVE_INFINITY,
        signal: under.signal,
        isJson: jsonColumns(target),
        explain: visit.explain,
        async finish() {
          release(true);
          under.finished();
        },
      });
    };
    return readOnce(visit.pools, visit.connection, under.signal, (lease) =>
      open(lease).catch((error: unknown) => {
        lease.release(true);
        throw error;
      }),
    );
  });

const RESET_SECONDS = 10;

/** Takes back what a query may have left in the session, though it should have left nothing; the answer does not wait for it. */
const restore = (lease: Lease) => {
  const late = () => new Error('the session does not answer');
  inTime(() => reset(lease.session), { seconds: RESET_SECONDS, late }).then(
    () => lease.release(true),
    () => lease.release(false),
  );
};

interface QueryReading {
  readonly text: string;
  readonly maxRows: number;
  readonly maxBytes: number;
  /** Refuses the query by what the session is asked, before it is run. */
  check(query: Run): Promise<void>;
}

/** Memory-optimized tables and linked servers refuse a statement in a transaction: 41368, 41333, 7391. */
const refusesTransactions = (error: unknown) => [41368, 41333, 7391].includes(serverErrorOf(error)?.number ?? 0);

/**
 * Runs a statement of the caller by sp_executesql, in a transaction that is always rolled back. If what it reads takes no transaction, it
 * runs again without one: its text shows that it only reads.
 */
export const readQuery = (
  visit: Visit,
  { text, maxRows, maxBytes, check }: QueryReading,
  signal: AbortSignal,
): Promise<RowStream> =>
  streaming(visit, 'query', signal, async (under) => {
    const attempt = async (autocommit: boolean): Promise<RowStream> => {
      const bounds = { signal: under.signal, timeoutSeconds: visit.seconds, autocommit };
      const lease = await begin(visit.pools, visit.connection, 'query', bounds);
      under.begun();
      const finish = async () => {
        under.finished();
        if (await rollback(lease)) restore(lease);
        else lease.release(false);
      };
      try {
        await check((statement) => run(lease.session, statement, under.signal));
      } catch (error) {
        await finish();
        throw error;
      }
      const statement = { text, parameters: [] };
      return streamRows({
        session: lease.session,
        statement,
        maxRows,
        maxBytes,
        signal: under.signal,
        explain: visit.explain,
        finish,
      });
    };
    return attempt(false).catch((error: unknown) => {
      if (!refusesTransactions(error)) throw error;
      return attempt(true);
    });
  });

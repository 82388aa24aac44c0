import { setTimeout as sleep } from 'node:timers/promises';
import type { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { RowStream } from '../../../application/ports/connectors.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Query } from './columns.ts';
import { type PumpCaps, RowPump, type Stop } from './row-pump.ts';
import { beginAnywhere, beginIn, knownOf } from './session-settings.ts';
import { abandonable, beginBy, endSession, firstAnswer, ignore, queryOf, type Session } from './sessions.ts';
import type { Field, OutputColumn, Types } from './types.ts';
import { DescriptionChanged, type Execution, execute, type Flow, prepare, sendAll } from './wire.ts';

/** A read-only transaction, and what is told of it. */
export interface Visit {
  readonly pool: pg.Pool;
  /** How long it may take to get a session, and what is told when it takes longer. */
  readonly openSeconds: number;
  readonly notOpened: () => DomainError;
  /** How long the work itself may take, and what is told when it takes longer. */
  readonly timeoutSeconds: number;
  readonly tooLate: () => DomainError;
  /** What is told of an error of the server or of the way to it. */
  readonly told: (error: unknown) => unknown;
  /** What brings the session back to how it was. */
  readonly restore: readonly string[];
  /** Called when the session has answered, and when its work is over. */
  readonly works: (now: boolean) => void;
  /** Called once, when the session was given back or ended. */
  readonly done: () => void;
}

export interface Reading extends Visit {
  readonly types: Types;
  /** Statements that ran, with the columns that the server described. */
  readonly described: LRUCache<string, readonly Field[]>;
  readonly caps: PumpCaps;
  /** What is run, made with look-ups in the same transaction. */
  readonly statement: (query: Query) => Promise<Statement>;
}

interface Statement {
  readonly text: string;
  readonly values: readonly (string | Buffer)[];
}

/** The server's own clock comes first: ours is for a server that does not answer, or a reader that does not take. */
const GRACE_MILLISECONDS = 500;
/** The driver's clock, for when even ours could not end a session. */
const SECOND_LINE_MILLISECONDS = 10_000;
/** Rows that were on their way anyway need no cancellation. */
const NEARLY_DONE_MILLISECONDS = 20;

const chunksOf = (pump: RowPump): AsyncIterableIterator<Uint8Array> => ({
  async next() {
    const chunk = await pump.next();
    return chunk === null ? { done: true, value: undefined } : { done: false, value: chunk };
  },
  async return() {
    pump.stop();
    return { done: true, value: undefined };
  },
  async throw(error) {
    pump.stop();
    throw error;
  },
  [Symbol.asyncIterator]() {
    return this;
  },
});

const tooLarge = () => new DomainError('invalid', 'A row is larger than 64 MiB.');

const noColumns = () => new DomainError('invalid', 'The statement returns no columns: only those that answer rows can be run.');

type Finish = (lost?: boolean) => void;

/** Aborted by whoever asked, or by the clock, which is set anew when there is a session. */
const stopper = (signal: AbortSignal) => {
  const controller = new AbortController();
  const forward = () => controller.abort(signal.reason);
  let timer: NodeJS.Timeout | undefined;
  if (signal.aborted) forward();
  signal.addEventListener('abort', forward, { once: true });
  return {
    signal: controller.signal,
    setClock(seconds: number, tooLate: () => DomainError) {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(tooLate()), seconds * 1000 + GRACE_MILLISECONDS);
    },
    clear() {
      clearTimeout(timer);
      signal.removeEventListener('abort', forward);
    },
  };
};

type Fields = readonly Field[] | null;

interface Described extends Statement {
  /** The columns that it answered before. */
  readonly described: readonly Field[];
}

const visitOf = (visit: Visit, signal: AbortSignal) => {
  const { pool, openSeconds, notOpened, timeoutSeconds, tooLate, restore, works, done } = visit;
  const timeoutMilliseconds = timeoutSeconds * 1000 + SECOND_LINE_MILLISECONDS;
  const stop = stopper(signal);
  let session: Session | undefined;
  let flow: Flow | undefined;
  let over = false;

  const opened = <T>(ask: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    stop.setClock(openSeconds, notOpened);
    return firstAnswer(pool, stop.signal, ask);
  };

  const answered = (answering: Session) => {
    if (over) return;
    session = answering;
    works(true);
    stop.setClock(timeoutSeconds, tooLate);
  };

  const begin = async (client: pg.PoolClient) => {
    const known = await knownOf(client);
    if (known === null) return answered(await beginBy(client, beginAnywhere(timeoutSeconds)));
    await sendAll(client, beginIn(known, timeoutSeconds), timeoutMilliseconds);
    answered({ client, pid: known.pid });
  };

  const open = async (): Promise<Session> => {
    if (session === undefined) await opened(begin);
    return session as unknown as Session;
  };

  /** Begins and prepares in one piece, where the session is one that nobody else can be given in between; null where it is not. */
  const beginAndPrepare = async (client: pg.PoolClient, text: string): Promise<{ readonly fields: Promise<Fields> } | null> => {
    const known = await knownOf(client);
    if (known === null) {
      await begin(client);
      return null;
    }
    const begun = Promise.withResolvers<void>();
    const first = beginIn(known, timeoutSeconds);
    const fields = prepare(client, { text, first, begun: begun.resolve }, timeoutMilliseconds);
    fields.catch(begun.reject);
    await begun.promise;
    answered({ client, pid: known.pid });
    return { fields };
  };

  const start = (client: pg.PoolClient, execution: Execution, pump: RowPump) => {
    flow = execute(client, execution, pump);
    pump.start(flow);
  };

  /** Begins, prepares and runs in one piece, where the session is one that nobody else can be given in between. */
  const beginAndRun = async (client: pg.PoolClient, { text, values, described }: Described, pump: RowPump): Promise<boolean> => {
    const known = await knownOf(client);
    if (known === null) {
      await begin(client);
      return false;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begun = () => {
      answered({ client, pid: known.pid });
      resolve();
    };
    const opening = { first: beginIn(known, timeoutSeconds), text, described, begun, failed: reject };
    start(client, { opening, values, restore, timeoutMilliseconds }, pump);
    await promise;
    return true;
  };

  return {
    signal: stop.signal,
    /** Look-ups of this program, the first of which opens the session. */
    query: (async (text, parameters) => queryOf(await open(), stop.signal)(text, parameters)) as Query,
    async prepare(text: string): Promise<Fields> {
      const sent = session ? null : await opened((client) => beginAndPrepare(client, text));
      const later = () => prepare((session as Session).client, { text, first: [], begun: ignore }, timeoutMilliseconds);
      return abandonable(sent?.fields ?? later(), stop.signal);
    },
    /** Runs what was prepared; what brings the session back is sent with it. */
    execute: (values: readonly (string | Buffer)[], pump: RowPump) =>
      start((session as Session).client, { opening: null, values, restore, timeoutMilliseconds }, pump),
    /** All of it in one piece, where no look-up has opened the session yet; false: nothing was run, and it has to be prepared. */
    run: async (statement: Described, pump: RowPump): Promise<boolean> =>
      session === undefined && opened((client) => beginAndRun(client, statement, pump)),
    /** Gives the session back in its own time: nobody has to wait for it. */
    finish(lost = false) {
      if (over) return;
      over = true;
      works(false);
      stop.clear();
      const running = flow === undefined ? stop.signal.aborted : !flow.over;
      if (session === undefined) return done();
      void endSession(pool, session, { running, lost, restore: flow?.restored ? [] : restore }).finally(done);
    },
  };
};

/** Look-ups of this program. */
export const look = async <T>(visit: Visit, work: (query: Query) => Promise<T>, signal: AbortSignal): Promise<T> => {
  const visiting = visitOf(visit, signal);
  try {
    return await work(visiting.query);
  } catch (error) {
    throw visiting.signal.aborted ? visiting.signal.reason : visit.told(error);
  } finally {
    visiting.finish();
  }
};

/**
 * One statement in a read-only transaction that is always rolled back. Its text goes by the extended protocol, which takes one
 * statement only; it is prepared first, and not run where it would answer no columns. Where nothing has to be looked up it costs two
 * turns: begin and prepare in one piece, run and restore in the other; and one turn where this very text has answered columns before.
 * Rejects with `DescriptionChanged` where it would answer others by now.
 */
export const read = async (reading: Reading, signal: AbortSignal): Promise<RowStream> => {
  const visiting = visitOf(reading, signal);
  const { signal: stopped, finish } = visiting;
  try {
    const statement = await reading.statement(visiting.query);
    const { columns, pump } = (await runAgain(reading, statement, visiting)) ?? (await prepareAndRun(reading, statement, visiting));
    stopped.addEventListener('abort', () => {
      pump.fail(stopped.reason);
      finish();
    });
    await pump.ready();
    return { columns, chunks: chunksOf(pump), end: () => pump.end };
  } catch (error) {
    finish();
    if (error instanceof DescriptionChanged) reading.described.delete(error.text);
    throw stopped.aborted ? stopped.reason : reading.told(error);
  }
};

type Visiting = ReturnType<typeof visitOf>;

interface Running {
  readonly columns: readonly OutputColumn[];
  readonly pump: RowPump;
}

const prepareAndRun = async (reading: Reading, { text, values }: Statement, visiting: Visiting): Promise<Running> => {
  const fields = await visiting.prepare(text);
  if (fields === null || fields.length === 0) throw noColumns();
  const columns = await reading.types.resolve(fields, visiting.query);
  const pump = pumpOf(reading, columns, visiting.finish);
  visiting.signal.throwIfAborted();
  visiting.execute(values, pump);
  reading.described.set(text, fields);
  return { columns, pump };
};

/** Null where it is not known what it will answer. */
const runAgain = async (reading: Reading, statement: Statement, visiting: Visiting): Promise<Running | null> => {
  const described = reading.described.get(statement.text);
  const columns = described && reading.types.known(described);
  if (!described || !columns) return null;
  const pump = pumpOf(reading, columns, visiting.finish);
  return (await visiting.run({ ...statement, described }, pump)) ? { columns, pump } : null;
};

const pumpOf = ({ caps, told }: Reading, columns: readonly OutputColumn[], finish: Finish): RowPump => {
  const onStop = (stop: Stop) => {
    if (stop.kind === 'end') return finish();
    if (stop.kind === 'enough') return void sleep(NEARLY_DONE_MILLISECONDS, undefined, { ref: false }).then(() => finish());
    pump.fail(stop.kind === 'failed' ? told(stop.error) : tooLarge());
    finish(stop.kind === 'too large' || stop.lost);
  };
  const pump = new RowPump(columns, caps, onStop);
  return pump;
};

import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { RowStream } from '../../../application/ports/connectors.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Query } from './columns.ts';
import { type PumpCaps, RowPump, type Stop } from './row-pump.ts';
import { beginAnywhere, beginIn, knownOf } from './session-settings.ts';
import { abandonable, beginBy, endSession, firstAnswer, ignore, queryOf, type Session } from './sessions.ts';
import type { Field, OutputColumn, Types } from './types.ts';
import { execute, type Flow, prepare, type RowSink, sendAll } from './wire.ts';

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
  readonly caps: PumpCaps;
  /** What is run, made with look-ups in the same transaction. */
  readonly statement: (query: Query) => Promise<{ readonly text: string; readonly values: readonly (string | Buffer)[] }>;
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

/** A session in which the statement was sent right after the transaction was begun. */
interface Begun {
  readonly session: Session;
  /** Null where it was not sent yet. */
  readonly fields: Promise<Fields> | null;
}

const visitOf = (visit: Visit, signal: AbortSignal) => {
  const { pool, openSeconds, notOpened, timeoutSeconds, tooLate, restore, works, done } = visit;
  const secondLine = timeoutSeconds * 1000 + SECOND_LINE_MILLISECONDS;
  const stop = stopper(signal);
  let session: Session | undefined;
  let flow: Flow | undefined;
  let over = false;

  const opened = async <T extends Session | Begun>(opening: Promise<T>): Promise<T> => {
    stop.setClock(openSeconds, notOpened);
    const begun = await opening;
    session = 'session' in begun ? begun.session : begun;
    works(true);
    stop.setClock(timeoutSeconds, tooLate);
    return begun;
  };

  const begin = async (client: pg.PoolClient): Promise<Session> => {
    const known = await knownOf(client);
    if (known === null) return beginBy(client, beginAnywhere(timeoutSeconds));
    await sendAll(client, beginIn(known, timeoutSeconds), secondLine);
    return { client, pid: known.pid };
  };

  const open = async () => session ?? (await opened(firstAnswer(pool, stop.signal, begin)));

  /** Begins and prepares in one piece, where the session is one that nobody else can be given in between. */
  const beginAndPrepare = async (client: pg.PoolClient, text: string): Promise<Begun> => {
    const known = await knownOf(client);
    if (known === null) return { session: await begin(client), fields: null };
    const begun = Promise.withResolvers<void>();
    const fields = prepare(client, { text, first: beginIn(known, timeoutSeconds), begun: begun.resolve }, secondLine);
    fields.catch(begun.reject);
    await begun.promise;
    return { session: { client, pid: known.pid }, fields };
  };

  return {
    signal: stop.signal,
    /** Look-ups of this program, the first of which opens the session. */
    query: (async (text, parameters) => queryOf(await open(), stop.signal)(text, parameters)) as Query,
    async prepare(text: string): Promise<Fields> {
      const begun = session ? null : await opened(firstAnswer(pool, stop.signal, (client) => beginAndPrepare(client, text)));
      const later = () => prepare((session as Session).client, { text, first: [], begun: ignore }, secondLine);
      return abandonable(begun?.fields ?? later(), stop.signal);
    },
    /** Runs what was prepared; what brings the session back is sent with it. */
    execute(values: readonly (string | Buffer)[], sink: RowSink): Flow {
      flow = execute((session as Session).client, { values, restore, timeoutMilliseconds: secondLine }, sink);
      return flow;
    },
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
 * turns: begin and prepare in one piece, run and restore in the other.
 */
export const read = async (reading: Reading, signal: AbortSignal): Promise<RowStream> => {
  const visiting = visitOf(reading, signal);
  const { signal: stopped, finish } = visiting;
  try {
    const { text, values } = await reading.statement(visiting.query);
    const fields = await visiting.prepare(text);
    if (fields === null || fields.length === 0) throw noColumns();
    const columns = await reading.types.resolve(fields, visiting.query);
    const pump = pumpOf(reading, columns, finish);
    stopped.throwIfAborted();
    stopped.addEventListener('abort', () => {
      pump.fail(stopped.reason);
      finish();
    });
    pump.start(visiting.execute(values, pump));
    await pump.ready();
    return { columns, chunks: chunksOf(pump), end: () => pump.end };
  } catch (error) {
    finish();
    throw stopped.aborted ? stopped.reason : reading.told(error);
  }
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

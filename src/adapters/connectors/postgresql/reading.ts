import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { RowStream } from '../../../application/ports/connectors.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Query } from './columns.ts';
import { type PumpCaps, RowPump, type Stop } from './row-pump.ts';
import { abandonable, endSession, openSession, queryOf, type Session } from './sessions.ts';
import type { OutputColumn, Types } from './types.ts';
import { execute, type Flow, prepare } from './wire.ts';

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

/**
 * Settings that decide how values look as text are part of the contract, so none is left to the login's defaults; the
 * search path is, because the login's own names are found by it. Poolers between may mix sessions: hence `set local`.
 */
const begin = (timeoutSeconds: number) => {
  const limit = Math.ceil(timeoutSeconds * 1000);
  const settings = {
    statement_timeout: limit,
    lock_timeout: limit,
    idle_in_transaction_session_timeout: limit + 10_000,
    timezone: `'UTC'`,
    datestyle: `'ISO, YMD'`,
    intervalstyle: `'iso_8601'`,
    bytea_output: `'hex'`,
    extra_float_digits: 1,
    standard_conforming_strings: 'on',
    default_transaction_read_only: 'on',
  };
  const sets = Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}`);
  return ['begin isolation level read committed read only', ...sets, 'select pg_catalog.pg_backend_pid() as pid'].join('; ');
};

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

const visitOf = ({ pool, openSeconds, notOpened, timeoutSeconds, tooLate, restore, works, done }: Visit, signal: AbortSignal) => {
  const stop = stopper(signal);
  let session: Session | undefined;
  let flow: Flow | undefined;
  let over = false;
  return {
    signal: stop.signal,
    async open() {
      stop.setClock(openSeconds, notOpened);
      session = await openSession(pool, stop.signal, begin(timeoutSeconds));
      works(true);
      stop.setClock(timeoutSeconds, tooLate);
      return session;
    },
    flows: (own: Flow) => {
      flow = own;
    },
    /** Gives the session back in its own time: nobody has to wait for it. */
    finish(lost = false) {
      if (over) return;
      over = true;
      works(false);
      stop.clear();
      const running = flow === undefined ? stop.signal.aborted : !flow.over;
      const ended = session ? endSession(pool, session, { running, lost, restore }) : Promise.resolve();
      void ended.finally(done);
    },
  };
};

/** Look-ups of this program. */
export const look = async <T>(visit: Visit, work: (query: Query) => Promise<T>, signal: AbortSignal): Promise<T> => {
  const visiting = visitOf(visit, signal);
  try {
    return await work(queryOf(await visiting.open(), visiting.signal));
  } catch (error) {
    throw visiting.signal.aborted ? visiting.signal.reason : visit.told(error);
  } finally {
    visiting.finish();
  }
};

/**
 * One statement in a read-only transaction that is always rolled back. Its text goes by the extended protocol, which takes one
 * statement only; it is prepared first, and not run where it would answer no columns.
 */
export const read = async (reading: Reading, signal: AbortSignal): Promise<RowStream> => {
  const visiting = visitOf(reading, signal);
  const { signal: stopped, finish } = visiting;
  try {
    const session = await visiting.open();
    const { columns, values } = await prepared(reading, session, stopped);
    const pump = pumpOf(reading, columns, finish);
    stopped.throwIfAborted();
    stopped.addEventListener('abort', () => {
      pump.fail(stopped.reason);
      finish();
    });
    const flow = execute(session.client, values, reading.timeoutSeconds * 1000 + SECOND_LINE_MILLISECONDS, pump);
    visiting.flows(flow);
    pump.start(flow);
    await pump.ready();
    return { columns, chunks: chunksOf(pump), end: () => pump.end };
  } catch (error) {
    finish();
    throw stopped.aborted ? stopped.reason : reading.told(error);
  }
};

const prepared = async ({ statement, types, timeoutSeconds }: Reading, session: Session, signal: AbortSignal) => {
  const query = queryOf(session, signal);
  const { text, values } = await statement(query);
  const fields = await abandonable(prepare(session.client, text, timeoutSeconds * 1000 + SECOND_LINE_MILLISECONDS), signal);
  if (fields === null || fields.length === 0) throw noColumns();
  return { columns: await types.resolve(fields, query), values };
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

import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { RowStream } from '../../../application/ports/connectors.ts';
import { abortable } from '../../../application/shared/async.ts';
import { DomainError } from '../../../domain/errors.ts';
import { stopper } from '../stopper.ts';
import type { Query } from './query.ts';
import type { Plan, RowReader, Rows, Run } from './rows/rows.ts';
import { beginAnywhere, beginIn, factsOf } from './session-settings.ts';
import { beginBy, endSession, firstAnswer, queryOf, type Session } from './sessions.ts';

/** A read-only transaction: where it runs, how long it may take, and what happens at its end. */
interface ReadTerms {
  readonly pool: pg.Pool;
  /** How long it may take to get a session, and the error if it takes longer. */
  readonly openSeconds: number;
  readonly notOpened: () => DomainError;
  /** How long the work itself may take, and the error if it takes longer. */
  readonly timeoutSeconds: number;
  readonly tooLate: () => DomainError;
  /** The error that the caller gets for one of the server or of the way to it. */
  readonly explain: (error: unknown) => unknown;
  /** Statements that bring the session back to how it was. */
  readonly restore: readonly string[];
  /** Called when the session has answered, and when its work is over. */
  readonly works: (now: boolean) => void;
  /** Called once, when the session was released or closed. */
  readonly done: () => void;
}

interface Reading extends ReadTerms, Pick<Run, 'caps'> {
  readonly rows: RowReader;
  /** Builds the statement, with look-ups in the same transaction. */
  readonly statement: (query: Query) => Promise<{ readonly text: string; readonly values: Run['values'] }>;
}

/** The server's own clock comes first: ours is for a server that does not answer, or a reader that does not take. */
const GRACE_MILLISECONDS = 500;
/** The driver's clock, for when even ours could not end a session. */
const SECOND_LINE_MILLISECONDS = 10_000;
/** Rows that were on their way anyway need no cancellation. */
const NEARLY_DONE_MILLISECONDS = 20;

type Fields = Awaited<ReturnType<RowReader['prepare']>>;
type Execution = Pick<Run, 'values' | 'caps' | 'explain' | 'onStop'>;

/** The transaction begins with its first statement; unless a pooler may change the session, in one piece with it. */
const readOnlyTransaction = (terms: ReadTerms, signal: AbortSignal) => {
  const { pool, openSeconds, notOpened, timeoutSeconds, tooLate, restore, works, done } = terms;
  const timeoutMilliseconds = timeoutSeconds * 1000 + SECOND_LINE_MILLISECONDS;
  const stop = stopper(signal);
  let session: Session | undefined;
  let rows: Rows | undefined;
  let over = false;

  const opened = <T>(ask: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    stop.setClock(openSeconds * 1000 + GRACE_MILLISECONDS, notOpened);
    return firstAnswer(pool, stop.signal, ask);
  };

  const answered = (answering: Session) => {
    if (over) return;
    session = answering;
    works(true);
    stop.setClock(timeoutSeconds * 1000 + GRACE_MILLISECONDS, tooLate);
  };

  const begin = async (client: pg.PoolClient) => {
    const facts = await factsOf(client);
    if (facts === null) return answered(await beginBy(client, beginAnywhere(timeoutSeconds)));
    await client.query(beginIn(facts, timeoutSeconds).join('; '));
    answered({ client, pid: facts.pid });
  };

  const open = async (): Promise<Session> => {
    if (session === undefined) await opened(begin);
    return session as unknown as Session;
  };

  /** Begins together with what `send` sends; null, and only begun, if a pooler may give the session to others in between. */
  const beginWith = async <T>(
    client: pg.PoolClient,
    send: (opening: NonNullable<Run['opening']>) => T,
  ): Promise<{ readonly sent: T } | null> => {
    const facts = await factsOf(client);
    if (facts === null) {
      await begin(client);
      return null;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begun = () => {
      answered({ client, pid: facts.pid });
      resolve();
    };
    const sent = send({ first: beginIn(facts, timeoutSeconds), begun, failed: reject });
    await promise;
    return { sent };
  };

  return {
    signal: stop.signal,
    /** Look-ups of this program, the first of which opens the session. */
    query: (async (text, parameters) => queryOf(await open(), stop.signal)(text, parameters)) as Query,
    async prepare(reader: RowReader, text: string): Promise<Fields> {
      const prepare = (client: pg.PoolClient, { first, begun, failed }: NonNullable<Run['opening']>) => {
        const fields = reader.prepare(client, { text, first, begun }, timeoutMilliseconds);
        fields.catch(failed);
        return fields;
      };
      const begun = session ? null : await opened((client) => beginWith(client, (opening) => prepare(client, opening)));
      const later = () =>
        reader.prepare((session as Session).client, { text, first: [], begun: () => {} }, timeoutMilliseconds);
      return abortable(begun?.sent ?? later(), stop.signal);
    },
    /** Runs what was prepared. */
    execute(reader: RowReader, plan: Plan, execution: Execution): Rows {
      stop.signal.throwIfAborted();
      rows = reader.run((session as Session).client, plan, {
        ...execution,
        opening: null,
        restore,
        timeoutMilliseconds,
      });
      return rows;
    },
    /** Begins, prepares and runs in one piece; null, and not run, if that cannot be. */
    async run(reader: RowReader, plan: Plan, execution: Execution): Promise<Rows | null> {
      if (session !== undefined) return null;
      const start = (client: pg.PoolClient, opening: Run['opening']) => {
        rows = reader.run(client, plan, { ...execution, opening, restore, timeoutMilliseconds });
        return rows;
      };
      const begun = await opened((client) => beginWith(client, (opening) => start(client, opening)));
      return begun?.sent ?? null;
    },
    /** Releases the session in the background. */
    finish(lost = false) {
      if (over) return;
      over = true;
      works(false);
      stop.clear();
      const running = rows === undefined ? stop.signal.aborted : !rows.over;
      if (session === undefined) return done();
      void endSession(pool, session, { running, lost, restore: rows?.restored ? [] : restore }).finally(done);
    },
  };
};

/** Look-ups of this program. */
export const look = async <T>(
  terms: ReadTerms,
  work: (query: Query) => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const transaction = readOnlyTransaction(terms, signal);
  try {
    return await work(transaction.query);
  } catch (error) {
    throw transaction.signal.aborted ? transaction.signal.reason : terms.explain(error);
  } finally {
    transaction.finish();
  }
};

/**
 * One statement in a read-only transaction that is always rolled back. Its text goes by the extended protocol, which takes one
 * statement only; it is prepared first, and not run if it would answer no columns. If nothing has to be looked up it costs two
 * turns: begin and prepare in one piece, run and restore in the other; and one turn if this very text has answered columns before.
 * If it would answer others by now, it rejects with an error for which `hasOtherColumns` is true.
 */
export const read = async (reading: Reading, signal: AbortSignal): Promise<RowStream> => {
  const transaction = readOnlyTransaction(reading, signal);
  const { signal: stopped, finish } = transaction;
  try {
    const rows = await rowsOf(reading, transaction);
    stopped.addEventListener('abort', () => {
      rows.fail(stopped.reason);
      finish();
    });
    await rows.ready();
    return { columns: rows.columns, chunks: rows, end: () => rows.end };
  } catch (error) {
    finish();
    throw stopped.aborted ? stopped.reason : reading.explain(error);
  }
};

const rowsOf = async (
  { rows, statement, caps, explain }: Reading,
  transaction: ReturnType<typeof readOnlyTransaction>,
): Promise<Rows> => {
  const { text, values } = await statement(transaction.query);
  const onStop: Run['onStop'] = (stop) => {
    if (stop !== 'enough') return transaction.finish(stop === 'lost');
    void sleep(NEARLY_DONE_MILLISECONDS, undefined, { ref: false }).then(() => transaction.finish());
  };
  const execution = { values, caps, explain, onStop };
  const recalled = rows.recall(text);
  const running = recalled && (await transaction.run(rows, recalled, execution));
  if (running) return running;
  const fields = await transaction.prepare(rows, text);
  if (fields === null || fields.length === 0)
    throw new DomainError('invalid', 'The statement returns no columns: only those that answer rows can be run.');
  return transaction.execute(rows, await rows.plan(text, fields, transaction.query), execution);
};

import tedious, { type Connection as Session } from 'tedious';
import type { Run as SqlRun, Statement as SqlStatement } from '../sql/dialect.ts';
import { isCancelled, TimeUp } from './errors.ts';

const { Request, TYPES } = tedious;

/** What stands for `@p0`, `@p1`, … in a statement. */
export interface Parameter {
  readonly type: (typeof TYPES)[keyof typeof TYPES];
  readonly value: string | number | bigint | Buffer | null;
  /** 65535 stands for `max`. */
  readonly length?: number;
}

export type Statement = SqlStatement<Parameter>;

export type Row = Readonly<Record<string, unknown>>;

/** Answers the rows of a statement's last result. */
export type Run = SqlRun<Parameter>;

const MAX = 65535;
const LONGEST_NVARCHAR = 4000;
const LONGEST_VARBINARY = 8000;

/** Declared by one of two lengths, so that the server keeps one plan for all values. */
export const textParameter = (value: string): Parameter => ({
  type: TYPES.NVarChar,
  value,
  length: value.length <= LONGEST_NVARCHAR ? LONGEST_NVARCHAR : MAX,
});

export const bytesParameter = (value: Buffer): Parameter => ({
  type: TYPES.VarBinary,
  value,
  length: value.length <= LONGEST_VARBINARY ? LONGEST_VARBINARY : MAX,
});

export const bigintParameter = (value: number): Parameter => ({ type: TYPES.BigInt, value: BigInt(value) });

export const intParameter = (value: number): Parameter => ({ type: TYPES.Int, value });

export const floatParameter = (value: number): Parameter => ({ type: TYPES.Float, value });

export const realParameter = (value: number): Parameter => ({ type: TYPES.Real, value });

export type Request = InstanceType<typeof Request>;

export const requestFor = (
  { text, parameters }: Statement,
  done: (error: Error | null | undefined) => void,
): Request => {
  const request = new Request(text, done);
  for (const [index, { type, value, length }] of parameters.entries()) {
    request.addParameter(`p${index}`, type, value, length === undefined ? null : { length });
  }
  return request;
};

const CANCEL_MILLISECONDS = 500;

/** Cancels what is under way on the server. One that does not react loses the session, which ends the request here at least. */
export const cancel = (session: Session, request: Request): void => {
  const timer = setTimeout(() => session.close(), CANCEL_MILLISECONDS);
  request.once('requestCompleted', () => clearTimeout(timer));
  request.cancel();
};

/** Why an aborted statement ended. */
const endOf = (signal: AbortSignal, error: Error): unknown =>
  signal.reason instanceof TimeUp && isCancelled(error) ? new TimeUp(true) : signal.reason;

/** Waits for the request that `send` sends; an abort cancels it on the server and rejects with the signal's reason. */
const answered = (
  session: Session,
  signal: AbortSignal | undefined,
  send: (done: (error: Error | null | undefined) => void) => Request,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => cancel(session, request);
    const request = send((error) => {
      signal?.removeEventListener('abort', stop);
      if (error) reject(signal?.aborted ? endOf(signal, error) : error);
      else resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });

/** Runs a statement. */
export const run = async <R extends object>(
  session: Session,
  statement: Statement,
  signal: AbortSignal,
): Promise<readonly R[]> => {
  signal.throwIfAborted();
  let rows: R[] = [];
  await answered(session, signal, (done) => {
    const request = requestFor(statement, done);
    request.on('columnMetadata', () => {
      rows = [];
    });
    request.on(
      'row',
      (columns: readonly { readonly value: unknown; readonly metadata: { readonly colName: string } }[]) => {
        rows.push(Object.fromEntries(columns.map(({ value, metadata }) => [metadata.colName, value])) as R);
      },
    );
    session.execSql(request);
    return request;
  });
  return rows;
};

/** Runs a batch as it stands, without parameters: the beginning and the end of a transaction. The driver cancels it when its time is up. */
export const runBatch = (
  session: Session,
  text: string,
  timeoutMilliseconds: number,
  signal?: AbortSignal,
): Promise<void> =>
  answered(session, signal, (done) => {
    const request = new Request(text, done);
    request.setTimeout(timeoutMilliseconds);
    session.execSqlBatch(request);
    return request;
  });

/** How long a statement waits for a lock: less than its time, so that the server can say that there is one. */
export const lockMilliseconds = (timeoutSeconds: number): number =>
  Math.ceil(Math.max(timeoutSeconds - 1, timeoutSeconds / 2) * 1000);

/** Puts a session back to what it was when it was opened: settings, temporary tables, locks that are not a transaction's. */
export const reset = (session: Session): Promise<void> =>
  new Promise((resolve, reject) => {
    session.reset((error) => (error ? reject(error) : resolve()));
  });

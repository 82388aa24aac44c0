import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConnectionOptions,
  createConnection,
  createPool,
  type Pool,
  type PoolConnection,
  type ResultSetHeader,
} from 'mysql2';
import type { Sealer } from '../../../application/ports/secrets.ts';
import { abortable, inTime } from '../../../application/shared/async.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import { authoritiesIn } from '../authorities.ts';
import { ignore } from '../errors.ts';
import { connectionLeases } from '../leases.ts';
import { openAddress } from '../sealed-address.ts';
import type { ConnectorSettings } from '../settings.ts';
import type { Run as SqlRun, Statement as SqlStatement } from '../sql/dialect.ts';
import { type Address, readAddress } from './address.ts';
import { isLost, outageCode, SessionRefused } from './errors.ts';

const MOST_CONNECT_SECONDS = 10;
const IDLE_SECONDS = 30;
const MOST_STATEMENTS = 20;
const MOST_KILL_SECONDS = 5;
const KILLED_POLL_MILLISECONDS = 10;

export type Session = PoolConnection;
/** What is sent for a parameter. */
export type Value = string | number | Buffer | null;
export type Statement = SqlStatement<Value>;
export type Run = SqlRun<Value>;

/** An address, with the certificates of the file that it names. */
type Trusting = Address & { readonly ca: string | null };

/** The address of a connection, or an error that repeats nothing of it. */
export const addressOf = (sealer: Sealer, connection: Connection): Trusting => {
  const unusable = (why: string) =>
    new DomainError(
      'unavailable',
      `The connection "${connection.name}" has an address that cannot be used: it ${why}.`,
    );
  const address = readAddress(openAddress(sealer, connection));
  if (typeof address === 'string') throw unusable(address);
  const ca = address.caFile === null ? null : authoritiesIn(address.caFile);
  if (address.caFile !== null && ca === null)
    throw unusable('names an ssl-ca that cannot be read, or holds no certificate in PEM form');
  return { ...address, ca };
};

const tlsOf = ({ tls, ca }: Trusting) => ({
  rejectUnauthorized: tls !== 'REQUIRED',
  verifyIdentity: tls === 'VERIFY_IDENTITY',
  ...(ca !== null && { ca }),
});

/** Every value comes with all its digits, as text where a number or a date of JavaScript would lose some. */
export const optionsFor = (address: Trusting, seconds: number): ConnectionOptions => ({
  host: address.host,
  port: address.port,
  user: address.user,
  password: address.password,
  ...(address.database !== null && { database: address.database }),
  ...(address.tls !== 'DISABLED' && { ssl: tlsOf(address) }),
  connectTimeout: Math.min(seconds, MOST_CONNECT_SECONDS) * 1000,
  // A server must not be able to ask for files of this machine.
  flags: ['-LOCAL_FILES'],
  charset: 'utf8mb4_unicode_ci',
  dateStrings: true,
  supportBigNumbers: true,
  bigNumberStrings: true,
  jsonStrings: true,
  // What it compiles for the columns of an answer refuses some of their names.
  disableEval: true,
  maxPreparedStatements: MOST_STATEMENTS,
  connectAttributes: { program_name: 'portico' },
});

export type Pools = ReturnType<typeof mysqlPools>;
export type Open = ReturnType<Pools['lease']>['resource'];

/** What is open for each connection: work and queries apart, so that long queries never keep anything else waiting. */
export const mysqlPools = (settings: ConnectorSettings) =>
  connectionLeases({
    open(connection) {
      const address = addressOf(settings.sealer, connection);
      const options = optionsFor(address, settings.timeoutSeconds);
      const pool = () => {
        const made = createPool({
          ...options,
          connectionLimit: settings.poolSize,
          maxIdle: 0,
          idleTimeout: IDLE_SECONDS * 1000,
          resetOnRelease: false,
        });
        // A session may be lost while nothing is asked of it.
        made.on('connection', (session) =>
          session.on('error', (error) =>
            settings.log.debug({ connection_id: connection.id, code: outageCode(error) }, 'session lost'),
          ),
        );
        return made;
      };
      return { address, options, most: settings.poolSize, work: pool(), query: pool() };
    },
    close: ({ work, query }) => Promise.all([work, query].map((pool) => new Promise((resolve) => pool.end(resolve)))),
  });

/** Waits for a session, or for the abort: one that comes too late is released. */
const checkOut = (pool: Pool, signal: AbortSignal): Promise<Session> => {
  const coming = new Promise<Session>((resolve, reject) =>
    pool.getConnection((error, session) => (error ? reject(new SessionRefused(error)) : resolve(session))),
  );
  return abortable(coming, signal).catch((error: unknown) => {
    coming.then((session) => session.release(), ignore);
    throw error;
  });
};

/** The mode decides how a text is read: with it, a backslash escapes in texts, and double quotes enclose texts. */
const MODE = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

/** MariaDB reads the one comment and MySQL the other: each has a clock of its own, as a second line behind ours. */
const settingsFor = (seconds: number): readonly string[] => [
  `set session sql_mode = '${MODE}', time_zone = '+00:00', lock_wait_timeout = ${Math.ceil(seconds)},
   innodb_lock_wait_timeout = ${Math.ceil(seconds)} /*M!100100 , max_statement_time = ${seconds + 1} */
   /*!50708 , max_execution_time = ${Math.ceil(seconds * 1000) + 1000} */`,
  'set session transaction isolation level read committed, read only',
];

const clocks = new WeakMap<Session, number>();

/** Runs a text as it is. */
export const send = <T = unknown>(session: Pick<Session, 'query'>, text: string): Promise<T> =>
  new Promise((resolve, reject) =>
    session.query(text, (error, result) => (error ? reject(error) : resolve(result as T))),
  );

const ping = (session: Session): Promise<void> =>
  new Promise((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve())));

const prepare = async (session: Session, seconds: number) => {
  if (clocks.get(session) === seconds) return ping(session);
  for (const text of settingsFor(seconds)) await send(session, text);
  clocks.set(session, seconds);
};

/** A session that answers, whose transactions only read; those that were lost while they were idle are passed over. */
export const openSession = async (
  { most }: Open,
  pool: Pool,
  seconds: number,
  signal: AbortSignal,
): Promise<Session> => {
  for (let lost = 0; ; lost += 1) {
    const session = await checkOut(pool, signal);
    try {
      await abortable(prepare(session, seconds), signal);
      return session;
    } catch (error) {
      discard(session);
      if (signal.aborted) throw error;
      if (!isLost(error) || lost >= most) throw new SessionRefused(error);
    }
  }
};

/** Closes a session at once, also where rows are still on their way that nothing reads. */
const discard = (session: Session) => {
  session.destroy();
  (session as Session & { readonly stream: { destroy(): void } }).stream.destroy();
};

/**
 * Ends a session on the server, with what it is doing, by way of another one because the pool may be exhausted. The
 * server answers a `kill` before it has rolled back, and lists the session until it has.
 */
const kill = async ({ options }: Open, { threadId }: Session, signal: AbortSignal) => {
  const other = createConnection({ ...options, connectTimeout: MOST_KILL_SECONDS * 1000 });
  other.on('error', ignore);
  const listed = async () =>
    (await send<unknown[]>(other, `select 1 from information_schema.processlist where id = ${threadId}`)).length > 0;
  try {
    await send(other, `kill ${threadId}`);
    while (await listed()) await sleep(KILLED_POLL_MILLISECONDS, undefined, { signal });
  } finally {
    other.destroy();
  }
};

/** How a session ends: `clean` ones are used again, `used` ones after they were reset, and something still runs in `running` ones. */
export type Ending = 'clean' | 'used' | 'running' | 'lost';

const reset = (session: Session): Promise<void> =>
  new Promise((resolve, reject) => session.reset((error) => (error ? reject(error) : resolve())));

export const endSession = async (open: Open, session: Session, ending: Ending): Promise<void> => {
  if (ending === 'clean') return session.release();
  const terms = { seconds: MOST_KILL_SECONDS, late: () => new Error('the session does not answer') };
  if (ending === 'used') {
    clocks.delete(session);
    return inTime(() => reset(session), terms).then(
      () => session.release(),
      () => discard(session),
    );
  }
  if (ending === 'running') await inTime((signal) => kill(open, session, signal), terms).catch(ignore);
  discard(session);
};

const answerOf = <T>(session: Session, { text, parameters }: Statement, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted();
  const answer = new Promise<T>((resolve, reject) =>
    session.execute(text, [...parameters], (error, rows) => (error ? reject(error) : resolve(rows as T))),
  );
  return abortable(answer, signal);
};

/** Statements of this program; an abort rejects at once, and leaves the statement running. */
export const runIn =
  (session: Session, signal: AbortSignal): Run =>
  <Row extends object>(statement: Statement) =>
    answerOf<Row[]>(session, statement, signal);

/** How many rows a statement has inserted, or has found to be changed. */
export const affectedIn = (session: Session, signal: AbortSignal) => async (statement: Statement) =>
  (await answerOf<ResultSetHeader>(session, statement, signal)).affectedRows;

/** A statement that ends within this time needs no other session to end it. */
const NEARLY_DONE_MILLISECONDS = 20;

export const nearlyDone = (over: Promise<void>): Promise<unknown> =>
  Promise.race([over, sleep(NEARLY_DONE_MILLISECONDS, undefined, { ref: false })]);

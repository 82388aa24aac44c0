import { codeOf } from '../../../domain/errors.ts';
import { sentence } from '../../../domain/text.ts';
import { reasonText } from '../errors.ts';
import type { Broken } from '../sql/dialect.ts';

/** An error that the server answered, with its number and severity as in sys.messages. */
interface ServerError extends Error {
  readonly number: number;
  readonly class: number;
  /** Of the statement, from 1. */
  readonly lineNumber?: number;
}

const isServerError = (error: unknown): error is ServerError =>
  error instanceof Error &&
  'number' in error &&
  typeof error.number === 'number' &&
  'class' in error &&
  typeof error.class === 'number';

/** Errors that only report that another one ended the statement or the transaction. */
const consequences = new Set([266, 3609, 3616, 3621, 3998]);

/** The error that names the cause: the driver collects several, and the pool wraps those of a login. */
export const serverErrorOf = (error: unknown): ServerError | null => {
  if (isServerError(error)) return error;
  if (error instanceof Error && 'originalError' in error) return serverErrorOf(error.originalError);
  if (!(error instanceof AggregateError)) return null;
  const errors: readonly ServerError[] = error.errors.filter(isServerError);
  return (
    errors.find(({ class: severity }) => severity >= 20) ??
    errors.find(({ number }) => !consequences.has(number)) ??
    errors[0] ??
    null
  );
};

/** Why a server refuses a login, by the error's number, as words that follow the connection's name. */
const reasons = new Map<number, string>();

const because = (words: string, ...numbers: readonly number[]) => {
  for (const number of numbers) reasons.set(number, words);
};

because('did not accept its user or password', 18456);
because('does not take its Windows account', 18452);
because('has its login disabled', 18470);
because('has its login locked, after too many wrong passwords', 18486);
because('asks for a new password of its login before it lets it in', 18487, 18488);
because('has no database of that name, or does not open it to its user', 911, 916, 4060, 4064);
because('is not known under the name in its address', 40532);
because('keeps this program out by its firewall', 40615, 40914, 47073);
because('refused the session by a logon trigger', 17892);
because('is open to a single user at present', 924, 18451, 18461);
because('is paused or moving at present', 4221, 17142, 40143, 40197, 40540, 40613, 42108, 42109);
because('takes no more work at present, for it is throttled', 10928, 10929, 40501, 49918, 49919, 49920);

/** The same login may be taken in a few seconds: the database moves, wakes up, or is throttled. */
const passing = new Set([4221, 10928, 10929, 40143, 40197, 40501, 40540, 40613, 42108, 42109, 49918, 49919, 49920]);

/** Reports the failure of a login after another error has named the cause. */
const LOGIN_FAILED = 18456;

export type LoginError = Pick<ServerError, 'number' | 'class'>;

export const mainLoginError = <T extends LoginError>(errors: readonly T[]): T | undefined =>
  errors.find(({ number }) => number !== LOGIN_FAILED) ?? errors[0];

const DATABASE_IS_READ_ONLY = 3906;
const DEADLOCK = 1205;
const LOCK_TIMEOUT = 1222;
const SNAPSHOT_CONFLICT = 3960;
/** The last five are of tables in memory, whose transactions lock nothing and are checked when they end. */
const SNAPSHOT_CONFLICTS = [3951, 3957, 3958, SNAPSHOT_CONFLICT, 3961, 41301, 41302, 41305, 41325, 41839];
const NO_ROOM = [
  701, 802, 1101, 1105, 1204, 1827, 3967, 8645, 8651, 8902, 9002, 10928, 10929, 40544, 40549, 40550, 40551, 40552,
  40553,
];

/** Numbers that are no fault of the statement, though their severity is that of a user's mistake: it may succeed later. */
const transient = new Set([
  DATABASE_IS_READ_ONLY,
  DEADLOCK,
  LOCK_TIMEOUT,
  ...SNAPSHOT_CONFLICTS,
  ...NO_ROOM,
  911,
  921,
  922,
  923,
  924,
  926,
  927,
  942,
  945,
  952,
  955,
  976,
  978,
  979,
  983,
  3908,
  3930,
  3980,
  4060,
  6005,
  17142,
  18401,
  18452,
  18456,
  18461,
  18486,
  18487,
  18488,
  40143,
  40166,
  40197,
  40501,
  40540,
  40613,
  40615,
  42108,
  42109,
  49918,
  49919,
  49920,
]);

/** From here on numbers are those of triggers and procedures, and of servers that speak TDS and count in their own way. */
const FIRST_FOREIGN_NUMBER = 50_000;

/** SQL Server's number of an error that comes under a foreign one, by its words: a trigger rethrew it, or a PostgreSQL that speaks TDS answered it. */
const byWords: readonly (readonly [RegExp, number])[] = [
  [
    /Lock request time ?out period exceeded|^canceling statement due to lock timeout|^could not obtain lock on /i,
    LOCK_TIMEOUT,
  ],
  [/Transaction \(Process ID \d+\) was deadlocked|^deadlock detected/i, DEADLOCK],
  [/^could not serialize access/i, SNAPSHOT_CONFLICT],
  [/^cannot execute \S.* in a read-only transaction/i, DATABASE_IS_READ_ONLY],
];

/** The number that the server, or the server that it stands for, has for what happened. */
const numberOf = ({ number, message }: ServerError): number =>
  (number >= FIRST_FOREIGN_NUMBER && byWords.find(([words]) => words.test(message))?.[1]) || number;

const WORST_SEVERITY_OF_MISTAKES = 16;

/** The server's refusal of this very statement or row, as against an outage. */
export const rejectionOf = (error: unknown): ServerError | null => {
  if (isLogin(error)) return null;
  const answered = serverErrorOf(error);
  const isMistake =
    answered !== null && answered.class <= WORST_SEVERITY_OF_MISTAKES && !transient.has(numberOf(answered));
  return isMistake ? answered : null;
};

/** The server's own words as one sentence. */
export const reasonOf = (error: ServerError): string => reasonText(sentence(error.message.trim()));

const CONFLICT = 547;
const DUPLICATE_KEY = 2627;
const DUPLICATE_IN_INDEX = 2601;
const NULL_IN_COLUMN = 515;

/** What stands in quotes in the message, in the order in which the server puts it in every language. */
const quotedIn = (message: string): readonly string[] =>
  [...message.matchAll(/"([^"]+)"|'([^']+)'/g)].flatMap(([, double, single]) => double ?? single ?? []);

/** The constraint or the column that the server names. A server that stands for it says first which of the names is the constraint. */
export const brokenIn = ({ number, message }: ServerError): Broken => {
  const quoted = quotedIn(message);
  const said = /constraint ["']([^"']+)["']/i.exec(message)?.[1];
  if (number === CONFLICT || number === DUPLICATE_KEY) return { constraint: said ?? quoted[0] ?? null, column: null };
  if (number === DUPLICATE_IN_INDEX) return { constraint: quoted[1] ?? null, column: null };
  return { constraint: null, column: number === NULL_IN_COLUMN ? (quoted[0] ?? null) : null };
};

/** The server's own words about a statement of the caller, with the line; null if the error is not about it. */
export const queryError = (error: unknown): string | null => {
  const rejection = rejectionOf(error);
  if (!rejection) return null;
  const reason = reasonOf(rejection);
  return rejection.lineNumber ? `${reason.replace(/\.$/, '')} (line ${rejection.lineNumber}).` : reason;
};

/** An error and those that the driver and its pool wrapped in it. */
const chain = (error: unknown): readonly Error[] => {
  if (!(error instanceof Error)) return [];
  const within =
    error instanceof AggregateError
      ? error.errors
      : [error.cause ?? ('originalError' in error ? error.originalError : null)];
  return [error, ...within.flatMap(chain)];
};

const hasCode = (error: unknown, code: string) => chain(error).some((one) => codeOf(one) === code);

/** Of a session that is being opened, as against one that works. */
export const isLogin = (error: unknown): boolean => hasCode(error, 'ELOGIN');

/** The server takes no session at present, and may in a moment. */
export const isPassing = (error: unknown): boolean => isLogin(error) && passing.has(serverErrorOf(error)?.number ?? 0);

const is = (wanted: number, error: unknown): boolean => {
  const answered = serverErrorOf(error);
  return answered !== null && numberOf(answered) === wanted;
};

export const isLocked = (error: unknown): boolean => is(LOCK_TIMEOUT, error);

export const isDeadlock = (error: unknown): boolean => is(DEADLOCK, error);

/** What a log may know of an outage: never the message of the driver, which may hold an address or a user. */
export const outageCode = (error: unknown): string => {
  const answered = serverErrorOf(error);
  if (answered) return String(answered.number);
  return error instanceof Error ? codeOf(error) || error.name : typeof error;
};

/** Every session of the connection is in use, and too many wait for one. */
export class Busy extends Error {
  constructor() {
    super('too many wait for a session');
    this.name = 'Busy';
  }
}

/** The pool's error when no session becomes free, as against the driver's when a connect takes too long. */
const isExhausted = (error: unknown) =>
  error instanceof Busy ||
  (error instanceof Error && error.message.startsWith('Failed to acquire a connection from the pool'));

/** The clock ended the work. */
export class TimeUp extends Error {
  /** The server stopped the work as soon as it was asked to: it is there, and the work was too much. */
  readonly stopped: boolean;

  constructor(stopped = false) {
    super('the time is up');
    this.name = 'TimeoutError';
    this.stopped = stopped;
  }
}

/** The server has stopped what was cancelled. */
export const isCancelled = (error: unknown): boolean => codeOf(error) === 'ECANCEL';

const isTimeout = (error: unknown) =>
  codeOf(error) === 'ETIMEOUT' || (error instanceof Error && error.name === 'TimeoutError');

/** What is wrong with the server's certificate, and which option of the address helps; null for other errors. */
const certificateError = (error: unknown): string | null => {
  const errors = chain(error);
  const matches = (pattern: RegExp) => errors.some((one) => pattern.test(codeOf(one)) || pattern.test(one.message));
  if (matches(/ALTNAME|altnames/)) {
    return 'has a certificate for another name than the one in its address: hostNameInCertificate= in the address names that one, trustServerCertificate=true takes any certificate';
  }
  if (matches(/CERT_HAS_EXPIRED|certificate has expired/)) return 'has a certificate that has expired';
  if (matches(/certificate|CERT/)) {
    return 'has a certificate that is not trusted: caFile= in its address names the file of an authority of your own, trustServerCertificate=true takes any certificate';
  }
  return matches(/^(?:EPROTO|ERR_SSL_|ERR_TLS_)/) ? 'offers no TLS that this program accepts' : null;
};

/** The driver has one code for a server that encrypts nothing and for one that insists on it: its words distinguish them. */
const encryptionError = (error: unknown): string | null => {
  if (!(error instanceof Error) || codeOf(error) !== 'EENCRYPT') return null;
  if (error.message.startsWith('Server requires'))
    return 'takes encrypted sessions only, and its address has encrypt=false';
  return error.message.startsWith('Server did not')
    ? 'offers no encryption: encrypt=false in its address does without'
    : null;
};

const serverOutage = (error: ServerError): string => {
  const number = numberOf(error);
  if (number === DATABASE_IS_READ_ONLY) return 'is read-only at present';
  if (number === DEADLOCK || SNAPSHOT_CONFLICTS.includes(number))
    return 'gave the work up in favour of another transaction';
  if (number === LOCK_TIMEOUT)
    return 'has that row or table locked by another transaction, which did not release it in time';
  if (NO_ROOM.includes(number)) return 'has no room for the work at present';
  return error.class >= 20 ? 'ended the session' : 'is not taking work at present';
};

/** Shows only the number of Microsoft Entra ID's answer: the rest names tenants and applications. */
const tokenError = (error: unknown): string => {
  const number = chain(error).flatMap(({ message }) => message.match(/AADSTS\d+/) ?? [])[0];
  return `got no token for its login from Microsoft Entra ID${number ? ` (${number})` : ''}`;
};

export const outage = (error: unknown): string => {
  const answered = serverErrorOf(error);
  if (isLogin(error) && !answered) return 'did not accept its user or password';
  if (isLogin(error)) return reasons.get(answered?.number ?? 0) ?? `refused its login (${answered?.number})`;
  if (answered) return serverOutage(answered);
  if (hasCode(error, 'EFEDAUTH')) return tokenError(error);
  if (isExhausted(error)) return 'has no free session at present';
  if (isTimeout(error)) return 'did not answer in time';
  return encryptionError(error) ?? certificateError(error) ?? 'could not be reached';
};

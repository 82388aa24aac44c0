import type { QueryError } from 'mysql2';
import { codeOf } from '../../../domain/errors.ts';
import { sentence } from '../../../domain/text.ts';
import { reasonText } from '../errors.ts';
import { type Broken, nothingBroken } from '../sql/dialect.ts';

/** No session could be opened, so the error is not about a statement of the caller. */
export class SessionRefused extends Error {
  constructor(cause: unknown) {
    super('no session could be opened', { cause });
    this.name = 'SessionRefused';
  }
}

/** An answer of the server, as against an error on the way to it. */
type ServerError = QueryError & { readonly errno: number; readonly sqlState: string };

const numberOf = (error: unknown): number =>
  error instanceof Error && 'errno' in error && typeof error.errno === 'number' && error.errno > 0 ? error.errno : 0;

const isAnswer = (error: unknown): error is ServerError =>
  numberOf(error) > 0 && error instanceof Error && 'sqlState' in error && error.sqlState !== undefined;

/** Errors of a server that goes away, has no room, takes no writes at present, or prefers another transaction. */
const transient = new Set([
  1021, 1037, 1038, 1040, 1041, 1053, 1077, 1079, 1080, 1114, 1129, 1152, 1158, 1159, 1160, 1161, 1184, 1203, 1205,
  1206, 1213, 1226, 1290, 1317, 1836, 1927, 3024, 3032, 3100, 3101, 3572, 1969, 4031,
]);

const DEADLOCK = 1213;
/** A server's own clock, a lock that another session has, and a statement that was stopped. */
const late = new Set([1205, 1317, 1969, 3024]);
const denied = new Set([1044, 1142, 1143, 1227, 1370]);

export const isDeadlock = (error: unknown): boolean => numberOf(error) === DEADLOCK;
export const isLate = (error: unknown): boolean => isAnswer(error) && late.has(error.errno);

/** Whether the session is of no use any more. */
export const isLost = (error: unknown): boolean =>
  !isAnswer(error) || [1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 4031].includes(error.errno);

/** What the server refuses, in its own words; null if the error is none of what was asked for. It would name the login and its host. */
export const rejectionOf = (error: unknown): string | null => {
  if (!isAnswer(error) || transient.has(error.errno)) return null;
  const message = error.message.replace(/ (?:to|for) user '[^']*'@'[^']*'/, '');
  return reasonText(denied.has(error.errno) ? `The login has no permission: ${sentence(message)}` : sentence(message));
};

/** Where the message of an error has the name of a constraint (of a unique index, behind that of its table), and of a column. */
const constraintIn: Readonly<Record<number, RegExp>> = {
  1062: / '(?:[^'.]*\.)?([^']+)'$/,
  1451: /CONSTRAINT `([^`]+)`/,
  1452: /CONSTRAINT `([^`]+)`/,
  3819: /'([^']+)'/,
  4025: /`([^`]+)`/,
};
const columnIn: Readonly<Record<number, RegExp>> = {
  1048: /'([^']+)'/,
  1264: / '([^']+)' at row/,
  1364: /'([^']+)'/,
  1406: / '([^']+)' at row/,
};

/** The constraint or the column that the server names. */
export const brokenIn = (error: unknown): Broken => {
  if (!isAnswer(error)) return nothingBroken;
  const nameBy = (named: Readonly<Record<number, RegExp>>) => named[error.errno]?.exec(error.message)?.[1] ?? null;
  return { constraint: nameBy(constraintIn), column: nameBy(columnIn) };
};

export const outage = (error: unknown): string => {
  const cause = error instanceof SessionRefused ? error.cause : error;
  const number = numberOf(cause);
  if ([1045, 1698, 1862, 3118].includes(number)) return 'did not accept its user or password';
  if (number === 1049) return 'has no database of that name';
  if (number === 1044) return 'does not open its database to its user';
  if ([1290, 1836].includes(number)) return 'is read-only at present';
  if ([1021, 1037, 1038, 1040, 1041, 1114, 1203, 1206, 1226].includes(number))
    return 'has no room for the work at present';
  if (number === DEADLOCK) return 'gave the work up in favour of another transaction';
  if (late.has(number) || isTimeout(cause)) return 'did not answer in time';
  return isAnswer(cause) ? 'is not taking work at present' : 'could not be reached';
};

const isTimeout = (error: unknown) =>
  error instanceof Error && (error.name === 'TimeoutError' || /TIMEDOUT|TIMEOUT/.test(codeOf(error)));

/** What a log may contain of an outage: never the message of the driver, which may contain an address or a user. */
export const outageCode = (error: unknown): string => {
  const cause = error instanceof SessionRefused ? error.cause : error;
  return codeOf(cause) || (cause instanceof Error ? cause.name : typeof cause);
};

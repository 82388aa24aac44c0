import pg from 'pg';
import { codeOf } from '../../../domain/errors.ts';
import { sentence } from '../../../domain/text.ts';
import { placeOf, reasonText } from '../errors.ts';
import { shown } from '../names.ts';
import { TooMuchSent } from './bounded-client.ts';
import type { Parameter } from './query.ts';

/** The server let no session begin, so the error is not about a statement of the caller. */
export class SessionRefused extends Error {
  readonly code: string | undefined;

  constructor({ code, message }: pg.DatabaseError) {
    super(message);
    this.name = 'SessionRefused';
    this.code = code;
  }
}

/** SQLSTATE classes (and states) that say nothing about the document: the same row may be taken later. */
const transient = ['08', '25', '28', '3D', '40', '53', '57', '58', 'F0', 'XX', '55006', '55P03'];

/** Whether the database refused this very row, as against an outage. */
export const isRejection = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError &&
  error.code !== undefined &&
  !transient.some((code) => error.code?.startsWith(code));

/** The parameter of a failed conversion is named only in a line of the error's context: `unnamed portal parameter $3`. */
const failedParameter = (error: pg.DatabaseError): number | null => {
  const match = error.code?.startsWith('22') ? /^[^"'\n]*\$(\d+)(?: = |$)/m.exec(error.where ?? '') : null;
  return match === null ? null : Number(match[1]);
};

/** Not-null and check violations detail the whole row, which may contain what the reader of the document must not see. */
const detailsTheRow = new Set(['23502', '23514']);

/** The server's words about what was asked, with the column that they are about. */
export const rejectionReason = (error: pg.DatabaseError, parameters: readonly Parameter[]): string => {
  const failed = parameters[(failedParameter(error) ?? 0) - 1];
  if (failed?.column && failed.compared !== null)
    return `Column "${failed.column.name}": "${shown(failed.compared)}" is no ${failed.column.declared}.`;
  const columns = parameters.flatMap(({ column }) => column ?? []);
  const tooLong = error.code === '22001' ? columns.filter(({ declared }) => error.message.includes(declared)) : [];
  const column = error.column ?? failed?.column?.name ?? (tooLong.length === 1 ? tooLong[0]?.name : undefined);
  const message =
    column !== undefined && !error.message.includes(`"${column}"`)
      ? `Column "${column}": ${error.message}`
      : error.message;
  const detail = error.detail === undefined || detailsTheRow.has(error.code ?? '') ? '' : ` ${sentence(error.detail)}`;
  return reasonText(sentence(message) + detail);
};

/** The pool's message if no session became free in time. */
const NO_SESSION = 'timeout exceeded when trying to connect';

/** PgBouncer has one code for nearly all of its errors: its words tell them apart. */
const ofPooler: readonly (readonly [RegExp, string])[] = [
  [/(?:SASL|password) authentication failed|^no such user/, 'did not accept its user or password'],
  [/^no such database|^database ".*" is disabled/, 'has no database of that name'],
  [/^no more connections allowed/, 'has a pooler that takes no more sessions at present'],
  [/^query_wait_timeout/, 'has a pooler that had no session to give in time'],
  [/cannot connect to server|^server login (?:failed|has been failing)/, 'has a pooler that does not reach it'],
  [/transactions? (?:blocks )?not allowed/i, 'has a pooler with pool_mode = statement, and transactions are needed'],
  [/shutting down/, 'has a pooler that is stopping'],
];

/** What a pooler in between says of itself; null for errors of the server. */
const poolerWords = (error: unknown): string | null => {
  if (!(error instanceof Error) || codeOf(error) !== POOLER_CODE) return null;
  return ofPooler.find(([words]) => words.test(error.message))?.[1] ?? null;
};

const POOLER_CODE = '08P01';

export const outage = (error: unknown): string => {
  if (error instanceof Error && error.message === NO_SESSION) return 'has no free session at present';
  if (error instanceof TooMuchSent) return 'sends more than is asked of it';
  const pooler = poolerWords(error);
  if (pooler !== null) return pooler;
  const code = codeOf(error);
  if (code.startsWith('28')) return 'did not accept its user or password';
  if (code === '3D000') return 'has no database of that name';
  if (code === '25006') return 'is read-only at present';
  if (code.startsWith('53')) return 'has no room for the work at present';
  if (code.startsWith('40')) return 'gave the work up in favour of another transaction';
  if (code === '57014' || code === '55P03' || code === '55006' || isTimeout(error)) return 'did not answer in time';
  if (code === '42501') return 'does not open its database to its user';
  if (error instanceof pg.DatabaseError || error instanceof SessionRefused) return 'is not taking work at present';
  return 'could not be reached';
};

/** Of the driver: a server's error has a code, and its words may name a setting of this kind. */
const isTimeout = (error: unknown) =>
  error instanceof Error &&
  !(error instanceof pg.DatabaseError) &&
  (error.name === 'TimeoutError' || /time-?out/i.test(error.message));

/** What a log may contain of an outage: never the message of the driver, which may contain an address or a user. */
export const outageCode = (error: unknown): string =>
  codeOf(error) || (error instanceof Error ? error.name : typeof error);

/** Stopped by the server's own clock, or after waiting that long for a lock. */
export const isLate = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '57014' || error.code === '55P03');

/**
 * In a session that has begun, every error is the query's, but those of the system itself and of a system behind it. 08P01 is the query's:
 * what it asked for broke the protocol. So is a role or a database that is not there: the query names it.
 */
const isQuerysOwn = (error: pg.DatabaseError) =>
  error.code !== undefined &&
  poolerWords(error) === null &&
  !/^(08(?!P01)|40|53[0123]00|57P|58|F0|XX00[12])/.test(error.code);

/** The database's message about what is wrong with a query and at which place; null if the error is not about the query. */
export const queryError = (error: unknown, text: string): string | null => {
  if (!(error instanceof pg.DatabaseError) || !isQuerysOwn(error)) return null;
  if (error.routine === 'exec_parse_message') return 'A query is one statement, and this is more than one.';
  const details = [error.detail, error.hint]
    .filter((detail) => detail !== undefined)
    .map((detail) => ` ${sentence(detail)}`);
  const place = placeOf(text, error.position === undefined ? undefined : Number(error.position));
  return reasonText(sentence(error.message + place) + details.join(''));
};

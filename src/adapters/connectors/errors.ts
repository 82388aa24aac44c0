import type { Log } from '../../application/ports/runtime.ts';
import type { Connection } from '../../domain/connection.ts';
import { DomainError } from '../../domain/errors.ts';
import { shorten } from '../../domain/text.ts';
import { shown } from './names.ts';

/** For errors that mean nothing where they come up. */
export const ignore = () => {};

export const refused = (detail: string): DomainError => new DomainError('invalid', detail);

const LONGEST_REASON = 1000;

/** The words of a server, as short as an error may be. */
export const reasonText = (text: string): string => shorten(text, LONGEST_REASON);

/** The place of an error in a text, as an editor counts. */
export const placeOf = (text: string, position: number | undefined): string => {
  if (position === undefined) return '';
  const before = Array.from(text.slice(0, 2 * position))
    .slice(0, position - 1)
    .join('')
    .split('\n');
  return ` (line ${before.length}, column ${Array.from(before.at(-1) ?? '').length + 1})`;
};

/** A query that reads a relation outside of the schemas of its database. */
export const outside = (
  { schema, name }: { readonly schema: string | null; readonly name: string },
  schemas: readonly string[],
) => {
  const relation = shown(schema === null ? name : `${schema}.${name}`);
  return refused(`A query cannot read ${relation}: the schemas of this database are ${schemas.map(shown).join(', ')}.`);
};

const QUERY_TIMEOUT = 'query_timeout';

export const queryTimeout = (detail: string): DomainError =>
  new DomainError('invalid', detail, { code: QUERY_TIMEOUT });

const secondsText = (seconds: number) => `${seconds} second${seconds === 1 ? '' : 's'}`;

export const queryTooLong = (seconds: number): DomainError =>
  queryTimeout(`The query took longer than ${secondsText(seconds)}.`);

/** Records, rows or the catalogue of a system that answers, but not soon enough. */
export const readingTooLong = (connectionName: string, seconds: number): DomainError =>
  queryTimeout(
    `Reading the connection "${connectionName}" took longer than ${secondsText(seconds)}: ask for less, for an earlier page, or by a column that has an index.`,
  );

/** Whether what is remembered of a table may be why it could not be read. */
export const mayBeOutdated = (error: unknown): boolean =>
  error instanceof DomainError && error.kind === 'invalid' && error.code !== QUERY_TIMEOUT;

/** Whether an error came from the connection rather than from a defect of this program. */
const isOutage = (error: unknown): error is Error =>
  error instanceof Error &&
  !(
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError ||
    error instanceof SyntaxError
  );

/** Names the connection and what is wrong with it, never its address or credentials; without a cause, for the same reason. */
export const unavailable = (connection: Connection, outage: string): DomainError =>
  new DomainError('unavailable', `The connection "${connection.name}" ${outage}.`);

interface OutageTerms {
  readonly log: Log;
  readonly connection: Connection;
  /** What a log may know of an outage. */
  outageCode(error: unknown): string;
  /** What the caller may know of it: the rest of a sentence about the connection. */
  outage(error: unknown): string;
}

/** An error of the caller gets the words of `explain`, an outage those of the system without its address; a defect stays what it is. */
export const translator =
  ({ log, connection, outageCode, outage }: OutageTerms) =>
  (explain: (error: unknown) => string | null) =>
  (error: unknown): unknown => {
    if (error instanceof DomainError) return error;
    const explained = explain(error);
    if (explained !== null) return refused(explained);
    if (!isOutage(error)) return error;
    log.warn({ connection_id: connection.id, code: outageCode(error) }, 'connection unavailable');
    return unavailable(connection, outage(error));
  };

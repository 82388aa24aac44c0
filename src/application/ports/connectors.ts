import type { Connection, ConnectionType } from '../../domain/connection.ts';
import type { Filter } from '../../domain/filter.ts';
import type { JsonValue } from '../../domain/json.ts';
import type { JsonNumber } from '../../domain/json-number.ts';
import type { Sharer } from '../../domain/sharer.ts';
import type { Window } from './storage.ts';

/** What a table is called; both parts exactly as the catalogue has them. */
export interface TableName {
  readonly schema: string;
  readonly name: string;
}

export interface Table extends TableName {
  readonly type: 'table' | 'view';
}

export interface Column {
  readonly name: string;
  /** The database's own word for it: `numeric(12,2)`, `nvarchar(40)`. */
  readonly dataType: string;
}

interface ColumnDetail extends Column {
  readonly nullable: boolean;
  readonly primaryKey: boolean;
  /** 1-based. */
  readonly position: number;
  /** The default's expression, or null. */
  readonly default: string | null;
}

export interface TableDetail extends Table {
  readonly columns: readonly ColumnDetail[];
}

/** What became of the rows, known once the last chunk has been taken. */
export interface RowsEnd {
  readonly rowCount: number;
  /** There was more than was asked for, or than the caps let through. */
  readonly more: boolean;
}

/**
 * Rows on their way to a client, as JSON text that is never parsed: the chunks together are the objects of one array, separated
 * by commas, without its brackets. The consumer must either take every chunk or call `return()` on the iterator: only then
 * is the session given back. A connection that breaks rejects in the middle: a part never looks like the whole.
 */
export interface RowStream {
  readonly columns: readonly Column[];
  readonly chunks: AsyncIterable<Uint8Array>;
  end(): RowsEnd;
}

export interface RecordsQuery extends Window {
  /** `schema.table` */
  readonly entity: string;
  readonly filter: Filter | null;
}

export interface TableQuery extends Window, TableName {
  readonly orderBy: string | null;
  readonly direction: 'asc' | 'desc';
  /** Only rows whose `orderBy` column is greater, compared as the column's own type. */
  readonly after: string | null;
}

export interface QueryCaps {
  readonly maxRows: number;
  readonly maxBytes: number;
  readonly timeoutSeconds: number;
}

/** What a query may read, and how much of it. */
export interface QueryBounds extends QueryCaps {
  /** Relations of other schemas are refused; null for no such bound. */
  readonly schemas: readonly string[] | null;
}

export type Cell = string | JsonNumber | boolean | null;

/**
 * Single rows, each in a transaction of its own: exactly one row or none. Answers how many rows were affected. `unavailable` means that
 * nothing was written; a write that may or may not have taken effect rejects with a DomainError `outcome_unknown`.
 */
export interface RowWriter {
  insert(entity: string, values: Readonly<Record<string, Cell>>, signal: AbortSignal): Promise<number>;
  /** More than one row under the key changes nothing and is invalid; none is 0. */
  update(
    entity: string,
    key: { column: string; value: string | JsonNumber },
    values: Readonly<Record<string, Cell>>,
    signal: AbortSignal,
  ): Promise<number>;
}

/** The code of what is refused because the table is not there, or not for this login to read. */
export const UNKNOWN_TABLE = 'unknown_table';

/** One step of reaching a connection, tried for real. */
export interface Hop {
  readonly name: 'name' | 'tcp' | 'tls' | 'login' | 'permissions' | 'sample read' | 'read only';
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  readonly detail: string;
}

/**
 * A connected system. Errors of the caller are DomainErrors `invalid` in plain words: an unknown column or type, a constraint, a
 * conversion, a permission, a query that is not read-only or takes too long. Of a table that is not there, or that the login may not
 * read, the error has the code UNKNOWN_TABLE. A system that is down, slow or refuses the login is `unavailable`: the error names the
 * connection, and never its address or credentials. An abort cancels on the server and rejects with the signal's reason.
 */
export interface Connector {
  /** Tables and views, by identifier (code points). */
  tables(signal: AbortSignal): Promise<readonly Table[]>;
  /** With their columns by position; of these schemas, or of all but the system's own. */
  schema(schemas: readonly string[] | null, signal: AbortSignal): Promise<readonly TableDetail[]>;
  /** In a total order: by primary key, else by all columns. */
  records(query: RecordsQuery, signal: AbortSignal): Promise<RowStream>;
  /** In the order of `orderBy`, ties and all else by primary key, else by all columns. */
  rows(query: TableQuery, signal: AbortSignal): Promise<RowStream>;
  /**
   * One read-only statement; the data is what it was afterwards, whatever the statement tried. Relations that it names outside of
   * the schemas are invalid, the system's own as well; views and functions go on with the rights of the login.
   */
  query(text: string, bounds: QueryBounds, signal: AbortSignal): Promise<RowStream>;
  /** Absent if the type of connection takes no writes. */
  readonly writer?: RowWriter;
  /** Runs the statements of `writer`, and rolls each transaction back: nothing stays, so no outcome is unknown. */
  readonly rehearsal?: RowWriter;
  /**
   * Writes one row for a document, exactly once however often it is called: it looks for the row first, in the same transaction. Rejects
   * with `unavailable` if nothing was written, with `outcome_unknown` if that is unknown: the next call finds out. An abort before the
   * commit writes nothing.
   */
  deliver(row: RowDelivery, signal: AbortSignal): Promise<DeliveryResult>;
  /** Runs the statements of `deliver`, and always rolls the transaction back: its outcome is never unknown. */
  rehearse(row: RowDelivery, signal: AbortSignal): Promise<RehearsedDelivery>;
  /**
   * Name, TCP, TLS, login, permissions, a sample read, whether the login could write, which is a finding unless something is written
   * through the connection; stops at the first that fails.
   */
  examine(signal: AbortSignal, isWritten?: boolean): Promise<readonly Hop[]>;
}

export interface Connectors {
  /**
   * Pools are per connection, bounded, closed when idle and replaced when the connection's address changed. Their sessions are shared
   * by user, and no user can have them all; one that finds none in time is refused with `rate_limited`. Without a sharer the work is
   * Portico's own, which has a share like any other.
   */
  open(connection: Connection, sharer?: Sharer): Connector;
  /** Why no connection of this type can have this address, as words that follow its place; or null. They repeat no part of the address. */
  addressDefect(type: ConnectionType, address: string): string | null;
}

export interface RowDelivery {
  /** `schema.table` */
  readonly entity: string;
  readonly documentIdColumn: string;
  readonly documentId: string;
  /** Column → value, the document id's own column left out. */
  readonly values: Readonly<Record<string, JsonValue>>;
}

/** Why the system refuses a row, in its own words; and what the row breaks, as far as the system says it. */
export interface Refusal {
  readonly reason: string;
  /** The name of a constraint. */
  readonly constraint: string | null;
  /** The names of columns: of those that the constraint is about, if the system says which these are. */
  readonly columns: readonly string[];
}

export type DeliveryResult =
  | {
      readonly outcome: 'written' /** The row in the system's own words: `public.invoices document_id=…`. */;
      readonly reference: string;
    }
  /** The system answered no: a constraint, a type, a missing table or column, a permission; in its own words. */
  | ({ readonly outcome: 'rejected' } & Refusal);

/** What a delivery would come to. */
export type RehearsedDelivery =
  | { readonly would: 'insert' | 'already_there'; readonly reason: null }
  /** As DeliveryResult has it. */
  | ({ readonly would: 'reject' } & Refusal);

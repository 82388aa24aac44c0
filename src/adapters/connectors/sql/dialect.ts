import type { TableName } from '../../../application/ports/connectors.ts';
import type { FilterValue } from '../../../domain/filter.ts';
import type { JsonValue } from '../../../domain/json.ts';
import type { Wanted } from '../catalogue.ts';
import type { Bounds, Finding } from '../unanswered.ts';

/** A column as statements need it; each database has more of its own. */
export interface SqlColumn {
  readonly name: string;
  /** The type as the database writes it: `numeric(12,2)`. */
  readonly declared: string;
  readonly nullable?: boolean;
  /** The login cannot read it, and may be able to write it. */
  readonly hidden?: boolean;
}

export interface SqlTable<C> extends TableName {
  readonly columns: readonly C[];
}

/** Values are never in the text: each is a parameter of the driver. */
export interface Statement<P> {
  readonly text: string;
  readonly parameters: readonly P[];
}

/** Runs one statement in the session at hand. */
export type Run<P> = <R extends object>(statement: Statement<P>) => Promise<readonly R[]>;

/** A session with a transaction that may write. */
export interface Session<P> {
  readonly run: Run<P>;
  /** How many rows the statement has inserted or changed, without what triggers have. */
  affected(statement: Statement<P>): Promise<number>;
}

export type InTransaction<P> = <T>(bounds: Bounds, work: (session: Session<P>) => Promise<T>) => Promise<T>;

export interface Transactions<P> {
  /** An abort before the commit rolls back; a commit without an answer rejects with CommitUnanswered. */
  readonly inTransaction: InTransaction<P>;
  /** Never commits, and finds what a commit would find. */
  readonly rolledBack: InTransaction<P>;
}

/** A value on its way into a statement: a parameter, and what the server makes of it. */
export interface Operand<P> {
  readonly parameter: P;
  /** The value is not the parameter, which no value of the column's type is, but lies directly above or below it. */
  readonly lies?: 'above' | 'below';
  sql(placeholder: string): string;
}

/** Adds a value to a statement; answers what stands for it in the text. */
export type Bind<P> = (operand: Operand<P>) => string;

export interface Assignment<C, P> {
  readonly column: C;
  /** Null is null. */
  readonly operand: Operand<P> | null;
}

/** How a look in another session finds out whether a transaction was committed. */
export type Outcome<C, P> =
  /** By what is noted of the transaction before it writes; the look waits until the transaction is over. */
  | { readonly by: 'transaction'; note(run: Run<P>): Promise<(run: Run<P>) => Promise<Finding>> }
  /** By the row: it may have been changed again since. */
  | {
      readonly by: 'row';
      primaryKey(table: SqlTable<C>): readonly C[];
      /** Whether the column has the value, as its type keeps it. */
      isAssigned(column: C, reference: string, operand: Operand<P>, bind: Bind<P>): string;
      /** Behind the table and at the end of a SELECT: they make the server wait for the lock of a transaction that has written the row. */
      readonly waiting: { readonly table: string; readonly end: string };
    };

/** What a row breaks, as far as the error names it. */
export interface Broken {
  readonly constraint: string | null;
  readonly column: string | null;
}

export const nothingBroken: Broken = { constraint: null, column: null };

/**
 * All that differs between databases in what Portico reads and writes of tables. `reference` is the column as the statement at hand names
 * it. Refusals are DomainErrors `invalid`, or the rest of a sentence that begins with the value: `is not an integer`.
 */
export interface Dialect<C extends SqlColumn, P> {
  quote(name: string): string;
  /** What stands for a parameter, counted from 0. */
  placeholder(index: number): string;
  /** What is read of a column. */
  selected(column: C, reference: string): string;
  /** What can be compared and sorted of a column. */
  comparable(column: C, reference: string): string;
  /** A value to compare with the column: every digit counts. */
  compared(column: C, value: FilterValue): Operand<P> | string;
  /** A value to be stored in the column, or what is wrong with it. */
  stored(column: C, value: Exclude<JsonValue, null>): Operand<P> | string;
  /** `%` and `_`, and a backslash before either, mean in every database what they mean in all. */
  like(column: C, reference: string, pattern: FilterValue, bind: Bind<P>): string;
  /** The columns of a key that puts all rows in one order; none if there is no such key. */
  orderKey(table: SqlTable<C>): readonly C[];
  /** The order of a table without such a key: of two rows that look different, always the same one is first. */
  totalOrder(columns: readonly C[], reference: (column: C) => string): readonly string[];
  /** The end of a statement that skips and takes so many rows. */
  page(offset: number, limit: number, bind: Bind<P>): string;
  /** A SELECT of no more than so many rows. */
  first(count: number, columns: string, rest: string): string;
  /** Behind the table of an INSERT that names no column. */
  readonly allDefaults: string;
  /** The table as it is now; or why it cannot be found. */
  findTable(wanted: Wanted, run: Run<P>): Promise<SqlTable<C> | string>;
  /** The columns that a constraint or a unique index of the table is about; none if the catalogue does not say. */
  constraintColumns(table: TableName, constraint: string, run: Run<P>): Promise<readonly string[]>;
  /** Takes the lock of a document until the end of the transaction, whichever table its row goes to. */
  lockDocument(documentId: string, bounds: Bounds, run: Run<P>): Promise<void>;
  /** Refuses values that the database would store as others. */
  assertLossless?(assignments: readonly Assignment<C, P>[], run: Run<P>): Promise<void>;
  readonly outcome: Outcome<C, P>;
  /** The server's words about this very row; null for all that may succeed later. */
  rejection(error: unknown): string | null;
  /** What a row that the server refused breaks, as far as the server says it. */
  broken(error: unknown): Broken;
  isDeadlock(error: unknown): boolean;
}

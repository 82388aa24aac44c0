import type { Run, SqlColumn } from '../sql/dialect.ts';

/** Runs one statement of this program in the session at hand. */
export type Query = <Row>(text: string, parameters?: readonly unknown[]) => Promise<readonly Row[]>;

/** A value of a statement, and what an error about it names. */
export interface Parameter {
  readonly value: unknown;
  /** The column that it is compared with, or stored in. */
  readonly column: SqlColumn | null;
  /** As the caller wrote it; null of a value that is stored. */
  readonly compared: string | null;
}

export const queryBy =
  (run: Run<Parameter>): Query =>
  <Row>(text: string, values: readonly unknown[] = []) =>
    run<Row & object>({ text, parameters: values.map((value) => ({ value, column: null, compared: null })) });

/** The server names only the number of the parameter that it refuses. */
const refusedParameters = new WeakMap<object, readonly Parameter[]>();

/** Keeps with an error what the statement was asked with. */
export const noteParameters = (error: unknown, parameters: readonly Parameter[]): void => {
  if (error instanceof Error) refusedParameters.set(error, parameters);
};

export const parametersOf = (error: Error): readonly Parameter[] => refusedParameters.get(error) ?? [];

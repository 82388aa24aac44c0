import type { JsonValue } from '../../../domain/json.ts';
import { shorten } from '../../../domain/text.ts';
import { refused } from '../errors.ts';
import { didYouMean, shown } from '../names.ts';
import type { CatalogueColumn, CatalogueTable } from './catalogue.ts';
import { type Operand, operandFor, type Use } from './operands.ts';
import type { Parameter } from './session.ts';

export type Binder = ReturnType<typeof binder>;

/** Gathers the values of a statement, each as a parameter; answers what stands for a value in its text. */
export const binder = () => {
  const parameters: Parameter[] = [];
  return {
    parameters,
    bind(operand: Operand) {
      parameters.push(operand.parameter);
      return operand.sql(`@p${parameters.length - 1}`);
    },
  };
};

const LONGEST_SHOWN = 100;

/** What is wrong with a value, naming its column and the value as it was written. */
const errorOf = (column: CatalogueColumn, written: string, error: string) =>
  `Column "${column.name}": ${shorten(written, LONGEST_SHOWN)} ${error}.`;

/** The text that the column's type reads; objects and lists are JSON. */
const textOf = (value: Exclude<JsonValue, null>): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

/** `written`: the value as the caller wrote it, for the error. */
const operandOrError = (
  column: CatalogueColumn,
  text: string,
  use: Use,
  written = JSON.stringify(text),
): Operand | string => {
  const operand = operandFor(text, column, use);
  return typeof operand === 'string' ? errorOf(column, written, operand) : operand;
};

/** The value as an operand to compare with the column; throws what is wrong with it. */
export const comparedWith = (column: CatalogueColumn, text: string, written?: string): Operand => {
  const operand = operandOrError(column, text, 'compare', written);
  if (typeof operand === 'string') throw refused(operand);
  return operand;
};

const noColumn = (table: CatalogueTable, name: string): string => {
  const names = table.columns.map((column) => column.name);
  return `There is no column "${shown(name)}" in ${table.identifier}.${didYouMean(name, names)}`;
};

/** Names are compared to the letter, whatever the collation of the database. */
const findColumn = (table: CatalogueTable, name: string) => table.columns.find((column) => column.name === name);

export const columnNamed = (table: CatalogueTable, name: string): CatalogueColumn => {
  const column = findColumn(table, name);
  if (!column) throw refused(noColumn(table, name));
  return column;
};

export interface Assignment {
  readonly column: CatalogueColumn;
  /** Null is null. */
  readonly operand: Operand | null;
  readonly value: JsonValue;
}

const notText = (value: JsonValue): string | null => {
  const texts = (part: JsonValue): readonly string[] => {
    if (typeof part === 'string') return [part];
    return part !== null && typeof part === 'object'
      ? Object.entries(part).flatMap(([key, inner]) => [key, ...texts(inner)])
      : [];
  };
  const all = texts(value);
  if (all.some((text) => text.includes('\0'))) return 'holds a NUL character, which cannot be sent';
  return all.some((text) => !text.isWellFormed()) ? 'holds half of a surrogate pair, which is not text' : null;
};

/** The values in the forms of their columns; throws every reason why they cannot be sent. */
export const assignmentsOf = (
  table: CatalogueTable,
  entries: readonly (readonly [string, JsonValue])[],
): readonly Assignment[] => {
  const errors: string[] = [];
  const assignments = entries.flatMap(([name, value]): Assignment[] => {
    const column = findColumn(table, name);
    if (!column) errors.push(noColumn(table, name));
    if (!column || value === null) return column ? [{ column, operand: null, value }] : [];
    const unsendable = notText(value);
    const written = JSON.stringify(value);
    const operand = unsendable
      ? errorOf(column, written, unsendable)
      : operandOrError(column, textOf(value), 'store', written);
    if (typeof operand !== 'string') return [{ column, operand, value }];
    errors.push(operand);
    return [];
  });
  if (errors.length > 0) throw refused(errors.join(' '));
  return assignments;
};

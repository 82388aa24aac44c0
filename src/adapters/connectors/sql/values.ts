import type { FilterValue } from '../../../domain/filter.ts';
import type { JsonValue } from '../../../domain/json.ts';
import { shorten } from '../../../domain/text.ts';
import { identifierOf } from '../catalogue.ts';
import { refused } from '../errors.ts';
import { didYouMean, shown } from '../names.ts';
import type { Assignment, Bind, Dialect, Operand, SqlColumn, SqlTable } from './dialect.ts';

export interface Binder<P> {
  readonly parameters: readonly P[];
  readonly bind: Bind<P>;
}

/** Gathers the values of a statement, each as a parameter. */
export const binder = <P>({ placeholder }: { placeholder(index: number): string }): Binder<P> => {
  const parameters: P[] = [];
  const bind = (operand: Operand<P>) => operand.sql(placeholder(parameters.push(operand.parameter) - 1));
  return { parameters, bind };
};

/** An operand that is its parameter and no more. */
export const plain = <P>(parameter: P): Operand<P> => ({ parameter, sql: (placeholder) => placeholder });

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const isBase64 = (text: string): boolean => BASE64.test(text);

/** The table of a SELECT: its columns are named by way of it, so that no function is taken for one. */
export const ALIAS = 'r';

type Quoting = Pick<Dialect<never, never>, 'quote'>;

export const referenceIn = ({ quote }: Quoting, { name }: SqlColumn): string => `${ALIAS}.${quote(name)}`;

export const target = ({ quote }: Quoting, { schema, name }: SqlTable<unknown>): string =>
  `${quote(schema)}.${quote(name)}`;

export const fromTable = (dialect: Quoting, table: SqlTable<unknown>): string =>
  `${target(dialect, table)} as ${ALIAS}`;

const LONGEST_SHOWN = 100;

/** What is wrong with a value, naming its column and the value as it was written. */
const errorOf = ({ name }: SqlColumn, written: string, error: string) =>
  `Column "${name}": ${shorten(written, LONGEST_SHOWN)} ${error}.`;

export const textOf = (value: FilterValue): string => (value.type === 'boolean' ? String(value.value) : value.text);

/** The value as an operand to compare with the column; throws what is wrong with it. */
export const comparedWith = <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  column: C,
  value: FilterValue,
): Operand<P> => {
  const operand = dialect.compared(column, value);
  if (typeof operand !== 'string') return operand;
  throw refused(errorOf(column, value.type === 'text' ? JSON.stringify(value.text) : textOf(value), operand));
};

const readable = <C extends SqlColumn>({ columns }: SqlTable<C>): readonly C[] =>
  columns.filter(({ hidden }) => !hidden);

const noColumn = (table: SqlTable<SqlColumn>, name: string): string => {
  const names = readable(table).map((column) => column.name);
  return `There is no column "${shown(name)}" in ${identifierOf(table)}.${didYouMean(name, names)}`;
};

/** Names are compared to the letter, whatever the collation of the database. */
export const columnNamed = <C extends SqlColumn>(table: SqlTable<C>, name: string): C => {
  const column = readable(table).find((each) => each.name === name);
  if (!column) throw refused(noColumn(table, name));
  return column;
};

/** The values in the forms of their columns; throws every reason why they cannot be sent. */
export const assignmentsOf = <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  table: SqlTable<C>,
  entries: readonly (readonly [string, JsonValue])[],
): readonly Assignment<C, P>[] => {
  const errors: string[] = [];
  const assignments = entries.flatMap(([name, value]): Assignment<C, P>[] => {
    const column = table.columns.find((each) => each.name === name);
    if (!column) errors.push(noColumn(table, name));
    if (!column || value === null) return column ? [{ column, operand: null }] : [];
    const operand = dialect.stored(column, value);
    if (typeof operand !== 'string') return [{ column, operand }];
    errors.push(errorOf(column, JSON.stringify(value), operand));
    return [];
  });
  if (errors.length > 0) throw refused(errors.join(' '));
  return assignments;
};

const textsIn = (part: JsonValue): readonly string[] => {
  if (typeof part === 'string') return [part];
  return part !== null && typeof part === 'object'
    ? Object.entries(part).flatMap(([key, inner]) => [key, ...textsIn(inner)])
    : [];
};

/** What keeps the texts of a value from being sent, also within a list or an object; or null. */
export const notText = (value: JsonValue): string | null => {
  const all = textsIn(value);
  if (all.some((text) => text.includes('\0'))) return 'holds a NUL character, which cannot be sent';
  return all.some((text) => !text.isWellFormed()) ? 'holds half of a surrogate pair, which is not text' : null;
};

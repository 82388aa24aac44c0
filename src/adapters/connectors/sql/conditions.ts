import type { Comparison, Filter } from '../../../domain/filter.ts';
import type { Bind, Dialect, Operand, SqlColumn, SqlTable } from './dialect.ts';
import { columnNamed, comparedWith, referenceIn } from './values.ts';

type Ordering = Exclude<Comparison, 'like'>;

const operators: Readonly<Record<Ordering, string>> = { eq: '=', ne: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' };

/** How a column compares with a value that lies directly above, or below, the operand. */
const beside: Readonly<Record<'above' | 'below', Readonly<Record<'gt' | 'gte' | 'lt' | 'lte', string>>>> = {
  above: { gt: '>', gte: '>', lt: '<=', lte: '<=' },
  below: { gt: '>=', gte: '>=', lt: '<', lte: '<' },
};

/** True or false for whatever is there, and unknown for null, as a comparison with a value is. */
const always = (expression: string, answer: boolean) => `${expression} ${answer ? '=' : '<>'} ${expression}`;

/** `expression`: what can be compared of the column. */
export const compare = <P>(expression: string, comparison: Ordering, operand: Operand<P>, bind: Bind<P>): string => {
  if (operand.lies === undefined) return `${expression} ${operators[comparison]} ${bind(operand)}`;
  if (comparison === 'eq' || comparison === 'ne') return always(expression, comparison === 'ne');
  return `${expression} ${beside[operand.lies][comparison]} ${bind(operand)}`;
};

/** Values that no value of the column's type is are left out. */
const oneOf = <P>(expression: string, operands: readonly Operand<P>[], bind: Bind<P>): string => {
  const possible = operands.filter(({ lies }) => lies === undefined);
  return possible.length === 0 ? always(expression, false) : `${expression} in (${possible.map(bind).join(', ')})`;
};

/** A filter as a condition whose values are parameters only. */
export const conditionOf = <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  table: SqlTable<C>,
  filter: Filter,
  bind: Bind<P>,
): string => {
  if (filter.kind === 'not') return `not (${conditionOf(dialect, table, filter.part, bind)})`;
  if ('parts' in filter) {
    const parts = filter.parts.map((part) => conditionOf(dialect, table, part, bind));
    const none = filter.kind === 'and' ? '1 = 1' : '1 = 0';
    return parts.length === 0 ? none : `(${parts.join(` ${filter.kind} `)})`;
  }
  const column = columnNamed(table, filter.column);
  const reference = referenceIn(dialect, column);
  const expression = dialect.comparable(column, reference);
  if (filter.kind === 'null') return `${expression} is ${filter.isNull ? '' : 'not '}null`;
  if (filter.kind === 'in') {
    const operands = filter.values.map((value) => comparedWith(dialect, column, value));
    return oneOf(expression, operands, bind);
  }
  const { comparison, value } = filter;
  if (comparison === 'like') return dialect.like(column, reference, value, bind);
  return compare(expression, comparison, comparedWith(dialect, column, value), bind);
};

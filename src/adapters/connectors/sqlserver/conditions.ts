import type { Comparison, Filter, FilterValue } from '../../../domain/filter.ts';
import { refused } from '../errors.ts';
import type { CatalogueColumn, CatalogueTable } from './catalogue.ts';
import { type Binder, columnNamed, comparedWith } from './cells.ts';
import { comparable, isText, type Within } from './column-sql.ts';
import type { Operand } from './operands.ts';

type Ordering = Exclude<Comparison, 'like'>;

const operators: Readonly<Record<Ordering, string>> = { eq: '=', ne: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' };

/** How a column compares with a value that lies directly above, or below, the operand. */
const beside: Readonly<Record<'above' | 'below', Readonly<Record<'gt' | 'gte' | 'lt' | 'lte', string>>>> = {
  above: { gt: '>', gte: '>', lt: '<=', lte: '<=' },
  below: { gt: '>=', gte: '>=', lt: '<', lte: '<' },
};

/** True or false for whatever is there, and unknown for null, as a comparison with a value is. */
const always = (expression: string, answer: boolean) => `${expression} ${answer ? '=' : '<>'} ${expression}`;

export const compare = (
  column: CatalogueColumn,
  comparison: Ordering,
  operand: Operand,
  { bind }: Binder,
  within?: Within,
): string => {
  const expression = comparable(column, within);
  if (operand.lies === undefined) return `${expression} ${operators[comparison]} ${bind(operand)}`;
  if (comparison === 'eq' || comparison === 'ne') return always(expression, comparison === 'ne');
  return `${expression} ${beside[operand.lies][comparison]} ${bind(operand)}`;
};

/** Values that no value of the column's type is are left out. */
const oneOf = (column: CatalogueColumn, operands: readonly Operand[], { bind }: Binder): string => {
  const expression = comparable(column);
  const possible = operands.filter(({ lies }) => lies === undefined);
  return possible.length === 0 ? always(expression, false) : `${expression} in (${possible.map(bind).join(', ')})`;
};

const textOf = (value: FilterValue): string => (value.type === 'boolean' ? String(value.value) : value.text);

const operandOf = (column: CatalogueColumn, value: FilterValue): Operand =>
  comparedWith(column, textOf(value), value.type === 'text' ? undefined : textOf(value));

/** `%`, `_` and a backslash before either mean what they mean everywhere; brackets, which mean something to this database only, are texts. */
const withoutBrackets = (pattern: string): string =>
  pattern.replace(/\\[\s\S]|\[/g, (found) => (found === '[' ? '\\[' : found));

const like = (column: CatalogueColumn, pattern: FilterValue, binder: Binder): string => {
  if (!isText(column))
    throw refused(`Column "${column.name}" is of type ${column.declared}: like compares texts only.`);
  const value: FilterValue = { type: 'text', text: withoutBrackets(textOf(pattern)) };
  return `${comparable(column)} like ${binder.bind(operandOf(column, value))} escape N'\\'`;
};

/** A filter as a condition whose values are parameters only. */
export const conditionOf = (filter: Filter, table: CatalogueTable, binder: Binder): string => {
  switch (filter.kind) {
    case 'compare': {
      const column = columnNamed(table, filter.column);
      if (filter.comparison === 'like') return like(column, filter.value, binder);
      return compare(column, filter.comparison, operandOf(column, filter.value), binder);
    }
    case 'in': {
      const column = columnNamed(table, filter.column);
      return oneOf(
        column,
        filter.values.map((value) => operandOf(column, value)),
        binder,
      );
    }
    case 'null':
      return `${comparable(columnNamed(table, filter.column))} is ${filter.isNull ? '' : 'not '}null`;
    case 'not':
      return `not (${conditionOf(filter.part, table, binder)})`;
    default: {
      const parts = filter.parts.map((part) => conditionOf(part, table, binder));
      const none = filter.kind === 'and' ? '1 = 1' : '1 = 0';
      return parts.length === 0 ? none : `(${parts.join(filter.kind === 'and' ? ' and ' : ' or ')})`;
    }
  }
};

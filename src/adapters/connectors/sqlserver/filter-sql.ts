import type { Filter, FilterValue } from '../../../domain/filter.ts';
import { refused } from '../errors.ts';
import type { CatalogueColumn, CatalogueTable } from './catalogue.ts';
import { type Binder, columnNamed, operandOrError } from './cells.ts';
import { comparable, isText } from './column-sql.ts';
import { compare, oneOf } from './comparison-sql.ts';
import type { Operand } from './operands.ts';

const textOf = (value: FilterValue): string => (value.type === 'boolean' ? String(value.value) : value.text);

/** A value that is compared with a column, as the column's own type. */
const operandOf = (column: CatalogueColumn, value: FilterValue): Operand => {
  const operand = operandOrError(column, textOf(value), 'compare', value.type === 'text' ? undefined : textOf(value));
  if (typeof operand === 'string') throw refused(operand);
  return operand;
};

/** `%`, `_` and a backslash before either mean what they mean everywhere; brackets, which mean something to this database only, are texts. */
const withoutBrackets = (pattern: string): string => pattern.replace(/\\[\s\S]|\[/g, (found) => (found === '[' ? '\\[' : found));

const like = (column: CatalogueColumn, pattern: FilterValue, binder: Binder): string => {
  if (!isText(column)) throw refused(`Column "${column.name}" is of type ${column.declared}: like compares texts only.`);
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

import type { Comparison } from '../../../domain/filter.ts';
import type { CatalogueColumn } from './catalogue.ts';
import type { Binder } from './cells.ts';
import { comparable, type Within } from './column-sql.ts';
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

export const compare = (column: CatalogueColumn, comparison: Ordering, operand: Operand, { bind }: Binder, within?: Within): string => {
  const expression = comparable(column, within);
  if (operand.lies === undefined) return `${expression} ${operators[comparison]} ${bind(operand)}`;
  if (comparison === 'eq' || comparison === 'ne') return always(expression, comparison === 'ne');
  return `${expression} ${beside[operand.lies][comparison]} ${bind(operand)}`;
};

/** Values that no value of the column's type is are left out. */
export const oneOf = (column: CatalogueColumn, operands: readonly Operand[], { bind }: Binder): string => {
  const expression = comparable(column);
  const possible = operands.filter(({ lies }) => lies === undefined);
  return possible.length === 0 ? always(expression, false) : `${expression} in (${possible.map(bind).join(', ')})`;
};

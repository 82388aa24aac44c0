import type { RecordsQuery, TableQuery } from '../../../application/ports/connectors.ts';
import type { Window } from '../../../application/ports/storage.ts';
import { refused } from '../errors.ts';
import type { CatalogueTable } from './catalogue.ts';
import { type Binder, binder, columnNamed, operandOrError } from './cells.ts';
import { fromTable, orderOf, selection } from './column-sql.ts';
import { compare } from './comparison-sql.ts';
import { conditionOf } from './filter-sql.ts';
import { bigintParameter, type Statement } from './session.ts';

const count = (value: number, { bind }: Binder) => bind({ parameter: bigintParameter(value), sql: (placeholder) => placeholder });

/** One row more than the page has, to know whether there are more. */
const page = (table: CatalogueTable, condition: string | null, order: string, { offset, limit }: Window, values: Binder): Statement => ({
  text: [
    `select ${selection(table)}`,
    `from ${fromTable(table)}`,
    ...(condition === null ? [] : [`where ${condition}`]),
    `order by ${order}`,
    `offset ${count(offset, values)} rows fetch next ${count(limit + 1, values)} rows only`,
  ].join('\n'),
  parameters: values.parameters,
});

export const recordsStatement = (table: CatalogueTable, query: RecordsQuery): Statement => {
  const values = binder();
  const condition = query.filter === null ? null : conditionOf(query.filter, table, values);
  return page(table, condition, orderOf(table, null), query, values);
};

export const rowsStatement = (table: CatalogueTable, query: TableQuery): Statement => {
  const values = binder();
  if (query.orderBy === null) return page(table, null, orderOf(table, null), query, values);
  const column = columnNamed(table, query.orderBy);
  const order = orderOf(table, { column, direction: query.direction });
  if (query.after === null) return page(table, null, order, query, values);
  const operand = operandOrError(column, query.after, 'compare');
  if (typeof operand === 'string') throw refused(operand);
  return page(table, compare(column, 'gt', operand, values), order, query, values);
};

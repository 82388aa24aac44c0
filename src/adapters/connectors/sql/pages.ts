import type { RecordsQuery, TableQuery } from '../../../application/ports/connectors.ts';
import type { Window } from '../../../application/ports/storage.ts';
import { compare, conditionOf } from './conditions.ts';
import type { Dialect, SqlColumn, SqlTable, Statement } from './dialect.ts';
import { ALIAS, type Binder, binder, columnNamed, comparedWith, fromTable, referenceIn } from './values.ts';

interface Page<C> extends Window {
  readonly condition: string | null;
  /** Comes before the total order. */
  readonly leading: { readonly column: C; readonly direction: TableQuery['direction'] } | null;
}

/** From this offset on it pays to find a page by its keys, which an index has or which are cheap to sort, before its rows are read. */
const DEEP = 1000;

/** One row more than the page has, to know whether there are more. */
const pageStatement = <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  table: SqlTable<C>,
  { condition, leading, offset, limit }: Page<C>,
  { parameters, bind }: Binder<P>,
): Statement<P> => {
  const reference = (column: C) => referenceIn(dialect, column);
  const comparable = (column: C) => dialect.comparable(column, reference(column));
  const columns = table.columns.filter(({ hidden }) => !hidden);
  const key = dialect.orderKey(table);
  const total = key.length > 0 ? key.map(comparable) : dialect.totalOrder(columns, reference);
  const first = leading && comparable(leading.column);
  // No expression twice, which some servers refuse.
  const order = [
    ...(leading ? [`${first} ${leading.direction}`] : []),
    ...total.filter((expression) => expression !== first),
  ].join(', ');
  // All columns, also those that are newer than what is known of the table, unless some must be named.
  const isPlain =
    columns.length === table.columns.length &&
    columns.every((column) => dialect.selected(column, reference(column)) === reference(column));
  const selection = isPlain
    ? `${ALIAS}.*`
    : columns
        .map((column) => `${dialect.selected(column, reference(column))} as ${dialect.quote(column.name)}`)
        .join(', ');
  const page = (selected: string) => [
    `select ${selected}`,
    `from ${fromTable(dialect, table)}`,
    ...(condition === null ? [] : [`where ${condition}`]),
    `order by ${order}`,
    dialect.page(offset, limit + 1, bind),
  ];
  // A null in a key equals nothing: its row would be lost.
  const isFoundByKey = offset >= DEEP && key.length > 0 && key.every(({ nullable }) => !nullable);
  if (!isFoundByKey) return { text: page(selection).join('\n'), parameters };
  const keys = key.map((column, index) => `${reference(column)} as k${index}`).join(', ');
  const same = key.map((column, index) => `${reference(column)} = page.k${index}`).join(' and ');
  const lines = [
    `select ${selection}`,
    `from (${page(keys).join('\n')}) as page`,
    `join ${fromTable(dialect, table)} on ${same}`,
    `order by ${order}`,
  ];
  return { text: lines.join('\n'), parameters };
};

export const recordsStatement = <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  table: SqlTable<C>,
  { filter, offset, limit }: RecordsQuery,
): Statement<P> => {
  const values = binder<P>(dialect);
  const condition = filter && conditionOf(dialect, table, filter, values.bind);
  return pageStatement(dialect, table, { condition, leading: null, offset, limit }, values);
};

export const rowsStatement = <C extends SqlColumn, P>(
  dialect: Dialect<C, P>,
  table: SqlTable<C>,
  { orderBy, direction, after, offset, limit }: TableQuery,
): Statement<P> => {
  const values = binder<P>(dialect);
  if (orderBy === null) return pageStatement(dialect, table, { condition: null, leading: null, offset, limit }, values);
  const column = columnNamed(table, orderBy);
  const expression = dialect.comparable(column, referenceIn(dialect, column));
  const condition =
    after === null
      ? null
      : compare(expression, 'gt', comparedWith(dialect, column, { type: 'text', text: after }), values.bind);
  return pageStatement(dialect, table, { condition, leading: { column, direction }, offset, limit }, values);
};

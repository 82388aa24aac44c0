import type { RecordsQuery, TableQuery } from '../../../application/ports/connectors.ts';
import type { Window } from '../../../application/ports/storage.ts';
import type { CatalogueColumn, CatalogueTable } from './catalogue.ts';
import { type Binder, binder, columnNamed, comparedWith } from './cells.ts';
import {
  ALIAS,
  asText,
  comparable,
  fromTable,
  isJsonColumn,
  isText,
  longTexts,
  quoteName,
  reference,
} from './column-sql.ts';
import { compare, conditionOf } from './conditions.ts';
import { bigintParameter, type Statement } from './session.ts';

/** What is read of a column: the value itself, but the database's own text of .NET types and of what the driver does not know. */
const readable = (column: CatalogueColumn): string => {
  if (column.clr) return `${reference(column)}.ToString()`;
  return isJsonColumn(column) ? asText(column) : reference(column);
};

/** All columns, also those that are newer than what is known of the table, unless some must be asked for in another form. */
const selection = ({ columns }: CatalogueTable): string => {
  if (columns.every((column) => readable(column) === reference(column))) return `${ALIAS}.*`;
  return columns.map((column) => `${readable(column)} as ${quoteName(column.name)}`).join(', ');
};

const unbounded = new Set(['char', 'varchar', 'nchar', 'nvarchar', 'binary', 'varbinary']);

/** A value of it may be too large to sort by. */
const isLarge = ({ type, length, clr }: CatalogueColumn): boolean =>
  clr ? type !== 'hierarchyid' : longTexts.has(type) || type === 'image' || (unbounded.has(type) && length === null);

/** Stands for a large value in an order; it also distinguishes texts that are equal in a collation. */
const digest = (column: CatalogueColumn): string => `hashbytes('SHA2_256', ${comparable(column)})`;

const inOrder = (
  columns: readonly CatalogueColumn[],
  ordinal: (column: CatalogueColumn) => number,
): readonly CatalogueColumn[] =>
  columns.filter((column) => ordinal(column) > 0).toSorted((one, other) => ordinal(one) - ordinal(other));

/** The columns of the primary key, else of a unique index, else none. */
const keyOf = ({ columns }: CatalogueTable): readonly CatalogueColumn[] => {
  const primary = inOrder(columns, ({ keyOrdinal }) => keyOrdinal);
  return primary.length > 0 ? primary : inOrder(columns, ({ uniqueOrdinal }) => uniqueOrdinal);
};

/** By key, else by all columns: no large value is copied into the sort, only its digest. */
const totalOrder = (table: CatalogueTable): readonly string[] => {
  const key = keyOf(table);
  if (key.length > 0) return key.map((column) => comparable(column));
  const digested = table.columns.filter((column) => isLarge(column) || isText(column));
  return [
    ...table.columns.filter((column) => !isLarge(column)).map((column) => comparable(column)),
    ...digested.map(digest),
  ];
};

interface Leading {
  readonly column: CatalogueColumn;
  readonly direction: 'asc' | 'desc';
}

/** The total order of a table, after `leading` if it is given; no expression twice, which the server refuses. */
const orderOf = (table: CatalogueTable, leading: Leading | null): string => {
  if (leading === null) return totalOrder(table).join(', ');
  const first = comparable(leading.column);
  return [`${first} ${leading.direction}`, ...totalOrder(table).filter((expression) => expression !== first)].join(
    ', ',
  );
};

const count = (value: number, { bind }: Binder) =>
  bind({ parameter: bigintParameter(value), sql: (placeholder) => placeholder });

/** From so many rows on it pays to find a page by its keys, which an index has, before its rows are read. */
const DEEP = 1000;

interface Page extends Window {
  readonly condition: string | null;
  readonly leading: Leading | null;
}

/** One row more than the page has, to know whether there are more. */
const pageStatement = (
  table: CatalogueTable,
  { condition, leading, offset, limit }: Page,
  values: Binder,
): Statement => {
  const order = orderOf(table, leading);
  const page = (columns: string) => [
    `select ${columns}`,
    `from ${fromTable(table)}`,
    ...(condition === null ? [] : [`where ${condition}`]),
    `order by ${order}`,
    `offset ${count(offset, values)} rows fetch next ${count(limit + 1, values)} rows only`,
  ];
  const key = keyOf(table);
  // A null in a unique index equals nothing: its row would be lost.
  const keyed = offset >= DEEP && key.length > 0 && key.every(({ nullable }) => !nullable);
  if (!keyed) return { text: page(selection(table)).join('\n'), parameters: values.parameters };
  const keys = key.map((column, index) => `${reference(column)} as k${index}`).join(', ');
  const same = key.map((column, index) => `${reference(column)} = page.k${index}`).join(' and ');
  const lines = [
    `select ${selection(table)}`,
    `from (${page(keys).join('\n')}) as page`,
    `join ${fromTable(table)} on ${same}`,
    `order by ${order}`,
  ];
  return { text: lines.join('\n'), parameters: values.parameters };
};

export const recordsStatement = (table: CatalogueTable, { filter, offset, limit }: RecordsQuery): Statement => {
  const values = binder();
  const condition = filter === null ? null : conditionOf(filter, table, values);
  return pageStatement(table, { condition, leading: null, offset, limit }, values);
};

export const rowsStatement = (
  table: CatalogueTable,
  { orderBy, direction, after, offset, limit }: TableQuery,
): Statement => {
  const values = binder();
  if (orderBy === null) return pageStatement(table, { condition: null, leading: null, offset, limit }, values);
  const column = columnNamed(table, orderBy);
  const condition = after === null ? null : compare(column, 'gt', comparedWith(column, after), values);
  return pageStatement(table, { condition, leading: { column, direction }, offset, limit }, values);
};

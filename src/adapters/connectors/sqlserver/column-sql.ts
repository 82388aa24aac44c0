import type { CatalogueColumn, CatalogueTable } from './catalogue.ts';
import { quoteName } from './names.ts';

/** The table of a SELECT; the methods of .NET types are called on a column of it, so that no function is taken for one. */
const ALIAS = 'r';

/** Statements that write name no alias. */
export type Within = typeof ALIAS | null;

const reference = ({ name }: CatalogueColumn, within: Within = ALIAS): string =>
  within === null ? quoteName(name) : `${within}.${quoteName(name)}`;

const jsonTypes = new Set(['json', 'vector']);

/** The column's value as JSON text. */
export const isJsonColumn = ({ type }: CatalogueColumn): boolean => jsonTypes.has(type);

const longTexts = new Set(['text', 'ntext', 'xml', 'json', 'vector']);

const asText = (column: CatalogueColumn, within?: Within): string => `convert(nvarchar(max), ${reference(column, within)})`;

/** What is read of a column: the value itself, but the database's own text of .NET types and of what the driver does not know. */
const readable = (column: CatalogueColumn): string => {
  if (column.clr) return `${reference(column)}.ToString()`;
  return isJsonColumn(column) ? asText(column) : reference(column);
};

/** What can be compared and sorted of a column: its text or bytes where the type itself has no order. */
export const comparable = (column: CatalogueColumn, within?: Within): string => {
  const plain = reference(column, within);
  if (column.type === 'hierarchyid') return plain;
  if (column.clr) return `${plain}.ToString()`;
  if (longTexts.has(column.type)) return asText(column, within);
  return column.type === 'image' ? `convert(varbinary(max), ${plain})` : plain;
};

const texts = new Set(['char', 'varchar', 'nchar', 'nvarchar', 'text', 'ntext']);

export const isText = ({ type }: CatalogueColumn): boolean => texts.has(type);

const sized = new Set(['char', 'varchar', 'nchar', 'nvarchar', 'binary', 'varbinary']);

/** A value of it may be too large to sort by. */
const isLarge = ({ type, length, clr }: CatalogueColumn): boolean =>
  clr ? type !== 'hierarchyid' : longTexts.has(type) || type === 'image' || (sized.has(type) && length === null);

/** Stands for a large value in an order; it also tells texts apart that a collation takes for the same. */
const digest = (column: CatalogueColumn): string => `hashbytes('SHA2_256', ${comparable(column)})`;

const inOrder = (columns: readonly CatalogueColumn[], ordinal: (column: CatalogueColumn) => number): readonly string[] =>
  columns
    .filter((column) => ordinal(column) > 0)
    .sort((one, other) => ordinal(one) - ordinal(other))
    .map((column) => comparable(column));

/** By the primary key, else a unique index, else all columns: no large value is copied into the sort, only its digest. */
const totalOrder = (columns: readonly CatalogueColumn[]): readonly string[] => {
  const key = inOrder(columns, ({ keyOrdinal }) => keyOrdinal);
  if (key.length > 0) return key;
  const unique = inOrder(columns, ({ uniqueOrdinal }) => uniqueOrdinal);
  if (unique.length > 0) return unique;
  const digested = columns.filter((column) => isLarge(column) || isText(column));
  return [...columns.filter((column) => !isLarge(column)).map((column) => comparable(column)), ...digested.map(digest)];
};

/** The total order of a table, after `first` if it is given; no expression twice, which the server refuses. */
export const orderOf = ({ columns }: CatalogueTable, first: { column: CatalogueColumn; direction: 'asc' | 'desc' } | null): string => {
  const leading = first === null ? [] : [`${comparable(first.column)} ${first.direction}`];
  const following = totalOrder(columns).filter((expression) => first === null || expression !== comparable(first.column));
  return [...leading, ...following].join(', ');
};

export const fromTable = ({ schema, name }: CatalogueTable): string => `${quoteName(schema)}.${quoteName(name)} as ${ALIAS}`;

/** All columns, also those that are newer than what is known of the table, unless some must be asked for in another form. */
export const selection = ({ columns }: CatalogueTable): string => {
  if (columns.every((column) => readable(column) === reference(column))) return `${ALIAS}.*`;
  return columns.map((column) => `${readable(column)} as ${quoteName(column.name)}`).join(', ');
};

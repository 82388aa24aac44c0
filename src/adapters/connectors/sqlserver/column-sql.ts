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

/** Texts that a collation takes for the same are told apart by their bytes. */
const bytesOf = (column: CatalogueColumn): string => `convert(varbinary(max), ${comparable(column)})`;

const byKeyOrdinal = (one: CatalogueColumn, other: CatalogueColumn) => one.keyOrdinal - other.keyOrdinal;

/** A total order: by primary key, else by all columns, after `first` if it is given; no expression twice, which the server refuses. */
export const orderOf = ({ columns }: CatalogueTable, first: { column: CatalogueColumn; direction: 'asc' | 'desc' } | null): string => {
  const key = columns.filter(({ keyOrdinal }) => keyOrdinal > 0).sort(byKeyOrdinal);
  const rest =
    key.length > 0
      ? key.map((column) => comparable(column))
      : [...columns.map((column) => comparable(column)), ...columns.filter(isText).map(bytesOf)];
  const leading = first === null ? [] : [`${comparable(first.column)} ${first.direction}`];
  const following = rest.filter((expression) => first === null || expression !== comparable(first.column));
  return [...leading, ...following].join(', ');
};

export const fromTable = ({ schema, name }: CatalogueTable): string => `${quoteName(schema)}.${quoteName(name)} as ${ALIAS}`;

/** All columns, also those that are newer than what is known of the table, unless some must be asked for in another form. */
export const selection = ({ columns }: CatalogueTable): string => {
  if (columns.every((column) => readable(column) === reference(column))) return `${ALIAS}.*`;
  return columns.map((column) => `${readable(column)} as ${quoteName(column.name)}`).join(', ');
};

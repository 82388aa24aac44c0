import type { CatalogueColumn, CatalogueTable } from './catalogue.ts';

/** A name as it stands in T-SQL, whatever is in it. */
export const quoteName = (name: string): string => `[${name.replaceAll(']', ']]')}]`;

/** The table of a SELECT; the methods of .NET types are called on a column of it, so that no function is taken for one. */
export const ALIAS = 'r';

/** Statements that write name no alias. */
export type Within = typeof ALIAS | null;

export const reference = ({ name }: CatalogueColumn, within: Within = ALIAS): string =>
  within === null ? quoteName(name) : `${within}.${quoteName(name)}`;

const jsonTypes = new Set(['json', 'vector']);

/** The column's value as JSON text. */
export const isJsonColumn = ({ type }: CatalogueColumn): boolean => jsonTypes.has(type);

export const longTexts = new Set(['text', 'ntext', 'xml', 'json', 'vector']);

export const asText = (column: CatalogueColumn, within?: Within): string =>
  `convert(nvarchar(max), ${reference(column, within)})`;

/** What can be compared and sorted of a column: its text or bytes if the type itself has no order. */
export const comparable = (column: CatalogueColumn, within?: Within): string => {
  const plain = reference(column, within);
  if (column.type === 'hierarchyid') return plain;
  if (column.clr) return `${plain}.ToString()`;
  if (longTexts.has(column.type)) return asText(column, within);
  return column.type === 'image' ? `convert(varbinary(max), ${plain})` : plain;
};

const texts = new Set(['char', 'varchar', 'nchar', 'nvarchar', 'text', 'ntext']);

export const isText = ({ type }: CatalogueColumn): boolean => texts.has(type);

export const fromTable = ({ schema, name }: CatalogueTable): string =>
  `${quoteName(schema)}.${quoteName(name)} as ${ALIAS}`;

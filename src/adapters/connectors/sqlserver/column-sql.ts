import type { CatalogueColumn } from './catalogue.ts';

/** A name as it stands in T-SQL, whatever is in it. */
export const quoteName = (name: string): string => `[${name.replaceAll(']', ']]')}]`;

const jsonTypes = new Set(['json', 'vector']);

/** The column's value as JSON text. */
export const isJsonColumn = ({ type }: CatalogueColumn): boolean => jsonTypes.has(type);

const longTexts = new Set(['text', 'ntext', 'xml', 'json', 'vector']);

export const asText = (reference: string): string => `convert(nvarchar(max), ${reference})`;

/** What can be compared and sorted of a column: its text or bytes if the type itself has no order. */
export const comparable = (column: CatalogueColumn, reference: string): string => {
  if (column.type === 'hierarchyid') return reference;
  if (column.clr) return `${reference}.ToString()`;
  if (longTexts.has(column.type)) return asText(reference);
  return column.type === 'image' ? `convert(varbinary(max), ${reference})` : reference;
};

const texts = new Set(['char', 'varchar', 'nchar', 'nvarchar', 'text', 'ntext']);

export const isText = ({ type }: CatalogueColumn): boolean => texts.has(type);

const unbounded = new Set(['char', 'varchar', 'nchar', 'nvarchar', 'binary', 'varbinary']);

/** A value of it may be too large to sort by. */
export const isLarge = ({ type, length, clr }: CatalogueColumn): boolean =>
  clr ? type !== 'hierarchyid' : longTexts.has(type) || type === 'image' || (unbounded.has(type) && length === null);

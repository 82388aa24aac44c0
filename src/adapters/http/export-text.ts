import { type ExportColumns, type ExportedRow, withoutColumns } from '../../application/documents/export.ts';
import { type JsonValue, resolvePointer } from '../../domain/json.ts';
import { isNumber } from '../../domain/json-number.ts';
import { listedDocument } from './shapes/document.ts';

/** A line of JSON for each row. */
export const ndjsonLine = ({ document, row }: ExportedRow): string => {
  const listed = listedDocument.encode(document) as object;
  return `${JSON.stringify(row === null ? { ...listed, document_data: document.documentData } : { ...listed, row: row.index, data: row.data })}\n`;
};

/** A spreadsheet runs a cell that begins with one of these as a formula; an apostrophe makes it a text. */
const FORMULA = /^[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r]/;

const quoted = (cell: string) => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const cellOf = (value: JsonValue | undefined): string => {
  if (value === undefined || value === null) return '';
  if (isNumber(value) || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return quoted(FORMULA.test(text) ? `'${text}` : text);
};

const lineOf = (cells: readonly (JsonValue | undefined)[]) => `${cells.map(cellOf).join(',')}\r\n`;

const fields = ['id', 'run_id', 'name', 'status', 'created_at'] as const;

/** A table (RFC 4180): fields of the document, its values, those of the row, and as JSON what no column has. */
export const csvTable = ({ document: places, row: ofRow }: ExportColumns, rows: string | null) => {
  const taken = [...places, ...(rows === null ? [] : [rows])];
  const header = lineOf([...fields, ...places, ...(ofRow === null ? [] : ['row', ...ofRow.map((place) => `${rows}/*${place}`)]), 'other']);
  const line = ({ document, row }: ExportedRow): string => {
    const listed = listedDocument.encode(document) as Readonly<Record<string, JsonValue>>;
    const data = document.documentData ?? {};
    const rest = [withoutColumns(data, taken), row && ofRow ? withoutColumns(row.data, ofRow) : undefined].filter(
      (each) => each !== undefined,
    );
    return lineOf([
      ...fields.map((field) => listed[field]),
      ...places.map((place) => resolvePointer(data, place)),
      ...(row && ofRow ? [row.index, ...ofRow.map((place) => resolvePointer(row.data, place))] : []),
      rest.length > 1 ? rest : rest[0],
    ]);
  };
  return { header, line };
};

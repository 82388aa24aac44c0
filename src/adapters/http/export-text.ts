import { type ExportColumns, type ExportedRow, withoutColumns } from '../../application/documents/export.ts';
import { csvLine } from '../../domain/csv.ts';
import { type JsonValue, resolvePointer } from '../../domain/json.ts';
import { isNumber, type JsonNumber } from '../../domain/json-number.ts';
import { exportedDocument, exportedLine } from '../../wire/document.ts';

/** A line of JSON for each row. */
export const ndjsonLine = (exported: ExportedRow): string => `${JSON.stringify(exportedLine.encode(exported))}\n`;

const cellOf = (value: JsonValue | undefined): string | JsonNumber => {
  if (value === undefined || value === null) return '';
  if (isNumber(value) || typeof value === 'string') return value;
  return typeof value === 'boolean' ? String(value) : JSON.stringify(value);
};

const lineOf = (cells: readonly (JsonValue | undefined)[]) => csvLine(cells.map(cellOf));

const fields = ['id', 'run_id', 'name', 'status', 'created_at'] as const;

/** A table (RFC 4180): fields of the document, its values, those of the row, and as JSON what no column has. */
export const csvTable = ({ document: places, row: ofRow }: ExportColumns, rows: string | null) => {
  const taken = [...places, ...(rows === null ? [] : [rows])];
  const header = lineOf([
    ...fields,
    ...places,
    ...(ofRow === null ? [] : ['row', ...ofRow.map((place) => `${rows}/*${place}`)]),
    'other',
  ]);
  const line = ({ document, row }: ExportedRow): string => {
    const listed = exportedDocument.encode(document) as Readonly<Record<string, JsonValue>>;
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

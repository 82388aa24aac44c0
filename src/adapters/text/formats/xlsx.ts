import readWorkbook from 'read-excel-file/node';
import { Unreadable } from '../text.ts';
import { tableText } from './csv.ts';

const EXCEL_EPOCH = Date.UTC(1900, 0, 1);

/** A day, a time of day (which Excel keeps as a moment of the year 1899), or both. */
const dateText = (date: Date): string => {
  const rounded = new Date(Math.round(date.getTime() / 1000) * 1000);
  if (Number.isNaN(rounded.getTime())) return '';
  const [day = '', time = ''] = rounded.toISOString().split(/T|\.000Z/);
  if (rounded.getTime() < EXCEL_EPOCH) return time;
  return time === '00:00:00' ? day : `${day}T${time}`;
};

const cellText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return dateText(value);
  // Excel shows 15 digits of what it stores: 19.99, not 19.989999999999998.
  return typeof value === 'number' ? String(Number(value.toPrecision(15))) : String(value);
};

/** A sheet's cells without the columns that are empty throughout. */
const rowsText = (data: readonly (readonly unknown[])[], limit: number): string => {
  const rows: string[][] = [];
  const used = new Set<number>();
  let length = 0;
  for (const cells of data) {
    const row = cells.map(cellText);
    const blank = row.every((cell) => cell === '');
    if (blank) {
      // One blank row sets a table apart from the next; many say no more.
      if (rows.at(-1)?.length) rows.push([]);
      continue;
    }
    for (const [column, cell] of row.entries()) if (cell !== '') used.add(column);
    rows.push(row);
    length += row.reduce((sum, cell) => sum + cell.length + 1, 0);
    if (length > limit) break;
  }
  return tableText(rows.map((row) => row.filter((_, column) => used.has(column))));
};

/** Every sheet under its name, its rows with their cells separated by tabs. */
export const xlsxText = async (data: Uint8Array, limit: number): Promise<string> => {
  const sheets = await readWorkbook(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  const texts = sheets.map(({ sheet, data: rows }) => ({ sheet, text: rowsText(rows, limit) }));
  if (texts.every(({ text }) => text === '')) throw new Unreadable('has no text: its sheets are empty');
  return texts.map(({ sheet, text }) => `# ${sheet}\n${text}`).join('\n\n');
};

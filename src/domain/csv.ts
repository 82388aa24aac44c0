import { isNumber, type JsonNumber } from './json-number.ts';

/** A spreadsheet runs a cell that begins with one of these as a formula; an apostrophe makes it a text. */
const FORMULA = /^[\s\0"]*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r]/;

/** A spreadsheet may split a cell at these, whatever is quoted, and run what follows. Separators are no part of what it looks over, so that many cost no more. */
const LATER_FORMULA = /[;\t\r\n](?=(?:[^\S\t\r\n]|[\0"])*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

const harmless = (cell: string) => (FORMULA.test(cell) ? `'${cell}` : cell).replaceAll(LATER_FORMULA, "$&'");

const quoted = (cell: string) => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const written = (cell: string | JsonNumber): string => {
  if (isNumber(cell)) return String(cell);
  return quoted(harmless(cell));
};

/** A line of CSV (RFC 4180), its end included. Numbers keep every digit; no text is a formula. */
export const csvLine = (cells: readonly (string | JsonNumber)[]): string => `${cells.map(written).join(',')}\r\n`;

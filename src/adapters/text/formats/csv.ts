import { parse } from 'csv-parse/sync';
import { withoutOpenQuotes } from './open-quotes.ts';

/** A comma comes last, because it stands in numbers as well. */
const DELIMITERS = [';', '\t', '|', ','];
const SAMPLE_LINES = 50;

/** The delimiter that stands, outside quotes, in the most of the first lines; among equals, the one that stands there most often, or the first of the list. */
const delimiterOf = (text: string): string => {
  const lines = text
    .slice(0, 100_000)
    .replace(/"(?:[^"]|"")*"/g, '')
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, SAMPLE_LINES);
  const scores = DELIMITERS.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const usual = counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0;
    return { delimiter, alike: usual === 0 ? 0 : counts.filter((count) => count === usual).length, usual };
  });
  return scores.toSorted((a, b) => b.alike - a.alike || b.usual - a.usual)[0]?.delimiter ?? ',';
};

/** One line, one row, whatever stands in its cells. */
export const tableText = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => cells.map((cell) => cell.replace(/\s+/g, ' ').trim()).join('\t')).join('\n');

const headOf = (text: string, length: number) =>
  text.length <= length ? text : text.slice(0, text.lastIndexOf('\n', length) + 1);

/** A first line such as `sep=;`: it tells Excel the delimiter. */
const DELIMITER_LINE = /^\ufeff?sep=([^\r\n])(?:\r\n?|\n)/i;
/** How a number is written so that Excel keeps its zeros. */
const KEPT = /^="([^"]*)"$/;
/** A quotation mark within a cell, as programs of Unix write it and as others do. */
const WITH_BACKSLASH = /\\"(?![;,|\t\r\n]|$)/;
const DOUBLED = /[^;,|\t\r\n\\]""[^;,|\t\r\n]/;

const DECIMAL = /^[-+]?[\d. ]*\d,\d+(?: ?\p{Sc})?$/u;
/** Whether the only commas are those of decimals, under a heading without one: then there is one column. */
const isOneColumn = (text: string): boolean => {
  const [heading = '', ...lines] = text.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
  return !heading.includes(',') && lines.every((line) => !line.includes(',') || DECIMAL.test(line.trim()));
};

/** Rows with their cells separated by tabs. What does not parse as a table is still text, and is given as it is. */
export const csvText = (text: string, limit: number): string => {
  const [line = '', named] = DELIMITER_LINE.exec(text) ?? [];
  const head = headOf(text, limit * 2).slice(line.length);
  const delimiter = named ?? delimiterOf(head);
  if (delimiter === ',' && head.includes(',') && isOneColumn(head)) return text;
  try {
    const isEscaped = WITH_BACKSLASH.test(head) && !DOUBLED.test(head);
    const rows = parse(isEscaped ? head : withoutOpenQuotes(head, delimiter), {
      delimiter,
      escape: isEscaped ? '\\' : '"',
      // Left to itself the package takes every line to end as the first one does.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      bom: true,
    });
    // The rest is over the limit; it stays so that the text is seen to be cut.
    const cells = rows.map((row) => row.map((cell) => cell.replace(KEPT, '$1')));
    return `${tableText(cells)}\n${text.slice(line.length + head.length)}`;
  } catch {
    return text;
  }
};

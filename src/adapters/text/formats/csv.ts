import { parse } from 'csv-parse/sync';

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

/** Rows with their cells separated by tabs. What does not parse as a table is still text, and is given as it is. */
export const csvText = (text: string, limit: number): string => {
  const head = headOf(text, limit * 2);
  try {
    const rows = parse(head, {
      delimiter: delimiterOf(head),
      // Left to itself the package takes every line to end as the first one does.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      bom: true,
    });
    // The rest is over the limit; it stays so that the text is seen to be cut.
    return `${tableText(rows)}\n${text.slice(head.length)}`;
  } catch {
    return text;
  }
};

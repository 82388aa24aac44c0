const isLineBreak = (sign: string | undefined): boolean => sign === '\n' || sign === '\r';

/** Behind the last sign of the cell in which `at` stands, if it is not quoted; or of the line, where no delimiter is given. */
const endFrom = (text: string, at: number, delimiter?: string): number => {
  let end = at;
  while (end < text.length && !isLineBreak(text[end]) && text[end] !== delimiter) end += 1;
  return end;
};

/** Where a quoted cell ends; or where a quotation mark stands in it that can neither end it nor be a part of it, or none that ends it. */
const quotedCell = (text: string, start: number, delimiter: string) => {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  if (quote === -1) return { end: text.length, isClosed: false };
  const end = quote + 1;
  return { end, isClosed: end === text.length || text[end] === delimiter || isLineBreak(text[end]) };
};

const countIn = (line: string, delimiter: string): number => line.split(delimiter).length - 1;

/**
 * A table with the quotation marks at the beginning of cells that nothing closes, as in `"12 inch;10`, written as a part of the cell: the rows
 * behind would be taken for the rest of it. They are rows if one of their lines has as many delimiters as the first line of the table.
 */
export const withoutOpenQuotes = (text: string, delimiter: string): string => {
  const usual = countIn(text.slice(0, endFrom(text, 0)), delimiter);
  if (usual === 0) return text;
  const hidesRows = (start: number, end: number) =>
    text
      .slice(start, endFrom(text, end))
      .split(/\r\n?|\n/)
      .slice(1)
      .some((line) => countIn(line, delimiter) === usual);
  let result = '';
  let copied = 0;
  for (let at = 0; at < text.length; at = endFrom(text, at, delimiter) + 1) {
    if (text[at] !== '"') continue;
    const { end, isClosed } = quotedCell(text, at, delimiter);
    if (isClosed || !hidesRows(at, end)) {
      at = end;
      continue;
    }
    const cellEnd = endFrom(text, at, delimiter);
    result += `${text.slice(copied, at)}"${text.slice(at, cellEnd).replaceAll('"', '""')}"`;
    copied = cellEnd;
  }
  return result + text.slice(copied);
};

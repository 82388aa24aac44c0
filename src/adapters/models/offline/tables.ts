import { type Header, headerOf, rowOf } from './columns.ts';
import type { Leaf } from './leaves.ts';
import type { Pace } from './pace.ts';
import { readScalar } from './schema.ts';
import type { Line, Source } from './source.ts';
import { type Conventions, conventionsOf } from './values.ts';
import { canonical, vocabularyOf } from './words.ts';

export interface Row {
  readonly line: Line;
  readonly source: Source;
  readonly conventions: Conventions;
  /** Column → the text of its cell. */
  readonly cells: ReadonlyMap<Leaf, string>;
}

export interface Table {
  readonly line: Line;
  readonly header: Header;
  readonly rows: readonly Row[];
}

const summaries = new Set([
  'total',
  'subtotal',
  'tax',
  'shipping',
  'discount',
  'paid',
  'deposit',
  'carried',
  'forward',
  'brought',
  'page',
  'amount',
  'balance',
  'net',
  'gross',
]);

const isNoise = (text: string) =>
  text === '' || /^[-=|+:_\s]+$/.test(text) || /^(page|seite)\s\d{1,4}(\s?(of|\/|von)\s?\d{1,4})?$/i.test(text);

const isSummary = (cells: ReadonlyMap<Leaf, string>, text: string, columns: number): boolean => {
  const filled = [...cells.values()].filter((cell) => cell !== '').length;
  const first = canonical(text.split(/\t|\||\s{2,}|[;,:]/).find((cell) => /\p{L}/u.test(cell)) ?? '');
  return first.length > 0 && first.every((word) => summaries.has(word)) && filled < columns;
};

/** A row says something in most of its columns, and what it says is of their types. */
const isRow = (cells: ReadonlyMap<Leaf, string>, conventions: Conventions): boolean => {
  const read = [...cells].filter(([leaf, cell]) => readScalar(cell, leaf.view, conventions) !== undefined).length;
  return read > 0 && read >= Math.min(2, cells.size) && read * 2 >= cells.size;
};

const MAX_LINE = 1_000;
/** How many lines the foot of a page and the head of the next may put between two rows. */
const PAGE_BREAK = 16;

interface Context {
  readonly source: Source;
  readonly conventions: Conventions;
  /** Lines that are taken. */
  readonly skip: ReadonlySet<Line>;
  readonly pace: Pace;
}

/** The rows under a header, and where they end. */
const rowsBelow = async ({ source, conventions, skip, pace }: Context, at: number, header: Header) => {
  const title = source.lines[at]?.text.trim();
  const rows: Row[] = [];
  let [end, strangers] = [at + 1, 0];
  for (let next = at + 1; next < source.lines.length && strangers <= PAGE_BREAK; next += 1) {
    const line = source.lines[next];
    if (line === undefined || skip.has(line)) break;
    const pause = pace();
    if (pause) await pause;
    const text = line.text.trim();
    if (isNoise(text) || (text === title && rows.length > 0)) continue;
    const cells = rowOf(line.text, header, conventions);
    if (cells !== null && isSummary(cells, text, header.columns.size)) continue;
    const turned = rows.length > 0 && rows.at(-1)?.line.page !== line.page;
    if (cells !== null && isRow(cells, conventions) && (strangers === 0 || turned)) {
      rows.push({ line, source, conventions, cells });
      [end, strangers] = [next + 1, 0];
    } else if (rows.length === 0 || line.page === null) break;
    else strangers += 1;
  }
  return { rows, end };
};

/** The tables whose header names these columns. One that goes on under its header on the next page is another table of the same columns. */
export const tablesOf = async (
  source: Source,
  columns: readonly Leaf[],
  skip: ReadonlySet<Line>,
  pace: Pace,
): Promise<readonly Table[]> => {
  const context: Context = { source, conventions: conventionsOf(source.lines), skip, pace };
  const vocabulary = vocabularyOf(columns.flatMap(({ names }) => names.map(({ words }) => words)));
  const tables: Table[] = [];
  for (let at = 0; at < source.lines.length; ) {
    const pause = pace();
    if (pause) await pause;
    const line = source.lines[at];
    const header = line === undefined || skip.has(line) || line.text.length > MAX_LINE ? null : headerOf(line.text, columns, vocabulary);
    const { rows, end } = header === null ? { rows: [], end: at + 1 } : await rowsBelow(context, at, header);
    if (line !== undefined && header !== null && rows.length > 0) tables.push({ line, header, rows });
    at = end;
  }
  return tables;
};

import { withoutAccents } from '../../../domain/text.ts';
import { best, howWell, type Line, MAX_LINE, type Place, type Source, SURELY_NAMED } from './layout.ts';
import { canonical, readScalar, wordsNear } from './values.ts';

// Tables: a header that names columns, and the rows below it.

const SPACED_NAMED = 0.7;
const COLUMN_NAMED = 0.6;

interface Row {
  readonly line: Line;
  readonly cells: readonly string[];
}

interface Header {
  readonly titles: readonly string[];
  /** Position of the cell → what it is. */
  readonly columns: ReadonlyMap<number, Place>;
  /** The cells of a line; null if it cannot be a row. */
  readonly split: (line: Line) => readonly string[] | null;
}

interface HeaderLine extends Header {
  readonly line: Line;
}

export interface Table extends HeaderLine {
  readonly rows: readonly Row[];
}

/** One line of comma-separated values, RFC 4180 section 2. */
const separated = (sign: string) => {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"[^${sign}]*|([^${sign}]*))${sign}`, 'g');
  return (line: string) =>
    [...`${line}${sign}`.matchAll(cell)].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
};

const betweenPipes = (line: string) =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|');

/** `ragged`: what ends a cell is certain, so that a row may have fewer of them, or one more. */
const dividers: readonly { readonly divide: (line: string) => readonly string[]; readonly ragged: boolean }[] = [
  { divide: (line) => line.split('\t'), ragged: true },
  { divide: betweenPipes, ragged: true },
  { divide: (line) => line.trim().split(/\s{2,}/), ragged: false },
  { divide: separated(';'), ragged: true },
  { divide: separated(','), ragged: true },
];

/** The best one-to-one naming of cells. */
const match = (titles: readonly string[], places: readonly Place[], least: number): ReadonlyMap<number, Place> => {
  const named = titles.flatMap((title, from) =>
    title === '' || title.length > 60 || /:\s/.test(title)
      ? []
      : places.map((place) => ({ from, place, score: howWell(title, place.names) })),
  );
  return new Map(best(named.filter(({ score }) => score >= least)).map(({ from, place }) => [from, place]));
};

/** The column that these words name, all of them: with a word less they would name it no better. */
const namedBy = (words: readonly string[], places: readonly Place[]): Place | undefined =>
  places.find(({ names }) => {
    const well = howWell(words.join(' '), names);
    return (
      well >= SPACED_NAMED &&
      [words.slice(1), words.slice(0, -1)].every((fewer) => well >= howWell(fewer.join(' '), names))
    );
  });

const isMoneySign = (word: string) => /^([€£$¥₹%]|[A-Z]{3})$/.test(word);

/** The words of a row as so many cells: a currency goes with its number, and the words that are left over with the widest column. */
const align = (words: readonly string[], width: number, wide: number): readonly string[] | null => {
  const cells: string[] = [];
  for (const word of words) {
    const last = cells.at(-1) ?? '';
    if ((isMoneySign(word) && /\d$/.test(last)) || (/^-?\d/.test(word) && isMoneySign(last)))
      cells.splice(-1, 1, `${last} ${word}`);
    else cells.push(word);
  }
  const spare = cells.length - width;
  if (spare < 0 || (spare > 0 && wide === -1)) return null;
  return spare === 0 ? cells : cells.toSpliced(wide, spare + 1, cells.slice(wide, wide + spare + 1).join(' '));
};

/** The column that has several words in a cell, or -1. */
const widest = (columns: Header['columns'], width: number): number => {
  const texts = [...columns].filter(([, { view }]) => view.kind === 'string' && view.schema.format === undefined);
  const wordy = texts.find(([, { names }]) =>
    names.some(({ words }) => words.some((word) => /^(description|name|item)$/.test(word))),
  );
  const unnamed = Array.from({ length: width }, (_, at) => at).find((at) => !columns.has(at));
  return (wordy ?? texts[0])?.[0] ?? unnamed ?? -1;
};

/** Some text has a single space for each gap on the page: such a header is found as a row of known names. */
const spaced = (line: string, places: readonly Place[]): Header | null => {
  const words = line.trim().split(' ', 25);
  const columns = new Map<number, Place>();
  let width = 0;
  for (let at = 0; at < words.length && words.length < 25; width += 1) {
    const free = places.filter((place) => ![...columns.values()].includes(place));
    const sizes = [4, 3, 2, 1].filter((count) => at + count <= words.length);
    const size = sizes.find((count) => namedBy(words.slice(at, at + count), free)) ?? 0;
    const place = namedBy(words.slice(at, at + size), free);
    if (place !== undefined) columns.set(width, place);
    at += Math.max(1, size);
  }
  const unnamed = width - columns.size;
  if (columns.size < 2 || unnamed > (columns.size === 2 ? 0 : 2)) return null;
  const wide = widest(columns, width);
  const figures = [...columns].filter(([, { view }]) => view.kind === 'number' || view.kind === 'integer');
  const split = ({ text, conventions }: Line) => {
    const cells = align(text.trim().split(/\s+/), width, wide);
    return figures.every(([at, { view }]) => readScalar(cells?.[at] ?? '', view, conventions) !== undefined)
      ? cells
      : null;
  };
  return { titles: [], columns, split };
};

const MAX_CELLS = 60;

/**
 * One known column makes a header among titles without figures. Of two cells the known one has to be a number or a date: else it may be a
 * label with its value.
 */
const isNamedOnce = (titles: readonly string[], columns: Header['columns']): boolean => {
  const [only] = columns.values();
  const isText = only?.view.kind === 'string' && only.view.schema.format === undefined;
  return only !== undefined && !titles.some((title) => /\d/.test(title)) && (titles.length > 2 || !isText);
};

const headerOf = (line: string, places: readonly Place[], vocabulary: ReadonlySet<string>): Header | null => {
  const telling = canonical(line).filter((word) => vocabulary.has(word)).length;
  if (telling === 0 || line.length > MAX_LINE || /^[^:]{1,60}:\s\S/.test(line)) return null;
  for (const { divide, ragged } of dividers) {
    const cellsIn = (text: string) => divide(text).map((cell) => cell.trim());
    const titles = cellsIn(line);
    if (titles.length < 2 || titles.length >= MAX_CELLS) continue;
    const columns = match(titles, places, COLUMN_NAMED);
    if (columns.size < Math.min(2, places.length) && !isNamedOnce(titles, columns)) continue;
    const split = ({ text }: Line) => {
      const cells = cellsIn(text);
      const fits = ragged ? cells.length > 1 && cells.length <= titles.length + 1 : cells.length === titles.length;
      return fits ? cells : null;
    };
    return { titles, columns, split };
  }
  return telling < 2 ? null : spaced(line, places);
};

const isNoise = (text: string) => /^[-=|+:_\s]*$|^(page|seite)\s\d{1,4}(\s?(of|\/|von)\s?\d{1,4})?$/i.test(text);

const summaries = new Set(
  'total subtotal tax shipping discount paid deposit carried forward brought page amount balance net gross'.split(' '),
);

const sums = new Set('total subtotal tax balance'.split(' '));

/** Of a row with empty cells, one word is enough. */
const isSummary = ({ line, cells }: Row, { columns }: Header, isShort: boolean): boolean => {
  const text = line.text.trim();
  const first = canonical(text.split(/\t|\||\s{2,}|[;,:]/).find((cell) => /\p{L}/u.test(cell)) ?? '');
  if (isShort && first.some((word) => sums.has(word))) return true;
  return first.length > 0 && first.every((word) => summaries.has(word)) && [...columns.keys()].some((at) => !cells[at]);
};

/** A sum that is said again where a page ends or begins, in English, German and French. */
const CARRIED =
  /\b(?:carried|carry|brought) ?(?:forward|over|down)\b|^[bc] ?\/ ?[fd]\b|\b(?:saldo|summen)?ubertrag\b|^(?:total )?a reporter\b|^report(?: de la)? page \d+$/;

const isCarried = (text: string): boolean => {
  const [first = ''] = text.split(/\t|\||\s{2,}|;/);
  return first.length <= 80 && CARRIED.test(withoutAccents(first).toLowerCase());
};

/** The header once more, on a later page or of a file that was put behind another. */
const isHeader = ({ line, cells }: Row, table: HeaderLine): boolean =>
  line.text.trim() === table.line.text.trim() ||
  (table.titles.length > 0 && cells.every((cell, at) => same(cell, table.titles[at] ?? '')));

const same = (a: string, b: string) => canonical(a).join(' ') === canonical(b).join(' ');

/** A row has values of the right types in most of its columns. */
const isRow = ({ line, cells }: Row, { columns }: Header): boolean => {
  const filled = [...columns].filter(
    ([at, { view }]) => readScalar(cells[at] ?? '', view, line.conventions) !== undefined,
  ).length;
  return filled >= Math.min(2, columns.size) && filled * 2 >= columns.size;
};

const isFigure = (cell: string) => /\d/.test(cell) && !/\p{L}/u.test(cell.replace(/\b[A-Z]{3}\b/g, ''));

/** The cells of a row in which some are empty, so that it shows fewer of them: words stand on the left, figures on the right. */
const withEmptyCells = ({ text }: Line, { titles }: Header): readonly string[] | null => {
  const cells = text.trim().split(/\s{2,}/);
  const words = cells.findLastIndex((cell) => !isFigure(cell)) + 1;
  if (words === 0 || words === cells.length || cells.length >= titles.length) return null;
  return cells.toSpliced(words, 0, ...Array<string>(titles.length - cells.length).fill(''));
};

/** Other words for the same columns, as the header of a later page may have them. */
const namesAll = ({ cells }: Row, { columns }: Header): boolean =>
  columns.size > 1 &&
  !cells.some((cell) => /\d/.test(cell)) &&
  match(cells, [...columns.values()], COLUMN_NAMED).size === columns.size;

const hasWords = ({ cells }: Row, { columns }: Header): boolean =>
  [...columns].some(([at, { view }]) => view.kind === 'string' && /\p{L}/u.test(cells[at] ?? ''));

/** `short`: some of its cells are empty. `broken`: it stands alone in its line, as the rest of a cell does that has several lines. */
type Role = 'noise' | 'header' | 'carried' | 'sum' | 'row' | 'short' | 'broken' | 'other';

const roleOf = (line: Line, table: HeaderLine, isNewPage: boolean): Row & { role: Role } => {
  const text = line.text.trim();
  const full = table.split(line);
  const short = withEmptyCells(line, table);
  const row = { line, cells: full ?? short ?? [] };
  const as = (role: Role) => ({ ...row, role });
  if (isNoise(text)) return as('noise');
  if (isCarried(text)) return as('carried');
  if (row.cells.length === 0) return as(/\t|\||\s{2,}/.test(text) ? 'other' : 'broken');
  if (isHeader(row, table) || (isNewPage && namesAll(row, table))) return as('header');
  if (isSummary(row, table, full === null)) return as('sum');
  if (!isRow(row, table)) return as('other');
  return as(full === null ? 'short' : 'row');
};

/** How many lines may stand between two rows: the foot of a page and the head of the next, or what is broken in a cell. */
const PAGE_BREAK = 16;
const BROKEN_LINES = 4;

/** The rows of a table, taken line by line from below its header. */
class RowsBelow {
  readonly rows: Row[] = [];
  /** How many lines there are up to the last row. */
  height = 0;
  private lines = 0;
  /** Rows with empty cells count once another row follows: behind the last one they may be sums. */
  private short: Row[] = [];
  /** Whether a row may follow on this page: behind a sum it needs words, because sums by rate of tax look like rows. */
  private part: 'open' | 'summed' | 'closed' = 'open';
  /** How many lines were passed over since the last row. */
  private between = 0;
  private page: number | null;
  private readonly header: HeaderLine;

  constructor(header: HeaderLine) {
    this.header = header;
    this.page = header.line.page;
  }

  /** Takes a line, or passes over it; answers whether the table may go on behind it. */
  take(line: Line): boolean {
    this.lines += 1;
    if (line.page !== this.page) {
      this.part = 'closed';
      this.page = line.page;
    }
    const last = this.rows.at(-1)?.line.page;
    const isNewPage = last !== undefined && last !== line.page;
    const { role, cells } = roleOf(line, this.header, isNewPage);
    const row = { line, cells };
    if (role === 'row' && (isNewPage || this.mayFollow(row))) this.add(row);
    else if (role === 'header' || role === 'carried') this.reopen();
    else if (role === 'sum') this.part = this.part === 'closed' ? 'closed' : 'summed';
    else if (role !== 'noise') return this.passOver(row, role);
    return true;
  }

  private mayFollow(row: Row): boolean {
    return this.part === 'open' || (this.part === 'summed' && hasWords(row, this.header));
  }

  private add(row: Row) {
    this.rows.push(...this.short, row);
    this.short = [];
    this.height = this.lines;
    this.reopen();
  }

  private reopen() {
    this.part = 'open';
    this.between = 0;
  }

  private passOver(row: Row, role: Role): boolean {
    this.between += 1;
    if (role === 'short' && this.part === 'open') this.short.push(row);
    else if (role !== 'broken' || this.between > BROKEN_LINES) this.part = 'closed';
    const isOver = this.part === 'closed' && (this.rows.length === 0 || row.line.page === null);
    return !isOver && this.between <= PAGE_BREAK;
  }
}

/** The table under a header, and the line behind it. On the next page it may go on under the same header, or under none. */
function* tableBelow(lines: Source, at: number, line: Line, header: Header, taken: ReadonlySet<Line>) {
  const below = new RowsBelow({ ...header, line });
  for (let index = at + 1; index < lines.length; index += 1) {
    const next = lines[index];
    if (next === undefined || taken.has(next)) break;
    yield;
    if (!below.take(next)) break;
  }
  return { table: { ...header, line, rows: below.rows }, end: at + 1 + below.height };
}

/** The tables of each file whose header names the most of these columns; those that name one count where no file has a better one. */
export function* tablesIn(
  sources: readonly Source[],
  places: readonly Place[],
  taken: ReadonlySet<Line>,
): Generator<void, readonly Table[]> {
  const vocabulary = wordsNear(places.flatMap(({ names }) => names.map(({ words }) => words)));
  const tables: Table[] = [];
  for (const lines of places.length === 0 ? [] : sources) {
    for (let at = 0; at < lines.length; ) {
      yield;
      const line = lines[at];
      at += 1;
      const header = line === undefined || taken.has(line) ? null : headerOf(line.text, places, vocabulary);
      if (line === undefined || header === null) continue;
      const { table, end } = yield* tableBelow(lines, at - 1, line, header, taken);
      if (table.rows.length > 0) tables.push(table);
      at = end;
    }
  }
  const most = (ofFile: readonly Table[]) => ofFile.reduce((size, { columns }) => Math.max(size, columns.size), 0);
  const least = Math.min(2, most(tables));
  return [...Map.groupBy(tables, ({ line }) => line.fileName).values()].flatMap((ofFile) => {
    const size = most(ofFile);
    return ofFile.filter(({ columns }) => columns.size === size && size >= least);
  });
}

/** The table by its other columns: those that it was read for are left out. */
export const otherColumns = (table: Table, places: readonly Place[]): Table => {
  const titles = table.titles.map((title, at) => (table.columns.has(at) ? '' : title));
  return { ...table, columns: match(titles, places, SURELY_NAMED) };
};

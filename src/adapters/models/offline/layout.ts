import type { DocumentPart } from '../../../application/ports/models.ts';
import type { JsonValue } from '../../../domain/json.ts';
import {
  type Conventions,
  canonical,
  conventionsOf,
  currencyOf,
  likeness,
  readScalar,
  type View,
  type Words,
  wordsNear,
} from './values.ts';

// The lines of the files, and the values in them.

interface Line {
  readonly text: string;
  readonly page: number | null;
  /** null for a message beside the files. */
  readonly fileName: string | null;
  readonly conventions: Conventions;
}

export type Source = readonly Line[];

export function* sourceOf(fileName: string | null, pages: DocumentPart['pages']): Generator<void, Source> {
  const texts = pages.map(({ number, text }) => ({ number, lines: text.split('\n') }));
  const conventions = conventionsOf(texts.flatMap(({ lines }) => lines));
  const source: Line[] = [];
  for (const { number, lines } of texts) {
    for (const text of lines) {
      source.push({ text, page: number, fileName, conventions });
      yield;
    }
  }
  return source;
}

/** A text, and the line in which it stands. */
export interface Cell {
  readonly text: string;
  readonly line: Line;
}

export interface Reading {
  readonly value: JsonValue;
  /** Verbatim from the line, or null. */
  readonly quote: string | null;
  readonly line: Line;
}

const MAX_QUOTE = 300;

/** `meaning`: what is read instead of the text. */
export const read = ({ text, line }: Cell, view: View, meaning = text): Reading | null => {
  const value = readScalar(meaning, view, line.conventions);
  if (value === undefined) return null;
  const whole = line.text.trim();
  const quote = whole.length <= MAX_QUOTE ? whole : text.slice(0, MAX_QUOTE).trim();
  return { value, quote: whole.includes(text) ? quote : null, line };
};

/** One way to call a property on paper, and what a match by it is worth. */
export interface Name {
  readonly words: Words;
  readonly worth: number;
}

/** Where a value, or a list of them, belongs. */
export interface Place {
  /** JSON Pointer from where the search began. */
  readonly pointer: string;
  readonly view: View;
  readonly names: readonly Name[];
}

/** Below this a label does not name the property at all. */
export const NAMED = 0.5;
const COLUMN_NAMED = 0.6;
const SPACED_NAMED = 0.7;
/** From here on a label needs no colon to be one. */
export const SURELY_NAMED = 0.85;

export const howWell = (label: string, names: readonly Name[]): number => {
  const words = canonical(label);
  return names.reduce((best, name) => Math.max(best, likeness(words, name.words) * name.worth), 0);
};

/** The best matches first; each place is filled once, and nothing is read for two places. */
export const best = <M extends { readonly score: number; readonly place: Place; readonly from: unknown }>(
  matches: readonly M[],
): readonly M[] => {
  const used = new Set<unknown>();
  return matches
    .toSorted((a, b) => b.score - a.score)
    .filter(({ place, from }) => !used.has(place) && !used.has(from) && used.add(place).add(from));
};

// Labels, and the values beside or below them.

export interface Pair extends Cell {
  readonly label: string;
  /** Whether neither a colon nor a column sets the label off. */
  readonly weak: boolean;
}

/** How well a label names any of the properties that are asked for. */
type Rate = (label: string) => number;

const MAX_LINE = 1_000;
const MAX_LABEL = 80;

const cellsOf = (line: string) =>
  line
    .split(/\t|\||\s{2,}/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '');

/** `Total due EUR 1,190.00`: only a figure, a date or a number sets a known label off from prose. */
const leading = (cell: string, line: Line, rate: Rate): readonly Pair[] => {
  const words = cell.length > 200 ? [] : cell.split(' ', 12);
  for (let count = Math.min(5, words.length - 1); count > 0; count -= 1) {
    const label = words.slice(0, count).join(' ');
    const text = cell.slice(label.length).trim();
    if (/\d/.test(text) && rate(label) >= SURELY_NAMED) return [{ label, text, line, weak: true }];
  }
  return [];
};

/** `Date: 1 May 2026 Due: 31 May 2026`: where the next known label begins, the value ends. */
const several = (cell: string, line: Line, rate: Rate): readonly Pair[] => {
  const colons = [...cell.matchAll(/:(?=\s)/g)].slice(0, 8).map(({ index }) => index);
  if (colons.length < 2) return [];
  const starts = colons.flatMap((colon) => {
    const words = cell.slice(0, colon).split(' ').slice(-4);
    const labels = words.map((_, index) => words.slice(index).join(' '));
    const label = labels.reduce((found, each) => (rate(each) > rate(found) ? each : found), '');
    return rate(label) < SURELY_NAMED ? [] : [{ label, from: colon - label.length, colon }];
  });
  return starts.map(({ label, colon }, index) => {
    const text = cell.slice(colon + 1, starts[index + 1]?.from).trim();
    return { label, text, line, weak: true };
  });
};

const inCell = (cell: string, line: Line, rate: Rate): readonly Pair[] => {
  const many = several(cell, line, rate);
  if (many.length > 0) return many;
  const [, label = '', text = ''] = /^([^:]{1,80}):(?!\/\/)(.*)$/.exec(cell) ?? [];
  return /\p{L}/u.test(label) ? [{ label, text: text.trim(), line, weak: false }] : leading(cell, line, rate);
};

/** What stands alone below a line, on the same page. */
const belowOf = (lines: Source, index: number): Cell | null => {
  const line = lines.slice(index + 1, index + 4).find(({ text, page }) => text.trim() !== '' && page === lines[index]?.page);
  const text = line?.text.trim() ?? '';
  return line === undefined || /^[^:]{1,60}:(\s|$)/.test(text) || text.length > 200 ? null : { text: cellsOf(text)[0] ?? '', line };
};

/** The labels of a line, each with its value, which may stand behind it, in the next or the last cell, or below. */
const pairsIn = (lines: Source, index: number, line: Line, rate: Rate): readonly Pair[] => {
  const text = line.text.replace(/\*\*|__/g, '').trim();
  const cells = text.length > MAX_LINE ? [] : cellsOf(text).map((cell) => ({ text: cell, line }));
  const last = cells.length - 1;
  return cells.flatMap((cell, at) => {
    const next = at === last ? belowOf(lines, index) : (cells[at + 1] ?? null);
    const inside = inCell(cell.text, line, rate).map((pair) => (pair.text === '' ? { ...pair, ...next } : pair));
    if (at === last || cell.text.includes(':')) return inside;
    const beside = at === 0 && last > 1 ? [cells[1], cells[last]] : [next];
    const values = beside.filter((each) => each != null).filter((each) => /\d/.test(each.text) || rate(each.text) < SURELY_NAMED);
    return [...inside, ...values.map((value) => ({ ...value, label: cell.text, weak: false }))];
  });
};

const MOST_AMOUNTS = 200;

/** The pairs that may belong somewhere, and the first amounts that stand with a currency. */
export function* pairsOf(sources: readonly Source[], taken: ReadonlySet<Line>, rate: Rate) {
  const pairs: Pair[] = [];
  const amounts: Cell[] = [];
  for (const lines of sources) {
    for (const [index, line] of lines.entries()) {
      yield;
      for (const pair of taken.has(line) ? [] : pairsIn(lines, index, line, rate)) {
        if (pair.text === '' || pair.label.length > MAX_LABEL) continue;
        if (rate(pair.label) >= NAMED) pairs.push(pair);
        if (amounts.length < MOST_AMOUNTS && currencyOf(pair.text) !== null) amounts.push(pair);
      }
    }
  }
  return { pairs, amounts };
}

// Tables: a header that names columns, and the rows below it.

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

export interface Table extends Header {
  readonly line: Line;
  readonly rows: readonly Row[];
}

/** One line of comma-separated values, RFC 4180 section 2. */
const separated = (sign: string) => {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"[^${sign}]*|([^${sign}]*))${sign}`, 'g');
  return (line: string) => [...`${line}${sign}`.matchAll(cell)].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
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
    return well >= SPACED_NAMED && [words.slice(1), words.slice(0, -1)].every((fewer) => well >= howWell(fewer.join(' '), names));
  });

const isMoneySign = (word: string) => /^([€£$¥₹%]|[A-Z]{3})$/.test(word);

/** The words of a row as so many cells: a currency goes with its number, and the words that are left over with the widest column. */
const align = (words: readonly string[], width: number, wide: number): readonly string[] | null => {
  const cells: string[] = [];
  for (const word of words) {
    const last = cells.at(-1) ?? '';
    if ((isMoneySign(word) && /\d$/.test(last)) || (/^-?\d/.test(word) && isMoneySign(last))) cells.splice(-1, 1, `${last} ${word}`);
    else cells.push(word);
  }
  const spare = cells.length - width;
  if (spare < 0 || (spare > 0 && wide === -1)) return null;
  return spare === 0 ? cells : cells.toSpliced(wide, spare + 1, cells.slice(wide, wide + spare + 1).join(' '));
};

/** The column that has several words in a cell, or -1. */
const widest = (columns: Header['columns'], width: number): number => {
  const texts = [...columns].filter(([, { view }]) => view.kind === 'string' && view.schema.format === undefined);
  const wordy = texts.find(([, { names }]) => names.some(({ words }) => words.some((word) => /^(description|name|item)$/.test(word))));
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
    return figures.every(([at, { view }]) => readScalar(cells?.[at] ?? '', view, conventions) !== undefined) ? cells : null;
  };
  return { titles: [], columns, split };
};

const MAX_CELLS = 60;

const headerOf = (line: string, places: readonly Place[], vocabulary: ReadonlySet<string>): Header | null => {
  const telling = canonical(line).filter((word) => vocabulary.has(word)).length;
  if (telling === 0 || line.length > MAX_LINE || /^[^:]{1,60}:\s\S/.test(line)) return null;
  for (const { divide, ragged } of dividers) {
    const cellsIn = (text: string) => divide(text).map((cell) => cell.trim());
    const titles = cellsIn(line);
    if (titles.length < 2 || titles.length >= MAX_CELLS) continue;
    const columns = match(titles, places, COLUMN_NAMED);
    if (columns.size < Math.min(2, places.length)) continue;
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

const isSummary = ({ line, cells }: Row, { columns }: Header): boolean => {
  const text = line.text.trim();
  const first = canonical(text.split(/\t|\||\s{2,}|[;,:]/).find((cell) => /\p{L}/u.test(cell)) ?? '');
  return first.length > 0 && first.every((word) => summaries.has(word)) && [...columns.keys()].some((at) => !cells[at]);
};

/** A row has values of the right types in most of its columns. */
const isRow = ({ line, cells }: Row, { columns }: Header): boolean => {
  const filled = [...columns].filter(([at, { view }]) => readScalar(cells[at] ?? '', view, line.conventions) !== undefined).length;
  return filled >= Math.min(2, columns.size) && filled * 2 >= columns.size;
};

/** How many lines the foot of a page and the head of the next may put between two rows. */
const PAGE_BREAK = 16;

/** The table under a header, and the line behind it. On the next page it may go on under the same header, or under none. */
function* tableBelow(lines: Source, at: number, line: Line, header: Header, taken: ReadonlySet<Line>) {
  const rows: Row[] = [];
  let [end, between] = [at + 1, 0];
  for (let index = at + 1; index < lines.length && between <= PAGE_BREAK; index += 1) {
    const next = lines[index];
    if (next === undefined || taken.has(next)) break;
    yield;
    const text = next.text.trim();
    if (isNoise(text) || (text === line.text.trim() && rows.length > 0)) continue;
    const row = { line: next, cells: header.split(next) ?? [] };
    if (row.cells.length > 0 && isSummary(row, header)) continue;
    if (isRow(row, header) && (between === 0 || rows.at(-1)?.line.page !== next.page)) {
      rows.push(row);
      [end, between] = [index + 1, 0];
    } else if (rows.length === 0 || next.page === null) break;
    else between += 1;
  }
  return { table: { ...header, line, rows }, end };
}

/** The tables whose header names the most of these columns. */
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
  const most = tables.reduce((size, { columns }) => Math.max(size, columns.size), 0);
  return tables.filter(({ columns }) => columns.size === most);
}

/** The table by its other columns: those that it was read for are left out. */
export const otherColumns = (table: Table, places: readonly Place[]): Table => {
  const titles = table.titles.map((title, at) => (table.columns.has(at) ? '' : title));
  return { ...table, columns: match(titles, places, SURELY_NAMED) };
};

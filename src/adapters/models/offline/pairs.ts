import type { Pace } from './pace.ts';
import type { Line, Source } from './source.ts';
import { type Conventions, conventionsOf } from './values.ts';
import { SURELY_NAMED } from './words.ts';

/** A label and what stands beside or below it. */
export interface Pair {
  readonly label: string;
  readonly value: string;
  /** Verbatim from the text, or null. */
  readonly quote: string | null;
  readonly page: number | null;
  readonly source: Source;
  readonly conventions: Conventions;
  /** Taken where the label was not set off by a colon or a column. */
  readonly weak: boolean;
}

/** How well a label names any of the properties that are asked for. */
export type Rate = (label: string) => number;

interface Found {
  readonly label: string;
  readonly value: string;
  readonly weak: boolean;
}

const MAX_LINE = 1_000;
const bold = /\*\*|__/g;

const cellsOf = (line: string) =>
  line
    .split(/\t|\||\s{2,}/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '');

/** `Total due EUR 1,190.00`: a label that is known, without a colon. Only a figure, a date or a number tells it from prose. */
const leading = (cell: string, rate: Rate): Found | null => {
  const words = cell.split(' ', 12);
  for (let count = Math.min(5, words.length - 1); count > 0; count -= 1) {
    const label = words.slice(0, count).join(' ');
    const value = cell.slice(label.length).trim();
    if (/\d/.test(value) && rate(label) >= SURELY_NAMED) return { label, value, weak: true };
  }
  return null;
};

/** `Date: 1 May 2026 Due: 31 May 2026`: where the next known label begins, the value ends. */
const several = (cell: string, rate: Rate): readonly Found[] => {
  const colons = [...cell.matchAll(/:(?=\s)/g)].slice(0, 8).map(({ index }) => index);
  if (colons.length < 2) return [];
  const starts = colons.flatMap((colon) => {
    const words = cell.slice(0, colon).split(' ').slice(-4);
    const labels = words.map((_, index) => words.slice(index).join(' '));
    const label = labels.reduce((best, each) => (rate(each) > rate(best) ? each : best), '');
    return rate(label) < SURELY_NAMED ? [] : [{ label, from: colon - label.length, colon }];
  });
  return starts.map(({ label, colon }, index) => ({ label, value: cell.slice(colon + 1, starts[index + 1]?.from).trim(), weak: true }));
};

const inCell = (cell: string, rate: Rate): readonly Found[] => {
  const colon = cell.indexOf(':');
  const label = colon > 0 && colon <= 80 ? cell.slice(0, colon) : '';
  const plain =
    /\p{L}/u.test(label) && !cell.startsWith('//', colon + 1) ? [{ label, value: cell.slice(colon + 1).trim(), weak: false }] : [];
  const many = several(cell, rate);
  if (many.length > 0 || plain.length > 0) return many.length > 0 ? many : plain;
  const found = cell.length <= 200 ? leading(cell, rate) : null;
  return found ? [found] : [];
};

/** The labels that a line carries, each with its value; an empty value stands in the next cell or the next line. */
const inLine = (line: string, below: string, rate: Rate): readonly Found[] => {
  const cells = cellsOf(line);
  const last = cells.length - 1;
  return cells.flatMap((cell, index) => {
    const next = cells[index + 1] ?? (index === last ? below : '');
    const found = inCell(cell, rate).map((each) => (each.value === '' ? { ...each, value: next } : each));
    if (index === last || cell.includes(':')) return found;
    const beside = index === 0 && last > 1 ? [cells[1] ?? '', cells[last] ?? ''] : [next];
    return [
      ...found,
      ...beside.filter((value) => /\d/.test(value) || rate(value) < SURELY_NAMED).map((value) => ({ label: cell, value, weak: false })),
    ];
  });
};

const MAX_QUOTE = 300;

/** What to quote for a value: the line if it is short, else the value, cut; null where the value does not stand in the line as it is. */
export const quoteOf = (line: string, value: string): string | null => {
  const trimmed = line.trim();
  if (!trimmed.includes(value)) return null;
  return trimmed.length <= MAX_QUOTE ? trimmed : value.slice(0, MAX_QUOTE).trim();
};

const looksLikeLabel = (line: string) => /^[^:]{1,60}:(\s|$)/.test(line);

/** What stands alone below a line, on the same page. */
const belowOf = (lines: readonly Line[], index: number): string => {
  const next = lines.slice(index + 1, index + 4).find(({ text, page }) => text.trim() !== '' && page === lines[index]?.page);
  const text = next?.text.trim() ?? '';
  return looksLikeLabel(text) || text.length > 200 ? '' : (cellsOf(text)[0] ?? '');
};

/** Every label and value in the source, lines of tables left out. */
export async function* pairsOf(source: Source, skip: ReadonlySet<Line>, rate: Rate, pace: Pace): AsyncGenerator<Pair> {
  const conventions = conventionsOf(source.lines);
  for (const [index, line] of source.lines.entries()) {
    const pause = pace();
    if (pause) await pause;
    const text = line.text.replace(bold, '').trim();
    if (text === '' || text.length > MAX_LINE || skip.has(line)) continue;
    const below = belowOf(source.lines, index);
    for (const { label, value, weak } of inLine(text, below, rate)) {
      if (value === '' || label.length > 80) continue;
      const quote = quoteOf(line.text, value) ?? (value === below ? below : null);
      yield { label, value, quote, page: line.page, source, conventions, weak };
    }
  }
}

import type { DocumentPart } from '../../../application/ports/models.ts';
import type { JsonValue } from '../../../domain/json.ts';
import {
  type Conventions,
  canonical,
  conventionsOf,
  currencyOf,
  likeness,
  namesField,
  readScalar,
  type View,
  type Words,
} from './values.ts';

// The lines of the files, and the values in them.

export interface Line {
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

export const MAX_LINE = 1_000;
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
    const label = labels.reduce((best, each) => (rate(each) > rate(best) ? each : best), '');
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
  const line = lines
    .slice(index + 1, index + 4)
    .find(({ text, page }) => text.trim() !== '' && page === lines[index]?.page);
  const text = line?.text.trim() ?? '';
  return line === undefined || /^[^:]{1,60}:(\s|$)/.test(text) || text.length > 200
    ? null
    : { text: cellsOf(text)[0] ?? '', line };
};

/** What stands beside or below a label is no value of it if it is a label itself, of a field that is asked for or of another one. */
const isLabel = (text: string, rate: Rate): boolean =>
  /:\s*$/.test(text) || (!/\d/.test(text) && (rate(text) >= SURELY_NAMED || namesField(text)));

const EMPTY_BOX = /\[ \]/g;
const TICKED_BOX = /\[x\]/g;
const OPTION = /(\s*)([☐☒]) ?([^\s☐☒][^☐☒]*?)(?<!:)(?=\s{2,}|\s*[☐☒]|\s*$)/g;

/** Of the options of a form (`[ ] Cash [x] Card`), those that are ticked, without their signs; a sign without an option beside it is a value itself. */
const chosen = (line: string): string => {
  const signed = line.length > MAX_LINE ? line : line.replace(EMPTY_BOX, '☐').replace(TICKED_BOX, '☒');
  if (signed.length > MAX_LINE || !/^[^☐☒]+[☐☒]/.test(signed)) return line;
  let ticked = 0;
  const left = signed.replace(OPTION, (_, space: string, sign: string, option: string) => {
    if (sign === '☐') return '';
    ticked += 1;
    return `${ticked === 1 ? space : ', '}${option}`;
  });
  return line.includes('[') ? left.replaceAll('☐', '[ ]').replaceAll('☒', '[x]') : left;
};

/** The labels of a line, each with its value, which may stand behind it, in the next or the last cell, or below. */
const pairsIn = (lines: Source, index: number, line: Line, rate: Rate): readonly Pair[] => {
  const text = chosen(line.text.replace(/\*\*|__/g, '').trim());
  const cells = text.length > MAX_LINE ? [] : cellsOf(text).map((cell) => ({ text: cell, line }));
  const last = cells.length - 1;
  const isValue = (each: Cell | null | undefined): each is Cell => each != null && !isLabel(each.text, rate);
  return cells.flatMap((cell, at) => {
    const beyond = at === last ? belowOf(lines, index) : cells[at + 1];
    const next = isValue(beyond) ? beyond : null;
    const inside = inCell(cell.text, line, rate).map((pair) => (pair.text === '' ? { ...pair, ...next } : pair));
    if (at === last || cell.text.includes(':')) return inside;
    const values = (at === 0 && last > 1 ? [cells[1], cells[last]] : [next]).filter(isValue);
    return [...inside, ...values.map((value) => ({ ...value, label: cell.text, weak: false }))];
  });
};

const MOST_AMOUNTS = 200;

/** The pairs that may belong somewhere, and the first amounts that stand with a currency. */
export function* pairsOf(sources: readonly Source[], taken: ReadonlySet<Line>, rate: Rate) {
  const pairs: Pair[] = [];
  const amounts: Cell[] = [];
  const take = (pair: Pair) => {
    if (pair.text === '' || pair.label.length > MAX_LABEL) return;
    if (rate(pair.label) >= NAMED) pairs.push(pair);
    if (amounts.length < MOST_AMOUNTS && currencyOf(pair.text) !== null) amounts.push(pair);
  };
  for (const lines of sources) {
    for (const [index, line] of lines.entries()) {
      yield;
      if (!taken.has(line)) pairsIn(lines, index, line, rate).forEach(take);
    }
  }
  return { pairs, amounts };
}

import { howWell, type Leaf } from './leaves.ts';
import { readScalar } from './schema.ts';
import type { Conventions } from './values.ts';
import { canonical } from './words.ts';

type Divider = 'tab' | 'pipe' | 'gap' | 'semicolon' | 'comma' | 'space';

/** A table's first line: how its cells are divided, and which of them is which column. */
export interface Header {
  readonly divider: Divider;
  /** How many cells a line of the table has. */
  readonly width: number;
  /** Position of the cell → what it is. */
  readonly columns: ReadonlyMap<number, Leaf>;
}

const MAX_CELLS = 60;
const COLUMN_NAMED = 0.6;

/** One line of comma-separated values, RFC 4180 section 2. */
const separated = (line: string, sign: string): string[] => {
  const cells: string[] = [];
  for (let at = 0; at <= line.length && cells.length <= MAX_CELLS; ) {
    if (line[at] === '"') {
      let end = line.indexOf('"', at + 1);
      while (end !== -1 && line[end + 1] === '"') end = line.indexOf('"', end + 2);
      const stop = end === -1 ? line.length : end;
      cells.push(line.slice(at + 1, stop).replaceAll('""', '"'));
      const next = line.indexOf(sign, stop);
      at = next === -1 ? line.length + 1 : next + 1;
    } else {
      const next = line.indexOf(sign, at);
      cells.push(line.slice(at, next === -1 ? undefined : next).trim());
      at = next === -1 ? line.length + 1 : next + 1;
    }
  }
  return cells;
};

const divide = (line: string, divider: Divider): string[] => {
  if (divider === 'tab') return line.split('\t', MAX_CELLS).map((cell) => cell.trim());
  if (divider === 'pipe')
    return line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|', MAX_CELLS)
      .map((cell) => cell.trim());
  if (divider === 'gap') return line.trim().split(/\s{2,}/, MAX_CELLS);
  return divider === 'space' ? line.trim().split(/\s+/, MAX_CELLS) : separated(line, divider === 'comma' ? ',' : ';');
};

const dividers: readonly Divider[] = ['tab', 'pipe', 'gap', 'semicolon', 'comma'];

/** The best one-to-one naming of cells. */
const match = (cells: readonly string[], columns: readonly Leaf[], least = COLUMN_NAMED): Map<number, Leaf> => {
  const rated = cells.flatMap((cell, at) =>
    cell === '' || cell.length > 60 || /:\s/.test(cell) ? [] : columns.map((leaf) => ({ at, leaf, score: howWell(cell, leaf.names) })),
  );
  const matched = new Map<number, Leaf>();
  const used = new Set<Leaf>();
  for (const { at, leaf, score } of rated.toSorted((a, b) => b.score - a.score || a.at - b.at)) {
    if (score < least || matched.has(at) || used.has(leaf)) continue;
    matched.set(at, leaf);
    used.add(leaf);
  }
  return matched;
};

const enough = (matched: number, columns: number, cells: number) => matched >= 2 || (matched === 1 && columns === 1 && cells >= 2);

const SPACED_NAMED = 0.7;

/** The column that these words name, all of them: with a word less they would name it no better. */
const namedBy = (words: readonly string[], free: readonly Leaf[]): Leaf | undefined =>
  free.find((leaf) => {
    const well = howWell(words.join(' '), leaf.names);
    const shorter = [words.slice(1), words.slice(0, -1)].map((fewer) => (fewer.length === 0 ? 0 : howWell(fewer.join(' '), leaf.names)));
    return well >= SPACED_NAMED && well >= Math.max(...shorter);
  });

/** Some text has one space where the page has a gap: the header is read as a row of known names. */
const spaced = (line: string, columns: readonly Leaf[]): Header | null => {
  const words = line.trim().split(' ', 25);
  if (words.length < 2 || words.length > 24) return null;
  const matched = new Map<number, Leaf>();
  let [at, width] = [0, 0];
  while (at < words.length) {
    const used = new Set(matched.values());
    const free = columns.filter((leaf) => !used.has(leaf));
    const size = [4, 3, 2, 1].find((count) => at + count <= words.length && namedBy(words.slice(at, at + count), free) !== undefined) ?? 0;
    const leaf = namedBy(words.slice(at, at + size), free);
    if (size > 0 && leaf !== undefined) matched.set(width, leaf);
    at += Math.max(1, size);
    width += 1;
  }
  const strangers = width - matched.size;
  const certain = matched.size >= 3 ? strangers <= 2 : matched.size === 2 && strangers === 0;
  return certain ? { divider: 'space', width, columns: matched } : null;
};

/** Reads the line as a table's header, or null. */
export const headerOf = (line: string, columns: readonly Leaf[], vocabulary: ReadonlySet<string>): Header | null => {
  const telling = canonical(line).filter((word) => vocabulary.has(word)).length;
  if (telling === 0 || /^[^:]{1,60}:\s\S/.test(line)) return null;
  for (const divider of dividers) {
    const cells = divide(line, divider);
    if (cells.length < 2 || cells.length >= MAX_CELLS) continue;
    const matched = match(cells, columns);
    if (enough(matched.size, columns.length, cells.length)) return { divider, width: cells.length, columns: matched };
  }
  return telling < 2 ? null : spaced(line, columns);
};

const SURELY = 0.85;

/** The columns of a table that is read already, as far as they name these: what it is read for is left out. */
export const othersIn = (line: string, header: Header, leaves: readonly Leaf[]): Header => {
  const cells = header.divider === 'space' ? [] : divide(line, header.divider);
  const free = cells.map((cell, at) => (header.columns.has(at) ? '' : cell));
  return { ...header, columns: match(free, leaves, SURELY) };
};

const isMoneySign = (word: string) => /^([€£$¥₹%]|[A-Z]{3})$/.test(word);

/** A currency that stands apart belongs to the number before it, else to the one behind it. */
const joined = (words: readonly string[]): string[] => {
  const cells: string[] = [];
  for (const word of words) {
    const last = cells.at(-1);
    const glue = last !== undefined && ((isMoneySign(word) && /\d$/.test(last)) || (/^-?\d/.test(word) && isMoneySign(last)));
    if (glue) cells[cells.length - 1] = `${last} ${word}`;
    else cells.push(word);
  }
  return cells;
};

/** Which column takes all the words that the others leave. */
const flexible = ({ columns, width }: Header): number => {
  const texts = [...columns].filter(([, leaf]) => leaf.view.kind === 'string' && leaf.view.schema.format === undefined);
  const wordy = texts.find(([, leaf]) =>
    leaf.names.some(({ words }) => words.some((word) => word === 'description' || word === 'name' || word === 'item')),
  );
  const others = Array.from({ length: width }, (_, at) => at).find((at) => !columns.has(at));
  return (wordy ?? texts[0])?.[0] ?? others ?? -1;
};

const align = (words: readonly string[], header: Header): string[] | null => {
  const wide = flexible(header);
  const cells = joined(words);
  const spare = cells.length - header.width;
  if (spare === 0 || wide === -1) return spare === 0 ? cells : null;
  if (spare < 0) return null;
  return [...cells.slice(0, wide), cells.slice(wide, wide + spare + 1).join(' '), ...cells.slice(wide + spare + 1)];
};

/** The line's cells by column, or null where it is no line of this table. */
export const rowOf = (line: string, header: Header, conventions: Conventions): ReadonlyMap<Leaf, string> | null => {
  const divided = divide(line, header.divider);
  const loose = header.divider === 'tab' || header.divider === 'pipe' || header.divider === 'comma' || header.divider === 'semicolon';
  const cells = header.divider === 'space' ? align(divided, header) : divided;
  if (cells === null || cells.length < 2 || (loose ? cells.length > header.width + 1 : cells.length !== header.width)) return null;
  const row = new Map([...header.columns].map(([at, leaf]) => [leaf, cells[at] ?? ''] as const));
  const figures = [...row].filter(([leaf]) => leaf.view.kind === 'number' || leaf.view.kind === 'integer');
  const certain = figures.every(([leaf, cell]) => readScalar(cell, leaf.view, conventions) !== undefined);
  return header.divider === 'space' && !certain ? null : row;
};

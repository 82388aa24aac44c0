import bidiFactory from 'bidi-js';

/** A run of characters where it stands on the page, in points; `angle` in degrees, anticlockwise. Within it, they stand as they are read. */
export interface Glyphs {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly angle: number;
  /** Whether a blank stands before it, however narrow. */
  readonly isSpaced: boolean;
}

/** The same run in the direction of its own writing: `along` it, and `above` for how high its line stands. */
interface Placed extends Glyphs {
  readonly along: number;
  readonly above: number;
}

/** In units of the font size: from which gap on two runs are two words, and two cells. */
const WORD_GAP = 0.15;
const CELL_GAP = 1;
/** How far apart two baselines of one line may be. */
const BASELINE_DRIFT = 0.5;

const place = (run: Glyphs): Placed => {
  const turn = (run.angle * Math.PI) / 180;
  const along = run.x * Math.cos(turn) + run.y * Math.sin(turn);
  const above = run.y * Math.cos(turn) - run.x * Math.sin(turn);
  return { ...run, along, above };
};

/** Runs by line, top to bottom. */
const linesOf = (runs: readonly Placed[]): readonly (readonly Placed[])[] => {
  const lines: Placed[][] = [];
  for (const run of runs.toSorted((a, b) => b.above - a.above)) {
    const line = lines.at(-1);
    const first = line?.[0];
    const together = first !== undefined && first.above - run.above <= BASELINE_DRIFT * Math.min(first.size, run.size);
    if (together) line?.push(run);
    else lines.push([run]);
  }
  return lines;
};

/** Bold is often faked by drawing the same run twice, a hair apart. */
const isShadow = (run: Placed, before: Placed) =>
  run.text === before.text && Math.abs(run.along - before.along) < 0.3 * run.size;

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
export const isRightToLeft = (text: string) => RIGHT_TO_LEFT.test(text);
const isLabel = (text: string) => text.endsWith(':');

/** What stands between two neighbours in a line. */
const separator = (left: Placed, right: Placed): string => {
  const size = Math.min(left.size, right.size);
  const gap = right.along - left.along - left.width;
  // In a line from right to left, the word on the right is the one before, and the label of the other.
  const isSpaced = right.isSpaced || (left.isSpaced && isRightToLeft(left.text));
  if (gap < WORD_GAP * size) return isSpaced ? ' ' : '';
  // A value set apart from its label still belongs to it.
  const isValue = isLabel(left.text) || (isLabel(right.text) && isRightToLeft(right.text));
  return gap < CELL_GAP * size || isValue ? ' ' : '  ';
};

const bidi = bidiFactory();

/** Pieces of a line as they stand from left to right, in the order in which they are read. */
const inReadingOrder = (pieces: readonly string[]): readonly string[] => {
  const letters = pieces.filter((piece) => /\p{L}/u.test(piece));
  const backwards = letters.filter(isRightToLeft).length;
  if (backwards === 0) return pieces;
  // Which pieces change places is the same from the screen to the text as from the text to the screen.
  const { levels } = bidi.getEmbeddingLevels(pieces.join(''), backwards * 2 > letters.length ? 'rtl' : 'ltr');
  let at = 0;
  const placed = pieces.map((piece) => {
    const level = levels[at] ?? 0;
    at += piece.length;
    return { piece, level };
  });
  for (let level = Math.max(...placed.map((each) => each.level)); level > 0; level -= 1) {
    for (let from = 0; from < placed.length; from += 1) {
      let to = from;
      while ((placed[to]?.level ?? 0) >= level) to += 1;
      if (to > from) placed.splice(from, to - from, ...placed.slice(from, to).reverse());
      from = to;
    }
  }
  return placed.map(({ piece }) => piece);
};

const lineText = (runs: readonly Placed[]): string => {
  const pieces: string[] = [];
  let before: Placed | null = null;
  for (const run of runs.toSorted((a, b) => a.along - b.along)) {
    if (before !== null && isShadow(run, before)) continue;
    if (before !== null) pieces.push(separator(before, run));
    pieces.push(run.text);
    before = run;
  }
  return inReadingOrder(pieces.filter((piece) => piece !== ''))
    .join('')
    .trim();
};

/** The lines of a page as they are seen: what stands on one line is one line, cells of a row at least two spaces apart. */
export const linesText = (glyphs: readonly Glyphs[]): string => {
  const visible = glyphs.filter(({ text }) => text.trim() !== '').map(place);
  const byAngle = Map.groupBy(visible, ({ angle }) => angle);
  return [...byAngle.values()]
    .toSorted((a, b) => b.length - a.length)
    .flatMap((runs) => linesOf(runs).map(lineText))
    .join('\n');
};

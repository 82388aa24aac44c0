import { isRightToLeft } from '../../../domain/text.ts';
import { raised } from '../text.ts';
import { inColumns, rowsAtEnd, type TableRow } from './columns.ts';
import { inReadingOrder, isMostlyRightToLeft } from './reading-direction.ts';

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
  /** Where some of it is read from right to left: its letters as they stand, from left to right, each with its marks. */
  readonly signs?: readonly string[];
}

/** The same run in the direction of its own writing: `along` it, and `above` for how high its line stands. */
interface Placed extends Glyphs {
  readonly along: number;
  readonly above: number;
}

/** In units of the font size: from which gap on two runs are two words, and two cells. */
const WORD_GAP = 0.15;
const CELL_GAP = 1;
/** Less is no gap. */
const HAIR = 0.02;
/** How far apart two baselines of one line may be. */
const BASELINE_DRIFT = 0.5;

/** How far along its line, and how high, a point of it stands; `turn`: of the line, in radians. */
export const onLine = ({ x, y }: Pick<Glyphs, 'x' | 'y'>, turn: number) => ({
  along: x * Math.cos(turn) + y * Math.sin(turn),
  above: y * Math.cos(turn) - x * Math.sin(turn),
});

const place = (run: Glyphs): Placed => ({ ...run, ...onLine(run, (run.angle * Math.PI) / 180) });

/** As shares of the size of the text before it: how large a superscript is at most, how high it stands, and how far from that text. */
const RAISED_SIZE = 0.95;
const RAISED_FROM = 0.2;
const RAISED_TO = 0.6;
const BESIDE = 0.5;
type Standing = Pick<Placed, 'above' | 'size'>;
export const isRaised = (run: Standing, base: Standing): boolean => {
  const rise = (run.above - base.above) / base.size;
  return run.size < RAISED_SIZE * base.size && rise > RAISED_FROM && rise < RAISED_TO;
};

/** Superscripts on the line of what they stand at, which is next to them in the file. */
const onTheirLines = (runs: readonly Placed[]): readonly Placed[] => {
  const gap = (left: Placed, right: Placed) => Math.abs(right.along - left.along - left.width);
  return runs.map((run, index) => {
    const before = runs[index - 1];
    const after = runs[index + 1];
    const isAt = (base: Placed | undefined, distance: number): base is Placed =>
      base !== undefined && base.angle === run.angle && isRaised(run, base) && distance < BESIDE * base.size;
    if (before && isAt(before, gap(before, run))) {
      const isGlued = !run.isSpaced && gap(before, run) < WORD_GAP * before.size;
      return { ...run, above: before.above, text: isGlued ? raised(run.text, before.text) : run.text };
    }
    return after && isAt(after, gap(run, after)) ? { ...run, above: after.above } : run;
  });
};

const DOWNWARD = 270;
/** Fewer signs below each other are no column. */
const LEAST_SIGNS = 3;
const EAST_ASIAN = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\u3000-\u303f\u30fb\u30fc\uff01-\uff5e]$/u;
/** In units of the font size: how much of a sign is below its baseline, and how far apart two signs of a column stand at most. */
const BELOW_BASELINE = 0.12;
const SIGN_GAP = 0.25;

/** From its top to its bottom; in a column that is written downward, what is not East Asian is turned. */
const heightOf = ({ angle, y, width, size }: Placed): readonly [top: number, bottom: number] =>
  angle === DOWNWARD ? [y, y - width] : [y + (1 - BELOW_BASELINE) * size, y - BELOW_BASELINE * size];

const isBelow = (run: Placed, before: Placed): boolean => {
  const gap = heightOf(before)[1] - heightOf(run)[0];
  const isSign = run.angle === DOWNWARD || (run.angle === 0 && EAST_ASIAN.test(run.text));
  return isSign && Math.abs(run.x - before.x) < 0.5 * run.size && Math.abs(gap) < SIGN_GAP * run.size;
};

/** Each column of signs that is written from top to bottom as one run, so that such columns are lines, from the right to the left. */
const withColumns = (runs: readonly Placed[]): readonly Placed[] => {
  const columns: Placed[][] = [];
  for (const run of runs) {
    const before = columns.at(-1)?.at(-1);
    if (before !== undefined && isBelow(run, before)) columns.at(-1)?.push(run);
    else columns.push([run]);
  }
  return columns.flatMap((column) => {
    const first = column[0];
    const last = column.at(-1);
    const signs = column.filter(({ text }) => EAST_ASIAN.test(text)).length;
    if (first === undefined || last === undefined || signs < LEAST_SIGNS) return column;
    const [y] = heightOf(first);
    const text = column.map((run) => run.text).join('');
    return [place({ ...first, text, y, width: y - heightOf(last)[1], angle: DOWNWARD })];
  });
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

const isLabel = (text: string) => text.endsWith(':');

/** What stands between two neighbours in a line. */
const separator = (left: Placed, right: Placed, isMixed: boolean): string => {
  const size = Math.min(left.size, right.size);
  const gap = right.along - left.along - left.width;
  // In a line from right to left, the word on the right is the one before, and the label of the other.
  const isSpaced = isMixed ? gap > HAIR * size && (left.isSpaced || right.isSpaced) : right.isSpaced;
  if (gap < WORD_GAP * size) return isSpaced ? ' ' : '';
  // A value set apart from its label still belongs to it.
  const isValue = isLabel(left.text) || (isLabel(right.text) && isRightToLeft(right.text));
  return gap < CELL_GAP * size || isValue ? ' ' : '  ';
};

/** What stands in a run, from left to right. */
const signsOf = ({ text, signs }: Placed): readonly string[] =>
  signs ?? (isRightToLeft(text) ? [...text].reverse() : [...text]);

const lineText = (runs: readonly Placed[], isPageRightToLeft: boolean): string => {
  const kept: Placed[] = [];
  for (const run of runs.toSorted((a, b) => a.along - b.along)) {
    const before = kept.at(-1);
    if (before === undefined || !isShadow(run, before)) kept.push(run);
  }
  const isMixed = kept.some(({ text }) => isRightToLeft(text));
  const pieces = kept.flatMap((run, index) => {
    const before = kept[index - 1];
    const between = before === undefined ? '' : separator(before, run, isMixed);
    return [between, ...(isMixed ? signsOf(run) : [run.text])].filter((piece) => piece !== '');
  });
  return inReadingOrder(pieces, isPageRightToLeft).join('').trim();
};

/**
 * The lines of a page as they are seen: what stands on one line is one line, cells of a row at least two spaces apart. `before`, `rows`: the rows
 * of tables at the end of the page before, and of this one.
 */
export const readLines = (glyphs: readonly Glyphs[], before: readonly TableRow[] = []) => {
  const visible = withColumns(onTheirLines(glyphs.filter(({ text }) => text.trim() !== '').map(place)));
  const isRightToLeft = isMostlyRightToLeft(visible.map(({ text }) => text));
  const angles = [...Map.groupBy(visible, ({ angle }) => angle).values()].toSorted((a, b) => b.length - a.length);
  const [main = [], ...others] = angles.map((runs) => inColumns(linesOf(runs), { isRightToLeft, before }));
  const text = [main, ...others].flatMap((lines) => lines.map((line) => lineText(line, isRightToLeft))).join('\n');
  return { text, rows: rowsAtEnd(main) };
};

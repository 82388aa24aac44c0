/** A run of characters of a page, along its line. */
interface Run {
  readonly text: string;
  readonly along: number;
  readonly above: number;
  readonly width: number;
  readonly size: number;
}

type Line<R extends Run> = readonly R[];
/** What stands in a line without a wide gap. */
interface Segment {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}
type Gap = readonly [from: number, to: number];
/** A row of a table, by where each of its cells begins and ends. */
export type TableRow = readonly Pick<Segment, 'from' | 'to'>[];
const widthOf = ([from, to]: Gap) => to - from;

/** In units of the font size: between two cells, between two columns, and between two blocks of lines. */
const CELL_GAP = 1;
const GUTTER = 1.5;
const BLOCK_GAP = 2.2;
/** Fewer lines beside each other may be a row as well. */
const LEAST_LINES = 3;
/** A page with more is a listing, and its columns are those of a table. */
const MOST_LINES = 2000;
const MOST_DEPTH = 6;
/** A table that goes on on the next page has rows among so many lines at the end of this one. */
const LINES_AT_END = 20;
/** In points: how far apart the edges of the cells of one column may be. */
const EDGE_DRIFT = 2;

const sizeOf = (line: Line<Run>): number => Math.max(...line.map(({ size }) => size));

/** Gaps of one line that differ by less were made by filling it, in units of the font size: such words are no cells. */
const SAME_GAP = 0.1;
const isWord = ({ text }: Run) => /\p{Ll}{2}/u.test(text);

/** Whether a word of a line is set apart from the one before it as far as others next to it, because the line was filled. */
const isJustified = (runs: Line<Run>, at: number): boolean => {
  const gap = (index: number): number => {
    const before = runs[index - 1];
    const run = runs[index];
    return before === undefined || run === undefined ? Number.NaN : run.along - before.along - before.width;
  };
  const most = SAME_GAP * (runs[at]?.size ?? 0);
  return [at - 1, at + 1].some(
    (other) =>
      Math.abs(gap(other) - gap(at)) < most &&
      runs.slice(Math.min(at, other) - 1, Math.max(at, other) + 1).filter(isWord).length >= 2,
  );
};

const segmentsOf = (line: Line<Run>): readonly Segment[] => {
  const segments: Segment[] = [];
  const runs = line.toSorted((a, b) => a.along - b.along);
  for (const [at, run] of runs.entries()) {
    const last = segments.at(-1);
    const isCell = last === undefined || (run.along - last.to >= CELL_GAP * run.size && !isJustified(runs, at));
    if (!isCell) segments.pop();
    segments.push({
      text: isCell ? run.text : `${last.text} ${run.text}`,
      from: isCell ? run.along : last.from,
      to: Math.max(run.along + run.width, isCell ? 0 : last.to),
    });
  }
  return segments;
};

/** Whether each cell stands below the same cell of the other row, at its left or its right edge. */
const hasCellsOf = (line: TableRow, row: TableRow): boolean =>
  line.length >= 2 &&
  line.length === row.length &&
  line.every(({ from, to }, at) =>
    [from - (row[at]?.from ?? 0), to - (row[at]?.to ?? 0)].some((distance) => Math.abs(distance) <= EDGE_DRIFT),
  );

/** The rows at the end of a page whose lines were kept whole: the next page may go on with them, without their heading. */
export const rowsAtEnd = (lines: readonly Line<Run>[]): readonly TableRow[] => {
  const last = lines.slice(-LINES_AT_END).map(segmentsOf);
  return last.filter((line) => last.some((other) => other !== line && hasCellsOf(line, other)));
};

/** Where nothing stands in a line. */
const gapsOf = (segments: readonly Segment[]): readonly Gap[] => [
  [Number.NEGATIVE_INFINITY, segments[0]?.from ?? 0],
  ...segments.map(({ to }, index): Gap => [to, segments[index + 1]?.from ?? Number.POSITIVE_INFINITY]),
];

/** What lies between two lines that stand wholly beside each other, at different heights. */
const gapBetween = (a: readonly Segment[], b: readonly Segment[]): readonly Gap[] =>
  [[a.at(-1)?.to ?? 0, b[0]?.from ?? 0] as const, [b.at(-1)?.to ?? 0, a[0]?.from ?? 0] as const].filter(
    (gap) => widthOf(gap) > 0,
  );

/** One side of a gutter: the segments of each line that has some. */
type Side = readonly (readonly Segment[])[];

const share = <T>(all: readonly T[], holds: (each: T) => boolean): number => all.filter(holds).length / all.length;
const textOf = (line: readonly Segment[]) => line.map(({ text }) => text).join('  ');
const hasLetters = (text: string) => /\p{L}/u.test(text);
const isLabel = (text: string) => text.endsWith(':');

const lettersOf = (text: string) => text.match(/\p{L}/gu)?.length ?? 0;
const isPhrase = ({ text }: Segment) =>
  text.split(/\s+/).length >= 3 && lettersOf(text) >= 0.6 * text.replace(/\s/g, '').length;

/** Lines that were broken because they were full: nearly all of them, or every third where headings and lists may stand between (`isMixed`). */
const isProse = (side: Side, isMixed: boolean): boolean => {
  const segments = side.flat();
  const widths = segments.map(({ from, to }) => to - from);
  const most = Math.max(...widths);
  const mean = widths.reduce((sum, width) => sum + width, 0) / widths.length;
  const isFull = isMixed ? share(widths, (width) => width >= 0.85 * most) >= 0.3 : mean >= 0.7 * most;
  return share(segments, isPhrase) >= 0.6 && isFull;
};

const PAIR = /^([^:]{1,40}\p{L}[^:]{0,5}):\s+\S/u;
const DATE = /\d{1,4}[./-]\d{1,2}[./-]\d{1,4}/;
const AMOUNT = /^[^\p{L}\d]*(?:[A-Z]{3}\s?)?-?[\d.,'’\s]+(?:[A-Z]{3}|[^\p{L}\d]*)$/u;
const kindOf = (value: string) => {
  if (DATE.test(value)) return 'date';
  return AMOUNT.test(value.trim()) ? 'amount' : 'other';
};

/** Labels, each with its value beside it: by a colon, or because they name different kinds of values, which no column of a table has. */
const isKeyed = (side: Side): boolean => {
  const labels = side.flatMap((line) => PAIR.exec(textOf(line))?.[1] ?? []);
  if (labels.length >= (2 / 3) * side.length && new Set(labels).size === labels.length) return true;
  const cells = side.filter((line) => line.length === 2).map((line) => line.map(({ text }) => text));
  const keys = cells.map(([key = '']) => key);
  const values = cells.map(([, value = '']) => value).filter((value, index) => index > 0 || /\d/.test(value));
  return (
    cells.length >= LEAST_LINES &&
    cells.length >= 0.8 * side.length &&
    keys.every((key) => hasLetters(key) && !/\d/.test(key)) &&
    new Set(keys).size === keys.length &&
    new Set(values.map(kindOf)).size > 1
  );
};

/** Lines of their own, such as those of an address. */
const isPlain = (side: Side): boolean =>
  share(side, (line) => line.length === 1) >= 0.8 &&
  share(side, (line) => hasLetters(textOf(line))) >= 0.8 &&
  !side.some((line) => isLabel(textOf(line)));

const isHeaded = (side: Side): boolean => isLabel(textOf(side[0] ?? [])) && isPlain(side.slice(1));

/** A line with something on both sides of a gutter. */
type Both = (left: readonly Segment[], right: readonly Segment[]) => boolean;

const isPair = (line: readonly Segment[]): boolean => {
  const [key = { text: '' }] = line;
  return PAIR.test(textOf(line)) || (line.length === 2 && hasLetters(key.text) && !/\d/.test(key.text));
};
const isOneEach: Both = (left, right) => left.length === 1 && right.length === 1;

/** Why what stands beside each other does not belong together, as what lines of both sides look like then; null if it may belong together. */
const reasonFor = (left: Side, right: Side, both: number, overlapping: number): Both | null => {
  if (Math.min(left.length, right.length) < LEAST_LINES) return null;
  const sides = [left, right] as const;
  if (sides.every((side) => isProse(side, overlapping >= LEAST_LINES)))
    return (own, other) => [...own, ...other].some(isPhrase);
  // Lines of a table stand at one height.
  const isUneven = both < 0.4 * Math.min(left.length, right.length);
  if (isUneven && sides.every((side) => share(side.flat(), ({ text }) => hasLetters(text)) >= 0.7)) return isOneEach;
  if (sides.every(isHeaded)) return isOneEach;
  const isLeftKeyed = isKeyed(left);
  const isRightKeyed = isKeyed(right);
  if (!(isLeftKeyed || isPlain(left)) || !(isRightKeyed || isPlain(right))) return null;
  if (!isLeftKeyed && !isRightKeyed) return null;
  return (own, other) => (!isLeftKeyed || isPair(own)) && (!isRightKeyed || isPair(other));
};

interface Band {
  readonly from: number;
  readonly to: number;
  readonly gutter: Gap;
}

const overlap = ([a, b]: Gap, [c, d]: Gap): Gap => [Math.max(a, c), Math.min(b, d)];

/** The lines around this one through which the gap runs, as far as it stays wide enough. */
const bandAround = (gaps: readonly (readonly Gap[])[], at: number, gap: Gap, least: number): Band => {
  let gutter = gap;
  const extended = (index: number): boolean => {
    const narrowed = gaps[index]?.map((each) => overlap(each, gutter)).find((each) => widthOf(each) >= least);
    if (narrowed !== undefined) gutter = narrowed;
    return narrowed !== undefined;
  };
  let from = at;
  let to = at + 1;
  while (to < gaps.length && extended(to)) to += 1;
  while (from > 0 && extended(from - 1)) from -= 1;
  return { from, to, gutter };
};

/** The longest stretch of the band whose lines stand in columns; null if there is none. */
const columnsIn = (lines: readonly (readonly Segment[])[], heights: readonly number[], band: Band): Band | null => {
  const middle = (band.gutter[0] + band.gutter[1]) / 2;
  const inBand = lines.slice(band.from, band.to).map((line) => ({
    left: line.filter(({ to }) => to <= middle),
    right: line.filter(({ from }) => from >= middle),
  }));
  const sidesOf = (part: typeof inBand) =>
    [part.map(({ left }) => left), part.map(({ right }) => right)].map((side) =>
      side.filter((each) => each.length > 0),
    );
  const both = inBand.filter(({ left, right }) => left.length > 0 && right.length > 0).length;
  const [left = [], right = []] = sidesOf(inBand);
  // Lines of one side that stand between two of the other, as no row of a table does.
  const overlapping = inBand.filter((line, index) => {
    const next = inBand[index + 1];
    const isAlternate =
      next &&
      (line.left.length === 0) !== (next.left.length === 0) &&
      (line.right.length === 0) !== (next.right.length === 0);
    return isAlternate && (heights[band.from + index] ?? 0) < 1;
  }).length;
  const looksSo = reasonFor(left, right, both, overlapping);
  if (looksSo === null) return null;
  let best = { from: 0, to: 0 };
  let from = 0;
  for (const [index, line] of inBand.entries()) {
    if (line.left.length > 0 && line.right.length > 0 && !looksSo(line.left, line.right)) from = index + 1;
    else if (index + 1 - from > best.to - best.from) best = { from, to: index + 1 };
  }
  const least = Math.min(...sidesOf(inBand.slice(best.from, best.to)).map((side) => side.length));
  if (least < LEAST_LINES) return null;
  return { from: band.from + best.from, to: band.from + best.to, gutter: band.gutter };
};

/** The lines before the first one that has more cells than all before it: a table begins there. */
const beforeTable = (lines: readonly (readonly Segment[])[], { from, to, gutter }: Band): Band => {
  let most = lines[from]?.length ?? 0;
  for (let index = from + 1; index < to; index += 1) {
    const cells = lines[index]?.length ?? 0;
    if (index - from >= LEAST_LINES && cells > Math.max(2, most)) return { from, to: index, gutter };
    most = Math.max(most, cells);
  }
  return { from, to, gutter };
};

/** The first lines that stand in two columns, and where the gutter is; null if there are none. No row of the table before has a gutter. */
const bandIn = (lines: readonly Line<Run>[], before: readonly TableRow[]): Band | null => {
  const segments = lines.map(segmentsOf);
  /** From each line to the next one, in units of the font size. */
  const heights = lines.map((line, at) => ((line[0]?.above ?? 0) - (lines[at + 1]?.[0]?.above ?? 0)) / sizeOf(line));
  const gaps = segments.map((line) => (before.some((row) => hasCellsOf(line, row)) ? [] : gapsOf(line)));
  const tried: Band[] = [];
  for (const [at, line] of lines.entries()) {
    const least = GUTTER * sizeOf(line);
    const next = at + 1 < lines.length ? gapBetween(segments[at] ?? [], segments[at + 1] ?? []) : [];
    for (const gap of [...(gaps[at] ?? []).slice(1, -1), ...next]) {
      const isTried = tried.some(({ from, to, gutter }) => from <= at && at < to && widthOf(overlap(gutter, gap)) > 0);
      if (isTried || widthOf(gap) < least) continue;
      const band = bandAround(gaps, at, gap, least);
      tried.push(band);
      const columns = columnsIn(segments, heights, band) ?? columnsIn(segments, heights, beforeTable(segments, band));
      if (columns !== null) return columns;
    }
  }
  return null;
};

/** Lines between which there is no wide gap. */
const blocksOf = <R extends Run>(lines: readonly Line<R>[]): readonly (readonly Line<R>[])[] => {
  const blocks: Line<R>[][] = [];
  for (const line of lines) {
    const before = blocks.at(-1)?.at(-1);
    const gap = (before?.[0]?.above ?? 0) - (line[0]?.above ?? 0);
    if (before === undefined || gap > BLOCK_GAP * Math.max(sizeOf(before), sizeOf(line))) blocks.push([line]);
    else blocks.at(-1)?.push(line);
  }
  return blocks;
};

interface Page {
  readonly isRightToLeft: boolean;
  /** The rows at the end of the page before. */
  readonly before: readonly TableRow[];
}

/**
 * The lines of a page in the order in which a person reads them: where columns stand beside each other, those of one before those of the
 * other. What belongs together stays one line: the cells of a row, a label and its value.
 */
export const inColumns = <R extends Run>(lines: readonly Line<R>[], page: Page, depth = 0): readonly Line<R>[] => {
  if (lines.length < LEAST_LINES || lines.length > MOST_LINES || depth > MOST_DEPTH) return lines;
  const band = bandIn(lines, page.before);
  if (band === null) {
    const blocks = blocksOf(lines);
    return blocks.length === 1 ? lines : blocks.flatMap((block) => inColumns(block, page, depth + 1));
  }
  const middle = (band.gutter[0] + band.gutter[1]) / 2;
  const inBand = lines.slice(band.from, band.to);
  const sides = [
    inBand.map((line) => line.filter(({ along }) => along < middle)),
    inBand.map((line) => line.filter(({ along }) => along >= middle)),
  ].map((side) => side.filter((line) => line.length > 0));
  const inOrder = page.isRightToLeft ? sides.toReversed() : sides;
  return [
    ...inColumns(lines.slice(0, band.from), page, depth + 1),
    ...inOrder.flatMap((side) => inColumns(side, page, depth + 1)),
    ...inColumns(lines.slice(band.to), page, depth + 1),
  ];
};

/** A run of characters where it stands on the page, in points; `angle` in degrees, anticlockwise. */
export interface Glyphs {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly angle: number;
  readonly rightToLeft: boolean;
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

const separator = (gap: number, size: number, left: string): string => {
  if (gap < WORD_GAP * size) return '';
  // A value set apart from its label still belongs to it.
  return gap < CELL_GAP * size || left.endsWith(':') ? ' ' : '  ';
};

const lineText = (runs: readonly Placed[]): string => {
  const rightToLeft = runs.filter((run) => run.rightToLeft).length * 2 > runs.length;
  const ordered = runs.toSorted((a, b) => (rightToLeft ? b.along - a.along : a.along - b.along));
  let text = '';
  let before: Placed | null = null;
  for (const run of ordered) {
    if (before !== null && isShadow(run, before)) continue;
    const gap =
      before === null
        ? 0
        : rightToLeft
          ? before.along - run.along - run.width
          : run.along - before.along - before.width;
    text += (before === null ? '' : separator(gap, Math.min(before.size, run.size), text.trimEnd())) + run.text;
    before = run;
  }
  return text.trim();
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

/** A mark for each pixel of a picture, row by row; 0 for none. */
interface Marks {
  readonly width: number;
  readonly height: number;
  readonly at: Uint8Array;
}

/** In hundredths of the paper's brightness. */
const DARK = 80;
/** A page is some 2,000 pixels large. No stroke of a letter is so long and so thin: half an inch, and a thirtieth of one. */
const LENGTHS_IN_PAGE = 20;
const THICKNESSES_IN_LENGTH = 16;
/** How many hundredths of its length a line may lean: the page lies askew, or was photographed from the side. */
const LEANS = [-8, -6, -4, -2, 0, 2, 4, 6, 8];
/** How much of a line stands free; the rest touches letters or crosses other lines. */
const LEAST_FREE = 0.6;
/** Marks of a line where it stands free, and where it does not. */
const FREE = 1;
const TOUCHING = 2;

/** Rows become columns. */
const transposed = ({ width, height, at }: Marks): Marks => {
  const result = new Uint8Array(at.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const mark = at[y * width + x] ?? 0;
      // Most places have none.
      if (mark !== 0) result[x * height + y] = mark;
    }
  }
  return { width: height, height: width, at: result };
};

/** Pixels one below the other, in the rows from `begin` to before `end`: in the column `column + shifts[row]`. */
interface Run {
  readonly column: number;
  readonly shifts: Int32Array;
  readonly begin: number;
  readonly end: number;
}

const isDark = ({ width, at }: Marks, x: number, y: number): boolean => x >= 0 && x < width && at[y * width + x] === 1;

/** The column of a dark pixel, in this column or beside it; where none is dark, the one to the right. */
const darkColumn = (dark: Marks, x: number, y: number): number => {
  if (isDark(dark, x, y)) return x;
  return isDark(dark, x - 1, y) ? x - 1 : x + 1;
};

/**
 * Writes for each row of a run where the dark begins and ends that it is in, or -1 if that is not thin, or nothing is dark there; and
 * answers for how many of them it is thin.
 */
const thinParts = (dark: Marks, { column, shifts, begin, end }: Run, thickness: number, parts: Int32Array): number => {
  let count = 0;
  for (let y = begin; y < end; y += 1) {
    const x = column + (shifts[y] ?? 0);
    const start = darkColumn(dark, x, y);
    let from = start;
    let to = start;
    while (to - from <= thickness && isDark(dark, from - 1, y)) from -= 1;
    while (to - from <= thickness && isDark(dark, to + 1, y)) to += 1;
    const isThin = isDark(dark, start, y) && to - from < thickness;
    parts[2 * y] = isThin ? from : -1;
    parts[2 * y + 1] = to;
    if (isThin) count += 1;
  }
  return count;
};

/**
 * Where the marks are, in order: they are few. With the neighbours of what is marked, a line that leans a little is one run for longer.
 */
const placesNear = (marks: Uint8Array): Uint32Array => {
  const places = new Uint32Array(marks.length);
  let count = 0;
  let next = 0;
  for (let start = marks.indexOf(1); start !== -1; start = marks.indexOf(1, next)) {
    let end = start + 1;
    while (marks[end] === 1) end += 1;
    for (let at = Math.max(next, start - 1); at <= end && at < marks.length; at += 1) {
      places[count] = at;
      count += 1;
    }
    next = end + 1;
  }
  return places.slice(0, count);
};

/** Marks a run if it is a line: nearly all of it is thin. */
const markLine = (dark: Marks, run: Run, thickness: number, parts: Int32Array, lines: Uint8Array): void => {
  const { column, shifts, begin, end } = run;
  if (thinParts(dark, run, thickness, parts) < (end - begin) * LEAST_FREE) return;
  for (let y = begin; y < end; y += 1) {
    const x = column + (shifts[y] ?? 0);
    const from = parts[2 * y] ?? -1;
    const to = parts[2 * y + 1] ?? -1;
    const isFree = from !== -1;
    // The faint edges of print go beyond what is dark.
    const [left, right] = isFree ? [from - 1, to + 1] : [x - thickness / 2, x + thickness / 2];
    for (let at = Math.max(0, Math.round(left)); at <= Math.min(dark.width - 1, right); at += 1) {
      const place = y * dark.width + at;
      if (lines[place] !== FREE) lines[place] = isFree ? FREE : TOUCHING;
    }
  }
};

/** The thin lines that go from top to bottom. Each row goes on with the runs of the row above, moved as far as the line leans. */
const linesDown = (dark: Marks, length: number, thickness: number): Uint8Array => {
  const { width, height, at } = dark;
  const lines = new Uint8Array(at.length);
  const marked = placesNear(at);
  const parts = new Int32Array(2 * height);
  for (const lean of LEANS) {
    const shifts = Int32Array.from({ length: height }, (_, y) => Math.round((y * lean) / 100));
    const margin = Math.abs(Math.round((height * lean) / 100));
    const runs = new Uint32Array(width + 2 * margin);
    const ends = new Uint32Array(runs.length);
    const finish = (run: number) => {
      const count = runs[run] ?? 0;
      const end = ends[run] ?? 0;
      if (count >= length)
        markLine(dark, { column: run - margin, shifts, begin: end - count, end }, thickness, parts, lines);
    };
    let index = 0;
    for (let y = 0; y < height; y += 1) {
      const shift = margin - (shifts[y] ?? 0) - y * width;
      for (
        let place = marked[index] ?? 0;
        index < marked.length && place < (y + 1) * width;
        place = marked[index] ?? 0
      ) {
        const run = place + shift;
        if (ends[run] !== y) {
          finish(run);
          runs[run] = 0;
        }
        runs[run] = (runs[run] ?? 0) + 1;
        ends[run] = y + 1;
        index += 1;
      }
    }
    for (let run = 0; run < runs.length; run += 1) finish(run);
  }
  return lines;
};

/** 1 for each pixel that belongs to the ruled lines of tables and forms; `shares` are hundredths of the paper's brightness. */
export const ruledLines = (width: number, height: number, shares: Uint8Array): Uint8Array => {
  const length = Math.sqrt(width * height) / LENGTHS_IN_PAGE;
  const thickness = length / THICKNESSES_IN_LENGTH;
  const dark: Marks = { width, height, at: new Uint8Array(shares.length) };
  for (let at = 0; at < shares.length; at += 1) if ((shares[at] ?? 0) < DARK) dark.at[at] = 1;
  const down = linesDown(dark, length, thickness);
  const across = transposed({ width: height, height: width, at: linesDown(transposed(dark), length, thickness) }).at;
  const result = new Uint8Array(shares.length);
  for (let at = 0; at < result.length; at += 1) {
    const one = down[at] ?? 0;
    const other = across[at] ?? 0;
    // Where two lines cross, neither stands free.
    if (one === FREE || other === FREE || (one === TOUCHING && other === TOUCHING)) result[at] = 1;
  }
  return result;
};

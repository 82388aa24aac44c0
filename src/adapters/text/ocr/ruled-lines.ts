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

/** Where the dark of a row begins and ends around this place; null if it is not thin, or nothing is dark there. */
const thinPart = ({ width, at }: Marks, x: number, y: number, thickness: number): readonly [from: number, to: number] | null => {
  const isDark = (column: number) => column >= 0 && column < width && at[y * width + column] === 1;
  const start = isDark(x) ? x : isDark(x - 1) ? x - 1 : x + 1;
  if (!isDark(start)) return null;
  let [from, to] = [start, start];
  while (to - from <= thickness && isDark(from - 1)) from -= 1;
  while (to - from <= thickness && isDark(to + 1)) to += 1;
  return to - from < thickness ? [from, to] : null;
};

/**
 * Where the marks are, in order: they are few. With the neighbours of what is marked, a line that leans a little is one run for longer.
 */
const placesNear = (marks: Uint8Array): Uint32Array => {
  const places = new Uint32Array(marks.length);
  let count = 0;
  let [before, mark] = [0, marks[0] ?? 0];
  for (let at = 0; at < marks.length; at += 1) {
    const next = marks[at + 1] ?? 0;
    places[count] = at;
    count += before | mark | next;
    [before, mark] = [mark, next];
  }
  return places.slice(0, count);
};

type Place = readonly [x: number, y: number];

/** Marks a straight run of dark pixels if it is a line: nearly all of it is thin. */
const markLine = (dark: Marks, places: readonly Place[], thickness: number, lines: Uint8Array): void => {
  const parts = places.map(([x, y]) => thinPart(dark, x, y, thickness));
  if (parts.filter((part) => part !== null).length < places.length * LEAST_FREE) return;
  for (const [index, [x, y]] of places.entries()) {
    const part = parts[index] ?? null;
    // The faint edges of print go beyond what is dark.
    const [from, to] = part === null ? [x - thickness / 2, x + thickness / 2] : [part[0] - 1, part[1] + 1];
    for (let column = Math.max(0, Math.round(from)); column <= Math.min(dark.width - 1, to); column += 1) {
      const at = y * dark.width + column;
      if (lines[at] !== FREE) lines[at] = part === null ? TOUCHING : FREE;
    }
  }
};

/** The thin lines that go from top to bottom. Each row goes on with the runs of the row above, moved as far as the line leans. */
const linesDown = (dark: Marks, length: number, thickness: number): Uint8Array => {
  const { width, height, at } = dark;
  const lines = new Uint8Array(at.length);
  const marked = placesNear(at);
  for (const lean of LEANS) {
    const shiftOf = (y: number) => Math.round((y * lean) / 100);
    const margin = Math.abs(shiftOf(height));
    const runs = new Uint32Array(width + 2 * margin);
    const ends = new Uint32Array(runs.length);
    const end = (run: number) => {
      const count = runs[run] ?? 0;
      if (count < length) return;
      const begin = (ends[run] ?? 0) - count;
      const places = Array.from({ length: count }, (_, row): Place => [run - margin + shiftOf(begin + row), begin + row]);
      markLine(dark, places, thickness, lines);
    };
    let index = 0;
    for (let y = 0; y < height; y += 1) {
      const shift = margin - shiftOf(y) - y * width;
      for (let place = marked[index] ?? 0; index < marked.length && place < (y + 1) * width; place = marked[index] ?? 0) {
        const run = place + shift;
        if (ends[run] !== y) {
          end(run);
          runs[run] = 0;
        }
        runs[run] = (runs[run] ?? 0) + 1;
        ends[run] = y + 1;
        index += 1;
      }
    }
    for (let run = 0; run < runs.length; run += 1) end(run);
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
    const [one, other] = [down[at] ?? 0, across[at] ?? 0];
    // Where two lines cross, neither stands free.
    if (one === FREE || other === FREE || (one === TOUCHING && other === TOUCHING)) result[at] = 1;
  }
  return result;
};

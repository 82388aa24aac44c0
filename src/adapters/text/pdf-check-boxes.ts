import type { Box } from '../../domain/page-words.ts';
import { type BoxShape, boxShapeIn } from './check-box-shape.ts';
import { withoutCodes } from './matrix-codes.ts';
import { boundsOf } from './pdf-appearance.ts';
import { drawn } from './pdf-drawing.ts';
import { markAt } from './pdf-fields.ts';
import { drawnWithout, type Rest } from './pdf-ink.ts';
import { objectsOf, type PageObject } from './pdf-objects.ts';
import { type Bounds, type PrintedWord, toShown } from './pdf-words.ts';
import type { OpenPdf } from './pdfium.ts';

/** In points: how large a box is. */
const SMALLEST = 5;
const LARGEST = 26;
/** Its pictures have so many pixels for its longer side, and half of them around it. */
const SIZE = 32;
const SIDE = 2 * SIZE;
/** How much longer one side may be than the other: a tick may reach out of the box. */
const MOST_OBLONG = 1.25;
const MAX_CANDIDATES = 300;
/** For each of them, all objects of a page are drawn: so many together, for plans and maps have many of both. */
const MAX_DRAWN = 2_000_000;
/** As shares of the size of the print in their line. */
const LEAST_OF_PRINT = 0.7;
const MOST_OF_PRINT = 2.3;
/** In sizes of a box: how far its print may be, how near each other those stand that are for a letter each, and from where on one stands below another. */
const NEAR = 1.5;
const APART = 0.6;
const STACKED = 1.3;
/** In points: by how much two boxes of a column may be off. */
const IN_COLUMN = 1;
/** So many beside each other are places for letters. */
const LEAST_IN_ROW = 3;
/** As a share of its size: how much larger or smaller one is that is like it. */
const ALIKE = 0.15;
/** What typists and fonts of signs put into a box, and into a button. */
const TICKS = { square: /^[xX×✓✔✕✖✗✘■●◆♦•]$/, circle: /^[✓✔●•]$/ } as const;

export interface CheckBoxes {
  /** What stands for the boxes, and the words that are their ticks. */
  readonly words: readonly PrintedWord[];
  readonly replaced: ReadonlySet<PrintedWord>;
  /** The objects of the page that draw them. */
  readonly painters: ReadonlySet<number>;
  /** How many more may be boxes, with something in them that is not known. */
  readonly unclear: number;
}

export const noCheckBoxes: CheckBoxes = { words: [], replaced: new Set(), painters: new Set(), unclear: 0 };

/** An object of the page, in fractions of it. */
interface Placed extends PageObject {
  readonly box: Box;
}

interface Candidate extends BoxShape {
  readonly box: Box;
  /** In points. */
  readonly size: number;
  readonly words: readonly PrintedWord[];
}

const centreOf = ({ x, y, width, height }: Box) => ({ x: x + width / 2, y: y + height / 2 });

const isWithin = (inner: Box, outer: Box): boolean => {
  const { x, y } = centreOf(inner);
  return x > outer.x && x < outer.x + outer.width && y > outer.y && y < outer.y + outer.height;
};

type Size = Readonly<{ width: number; height: number }>;

const boxAround = ([left, top, right, bottom]: Bounds): Box => ({
  x: left,
  y: top,
  width: right - left,
  height: bottom - top,
});

/** The marks and the drawings on a page that are as large as a box, the largest first. */
const squaresOn = (
  drawings: readonly Placed[],
  { raster: { width, height }, marks }: Rest,
  page: Size,
): readonly Box[] => {
  const places = [
    ...marks.map(({ left, top, right, bottom }) =>
      boxAround([left / width, top / height, right / width, bottom / height]),
    ),
    ...drawings.map(({ box }) => box),
  ];
  return places
    .filter((box) => {
      const sides = [box.width * page.width, box.height * page.height];
      const short = Math.min(...sides);
      const long = Math.max(...sides);
      return short >= SMALLEST && long <= LARGEST && long <= MOST_OBLONG * short;
    })
    .toSorted((a, b) => b.width - a.width)
    .slice(0, Math.min(MAX_CANDIDATES, MAX_DRAWN / Math.max(1, drawings.length)));
};

/** Says whether a place is in a code for machines. */
const codesIn = ({ raster }: Rest) => {
  const bare = withoutCodes(raster);
  return (box: Box): boolean => {
    if (bare === null) return false;
    const from = Math.floor(box.y * raster.height);
    const rows = Array.from({ length: Math.ceil(box.height * raster.height) }, (_, row) => (from + row) * raster.width);
    const left = Math.floor(box.x * raster.width);
    const right = left + Math.ceil(box.width * raster.width);
    return rows.some((row) =>
      raster.gray.subarray(row + left, row + right).some((shade, at) => bare.gray[row + left + at] !== shade),
    );
  };
};

const shapeOf = (pdf: OpenPdf, page: number, box: Box, { width, height }: Size): BoxShape | null => {
  const scale = SIZE / Math.max(box.width * width, box.height * height);
  const { x, y } = centreOf(box);
  const left = Math.round(x * width * scale) - SIDE / 2;
  const top = Math.round(y * height * scale) - SIDE / 2;
  const part = { left, top, width: SIDE, height: SIDE };
  const gray = drawn(pdf, page, Math.round(width * scale), Math.round(height * scale), 1, part);
  return boxShapeIn({ side: SIDE, size: SIZE, gray });
};

/** How far a word is from a box in the same line, in points; infinite in another line. */
const gapTo = ({ box, size }: Candidate, word: PrintedWord, page: Size): number => {
  const overlap = Math.min(box.y + box.height, word.y + word.height) - Math.max(box.y, word.y);
  const isLike = size >= LEAST_OF_PRINT * word.glyphs.size && size <= MOST_OF_PRINT * word.glyphs.size;
  if (!isLike || word.glyphs.angle !== 0 || overlap < Math.min(box.height, word.height) / 2)
    return Number.POSITIVE_INFINITY;
  return page.width * Math.max(0, word.x - box.x - box.width, box.x - word.x - word.width);
};

const isAlike = (one: Candidate, other: Candidate): boolean =>
  one.outline === other.outline && Math.abs(one.size - other.size) <= ALIKE * one.size;

/** Whether it is one of several places that are each for a letter. */
const isInRow = (candidate: Candidate, all: readonly Candidate[], page: Size): boolean => {
  const { box, size } = candidate;
  const row = all
    .filter((other) => isAlike(candidate, other) && Math.abs(other.box.y - box.y) * page.height < ALIKE * size)
    .map((other) => other.box.x * page.width)
    .toSorted((a, b) => a - b);
  const at = row.indexOf(box.x * page.width);
  const isNext = (index: number) =>
    (row[index + 1] ?? Number.POSITIVE_INFINITY) - (row[index] ?? 0) < (1 + APART) * size;
  let first = at;
  let last = at;
  while (first > 0 && isNext(first - 1)) first -= 1;
  while (isNext(last)) last += 1;
  return last - first + 1 >= LEAST_IN_ROW;
};

const isTicked = ({ outline, state, isBlank, words: [word, other] }: Candidate): boolean =>
  word === undefined ? state === 'on' : isBlank && other === undefined && TICKS[outline].test(word.text);

const wordOf = (candidate: Candidate, words: readonly PrintedWord[], page: Size): PrintedWord => {
  const others = words.filter((word) => !candidate.words.includes(word));
  const gaps = others.map((word) => gapTo(candidate, word, page));
  return markAt(isTicked(candidate), candidate.box, page, others[gaps.indexOf(Math.min(...gaps))] ?? null);
};

/** Those of the shapes on a page that stand where boxes do: free, or one below the other, in a line with print that is as large. */
const besidePrint = (all: readonly Candidate[], words: readonly PrintedWord[], page: Size): readonly Candidate[] =>
  all.filter((candidate) => {
    const { box, outline, size } = candidate;
    const column = all.filter(
      (other) =>
        other !== candidate && isAlike(candidate, other) && Math.abs(other.box.x - box.x) * page.width < IN_COLUMN,
    );
    const isStacked = column.some((other) => Math.abs(other.box.y - box.y) < STACKED * box.height);
    const most = column.length > 0 && outline === 'square' ? Number.POSITIVE_INFINITY : NEAR * size;
    return (
      (candidate.isFree || isStacked) &&
      words.some((word) => !candidate.words.includes(word) && gapTo(candidate, word, page) < most)
    );
  });

/** Which candidates are boxes, and how many of the others may be. */
const classified = (all: readonly Candidate[], words: readonly PrintedWord[], page: Size) => {
  const candidates = besidePrint(all, words, page);
  const alikeTo = (candidate: Candidate) => candidates.filter((other) => isAlike(candidate, other));
  // A ring alone is no choice among buttons: it is a logo, or a point of a chart.
  const isEmpty = (candidate: Candidate) =>
    candidate.state === 'empty' &&
    candidate.isBlank &&
    candidate.words.length === 0 &&
    (candidate.outline === 'square' || alikeTo(candidate).length > 1);
  const known = candidates.filter(
    (candidate) => !isInRow(candidate, all, page) && (isTicked(candidate) || isEmpty(candidate)),
  );
  const isUnclear = (candidate: Candidate) =>
    candidate.state !== 'empty' &&
    candidate.words.length === 0 &&
    ((candidate.outline === 'square' && candidate.isBlank) || known.some((other) => isAlike(candidate, other)));
  const unclear = candidates.filter((candidate) => !known.includes(candidate) && isUnclear(candidate)).length;
  // Beside fields of one colour, empty ones may be the legend of a chart.
  const isInLegend = (candidate: Candidate) => {
    const alike = alikeTo(candidate);
    return alike.some(({ isBlank }) => !isBlank) && !alike.some(isTicked);
  };
  return { boxes: known.filter((candidate) => !isInLegend(candidate)), unclear };
};

/**
 * The boxes and buttons for ticks that are drawn beside the words of an open page, as a person sees them. `texts`: what paints its words;
 * `rest`: the page without them.
 */
export const checkBoxesOn = (
  pdf: OpenPdf,
  page: number,
  words: readonly PrintedWord[],
  texts: ReadonlySet<number>,
  rest: Rest,
): CheckBoxes => {
  const size = { width: pdf.pdfium.FPDF_GetPageWidthF(page), height: pdf.pdfium.FPDF_GetPageHeightF(page) };
  const shown = toShown(pdf, page);
  const objects = objectsOf(pdf, page).filter(({ kind }) => kind !== 'text');
  const drawings = objects
    .filter(({ isNested }) => !isNested)
    .map((object): Placed => ({ ...object, box: boxAround(boundsOf(pdf, object.handle, shown)) }));
  const squares = squaresOn(drawings, rest, size);
  if (squares.length === 0) return noCheckBoxes;
  const isInCode = codesIn(rest);
  // Pictures that are larger than a box, and those in forms, whose size is not known, are for OCR.
  const isSmall = ({ box }: Placed) => box.width * size.width <= LARGEST && box.height * size.height <= LARGEST;
  const small = new Set(drawings.filter(isSmall).map(({ handle }) => handle));
  const pictures = objects.filter(({ kind, handle }) => kind === 'picture' && !small.has(handle));
  const others = new Set([...texts, ...pictures.map(({ handle }) => handle)]);
  const candidates = drawnWithout(pdf, others, () => {
    const found: Candidate[] = [];
    for (const box of squares) {
      if (isInCode(box) || found.some((other) => isWithin(box, other.box))) continue;
      const shape = shapeOf(pdf, page, box, size);
      const inside = words.filter((word) => isWithin(word, box));
      if (shape !== null) found.push({ ...shape, box, size: box.width * size.width, words: inside });
    }
    return found;
  });
  const { boxes, unclear } = classified(candidates, words, size);
  const isPainter = ({ box: { x, y, width, height } }: Placed) =>
    boxes.some(({ box }) => {
      const across = box.width * ALIKE;
      const down = box.height * ALIKE;
      const isAcross = x > box.x - across && x + width < box.x + box.width + across;
      return isAcross && y > box.y - down && y + height < box.y + box.height + down;
    });
  return {
    words: boxes.map((box) => wordOf(box, words, size)),
    replaced: new Set(boxes.flatMap((box) => box.words)),
    painters: new Set(drawings.filter(isPainter).map(({ handle }) => handle)),
    unclear,
  };
};

import type { Raster } from './ocr/raster.ts';
import { drawing } from './pdf-drawing.ts';
import type { Bounds } from './pdf-words.ts';
import { allocate, type OpenPdf } from './pdfium.ts';

/** Cells across and down of the grid that is laid over a letter. */
const SIDE = 16;
/** In pixels: what is lower or narrower is too small to be told from others. An 8 of 5 pixels looks like a 0. */
const LEAST_HEIGHT = 10;
const LEAST_WIDTH = 2;
/** Of 255: by how much ink differs from its ground at least. */
const LEAST_DIFFERENCE = 32;
/** As a share of the way from ground to ink: where a letter begins and ends. */
const EDGE = 0.4;

/** What a letter looks like, whatever its size, its width and its colour are. */
export interface GlyphShape {
  /** How much ink each cell has, as a vector of length 1 around its mean. */
  readonly cells: Float32Array;
  /** The logarithm of its width by its height. */
  readonly aspect: number;
}

/** The ink of a part of a picture, from 0 for its ground to 1. */
interface Ink {
  readonly width: number;
  readonly height: number;
  readonly shares: Float32Array;
}

/** In pixels. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const groundAround = ({ width, height, gray }: Raster, { left, top, right, bottom }: Box): number => {
  let sum = 0;
  let count = 0;
  for (const y of [Math.max(0, top - 1), Math.min(height - 1, bottom)])
    for (let x = left; x < right; x += 1) {
      sum += gray[y * width + x] ?? 0;
      count += 1;
    }
  return sum / count;
};

const inkIn = (page: Raster, box: Box): Ink | null => {
  const width = box.right - box.left;
  const height = box.bottom - box.top;
  if (width < LEAST_WIDTH || height < LEAST_HEIGHT) return null;
  const shades = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const from = (box.top + y) * page.width + box.left;
    shades.set(page.gray.subarray(from, from + width), y * width);
  }
  let darkest = 255;
  let lightest = 0;
  for (const shade of shades) {
    if (shade < darkest) darkest = shade;
    if (shade > lightest) lightest = shade;
  }
  const range = lightest - darkest;
  if (range < LEAST_DIFFERENCE) return null;
  const ground = groundAround(page, box);
  const isDark = ground - darkest > lightest - ground;
  const shares = new Float32Array(shades.length);
  for (let at = 0; at < shades.length; at += 1) {
    const share = ((shades[at] ?? 0) - darkest) / range;
    shares[at] = isDark ? 1 - share : share;
  }
  return { width, height, shares };
};

/** The part of it that has ink. */
const edgesOf = ({ width, height, shares }: Ink): Box => {
  let left = width;
  let top = height;
  let right = 0;
  let bottom = 0;
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      if ((shares[y * width + x] ?? 0) < EDGE) continue;
      if (x < left) left = x;
      if (x >= right) right = x + 1;
      if (y < top) top = y;
      bottom = y + 1;
    }
  return { left, top, right, bottom };
};

/** For each cell, the samples from `from` up to `to` that lie in it, each by how much of it does. */
const gathered = (from: number, to: number, take: (cell: number, sample: number, share: number) => void): void => {
  const size = (to - from) / SIDE;
  for (let cell = 0; cell < SIDE; cell += 1) {
    const start = from + cell * size;
    const end = start + size;
    for (let sample = Math.floor(start); sample < end; sample += 1)
      take(cell, sample, (Math.min(sample + 1, end) - Math.max(sample, start)) / size);
  }
};

const cellsOf = ({ width, shares }: Ink, { left, top, right, bottom }: Box): Float32Array => {
  const rows = new Float32Array((bottom - top) * SIDE);
  gathered(left, right, (cell, x, share) => {
    for (let y = top; y < bottom; y += 1) {
      const at = (y - top) * SIDE + cell;
      rows[at] = (rows[at] ?? 0) + share * (shares[y * width + x] ?? 0);
    }
  });
  const cells = new Float32Array(SIDE * SIDE);
  gathered(0, bottom - top, (cell, y, share) => {
    for (let column = 0; column < SIDE; column += 1) {
      const at = cell * SIDE + column;
      cells[at] = (cells[at] ?? 0) + share * (rows[y * SIDE + column] ?? 0);
    }
  });
  return cells;
};

/** Each cell with a part of what is beside it: strokes of two fonts seldom lie in the same cells. */
const softened = (cells: Float32Array): Float32Array => {
  const rows = new Float32Array(cells.length);
  for (let at = 0; at < cells.length; at += 1) {
    const column = at % SIDE;
    const cell = cells[at] as number;
    const before = column > 0 ? (cells[at - 1] as number) : cell;
    const behind = column < SIDE - 1 ? (cells[at + 1] as number) : cell;
    rows[at] = before + 2 * cell + behind;
  }
  const both = new Float32Array(cells.length);
  for (let at = 0; at < cells.length; at += 1) {
    const cell = rows[at] as number;
    both[at] = (rows[at - SIDE] ?? cell) + 2 * cell + (rows[at + SIDE] ?? cell);
  }
  return both;
};

const normed = (cells: Float32Array): Float32Array => {
  let sum = 0;
  for (const cell of cells) sum += cell;
  const mean = sum / cells.length;
  let squares = 0;
  for (const cell of cells) squares += (cell - mean) ** 2;
  const length = Math.sqrt(squares) || 1;
  for (let at = 0; at < cells.length; at += 1) cells[at] = ((cells[at] as number) - mean) / length;
  return cells;
};

/** What is drawn at a place of a page, given as fractions of it; null if it is too small or too faint. */
export const shapeIn = (page: Raster, [left, top, right, bottom]: Bounds): GlyphShape | null => {
  const ink = inkIn(page, {
    left: Math.max(0, Math.floor(left * page.width)),
    top: Math.max(0, Math.floor(top * page.height)),
    right: Math.min(page.width, Math.ceil(right * page.width)),
    bottom: Math.min(page.height, Math.ceil(bottom * page.height)),
  });
  if (ink === null) return null;
  const edges = edgesOf(ink);
  const width = edges.right - edges.left;
  const height = edges.bottom - edges.top;
  if (height < LEAST_HEIGHT) return null;
  return { cells: normed(softened(cellsOf(ink, edges))), aspect: Math.log(width / height) };
};

/** The shape of a letter that is turned by so many quarters, anticlockwise, set upright. */
export const setUpright = (shape: GlyphShape, quarters: number): GlyphShape => {
  if (quarters === 0) return shape;
  const cells = shape.cells.map((_, at) => {
    const row = Math.floor(at / SIDE);
    const column = at % SIDE;
    return shape.cells[(SIDE - 1 - column) * SIDE + row] as number;
  });
  return setUpright({ cells, aspect: -shape.aspect }, quarters - 1);
};

/** How much narrower or wider, as a difference of logarithms, the same letter is in another font, and what more of it costs. */
const SAME_ASPECT = 0.35;
const OTHER_ASPECT = 0.5;

/** 1 for two shapes that are the same; what cannot come to `least` is not worked out. */
export const likeness = (one: GlyphShape, other: GlyphShape, least = -1): number => {
  const cost = OTHER_ASPECT * Math.max(0, Math.abs(one.aspect - other.aspect) - SAME_ASPECT);
  if (1 - cost < least) return least;
  let product = 0;
  for (let at = 0; at < SIDE * SIDE; at += 1) product += (one.cells[at] as number) * (other.cells[at] as number);
  return product - cost;
};

const SIGNS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Of the fonts that PDFium has itself. */
const FACES = [
  'Helvetica',
  'Helvetica-Bold',
  'Helvetica-Oblique',
  'Times-Roman',
  'Times-Bold',
  'Times-Italic',
  'Courier',
  'Courier-Bold',
];
/** In points: of the letters that are drawn as examples, and what each has for itself. */
const LETTER_SIZE = 30;
const CELL = 40;
const MARGIN = 10;
const BYTES_OF_A_LETTER = 4;

export interface Example {
  readonly sign: string;
  readonly shape: GlyphShape;
}

let examples: readonly Example[] | null = null;

const drawnExamples = (pdf: OpenPdf): readonly Example[] => {
  const { pdfium, memory } = pdf;
  const document = pdfium.FPDF_CreateNewDocument();
  const width = SIGNS.length * CELL;
  const height = FACES.length * CELL;
  const page = pdfium.FPDFPage_New(document, 0, width, height);
  const letter = allocate(pdfium, BYTES_OF_A_LETTER);
  for (const [row, face] of FACES.entries()) {
    const font = pdfium.FPDFText_LoadStandardFont(document, face);
    for (const [column, sign] of [...SIGNS].entries()) {
      const text = pdfium.FPDFPageObj_CreateTextObj(document, font, LETTER_SIZE);
      new DataView(memory().buffer).setUint32(letter, sign.charCodeAt(0), true);
      pdfium.FPDFText_SetText(text, letter);
      pdfium.FPDFPageObj_Transform(text, 1, 0, 0, 1, column * CELL + MARGIN, height - (row + 1) * CELL + MARGIN);
      pdfium.FPDFPage_InsertObject(page, text);
    }
    pdfium.FPDFFont_Close(font);
  }
  const { samples, ...size } = drawing({ ...pdf, document, form: null }, page, 1, 1);
  pdfium.FPDF_ClosePage(page);
  pdfium.FPDF_CloseDocument(document);
  pdfium.pdfium.wasmExports.free(letter);
  const raster: Raster = { width: size.width, height: size.height, gray: samples };
  return FACES.flatMap((_, row) =>
    [...SIGNS].flatMap((sign, column) => {
      const x = column / SIGNS.length;
      const y = row / FACES.length;
      const shape = shapeIn(raster, [x, y, x + 1 / SIGNS.length, y + 1 / FACES.length]);
      return shape === null ? [] : [{ sign, shape }];
    }),
  );
};

/** What digits and Latin letters look like in common fonts. */
export const examplesOf = (pdf: OpenPdf): readonly Example[] => {
  examples ??= drawnExamples(pdf);
  return examples;
};

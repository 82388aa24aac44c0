import type { PageLayout } from '../../../domain/page-words.ts';
import type { PrintedPage } from '../pdf-layouts.ts';
import { openPdf } from '../pdfium.ts';
import { clean, Unreadable } from '../text.ts';
import { checkPixels, type DecodedPages, rasterOfColours, type Size } from './colours.ts';
import type { OcrPage } from './ocr-page.ts';
import { drawRest } from './pdf-raster.ts';
import { pictureHeader } from './picture-header.ts';
import { withPrint } from './printed-scan.ts';
import { enlarged, isBlank, type Raster, rasterOf } from './raster.ts';
import { decodePicture, recognize, type Turn } from './recognize.ts';
import { openSinglePicture } from './single-picture.ts';
import type { Decoder, Engine } from './tesseract.ts';
import { openTiff } from './tiff.ts';

/** Pages that are pictures. */
export interface Pictures {
  readonly pageCount: number;
  /** By its number from 1, with its width and height in points. */
  page(number: number): Promise<Drawn>;
  /** How the page that was read last was turned: those of a stack mostly lie alike. */
  turn?: Turn;
  close(): void;
}

interface Drawn {
  /** Of a PDF page, what the file says: the picture is without it. */
  readonly printed?: PrintedPage;
  readonly raster: Raster;
  readonly width: number;
  readonly height: number;
}

/** Pictures seldom say truly how large they were; this is what phones and scanners come to on a page of A4. */
const POINTS_PER_PIXEL = 72 / 200;
export const DAMAGED = 'is damaged: the picture cannot be decoded';
/** Fewer letters than this, or surer guesses than these, are no text: noise, photos of things and handwriting end here. */
const LEAST_LETTERS = 3;
const LEAST_CONFIDENCE = 0.4;

export const inPoints = ({ width, height }: Size): Size => ({
  width: width * POINTS_PER_PIXEL,
  height: height * POINTS_PER_PIXEL,
});

const drawn = (raster: Raster, size: Size): Drawn => ({ raster: enlarged(raster), ...inPoints(size) });

/** A PNG, JPEG or WebP file, turned as it is to be shown. */
export const pictureIn = (decoder: Decoder, data: Uint8Array) => {
  const header = pictureHeader(data);
  if (header === null || header.width * header.height === 0) throw new Unreadable(DAMAGED);
  checkPixels(header.width * header.height);
  return decodePicture(decoder, data, header.orientation);
};

/** A file whose pictures are decoded one by one; undefined for another type. */
export const openDecoded = (data: Uint8Array, contentType: string): DecodedPages | undefined =>
  contentType === 'image/tiff' ? openTiff(data) : openSinglePicture(data, contentType);

export const openPictures = async (engine: Engine, data: Uint8Array, contentType: string): Promise<Pictures> => {
  if (contentType === 'application/pdf') {
    const pdf = await openPdf(data);
    return { pageCount: pdf.pageCount, page: async (number) => drawRest(pdf, number), close: pdf.close };
  }
  const close = () => undefined;
  const decoded = openDecoded(data, contentType);
  if (decoded !== undefined) {
    const { pageCount, sizeOf, colours } = decoded;
    const page = async (number: number) => drawn(rasterOfColours(await colours(number)), sizeOf(number));
    return { pageCount, page, close };
  }
  const page = async () => {
    const raster = rasterOf(pictureIn(engine, data));
    return drawn(raster, raster);
  };
  return { pageCount: 1, page, close };
};

const isText = (text: string, { words }: PageLayout): boolean => {
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const confidence = words.reduce((sum, word) => sum + (word.confidence ?? 1), 0) / words.length;
  return letters >= LEAST_LETTERS && confidence >= LEAST_CONFIDENCE;
};

const drawnPage = async (pictures: Pictures, number: number): Promise<Drawn> => {
  try {
    return await pictures.page(number);
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable(DAMAGED);
  }
};

/** How a page is read, and how it had to be turned for it. */
const recognized = (
  engine: Engine,
  raster: Raster,
  layout: PageLayout,
  likely: Turn,
): { page: OcrPage; turn: Turn } => {
  if (isBlank(raster)) return { page: { text: '', layout, problem: null }, turn: likely };
  const { text, words, turn } = recognize(engine, raster, likely);
  const read = { ...layout, words };
  const page = isText(text, read)
    ? { text: clean(text), layout: read, problem: null }
    : { text: '', layout, problem: 'is a picture without text that can be read' };
  return { page, turn };
};

/** Reads a page that is a picture, or has pictures beside its text. Never throws for what is on it. */
export const readPage = async (engine: Engine, pictures: Pictures, number: number): Promise<OcrPage> => {
  const layout: PageLayout = { number, width: 0, height: 0, source: 'ocr', words: [] };
  try {
    const { raster, width, height, printed } = await drawnPage(pictures, number);
    const { page, turn } = recognized(engine, raster, { ...layout, width, height }, pictures.turn ?? 0);
    pictures.turn = turn;
    return printed === undefined ? page : withPrint(printed, page, turn);
  } catch (error) {
    return { text: '', layout, problem: error instanceof Unreadable ? error.message : 'could not be read' };
  }
};

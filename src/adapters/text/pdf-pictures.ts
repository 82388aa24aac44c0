import { mayHoldWritingIn } from './formats/pictures.ts';
import { objectsOf } from './pdf-objects.ts';
import { type OpenPdf, written } from './pdfium.ts';

/** Of these PDFium draws what it can. Of others it draws all or nothing. */
const DRAWN_IN_PART = new Set(['', 'FlateDecode', 'LZWDecode', 'RunLengthDecode', 'CCITTFaxDecode', 'DCTDecode']);
/** Of a page: decoding takes time, and memory. */
const MAX_DECODED = 20;
const MAX_PIXELS = 25_000_000;

/** What unpacks the samples of a picture; empty if nothing has to. */
const filterOf = (pdf: OpenPdf, picture: number): string => {
  const { pdfium } = pdf;
  const last = pdfium.FPDFImageObj_GetImageFilterCount(picture) - 1;
  if (last < 0) return '';
  const size = pdfium.FPDFImageObj_GetImageFilter(picture, last, 0, 0);
  const name = written(pdf, size, (place) => pdfium.FPDFImageObj_GetImageFilter(picture, last, place, size));
  return new TextDecoder().decode(name).replaceAll('\0', '');
};

const mayBeDecoded = ({ pdfium, scratch, memory }: OpenPdf, picture: number): boolean => {
  if (!pdfium.FPDFImageObj_GetImagePixelSize(picture, scratch, scratch + 4)) return false;
  const [width = 0, height = 0] = new Uint32Array(memory().buffer, scratch, 2);
  return mayHoldWritingIn(width, height) && width * height <= MAX_PIXELS;
};

const isDecoded = ({ pdfium }: OpenPdf, picture: number): boolean => {
  const bitmap = pdfium.FPDFImageObj_GetBitmap(picture);
  if (bitmap) pdfium.FPDFBitmap_Destroy(bitmap);
  return bitmap !== 0;
};

/** How many pictures of an open page are not shown, because PDFium cannot decode them; those that writing may stand on. */
export const undecodedPictures = (pdf: OpenPdf, page: number): number =>
  objectsOf(pdf, page)
    .filter(({ kind, handle }) => kind === 'picture' && !DRAWN_IN_PART.has(filterOf(pdf, handle)))
    .slice(0, MAX_DECODED)
    .filter(({ handle }) => mayBeDecoded(pdf, handle) && !isDecoded(pdf, handle)).length;

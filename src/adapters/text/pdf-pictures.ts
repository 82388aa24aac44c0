import { mayHoldWritingIn } from './formats/pictures.ts';
import { type PageObject, sizeOfPicture } from './pdf-objects.ts';
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

const mayBeDecoded = (pdf: OpenPdf, picture: number): boolean => {
  const { width, height } = sizeOfPicture(pdf, picture);
  return mayHoldWritingIn(width, height) && width * height <= MAX_PIXELS;
};

const isDecoded = ({ pdfium }: OpenPdf, picture: number): boolean => {
  const bitmap = pdfium.FPDFImageObj_GetBitmap(picture);
  if (bitmap) pdfium.FPDFBitmap_Destroy(bitmap);
  return bitmap !== 0;
};

/** How many of what an open page paints are pictures that are not shown, because PDFium cannot decode them; those that writing may stand on. */
export const undecodedPictures = (pdf: OpenPdf, objects: readonly PageObject[]): number =>
  objects
    .filter(({ kind, handle }) => kind === 'picture' && !DRAWN_IN_PART.has(filterOf(pdf, handle)))
    .slice(0, MAX_DECODED)
    .filter(({ handle }) => mayBeDecoded(pdf, handle) && !isDecoded(pdf, handle)).length;

import { type Channels, drawn, MAX_PICTURE_PIXELS } from '../pdf-drawing.ts';
import { drawnWithout } from '../pdf-ink.ts';
import { onPrintedPage } from '../pdf-layouts.ts';
import { largestPicture, objectsOf } from '../pdf-objects.ts';
import type { OpenPdf } from '../pdfium.ts';
import { Unreadable } from '../text.ts';
import type { Raster } from './raster.ts';

/** More resolution reads no better, and takes longer. */
const DOTS_PER_INCH = 200;
const POINTS_PER_INCH = 72;
const MAX_PIXELS = 16_000_000;
const MAX_SIDE = 20_000;
/** Of the text that a page has beside its pictures. */
const MAX_CHARACTERS = 200_000;

/** An open page as it is shown, and its width and height in points; `scaleOf` its width says how many pixels a point becomes at most. */
const drawOpen = (pdf: OpenPdf, page: number, channels: Channels, scaleOf: (width: number) => number) => {
  if (largestPicture(pdf, objectsOf(pdf, page)) > MAX_PICTURE_PIXELS)
    throw new Unreadable('has a picture on it that is too large to read');
  const width = pdf.pdfium.FPDF_GetPageWidthF(page);
  const height = pdf.pdfium.FPDF_GetPageHeightF(page);
  const scale = Math.min(scaleOf(width), Math.sqrt(MAX_PIXELS / (width * height)), MAX_SIDE / Math.max(width, height));
  const across = Math.max(1, Math.round(width * scale));
  const down = Math.max(1, Math.round(height * scale));
  return { width, height, across, down, samples: drawn(pdf, page, across, down, channels) };
};

/** The same of a page by its number. */
export const drawPixels = (pdf: OpenPdf, number: number, channels: Channels, scaleOf: (width: number) => number) =>
  pdf.onPage(number, (page) => drawOpen(pdf, page, channels, scaleOf));

const rasterOfPage = ({ width, height, across, down, samples }: ReturnType<typeof drawOpen>) => {
  const raster: Raster = { width: across, height: down, gray: samples };
  return { raster, width, height };
};

const scaleForOcr = () => DOTS_PER_INCH / POINTS_PER_INCH;

/** A page as a scanner sees it. */
export const drawPage = (pdf: OpenPdf, number: number) => rasterOfPage(drawPixels(pdf, number, 1, scaleForOcr));

/** What the file says of a page, and the page without it, as OCR reads it. */
export const drawRest = (pdf: OpenPdf, number: number) =>
  onPrintedPage(pdf, number, { most: MAX_CHARACTERS, mayDraw: true }, (page, printed) => {
    const rest = drawnWithout(pdf, printed.painters, () => drawOpen(pdf, page, 1, scaleForOcr));
    return { ...rasterOfPage(rest), printed };
  });

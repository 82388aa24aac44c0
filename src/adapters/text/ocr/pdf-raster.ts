import { type Channels, drawn, MAX_PICTURE_PIXELS } from '../pdf-drawing.ts';
import { largestPicture, objectsOf } from '../pdf-objects.ts';
import type { OpenPdf } from '../pdfium.ts';
import { Unreadable } from '../text.ts';
import type { Raster } from './raster.ts';

/** More resolution reads no better, and takes longer. */
const DOTS_PER_INCH = 200;
const POINTS_PER_INCH = 72;
const MAX_PIXELS = 16_000_000;
const MAX_SIDE = 20_000;

/** A page as it is shown, and its width and height in points; `scaleOf` its width says how many pixels a point becomes at most. */
export const drawPixels = (pdf: OpenPdf, number: number, channels: Channels, scaleOf: (width: number) => number) =>
  pdf.onPage(number, (page) => {
    if (largestPicture(pdf, objectsOf(pdf, page)) > MAX_PICTURE_PIXELS)
      throw new Unreadable('has a picture on it that is too large to read');
    const [width, height] = [pdf.pdfium.FPDF_GetPageWidthF(page), pdf.pdfium.FPDF_GetPageHeightF(page)];
    const scale = Math.min(
      scaleOf(width),
      Math.sqrt(MAX_PIXELS / (width * height)),
      MAX_SIDE / Math.max(width, height),
    );
    const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
    return { width, height, across, down, samples: drawn(pdf, page, across, down, channels) };
  });

/** A page as OCR reads it. */
export const drawPage = (pdf: OpenPdf, number: number): { raster: Raster; width: number; height: number } => {
  const { width, height, across, down, samples } = drawPixels(pdf, number, 1, () => DOTS_PER_INCH / POINTS_PER_INCH);
  return { raster: { width: across, height: down, gray: samples }, width, height };
};

import { allocate, type OpenPdf } from '../pdfium.ts';
import { Unreadable } from '../text.ts';
import type { Raster } from './raster.ts';

/** More resolution reads no better, and takes longer. */
const DOTS_PER_INCH = 200;
const POINTS_PER_INCH = 72;
const MAX_PIXELS = 16_000_000;
const MAX_SIDE = 20_000;
/** Of a picture on the page: a file of under a megabyte can unpack to gigabytes. */
const MAX_IMAGE_PIXELS = 100_000_000;
const MAX_OBJECTS = 1000;
/** PDFium's numbers of formats, by samples for each pixel. */
const FORMATS = { 1: 1, 3: 2 } as const;
const IMAGE = 3;
/** FPDF_ANNOT, with FPDF_GRAYSCALE or, for red before green and blue, FPDF_REVERSE_BYTE_ORDER. */
const FLAGS = { 1: 0x01 | 0x08, 3: 0x01 | 0x10 } as const;
const WHITE = 0xffffffff;

/** Before anything is drawn. Pictures inside forms escape it: the memory of the process is the last limit. */
const largestImage = ({ pdfium, scratch, memory }: OpenPdf, page: number): number => {
  let largest = 0;
  const count = Math.min(MAX_OBJECTS, pdfium.FPDFPage_CountObjects(page));
  for (let index = 0; index < count; index += 1) {
    const object = pdfium.FPDFPage_GetObject(page, index);
    if (pdfium.FPDFPageObj_GetType(object) !== IMAGE) continue;
    if (!pdfium.FPDFImageObj_GetImagePixelSize(object, scratch, scratch + 4)) continue;
    const [width = 0, height = 0] = new Uint32Array(memory().buffer, scratch, 2);
    largest = Math.max(largest, width * height);
  }
  return largest;
};

type Channels = keyof typeof FORMATS;

const draw = (
  { pdfium, form, memory }: OpenPdf,
  page: number,
  width: number,
  height: number,
  channels: Channels,
): Uint8Array => {
  const pixels = allocate(pdfium, width * height * channels);
  try {
    const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, FORMATS[channels], pixels, width * channels);
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, FLAGS[channels]);
    if (form !== null) {
      pdfium.FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, FLAGS[channels]);
      pdfium.FORM_OnBeforeClosePage(page, form);
    }
    pdfium.FPDFBitmap_Destroy(bitmap);
    return memory().slice(pixels, pixels + width * height * channels);
  } finally {
    pdfium.pdfium.wasmExports.free(pixels);
  }
};

/** A page as it is shown, and its width and height in points; `scaleOf` its width says how many pixels a point becomes at most. */
export const drawPixels = (pdf: OpenPdf, number: number, channels: Channels, scaleOf: (width: number) => number) =>
  pdf.onPage(number, (page) => {
    if (largestImage(pdf, page) > MAX_IMAGE_PIXELS)
      throw new Unreadable('has a picture on it that is too large to read');
    const [width, height] = [pdf.pdfium.FPDF_GetPageWidthF(page), pdf.pdfium.FPDF_GetPageHeightF(page)];
    const scale = Math.min(
      scaleOf(width),
      Math.sqrt(MAX_PIXELS / (width * height)),
      MAX_SIDE / Math.max(width, height),
    );
    const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
    return { width, height, across, down, samples: draw(pdf, page, across, down, channels) };
  });

/** A page as OCR reads it. */
export const drawPage = (pdf: OpenPdf, number: number): { raster: Raster; width: number; height: number } => {
  const { width, height, across, down, samples } = drawPixels(pdf, number, 1, () => DOTS_PER_INCH / POINTS_PER_INCH);
  return { raster: { width: across, height: down, gray: samples }, width, height };
};

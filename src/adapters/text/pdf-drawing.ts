import { allocate, type OpenPdf } from './pdfium.ts';

/** PDFium's numbers of formats, by samples for each pixel. */
const FORMATS = { 1: 1, 3: 2 } as const;
/** FPDF_ANNOT, with FPDF_GRAYSCALE or, for red before green and blue, FPDF_REVERSE_BYTE_ORDER. */
const FLAGS = { 1: 0x01 | 0x08, 3: 0x01 | 0x10 } as const;
const WHITE = 0xffffffff;

/** Samples for each pixel: grey, or red, green and blue. */
export type Channels = keyof typeof FORMATS;

/** Of a picture on a page: beyond it, no page is drawn. */
export const MAX_PICTURE_PIXELS = 100_000_000;

/** An open page as it is shown, so many pixels wide and high. */
export const drawn = (
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

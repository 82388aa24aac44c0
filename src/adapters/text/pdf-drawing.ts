import { largestPicture, objectsOf } from './pdf-objects.ts';
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

/** In pixels. */
interface Part {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** An open page as it is shown, so many pixels wide and high, or a part of it. */
export const drawn = (
  { pdfium, form, memory }: OpenPdf,
  page: number,
  width: number,
  height: number,
  channels: Channels,
  part: Part = { left: 0, top: 0, width, height },
): Uint8Array => {
  const size = part.width * part.height * channels;
  const pixels = allocate(pdfium, size);
  try {
    const bitmap = pdfium.FPDFBitmap_CreateEx(
      part.width,
      part.height,
      FORMATS[channels],
      pixels,
      part.width * channels,
    );
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, part.width, part.height, WHITE);
    pdfium.FPDF_RenderPageBitmap(bitmap, page, -part.left, -part.top, width, height, 0, FLAGS[channels]);
    if (form !== null) {
      pdfium.FPDF_FFLDraw(form, bitmap, page, -part.left, -part.top, width, height, 0, FLAGS[channels]);
      pdfium.FORM_OnBeforeClosePage(page, form);
    }
    pdfium.FPDFBitmap_Destroy(bitmap);
    return memory().slice(pixels, pixels + size);
  } finally {
    pdfium.pdfium.wasmExports.free(pixels);
  }
};

/** Of the drawings that ink is looked for in. */
const MAX_PIXELS = 4_000_000;

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array;
  /** Pixels for each point. */
  readonly scale: number;
}

/** An open page as it is shown, with so many pixels for a point, or fewer where it is large. */
export const drawing = (pdf: OpenPdf, page: number, most: number, channels: Channels = 3): Drawing => {
  const across = pdf.pdfium.FPDF_GetPageWidthF(page);
  const down = pdf.pdfium.FPDF_GetPageHeightF(page);
  const scale = Math.min(most, Math.sqrt(MAX_PIXELS / (across * down)));
  const width = Math.max(1, Math.round(across * scale));
  const height = Math.max(1, Math.round(down * scale));
  return { width, height, samples: drawn(pdf, page, width, height, channels), scale };
};

/** Whether a page is drawn at all: it is not where its pictures are too large. */
export const isDrawn = (pdf: OpenPdf, page: number) => largestPicture(pdf, objectsOf(pdf, page)) <= MAX_PICTURE_PIXELS;

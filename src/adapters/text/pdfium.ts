import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';
import { Unreadable } from './text.ts';

const SCRATCH_BYTES = 64;
const NEEDS_PASSWORD = 4;
const NO_FORM = 0;

let started: Promise<WrappedPdfiumModule> | null = null;

const start = async (): Promise<WrappedPdfiumModule> => {
  const wasm = readFileSync(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')));
  const pdfium = await init({ wasmBinary: new Uint8Array(wasm).buffer });
  pdfium.PDFiumExt_Init();
  return pdfium;
};

export const allocate = (pdfium: WrappedPdfiumModule, size: number): number => {
  const place = pdfium.pdfium.wasmExports.malloc(size);
  if (!place) throw new Unreadable('is too large to read');
  return place;
};

const openForm = (pdfium: WrappedPdfiumModule, document: number) => {
  const info = pdfium.PDFiumExt_OpenFormFillInfo();
  const handle = pdfium.PDFiumExt_InitFormFillEnvironment(document, info);
  const close = () => {
    pdfium.PDFiumExt_ExitFormFillEnvironment(handle);
    pdfium.PDFiumExt_CloseFormFillInfo(info);
  };
  return { handle, close };
};

/** The document in PDFium's memory, and how to reach that memory. Throws Unreadable, or another error for what is no PDF document. */
export const openPdf = async (data: Uint8Array) => {
  started ??= start();
  const pdfium = await started;
  const { free } = pdfium.pdfium.wasmExports;
  // The package's types leave it out.
  const memory = () => (pdfium.pdfium as unknown as { readonly HEAPU8: Uint8Array<ArrayBuffer> }).HEAPU8;
  const file = allocate(pdfium, data.length);
  memory().set(data, file);
  const document = pdfium.FPDF_LoadMemDocument(file, data.length, '');
  if (!document) {
    free(file);
    if (pdfium.FPDF_GetLastError() === NEEDS_PASSWORD)
      throw new Unreadable('is protected by a password: remove the password and upload it again');
    throw new Error('PDFium cannot open it');
  }
  const scratch = allocate(pdfium, SCRATCH_BYTES);
  const form = pdfium.FPDF_GetFormType(document) === NO_FORM ? null : openForm(pdfium, document);
  return {
    pdfium,
    document,
    pageCount: pdfium.FPDF_GetPageCount(document),
    /** How its form is reached; null if it has none. */
    form: form?.handle ?? null,
    /** 64 bytes for results. */
    scratch,
    /** Asked for anew each time: the memory moves when it grows. */
    memory,
    onPage<T>(number: number, use: (page: number) => T): T {
      const page = pdfium.FPDF_LoadPage(document, number - 1);
      if (!page) throw new Error(`page ${number} is damaged`);
      try {
        return use(page);
      } finally {
        pdfium.FPDF_ClosePage(page);
      }
    },
    close(): void {
      form?.close();
      pdfium.FPDF_CloseDocument(document);
      free(scratch);
      free(file);
    },
  };
};

export type OpenPdf = Awaited<ReturnType<typeof openPdf>>;

/** Allocates so many bytes in the memory of PDFium, lets a function of PDFium fill them, and answers a copy of them. */
export const written = (
  { pdfium, memory }: OpenPdf,
  size: number,
  write: (place: number) => unknown,
): Uint8Array<ArrayBuffer> => {
  const place = allocate(pdfium, Math.max(1, size));
  try {
    write(place);
    return memory().slice(place, place + size);
  } finally {
    pdfium.pdfium.wasmExports.free(place);
  }
};

/** What a function of PDFium writes that answers how many bytes its text takes; at most so many of them. */
export const writtenText = (pdf: OpenPdf, most: number, write: (place: number, size: number) => number): string => {
  const size = Math.min(most, write(0, 0));
  return new TextDecoder('utf-16le').decode(written(pdf, size, (place) => write(place, size))).replaceAll('\0', '');
};

/** In points, as the page is shown, without a look at what is on it; zeros if it is damaged. */
export const pageSize = ({ pdfium, document, scratch, memory }: OpenPdf, number: number) => {
  const isThere = pdfium.FPDF_GetPageSizeByIndexF(document, number - 1, scratch);
  const [width = 0, height = 0] = isThere ? new Float32Array(memory().buffer, scratch, 2) : [];
  return { width, height };
};

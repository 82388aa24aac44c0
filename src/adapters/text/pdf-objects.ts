import type { OpenPdf } from './pdfium.ts';

/** PDFium's numbers for what an object of a page is. */
const kinds = ['unknown', 'text', 'path', 'picture', 'shading', 'form'] as const;

/** Something that a page paints, on the page itself or in a form on it. */
export interface PageObject {
  readonly handle: number;
  readonly kind: (typeof kinds)[number];
  /** Whether it is in a form, so that its place is one of the form and not of the page. */
  readonly isNested: boolean;
}

const MAX_OBJECTS = 100_000;
/** Forms in forms. */
const MAX_DEPTH = 20;

/** What a page paints, in the order in which it is painted. */
export const objectsOf = ({ pdfium }: OpenPdf, page: number): readonly PageObject[] => {
  const objects: PageObject[] = [];
  const visit = (handle: number, depth: number) => {
    const kind = kinds[pdfium.FPDFPageObj_GetType(handle)] ?? 'unknown';
    if (kind !== 'form') {
      objects.push({ handle, kind, isNested: depth > 0 });
      return;
    }
    const count = depth < MAX_DEPTH ? pdfium.FPDFFormObj_CountObjects(handle) : 0;
    for (let index = 0; index < count && objects.length < MAX_OBJECTS; index += 1)
      visit(pdfium.FPDFFormObj_GetObject(handle, index), depth + 1);
  };
  const count = pdfium.FPDFPage_CountObjects(page);
  for (let index = 0; index < count && objects.length < MAX_OBJECTS; index += 1)
    visit(pdfium.FPDFPage_GetObject(page, index), 0);
  return objects;
};

/** In pixels; zeros if it is not known. */
export const sizeOfPicture = ({ pdfium, scratch, memory }: OpenPdf, picture: number) => {
  const isKnown = pdfium.FPDFImageObj_GetImagePixelSize(picture, scratch, scratch + 4);
  const [width = 0, height = 0] = isKnown ? new Uint32Array(memory().buffer, scratch, 2) : [];
  return { width, height };
};

/** How many pixels the largest picture of a page has: a file of under a megabyte can unpack to gigabytes. */
export const largestPicture = (pdf: OpenPdf, objects: readonly PageObject[]): number => {
  let largest = 0;
  for (const { handle, kind } of objects) {
    if (kind !== 'picture') continue;
    const { width, height } = sizeOfPicture(pdf, handle);
    largest = Math.max(largest, width * height);
  }
  return largest;
};

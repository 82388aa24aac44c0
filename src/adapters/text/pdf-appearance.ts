import { contrastOf, LEAST_CONTRAST, luminanceOf } from './contrast.ts';
import { objectsOf, type PageObject } from './pdf-objects.ts';
import { type Bounds, type PaintedLetter, type PrintedWord, shownBounds, toShown } from './pdf-words.ts';
import type { OpenPdf } from './pdfium.ts';

/** Beyond these, PDFium's own fonts have no glyphs: what a font says that is not in the file is drawn with them, or not at all. */
const BEYOND_OWN_FONTS = /[^ -\u024f\u2000-\u22ff]/u;

/** Whether a drawing of a page shows this letter, were it to be seen. */
export const isDrawable = ({ pdfium }: OpenPdf, { object, text }: PaintedLetter): boolean =>
  !BEYOND_OWN_FONTS.test(text) || Boolean(pdfium.FPDFFont_GetIsEmbedded(pdfium.FPDFTextObj_GetFont(object)));

/** The modes of text that is not painted: it is there to be found and copied, or to cut out what else is painted. */
const UNPAINTED = new Set([3, 7]);

export const isPainted = ({ pdfium }: OpenPdf, { object }: PaintedLetter): boolean =>
  !UNPAINTED.has(pdfium.FPDFTextObj_GetTextRenderMode(object));

const WHITE = luminanceOf(255, 255, 255);
/** How much of a page is looked at. */
const MAX_COVERS = 200;

interface Paint {
  readonly luminance: number;
  readonly opacity: number;
}

/** The colour that an object is filled with; null if it has none of its own. */
const fillOf = ({ pdfium, scratch, memory }: OpenPdf, object: number): Paint | null => {
  if (!pdfium.FPDFPageObj_GetFillColor(object, scratch, scratch + 4, scratch + 8, scratch + 12)) return null;
  const [red = 0, green = 0, blue = 0, opacity = 0] = new Uint32Array(memory().buffer, scratch, 4);
  return { luminance: luminanceOf(red, green, blue), opacity };
};

/** The luminance of an object that lies behind a word; null if it is not known, as where a picture does. */
const groundOf = (pdf: OpenPdf, { handle, kind }: PageObject): number | null =>
  kind === 'path' ? (fillOf(pdf, handle)?.luminance ?? null) : null;

/** Whether an object paints over all that lies within its edges. */
const isOpaque = ({ pdfium, scratch, memory }: OpenPdf, { handle, kind, isNested }: PageObject): boolean => {
  if (isNested || pdfium.FPDFPageObj_HasTransparency(handle)) return false;
  if (kind !== 'path') return kind === 'picture';
  if (!pdfium.FPDFPath_GetDrawMode(handle, scratch, scratch + 4)) return false;
  return (new Uint32Array(memory().buffer, scratch, 1)[0] ?? 0) !== 0;
};

/** As fractions of the page as it is shown. */
export const boundsOf = (pdf: OpenPdf, object: number, shown: ReturnType<typeof toShown>): Bounds => {
  const { pdfium, scratch, memory } = pdf;
  if (!pdfium.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12)) return [0, 0, 0, 0];
  const [left = 0, bottom = 0, right = 0, top = 0] = new Float32Array(memory().buffer, scratch, 4);
  return shownBounds(shown, [left, bottom, right, top]);
};

/** Says by the file alone, without a drawing, whether a word of the page is to be seen. */
export const appearanceOn = (pdf: OpenPdf, page: number): ((word: PrintedWord) => boolean) => {
  const objects = objectsOf(pdf, page);
  const places = new Map(objects.map(({ handle }, place) => [handle, place]));
  const shown = toShown(pdf, page);
  const covers = objects
    .flatMap((object, place) => (isOpaque(pdf, object) ? [{ ...object, place }] : []))
    .slice(-MAX_COVERS)
    .map((object) => ({ ...object, bounds: boundsOf(pdf, object.handle, shown) }));
  return ({ letters: [letter], x, y, width, height }) => {
    if (letter === undefined || !isPainted(pdf, letter)) return false;
    const place = places.get(letter.object) ?? objects.length;
    const around = covers.filter(
      ({ bounds: [left, top, right, bottom] }) => left <= x && top <= y && right >= x + width && bottom >= y + height,
    );
    if (around.some((cover) => cover.place > place)) return false;
    const fill = fillOf(pdf, letter.object);
    if (fill === null) return true;
    const behind = around.at(-1);
    const ground = behind === undefined ? WHITE : groundOf(pdf, behind);
    return fill.opacity > 0 && (ground === null || contrastOf(fill.luminance, ground) >= LEAST_CONTRAST);
  };
};

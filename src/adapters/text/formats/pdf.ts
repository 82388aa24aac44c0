import { getDocumentProxy } from 'unpdf';
import type { TextPage } from '../../../application/ports/text.ts';
import type { PageLayout } from '../../../domain/page-words.ts';
import { pageLayouts } from '../pdf-layouts.ts';
import { openPdf, pageSize } from '../pdfium.ts';
import { Unreadable } from '../text.ts';
import { attachedFiles } from './pdf-attachments.ts';
import { type Glyphs, linesText } from './pdf-lines.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;
type Page = Awaited<ReturnType<Pdf['getPage']>>;
type Matrix = readonly number[];

const MAX_PAGES = 10_000;
/** A part of the time that one file has: what was read by then is given. */
const MAX_MILLISECONDS = 25_000;
const REST_NOT_READ = '[This page and those after it were not read.]';
const DAMAGED_PAGE = '[This page is damaged and could not be read.]';

const multiply = (
  [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: Matrix,
  [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0]: Matrix,
): Matrix => [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];

/** Where a run stands on the page as it is shown, which may be turned; shown pages count downwards, so y is negated. */
const glyphs = (text: string, matrix: Matrix, width: number, rightToLeft: boolean): Glyphs => {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = matrix;
  const angle = Math.round((Math.atan2(-b, a) * 180) / Math.PI);
  return { text, x, y: -y, width, size: Math.hypot(c, d) || 1, angle, rightToLeft };
};

/** The values of a page's form fields, which are not part of its own text. */
const fieldGlyphs = async (page: Page, view: Matrix): Promise<readonly Glyphs[]> => {
  const annotations: readonly { subtype?: string; fieldValue?: unknown; rect?: readonly number[] }[] =
    await page.getAnnotations();
  return annotations.flatMap(({ subtype, fieldValue, rect = [] }) => {
    const value = Array.isArray(fieldValue) ? fieldValue.join(', ') : fieldValue;
    const [left = 0, bottom = 0, right = 0, top = 0] = rect;
    if (subtype !== 'Widget' || typeof value !== 'string' || value === 'Off') return [];
    const size = Math.min(10, top - bottom);
    const lines = value.split(/\r\n?|\n/);
    return lines.map((line, index) => {
      const y = lines.length === 1 ? (top + bottom - size) / 2 + size * 0.2 : top - size * (index + 1) * 1.2;
      return glyphs(line, multiply(view, [size, 0, 0, size, left, y]), right - left, false);
    });
  });
};

const pageText = async (page: Page): Promise<string> => {
  const view: Matrix = page.getViewport({ scale: 1 }).transform;
  const { items } = await page.getTextContent();
  const printed = items.flatMap((item) =>
    'str' in item ? [glyphs(item.str, multiply(view, item.transform), item.width, item.dir === 'rtl')] : [],
  );
  return linesText([...printed, ...(await fieldGlyphs(page, view))]);
};

const readPage = async (pdf: Pdf, number: number): Promise<string | null> => {
  try {
    const page = await pdf.getPage(number);
    const text = await pageText(page);
    page.cleanup();
    return text;
  } catch {
    return null;
  }
};

const readPages = async (pdf: Pdf, limit: number): Promise<readonly TextPage[]> => {
  const pages: (TextPage & { damaged: boolean })[] = [];
  const end = performance.now() + MAX_MILLISECONDS;
  const count = Math.min(pdf.numPages, MAX_PAGES);
  let length = 0;
  for (let number = 1; number <= count && length <= limit && performance.now() < end; number += 1) {
    const text = await readPage(pdf, number);
    pages.push({ number, text: text ?? DAMAGED_PAGE, damaged: text === null });
    length += text?.length ?? 0;
  }
  if (length === 0 && pages.some(({ damaged }) => damaged))
    throw new Unreadable('is damaged: none of its pages can be read');
  const left = { pages: pdf.numPages - pages.length, characters: 0 };
  const rest = left.pages > 0 ? [{ number: pages.length + 1, text: REST_NOT_READ, unread: left }] : [];
  return [
    ...pages.map(({ number, text, damaged }) => ({
      number,
      text,
      ...(damaged ? { unread: { pages: 1, characters: 0 } } : {}),
    })),
    ...rest,
  ];
};

const open = async (data: Uint8Array): Promise<Pdf> => {
  try {
    // pdf.js takes the buffer over, so it needs a copy.
    return await getDocumentProxy(new Uint8Array(data), { verbosity: 0, disableFontFace: true, stopAtErrors: false });
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') {
      throw new Unreadable('is protected by a password: remove the password and upload it again');
    }
    throw error;
  }
};

const pdfPages = async (data: Uint8Array, limit: number): Promise<readonly TextPage[]> => {
  const pdf = await open(data);
  try {
    return await readPages(pdf, limit);
  } finally {
    await pdf.loadingTask.destroy();
  }
};

const nothing = { layouts: [], hidden: [], attachments: [], notes: [] };

/** Each program forgives other damage: what this one cannot open has its text all the same. */
const layoutsAndAttachments = async (data: Uint8Array, numbers: readonly number[]) => {
  const pdf = await openPdf(data).catch(() => null);
  if (pdf === null) return nothing;
  try {
    const { layouts, hidden } = pageLayouts(pdf, numbers);
    const known = new Map(layouts.map((layout) => [layout.number, layout]));
    const all = Array.from({ length: Math.min(pdf.pageCount, MAX_PAGES) }, (_, index): PageLayout => {
      const number = index + 1;
      return known.get(number) ?? { number, ...pageSize(pdf, number), source: 'text', words: [] };
    });
    return { layouts: all.filter(({ width, height }) => width > 0 && height > 0), hidden, ...attachedFiles(pdf) };
  } finally {
    pdf.close();
  }
};

/** The text of each page, its lines and table rows kept, where its words stand, which pages are to be read as pictures, and what is attached. */
export const readPdf = async (data: Uint8Array, limit: number) => {
  const pages = await pdfPages(data, limit);
  const numbers = pages.flatMap(({ number }) => number ?? []);
  const { layouts, hidden, ...attached } = await layoutsAndAttachments(data, numbers);
  const blank = new Set(pages.flatMap(({ number, text }) => (text === '' && number !== null ? number : [])));
  const pictures = new Set([...blank, ...hidden]);
  const sourced = layouts.map(
    (layout): PageLayout => (blank.has(layout.number) ? { ...layout, source: 'ocr', words: [] } : layout),
  );
  return { pages, layouts: sourced, scans: numbers.filter((number) => pictures.has(number)), ...attached };
};

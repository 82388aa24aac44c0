import type { ReadingNote, TextPage } from '../../../application/ports/text.ts';
import type { PageLayout } from '../../../domain/page-words.ts';
import { type Look, type PrintedPage, printedPage } from '../pdf-layouts.ts';
import { type OpenPdf, openPdf, pageSize } from '../pdfium.ts';
import { Unreadable } from '../text.ts';
import { attachedFiles } from './pdf-attachments.ts';
import { isCover, isNotDrawn, NOT_DRAWN } from './pdf-shells.ts';

const MAX_PAGES = 10_000;
/** Of one file: the server keeps their places in memory while it reads the file. */
const MAX_WORDS = 200_000;
/** A part of the time that one file has: what was read by then is given. */
const MAX_MILLISECONDS = 25_000;
/** Drawing scans takes long: after so much of the time, pages are believed to show what they say. */
const MAX_DRAWING_MILLISECONDS = 12_000;
const REST_NOT_READ = '[This page and those after it were not read.]';
const DAMAGED_PAGE = '[This page is damaged and could not be read.]';

const readPage = (pdf: OpenPdf, number: number, look: Look): PrintedPage | null => {
  try {
    return printedPage(pdf, number, look);
  } catch {
    return null;
  }
};

interface ReadPages {
  readonly pages: readonly TextPage[];
  readonly layouts: readonly PageLayout[];
  /** The numbers of the pages that are to be read as pictures. */
  readonly scans: readonly number[];
  readonly notes: readonly ReadingNote[];
}

const readPages = (pdf: OpenPdf, limit: number, firstPage: number): ReadPages => {
  const pages: TextPage[] = [];
  const layouts: PageLayout[] = [];
  const scans: number[] = [];
  const notes: ReadingNote[] = [];
  const start = performance.now();
  const count = Math.min(pdf.pageCount, MAX_PAGES);
  let [length, words, isDamaged] = [0, 0, false];
  let before: PrintedPage['rows'] = [];
  for (let number = firstPage; number <= count; number += 1) {
    const passed = performance.now() - start;
    const isWanted = length <= limit && passed < MAX_MILLISECONDS;
    const mayDraw = passed < MAX_DRAWING_MILLISECONDS;
    const read = isWanted ? readPage(pdf, number, { most: limit, mayDraw, before }) : null;
    before = read?.rows ?? [];
    const layout = read?.layout ?? { number, ...pageSize(pdf, number), source: 'text', words: [] };
    layouts.push({ ...layout, words: layout.words.slice(0, Math.max(0, MAX_WORDS - words)) });
    words += layout.words.length;
    if (!isWanted) continue;
    length += read?.text.length ?? 0;
    isDamaged ||= read === null;
    if (read === null) pages.push({ number, text: DAMAGED_PAGE, unread: { pages: 1, characters: 0 } });
    else pages.push({ number, text: read.text });
    if (read?.isPicture) scans.push(number);
    notes.push(...(read?.notes ?? []));
  }
  if (length === 0 && isDamaged) throw new Unreadable('is damaged: none of its pages can be read');
  const next = firstPage + pages.length;
  const left = { pages: pdf.pageCount - next + 1, characters: 0 };
  if (left.pages > 0) pages.push({ number: next, text: REST_NOT_READ, unread: left });
  return { pages, layouts: layouts.filter(({ width, height }) => width > 0 && height > 0), scans, notes };
};

interface Wanted {
  readonly isAlone?: boolean;
  readonly firstPage?: number | undefined;
}

const NOTHING_ATTACHED: ReturnType<typeof attachedFiles> = { attachments: [], notes: [] };

/** The text of each page, its lines and table rows kept, where its words stand, which pages are to be read as pictures, and what is attached. */
export const readPdf = async (data: Uint8Array, limit: number, { isAlone = false, firstPage = 1 }: Wanted = {}) => {
  const pdf = await openPdf(data);
  try {
    const isShell = isNotDrawn(pdf);
    const read = readPages(pdf, limit, firstPage);
    const attached = firstPage > 1 ? NOTHING_ATTACHED : attachedFiles(pdf, isAlone);
    const notes = [...read.notes, ...attached.notes];
    const all = { ...read, ...attached, notes };
    if (!isShell) return { ...all, isCover: isCover(read.pages, attached.attachments.length) };
    const note: ReadingNote = { kind: 'unread', page: null, what: `the form itself: it ${NOT_DRAWN}` };
    return { ...all, notes: [...notes, note], unreadable: NOT_DRAWN };
  } finally {
    pdf.close();
  }
};

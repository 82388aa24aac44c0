import type { ReadingNote, SourceFile, TextPage } from '../../../application/ports/text.ts';
import type { PageLayout } from '../../../domain/page-words.ts';
import { unread } from '../notes.ts';
import { hasDamage } from '../pdf-damage.ts';
import { type Look, type PrintedPage, printedPage } from '../pdf-layouts.ts';
import { type OpenPdf, openPdf, pageSize } from '../pdfium.ts';
import { type Contained, MAX_UNPACKED_BYTES, Unreadable } from '../text.ts';
import { attachedFiles, bytesOf, nothingAttached, type Room } from './pdf-attachments.ts';
import { isCover, isNotDrawn, NOT_DRAWN } from './pdf-shells.ts';

const MAX_PAGES = 10_000;
/** Of one file: the server keeps their places in memory while it reads the file. */
const MAX_WORDS = 200_000;
/** A part of the time that one file has: what was read by then is given. */
const MAX_MILLISECONDS = 25_000;
/** Drawing scans takes long: after so much of the time, pages are believed to show what they say. */
const MAX_DRAWING_MILLISECONDS = 12_000;
const REST_NOT_READ = '[This page and those after it were not read.]';
const DAMAGED = unread('damaged parts of the file');
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
  /** The files that are attached to places on pages. */
  readonly attachments: Contained['attachments'];
}

const readPages = (pdf: OpenPdf, limit: number, firstPage: number, room: Room): ReadPages => {
  const pages: TextPage[] = [];
  const layouts: PageLayout[] = [];
  const scans: number[] = [];
  const notes: ReadingNote[] = [];
  const attachments: SourceFile[] = [];
  const start = performance.now();
  const count = Math.min(pdf.pageCount, MAX_PAGES);
  let length = 0;
  let words = 0;
  let isDamaged = false;
  let before: PrintedPage['rows'] = [];
  let left = room;
  for (let number = firstPage; number <= count; number += 1) {
    const passed = performance.now() - start;
    const isWanted = length <= limit && passed < MAX_MILLISECONDS;
    const mayDraw = passed < MAX_DRAWING_MILLISECONDS;
    const read = isWanted ? readPage(pdf, number, { most: limit, mayDraw, before, room: left }) : null;
    before = read?.rows ?? [];
    const layout = read?.layout ?? { number, ...pageSize(pdf, number), source: 'text', words: [] };
    layouts.push({ ...layout, words: layout.words.slice(0, Math.max(0, MAX_WORDS - words)) });
    words += layout.words.length;
    if (!isWanted) continue;
    if (read === null) {
      isDamaged = true;
      pages.push({ number, text: DAMAGED_PAGE, unread: { pages: 1, characters: 0 } });
      continue;
    }
    length += read.text.length;
    pages.push({ number, text: read.text });
    if (read.isPicture) scans.push(number);
    notes.push(...read.notes, ...read.attached.notes);
    attachments.push(...read.attached.attachments);
    if (left !== null) left -= bytesOf(read.attached);
  }
  if (length === 0 && isDamaged) throw new Unreadable('is damaged: none of its pages can be read');
  const next = firstPage + pages.length;
  const unread = { pages: pdf.pageCount - next + 1, characters: 0 };
  if (unread.pages > 0) pages.push({ number: next, text: REST_NOT_READ, unread });
  return { pages, layouts: layouts.filter(({ width, height }) => width > 0 && height > 0), scans, notes, attachments };
};

interface Wanted {
  readonly isAlone?: boolean;
  readonly firstPage?: number | undefined;
}

/** The text of each page, its lines and table rows kept, where its words stand, which pages are to be read as pictures, and what is attached. */
export const readPdf = async (data: Uint8Array, limit: number, { isAlone = false, firstPage = 1 }: Wanted = {}) => {
  const pdf = await openPdf(data);
  try {
    const isShell = isNotDrawn(pdf);
    const isFurther = firstPage > 1;
    // What is attached to further pages comes too late to be a part of its own.
    const room = isAlone || isFurther ? null : MAX_UNPACKED_BYTES;
    const read = readPages(pdf, limit, firstPage, room);
    const attached = isFurther ? nothingAttached : attachedFiles(pdf, room && room - bytesOf(read));
    const notes = [...read.notes, ...attached.notes, ...(!isFurther && hasDamage(data) ? [DAMAGED] : [])];
    const attachments = [...attached.attachments, ...read.attachments];
    const all = { ...read, attachments, notes };
    if (!isShell) return { ...all, isCover: isCover(read.pages, attached.attachments.length) };
    return { ...all, notes: [...notes, unread(`the form itself: it ${NOT_DRAWN}`)], unreadable: NOT_DRAWN };
  } finally {
    pdf.close();
  }
};

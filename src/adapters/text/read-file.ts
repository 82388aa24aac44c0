import type { FilePart, ReadingNote, SourceFile, TextPage } from '../../application/ports/text.ts';
import type { EInvoiceReading } from '../../domain/e-invoice/reading.ts';
import type { PageLayout } from '../../domain/page-words.ts';
import { decode, encodingNotes } from './decode.ts';
import { detectFormat, isCompoundFile } from './detect-format.ts';
import { formats, type TextFormat } from './file-formats.ts';
import { pictureNotes } from './formats/picture-notes.ts';
import { unread } from './notes.ts';
import { type Budget, clean, type InnerFile, NOT_TOGETHER, textBudget, Unreadable } from './text.ts';

const MAX_DEPTH = 5;
const MAX_PARTS = 200;
/** Of all that is within one file. */
const MAX_BYTES = 200 * 1024 * 1024;
const NO_BYTES = new Uint8Array(0);
/** Of formats that nothing here reads. */
const ONLY_CONVERTED =
  'is of a format that only a converter can read: install LibreOffice on the server, or set CONVERTER_URL to a Gotenberg server; or save it as PDF and upload that';
const NO_TEXT_LAYER =
  'has no text layer: it is probably a scan, and only a model that takes PDF files or images can read it';

/** A part of a file; the file itself is the first, and its bytes are not repeated. */
export interface ReadPart extends Omit<FilePart, 'data'> {
  readonly data: Uint8Array | null;
  /** Its pages that are pictures, which OCR may read: by number, or all that there are. */
  readonly scans: readonly number[] | 'all';
  /** Whether it has no more than the parts in it: it is readable if one of them is. */
  readonly isContainer?: boolean;
  /** Whether it is a picture among the words of a document, which may have nothing written on it. */
  readonly isIllustration?: boolean;
}

interface Content {
  readonly pages: readonly TextPage[];
  readonly layouts: readonly PageLayout[];
  readonly scans: ReadPart['scans'];
  readonly attachments?: readonly InnerFile[];
  readonly isContainer?: boolean;
  readonly notes?: readonly ReadingNote[];
  readonly einvoice?: EInvoiceReading | null;
  /** Why its pages are not what it has to say; what is attached to it may be read. */
  readonly unreadable?: string;
  /** Whether its pages only say how to reach what is attached. */
  readonly isCover?: boolean;
}

const nothing: Content = { pages: [], layouts: [], scans: [] };
const SIGNATURE = 'Signature: there is one, and it was not checked';

type Reader = (file: SourceFile, limit: number, isAlone: boolean) => Promise<Content>;

const whole = (text: string, notes: readonly ReadingNote[] = []): Content => ({
  pages: [{ number: null, text }],
  layouts: [],
  scans: [],
  ...(notes.length > 0 && { notes }),
});

/** A document with pictures among its words; with nothing else it is readable if something is written on one of them. */
const illustrated = (text: string, notes: readonly ReadingNote[], pictures: readonly InnerFile[]): Content => ({
  ...whole(text, notes),
  attachments: pictures,
  isContainer: clean(text) === '' && pictures.length > 0,
});

/** What a reader makes of the text of a file that is text. */
const textual =
  (read: (text: string, file: SourceFile, limit: number) => Promise<string> | string): Reader =>
  async (file, limit) => {
    const decoded = decode(file.data, file.contentType);
    return whole(await read(decoded.text, file, limit), encodingNotes(decoded));
  };

const workbook =
  (isOpenDocument = false): Reader =>
  async ({ data }, limit) => {
    const { text, notes, pictures } = (await import('./formats/workbook.ts')).readWorkbook(data, limit, isOpenDocument);
    return illustrated(text, notes, pictures);
  };

const openDocument: Reader = async ({ data }) => {
  const { text, notes, pictures } = (await import('./formats/odt.ts')).readOdt(data);
  return illustrated(text, notes, pictures);
};

// Each library is loaded with the first file of its format: a process that reads only CSV stays small.
const readers: Readonly<Record<TextFormat, Reader>> = {
  pdf: async ({ data, firstPage }, limit, isAlone) =>
    (await import('./formats/pdf.ts')).readPdf(data, limit, { isAlone, firstPage }),
  docx: async ({ data }) => {
    const { text, notes, pictures } = (await import('./formats/docx.ts')).readDocx(data);
    return illustrated(text, notes, pictures);
  },
  rtf: async ({ data }) => {
    const { text, notes } = await (await import('./formats/rtf.ts')).readRtf(data);
    return whole(text, notes);
  },
  odt: openDocument,
  odp: openDocument,
  pptx: async ({ data }) => {
    const { text, notes, pictures } = (await import('./formats/pptx.ts')).readPptx(data);
    return illustrated(text, notes, pictures);
  },
  ppt: async () => {
    throw new Unreadable(ONLY_CONVERTED);
  },
  doc: async ({ data }) => {
    const { text, notes } = await (await import('./formats/doc.ts')).readDoc(data);
    return whole(text, notes);
  },
  xlsx: workbook(),
  xls: workbook(),
  ods: workbook(true),
  csv: textual(async (text, _, limit) => (await import('./formats/csv.ts')).csvText(text, limit)),
  html: async ({ data, contentType, articleOnly }) => {
    const decoded = decode(data, contentType);
    if (articleOnly)
      return whole((await import('./formats/article.ts')).articleText(decoded.text), encodingNotes(decoded));
    const { html, notes, pictures } = (await import('./formats/shown-html.ts')).shownHtml(decoded.text);
    const text = (await import('./formats/html.ts')).htmlText(html);
    return illustrated(text, [...encodingNotes(decoded), ...notes], pictures);
  },
  'e-invoice': async ({ data, contentType }) => {
    const { readEInvoiceText } = await import('./formats/e-invoice.ts');
    const { text, ...inside } = readEInvoiceText(decode(data, contentType).text);
    return { ...whole(text), ...inside };
  },
  msg: async ({ data }) => {
    const { text, notes, attachments } = await (await import('./formats/msg.ts')).readMsg(data);
    return { ...whole(text, notes), attachments };
  },
  tnef: async ({ data }) => {
    const { text, notes, attachments } = await (await import('./formats/tnef.ts')).readTnef(data);
    return { ...whole(text, notes), attachments, isContainer: clean(text) === '' };
  },
  zip: async ({ data }) => ({
    ...nothing,
    isContainer: true,
    ...(await (await import('./formats/zip.ts')).readZip(data)),
  }),
  signed: async (file) => ({
    ...whole(SIGNATURE),
    isContainer: true,
    attachments: [(await import('./formats/cms.ts')).readSigned(file)],
  }),
  plain: textual(async (text) => (await import('./formats/content-lines.ts')).contentLines(text)),
  email: async ({ data }) => {
    const { text, notes, ...inside } = await (await import('./formats/email.ts')).readEmail(data);
    return { ...whole(text, notes), ...inside };
  },
};

const reasonOf = (error: unknown, format: TextFormat, data: Uint8Array): string => {
  if (error instanceof Unreadable) return error.message;
  if (isCompoundFile(data) && ['docx', 'odt', 'pptx', 'odp', 'xlsx', 'ods'].includes(format)) {
    return 'is protected by a password or in an old Office format: save it without a password as .docx, .xlsx, .pptx or PDF and upload that';
  }
  return `is damaged: it is not a complete ${formats[format].noun}`;
};

const contentOf = async (
  file: SourceFile,
  budget: Budget,
  isAlone: boolean,
): Promise<Omit<Content, 'unreadable'> & { unreadable: string | null; contentType: string }> => {
  const detected = detectFormat(file);
  const { contentType } = detected;
  if (detected.format === null) return { ...nothing, unreadable: detected.reason, contentType };
  if (detected.format === 'picture') {
    const notes = pictureNotes(file.data, contentType);
    return { ...nothing, scans: 'all', notes, unreadable: detected.reason, contentType };
  }
  try {
    const { unreadable: reason, ...content } = await readers[detected.format](file, budget.left, isAlone);
    if (reason !== undefined) return { ...content, pages: [], scans: [], unreadable: reason, contentType };
    if (content.isContainer) {
      const isEmpty = content.attachments?.length === 0;
      const unreadable = isEmpty ? 'has no file in it that can be read' : 'has nothing in it that can be read';
      const pages = budget.take(content.pages.filter(({ text }) => clean(text) !== ''));
      return { ...content, pages, unreadable, contentType };
    }
    const isBlank = content.pages.every(({ text }) => clean(text) === '');
    if (isBlank && content.scans.length > 0) return { ...content, pages: [], unreadable: NO_TEXT_LAYER, contentType };
    if (isBlank) return { ...content, pages: [], layouts: [], unreadable: 'has no text in it', contentType };
    const pages = budget.take(content.pages);
    const taken = new Set(pages.map(({ number }) => number));
    const layouts = content.layouts.map((layout) => (taken.has(layout.number) ? layout : { ...layout, words: [] }));
    return { ...content, pages, layouts, unreadable: null, contentType };
  } catch (error) {
    return { ...nothing, unreadable: reasonOf(error, detected.format, file.data), contentType };
  }
};

const leftOut = ({ fileName, contentType, data }: SourceFile, unreadable: string): ReadPart => ({
  fileName,
  contentType,
  data,
  ...nothing,
  unreadable,
});
const TOO_DEEP = `is inside more than ${MAX_DEPTH} files, each attached to the next: it was not read`;
const TOO_MUCH = 'is too large beside the others: it was not read';

/** What stands in place of a file that lies too deep, or with which there would be too much; null if it is to be read. */
const refused = (source: SourceFile, depth: number, bytes: number): ReadPart | null => {
  if (depth > MAX_DEPTH) return leftOut(source, TOO_DEEP);
  return bytes > MAX_BYTES ? leftOut({ ...source, data: NO_BYTES }, TOO_MUCH) : null;
};

const notRead = (count: number): TextPage => ({
  number: null,
  text: `[${count} more attachments were not read.]`,
  unread: { pages: 0, characters: 0 },
});

/** A cover is no text of the document; where nothing that it covers can be read, it is not readable either. */
const bare = ({ layouts, pages }: ReadPart, covered: readonly ReadPart[]): Partial<ReadPart> => ({
  pages: pages.filter(({ number }) => number === null),
  layouts: layouts.map((layout) => ({ ...layout, words: [] })),
  unreadable: covered.some(({ unreadable }) => unreadable === null) ? null : 'holds only files that cannot be read',
});

const notTogether = ({ fileName }: SourceFile): ReadingNote =>
  unread(`the attached file ${fileName}: it ${NOT_TOGETHER}`);

/** The parts of a file: itself, then what is attached to it, in order, as deep as it goes; `isAlone`: itself, and what is attached to it by name. */
export const readFile = async (
  file: SourceFile,
  maxCharacters: number,
  isAlone = false,
): Promise<readonly ReadPart[]> => {
  const budget = textBudget(maxCharacters);
  const parts: ReadPart[] = [];
  let bytes = 0;
  const visit = async (source: InnerFile, around: readonly string[]): Promise<void> => {
    const depth = around.length;
    const within = depth === 0 ? {} : { within: around.join(' › ') };
    if (depth > 0) bytes += source.data.length;
    const refusal = refused(source, depth, bytes);
    if (refusal !== null) {
      parts.push({ ...refusal, ...within });
      return;
    }
    const { pages, attachments: all = [], isCover = false, ...rest } = await contentOf(source, budget, isAlone);
    const attachments = isAlone ? [] : all;
    const notes = [...(rest.notes ?? []), ...(isAlone ? all.map(notTogether) : [])];
    const fitting = attachments.slice(0, Math.max(0, MAX_PARTS - parts.length - 1));
    const left = attachments.length - fitting.length;
    const { fileName } = source;
    const data = depth === 0 ? null : source.data;
    const { isIllustration = false } = source;
    const part = {
      fileName,
      ...within,
      data,
      isIllustration,
      pages: left === 0 ? pages : [...pages, notRead(left)],
      ...rest,
      ...(notes.length > 0 && { notes }),
    };
    const at = parts.push(part) - 1;
    for (const attachment of fitting) await visit(attachment, [...around, fileName]);
    if (isCover) parts[at] = { ...part, ...bare(part, parts.slice(at + 1)) };
  };
  await visit(file, []);
  return parts;
};

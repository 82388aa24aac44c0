import type { ReadingNote, SourceFile } from '../../../application/ports/text.ts';
import { unread } from '../notes.ts';
import { type OpenPdf, written, writtenText } from '../pdfium.ts';
import { type Contained, cleanName, NOT_TOGETHER } from '../text.ts';

const MAX_NAME_BYTES = 4096;
/** More than the parts that one file may have. */
const MAX_ATTACHMENTS = 1000;
const DAMAGED = -1;
/** PDFium's number of an annotation that is a file. */
const FILE = 17;

/** How many bytes of attached files may be read; null: none, because the reader came to an end with them. */
export type Room = number | null;

export const nothingAttached: Contained = { attachments: [], notes: [] };

export const bytesOf = ({ attachments }: Contained): number =>
  attachments.reduce((sum, { data }) => sum + data.length, 0);

const sizeOf = ({ pdfium, scratch, memory }: OpenPdf, attachment: number): number => {
  const isThere = pdfium.FPDFAttachment_GetFile(attachment, 0, 0, scratch);
  return isThere ? new DataView(memory().buffer, scratch).getUint32(0, true) : DAMAGED;
};

const whyUnread = (size: number, room: Room): string => {
  if (room === null) return NOT_TOGETHER;
  return size === DAMAGED ? 'is damaged' : 'is too large beside the others';
};

/** What of these can be read. */
const filesOf = (pdf: OpenPdf, handles: readonly number[], room: Room): Contained => {
  const { pdfium, scratch } = pdf;
  const attachments: SourceFile[] = [];
  const notes: ReadingNote[] = [];
  let left = room ?? 0;
  for (const [index, attachment] of handles.entries()) {
    if (!attachment) continue;
    const name = writtenText(pdf, MAX_NAME_BYTES, (place, size) =>
      pdfium.FPDFAttachment_GetName(attachment, place, size),
    );
    const fileName = cleanName(name, `attachment ${index + 1}`);
    const size = room === null ? Number.POSITIVE_INFINITY : sizeOf(pdf, attachment);
    if (size === DAMAGED || size > left) {
      notes.push(unread(`the attached file ${fileName}: it ${whyUnread(size, room)}`));
      continue;
    }
    left -= size;
    const data = written(pdf, size, (place) => pdfium.FPDFAttachment_GetFile(attachment, place, size, scratch));
    attachments.push({ fileName, contentType: '', data });
  }
  return { attachments, notes };
};

const indexes = (count: number) => Array.from({ length: Math.min(MAX_ATTACHMENTS, count) }, (_, index) => index);

/** The files that are attached to a PDF document, by name, and what of them is not read. */
export const attachedFiles = (pdf: OpenPdf, room: Room): Contained => {
  const { pdfium, document } = pdf;
  const handles = indexes(pdfium.FPDFDoc_GetAttachmentCount(document)).map((index) =>
    pdfium.FPDFDoc_GetAttachment(document, index),
  );
  const { attachments, notes } = filesOf(pdf, handles, room);
  const byName = (a: SourceFile, b: SourceFile) => (a.fileName < b.fileName ? -1 : Number(a.fileName > b.fileName));
  return { attachments: attachments.toSorted(byName), notes };
};

/** The files that are attached to places of a page. */
export const filesOnPage = (pdf: OpenPdf, page: number, room: Room): Contained => {
  const { pdfium } = pdf;
  const attached = indexes(pdfium.FPDFPage_GetAnnotCount(page)).map((index) => {
    const annotation = pdfium.FPDFPage_GetAnnot(page, index);
    const isFile = pdfium.FPDFAnnot_GetSubtype(annotation) === FILE;
    const files = isFile ? filesOf(pdf, [pdfium.FPDFAnnot_GetFileAttachment(annotation)], room) : nothingAttached;
    pdfium.FPDFPage_CloseAnnot(annotation);
    return files;
  });
  return {
    attachments: attached.flatMap(({ attachments }) => attachments),
    notes: attached.flatMap(({ notes }) => notes),
  };
};

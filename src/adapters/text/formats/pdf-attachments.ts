import type { ReadingNote, SourceFile } from '../../../application/ports/text.ts';
import { type OpenPdf, written, writtenText } from '../pdfium.ts';
import { type Contained, cleanName, MAX_UNPACKED_BYTES, NOT_TOGETHER } from '../text.ts';

const MAX_NAME_BYTES = 4096;
/** More than the parts that one file may have. */
const MAX_ATTACHMENTS = 1000;
const DAMAGED = -1;

const sizeOf = ({ pdfium, scratch, memory }: OpenPdf, attachment: number): number => {
  const isThere = pdfium.FPDFAttachment_GetFile(attachment, 0, 0, scratch);
  return isThere ? new DataView(memory().buffer, scratch).getUint32(0, true) : DAMAGED;
};

/** The files that are attached to a PDF document, by name, and what of them is not read: everything, where the document is read alone. */
export const attachedFiles = (pdf: OpenPdf, isAlone: boolean): Contained => {
  const { pdfium, document, scratch } = pdf;
  const attachments: SourceFile[] = [];
  const notes: ReadingNote[] = [];
  let left = MAX_UNPACKED_BYTES;
  const count = Math.min(MAX_ATTACHMENTS, pdfium.FPDFDoc_GetAttachmentCount(document));
  for (let index = 0; index < count; index += 1) {
    const attachment = pdfium.FPDFDoc_GetAttachment(document, index);
    if (!attachment) continue;
    const name = writtenText(pdf, MAX_NAME_BYTES, (place, size) =>
      pdfium.FPDFAttachment_GetName(attachment, place, size),
    );
    const fileName = cleanName(name, `attachment ${index + 1}`);
    const size = isAlone ? Number.POSITIVE_INFINITY : sizeOf(pdf, attachment);
    if (size === DAMAGED || size > left) {
      const why = isAlone ? NOT_TOGETHER : size === DAMAGED ? 'is damaged' : 'is too large beside the others';
      notes.push({ kind: 'unread', page: null, what: `the attached file ${fileName}: it ${why}` });
      continue;
    }
    left -= size;
    const data = written(pdf, size, (place) => pdfium.FPDFAttachment_GetFile(attachment, place, size, scratch));
    attachments.push({ fileName, contentType: '', data });
  }
  const byName = (a: SourceFile, b: SourceFile) => (a.fileName < b.fileName ? -1 : Number(a.fileName > b.fileName));
  return { attachments: attachments.toSorted(byName), notes };
};

import { isFile } from '../../../domain/e-invoice/beside-terms.ts';
import { readEInvoice } from '../../../domain/e-invoice/e-invoice.ts';
import { type EInvoiceReading, readingOf } from '../../../domain/e-invoice/reading.ts';
import { eInvoiceText } from '../../../domain/e-invoice/text.ts';
import type { XmlElement } from '../../../domain/e-invoice/xml.ts';
import { cleanName, type InnerFile } from '../text.ts';
import { readXml } from './xml.ts';

const filesIn = (element: XmlElement): readonly XmlElement[] =>
  isFile(element) ? [element] : element.children.flatMap(filesIn);

/** The files that an invoice holds in Base64, wherever it has them. */
const attachedTo = (root: XmlElement): readonly InnerFile[] =>
  filesIn(root)
    .filter(({ text }) => text.trim() !== '')
    .map(({ attributes, text }, index) => ({
      fileName: cleanName(attributes.get('filename'), `attachment ${index + 1}`),
      contentType: attributes.get('mimeCode') ?? '',
      data: Buffer.from(text, 'base64'),
    }));

/** An invoice in UBL or CII as its terms, a line each, and what is attached to it; any other document in XML as it is. Unreadable with a document type, or if it is not well-formed. */
export const readEInvoiceText = (
  xml: string,
): {
  readonly text: string;
  readonly einvoice: EInvoiceReading | null;
  readonly attachments: readonly InnerFile[];
} => {
  const invoice = readEInvoice(readXml(xml));
  return invoice === null
    ? { text: xml, einvoice: null, attachments: [] }
    : { text: eInvoiceText(invoice), einvoice: readingOf(invoice), attachments: attachedTo(invoice.root) };
};

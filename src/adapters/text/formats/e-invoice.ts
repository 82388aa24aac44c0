import { eInvoiceText, readEInvoice } from '../../../domain/e-invoice/e-invoice.ts';
import { type EInvoiceReading, readingOf } from '../../../domain/e-invoice/reading.ts';
import { readXml } from './xml.ts';

/** An invoice in UBL or CII as its terms, a line each; any other document in XML as it is. Unreadable with a document type, or if it is not well-formed. */
export const readEInvoiceText = (xml: string): { readonly text: string; readonly einvoice: EInvoiceReading | null } => {
  const invoice = readEInvoice(readXml(xml));
  return invoice === null
    ? { text: xml, einvoice: null }
    : { text: eInvoiceText(invoice), einvoice: readingOf(invoice) };
};

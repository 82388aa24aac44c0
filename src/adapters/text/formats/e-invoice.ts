import { type EInvoice, eInvoiceText, readEInvoice } from '../../../domain/e-invoice/e-invoice.ts';
import { readXml } from './xml.ts';

/** The first element of an e-invoice stands near the start, behind comments at most. */
const START = 20_000;
const FIRST_ELEMENT =
  /<(?:[\w.-]{1,40}:)?(?:Invoice|CreditNote|CrossIndustryInvoice|CrossIndustryDocument|SCRDMCCBDACIOMessageStructure)[\s>]/;

/** null where the text is no e-invoice. One that is not well-formed, or that has a document type, is `Unreadable`. */
const eInvoiceOf = (text: string): EInvoice | null =>
  FIRST_ELEMENT.test(text.slice(0, START)) ? readEInvoice(readXml(text)) : null;

/** An e-invoice in UBL or CII as its terms, a line each; any other text as it is. */
export const plainText = (text: string): string => {
  const invoice = eInvoiceOf(text);
  return invoice === null ? text : eInvoiceText(invoice);
};

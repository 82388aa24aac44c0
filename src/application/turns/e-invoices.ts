import type { DocumentEInvoice } from '../../domain/document.ts';
import type { EInvoiceReading } from '../../domain/e-invoice/reading.ts';
import type { ReadFile } from './file-reader.ts';

/** The e-invoice that counts: the first of the first file that is one or has one attached. */
export const einvoiceIn = (files: readonly ReadFile[]): EInvoiceReading | null =>
  files.flatMap(({ parts }) => parts.flatMap(({ einvoice }) => einvoice ?? []))[0] ?? null;

/** What a document says of it. */
export const documentEInvoice = ({ nodes: _, ...shown }: EInvoiceReading): DocumentEInvoice => shown;

import type { EInvoice, TermNode } from './e-invoice.ts';
import { type Violation, violationsOf } from './violations.ts';

/** What the reader of an e-invoice found out: the document itself stays with the reader. */
export interface EInvoiceReading extends Pick<EInvoice, 'syntax' | 'profile' | 'specification'> {
  /** Whether no violation is an error; null where no rules are known. */
  readonly valid: boolean | null;
  readonly violations: readonly Violation[];
  readonly nodes: readonly TermNode[];
}

export const readingOf = (invoice: EInvoice): EInvoiceReading => {
  const { syntax, profile, specification, kind, nodes } = invoice;
  const violations = kind === 'invoice' ? violationsOf(invoice) : [];
  const valid = kind === 'invoice' ? violations.every(({ severity }) => severity !== 'error') : null;
  return { syntax, profile, specification, valid, violations, nodes };
};

import type { EInvoice } from '../e-invoice.ts';
import type { InvoiceTerms } from '../invoice-terms.ts';
import type { XmlElement } from '../xml.ts';

/** A rule of EN 16931-1, or of a specification that builds on it. */
export interface Rule {
  /** As the standard names it: `BR-CO-15`. */
  readonly id: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** A profile that lacks one of these terms does not have the rule. */
  readonly terms: readonly string[];
  /** The XPaths of what breaks it; none: the invoice keeps it. */
  readonly broken: (invoice: InvoiceTerms, root: XmlElement, syntax: Syntax) => readonly string[];
}

type Where = readonly string[];
type Syntax = EInvoice['syntax'];

const rule = (id: string, terms: Where, message: string, broken: Rule['broken']): Rule => ({
  id,
  severity: 'error',
  message,
  terms,
  broken,
});

/** A rule about the invoice as a whole. */
export const holds = (
  id: string,
  terms: Where,
  message: string,
  test: (invoice: InvoiceTerms, syntax: Syntax) => boolean,
): Rule => rule(id, terms, message, (invoice, _, syntax) => (test(invoice, syntax) ? [] : [invoice.xpath]));

/** A rule about each group of one kind. */
export const holdsInEach = (
  id: string,
  group: string,
  terms: Where,
  message: string,
  test: (group: InvoiceTerms, invoice: InvoiceTerms, syntax: Syntax) => boolean,
): Rule =>
  rule(id, [group, ...terms], message, (invoice, _, syntax) =>
    invoice
      .groups(group)
      .filter((part) => !test(part, invoice, syntax))
      .map(({ xpath }) => xpath),
  );

/** A rule about each text of one term that is not empty. */
export const holdsForEach = (
  id: string,
  term: string,
  message: string,
  test: (text: string, invoice: InvoiceTerms) => boolean,
): Rule =>
  rule(id, [term], message, (invoice) =>
    invoice
      .all(term)
      .filter(({ text }) => text.trim() !== '' && !test(text.trim(), invoice))
      .map(({ xpath }) => xpath),
  );

export const holdsInDocument = (id: string, terms: Where, message: string, broken: Rule['broken']): Rule =>
  rule(id, terms, message, broken);

export const warning = (of: Rule): Rule => ({ ...of, severity: 'warning' });

/** The invoice has this term or group. */
export const required = (id: string, term: string, what: string): Rule =>
  holds(id, [term], `${what} (${term}) is missing.`, (invoice) => invoice.has(term));

/** Each group of this kind has the term, or one of these. */
export const requiredInEach = (id: string, group: string, terms: string | Where, what: string): Rule => {
  const all = typeof terms === 'string' ? [terms] : terms;
  const message = `${what} (${all.join(' or ')}) is missing in ${group}.`;
  return holdsInEach(id, group, all, message, (part) => all.some((term) => part.has(term)));
};

import type { EInvoice, Profile } from './e-invoice.ts';
import { InvoiceTerms } from './invoice-terms.ts';
import { calculation } from './rules/calculation.ts';
import { completeness } from './rules/completeness.ts';
import { peppol } from './rules/peppol.ts';
import { hasTerms } from './rules/profile-terms.ts';
import type { Rule } from './rules/rule.ts';
import { vatCategories } from './rules/vat-categories.ts';
import { xrechnung } from './rules/xrechnung.ts';

export interface Violation {
  readonly rule: string;
  readonly severity: Rule['severity'];
  readonly message: string;
  /** An XPath into the invoice. */
  readonly location: string;
}

/** Of one rule; more say nothing new. */
const MOST_OF_A_RULE = 20;

const standard: readonly Rule[] = [...completeness, ...calculation, ...vatCategories];

/** Every rule, of whatever profile. */
export const rules: readonly Rule[] = [...standard, ...xrechnung, ...peppol];

/** The rules that an invoice of this profile is held to. */
export const rulesOf = (profile: Profile): readonly Rule[] => {
  if (profile === 'xrechnung') return [...standard, ...xrechnung];
  if (profile === 'peppol') return [...standard, ...peppol];
  return standard.filter(({ terms }) => hasTerms(profile, terms));
};

/** What an e-invoice breaks of the rules of its profile. */
export const violationsOf = (invoice: EInvoice): readonly Violation[] => {
  const terms = InvoiceTerms.of(invoice);
  return rulesOf(invoice.profile).flatMap(({ id, severity, message, broken }) =>
    broken(terms, invoice.root, invoice.syntax)
      .slice(0, MOST_OF_A_RULE)
      .map((location) => ({ rule: id, severity, message, location })),
  );
};

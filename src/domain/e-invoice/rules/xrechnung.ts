import { isIban } from '../iban.ts';
import type { InvoiceTerms } from '../invoice-terms.ts';
import {
  holds,
  holdsForEach,
  holdsInDocument,
  holdsInEach,
  type Rule,
  required,
  requiredInEach,
  warning,
} from './rule.ts';

/** Codes of BT-81 for each way of payment, the group that says how, and the number of its rules. */
const payments = [
  { number: '23', codes: ['30', '58'], what: 'A credit transfer', group: 'BG-17', others: ['BG-18', 'BG-19'] },
  { number: '24', codes: ['48', '54', '55'], what: 'A payment by card', group: 'BG-18', others: ['BG-17', 'BG-19'] },
  { number: '25', codes: ['59'], what: 'A direct debit', group: 'BG-19', others: ['BG-17', 'BG-18'] },
];

/** In CII, the mandate and the creditor of a direct debit (BG-19) stand beside the payment. */
const hasWay = (payment: InvoiceTerms, invoice: InvoiceTerms, syntax: 'ubl' | 'cii', group: string): boolean =>
  payment.all(group).length > 0 ||
  (group === 'BG-19' && syntax === 'cii' && (invoice.has('BT-89') || invoice.has('BT-90')));

const paymentRules = payments.flatMap(({ number, codes, what, group, others }) => [
  holdsInEach(
    `BR-DE-${number}-a`,
    'BG-16',
    ['BT-81', group],
    `${what} (BT-81) needs its account, card or mandate (${group}).`,
    (payment, invoice, syntax) => !codes.includes(payment.text('BT-81')) || hasWay(payment, invoice, syntax, group),
  ),
  holdsInEach(
    `BR-DE-${number}-b`,
    'BG-16',
    ['BT-81', ...others],
    `${what} (BT-81) does not stand beside ${others.join(' or ')}.`,
    (payment, invoice, syntax) =>
      !codes.includes(payment.text('BT-81')) || !others.some((other) => hasWay(payment, invoice, syntax, other)),
  ),
]);

const TAXED = ['S', 'Z', 'E', 'AE', 'K', 'G', 'L', 'M'];
const taxTerms = ['BT-95', 'BT-102', 'BT-151'];

/** A line of payment terms that begins with `#` is a discount: `#SKONTO#TAGE=14#PROZENT=2.25#`, perhaps with `BASISBETRAG=`. */
const DISCOUNT = /^#SKONTO#TAGE=\d+#PROZENT=\d+\.\d{2}(?:#BASISBETRAG=-?\d+\.\d{2})?#$/;

/** Each discount has its form, and a line break behind it. */
const hasDiscounts = (terms: string): boolean => {
  const lines = terms.split('\n').map((line) => line.trim());
  const discounts = lines.filter((line) => line.startsWith('#'));
  return discounts.every((line) => DISCOUNT.test(line)) && !lines.at(-1)?.startsWith('#');
};

const ATOM = '[a-zA-Z0-9!#$%&"*+/=?^_`{|}~-]+';
const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const MAIL_ADDRESS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+${LABEL}$`);

const isIbanFor = (code: string, account: string) => (payment: InvoiceTerms) =>
  payment.text('BT-81') !== code || payment.all(account).every(({ text }) => isIban(text));

const SPECIFICATION = /^urn:cen\.eu:en16931:2017#(?:compliant|conformant)#urn:(?:xeinkauf\.de|xoev-de):kosit:/;

/** What XRechnung adds to EN 16931-1: the rules BR-DE. */
export const xrechnung: readonly Rule[] = [
  required('BR-DE-1', 'BG-16', 'The payment instructions'),
  required('BR-DE-2', 'BG-6', 'The contact of the seller'),
  requiredInEach('BR-DE-3', 'BG-5', 'BT-37', 'The city of the seller'),
  requiredInEach('BR-DE-4', 'BG-5', 'BT-38', 'The post code of the seller'),
  requiredInEach('BR-DE-5', 'BG-6', 'BT-41', 'The contact point of the seller'),
  requiredInEach('BR-DE-6', 'BG-6', 'BT-42', 'The telephone number of the seller'),
  requiredInEach('BR-DE-7', 'BG-6', 'BT-43', 'The e-mail address of the seller'),
  requiredInEach('BR-DE-8', 'BG-8', 'BT-52', 'The city of the buyer'),
  requiredInEach('BR-DE-9', 'BG-8', 'BT-53', 'The post code of the buyer'),
  requiredInEach('BR-DE-10', 'BG-15', 'BT-77', 'The city of delivery'),
  requiredInEach('BR-DE-11', 'BG-15', 'BT-78', 'The post code of delivery'),
  requiredInEach('BR-DE-14', 'BG-23', 'BT-119', 'The rate of the VAT category'),
  required('BR-DE-15', 'BT-10', 'The reference of the buyer (the Leitweg-ID)'),
  holds(
    'BR-DE-16',
    [...taxTerms, 'BT-31', 'BT-32', 'BG-11'],
    'An invoice with VAT needs the VAT or tax identifier of the seller (BT-31, BT-32) or its tax representative (BG-11).',
    (invoice) => {
      const isTaxed = taxTerms.some((term) => invoice.all(term).some(({ text }) => TAXED.includes(text.trim())));
      return !isTaxed || ['BT-31', 'BT-32', 'BG-11'].some((term) => invoice.has(term));
    },
  ),
  warning(
    holdsForEach('BR-DE-17', 'BT-3', 'The invoice type code (BT-3) is none that XRechnung knows.', (code) =>
      ['326', '380', '384', '389', '381', '875', '876', '877'].includes(code),
    ),
  ),
  holdsInDocument(
    'BR-DE-18',
    ['BT-20'],
    'A discount in the payment terms (BT-20) has another form than #SKONTO#TAGE=14#PROZENT=2.25#, with a line break behind it.',
    (invoice) =>
      invoice
        .all('BT-20')
        .filter(({ text }) => !hasDiscounts(text))
        .map(({ xpath }) => xpath),
  ),
  warning(
    holdsInEach('BR-DE-19', 'BG-16', ['BT-81', 'BT-84'], 'The account (BT-84) is no IBAN.', isIbanFor('58', 'BT-84')),
  ),
  warning(
    holdsInEach(
      'BR-DE-20',
      'BG-16',
      ['BT-81', 'BT-91'],
      'The debited account (BT-91) is no IBAN.',
      isIbanFor('59', 'BT-91'),
    ),
  ),
  warning(
    holdsForEach('BR-DE-21', 'BT-24', 'The specification (BT-24) is not that of XRechnung.', (text) =>
      SPECIFICATION.test(text),
    ),
  ),
  holds('BR-DE-22', ['BT-125'], 'Two attached documents (BT-125) have the same file name.', (invoice) => {
    const names = invoice.all('BT-125-2').map(({ text }) => text.trim());
    return new Set(names).size === names.length;
  }),
  ...paymentRules,
  warning(
    holds(
      'BR-DE-26',
      ['BT-3', 'BG-3'],
      'A corrected invoice (BT-3 is 384) names the preceding invoice (BG-3).',
      (invoice) => invoice.text('BT-3') !== '384' || invoice.has('BG-3'),
    ),
  ),
  warning(
    holdsForEach(
      'BR-DE-27',
      'BT-42',
      'The telephone number of the seller (BT-42) has fewer than three digits.',
      (text) => (text.match(/\d/g) ?? []).length >= 3,
    ),
  ),
  warning(
    holdsForEach('BR-DE-28', 'BT-43', 'The e-mail address of the seller (BT-43) is none.', (text) =>
      MAIL_ADDRESS.test(text),
    ),
  ),
  holds(
    'BR-DE-30',
    ['BG-19', 'BT-90'],
    'A direct debit (BG-19) needs the identifier of the creditor (BT-90).',
    (invoice) => invoice.all('BG-19').length === 0 || invoice.has('BT-90'),
  ),
  requiredInEach('BR-DE-31', 'BG-19', 'BT-91', 'The debited account'),
];

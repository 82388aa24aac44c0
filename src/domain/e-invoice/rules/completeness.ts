import { compare, readDecimal, zero } from '../../decimal.ts';
import { dateOf } from '../dates.ts';
import type { InvoiceTerms } from '../invoice-terms.ts';
import { holds, holdsForEach, holdsInEach, type Rule, required, requiredInEach, warning } from './rule.ts';

const isNotNegative = (text: string): boolean => {
  const amount = readDecimal(text);
  return amount !== null && compare(amount, zero) >= 0;
};

/** The end of a period is not before its start. */
const ends = (id: string, group: string, start: string, end: string): Rule =>
  holdsInEach(id, group, [start, end], `The end of the period (${end}) is before its start (${start}).`, (period) => {
    const from = dateOf(period.text(start));
    const to = dateOf(period.text(end));
    return from === null || to === null || to >= from;
  });

const hasScheme = (id: string, term: string): Rule =>
  requiredInEach(id, term, `${term}-1`, 'The identifier of the scheme');

/** Whether the payee is another than the seller: of none of these pairs of terms, both have the same text. */
const isOther = (payee: InvoiceTerms, invoice: InvoiceTerms, pairs: readonly (readonly [string, string])[]): boolean =>
  pairs.every(
    ([own, seller]) => !payee.has(own) || invoice.all(seller).every(({ text }) => text.trim() !== payee.text(own)),
  );

const sameParty = {
  ubl: [
    ['BT-59', 'BT-28'],
    ['BT-60', 'BT-29'],
  ],
  cii: [
    ['BT-59', 'BT-27'],
    ['BT-60', 'BT-29'],
    ['BT-61', 'BT-30'],
  ],
} as const;

const CREDIT_TRANSFERS = ['30', '58'];
const isCreditTransfer = (payment: InvoiceTerms): boolean => CREDIT_TRANSFERS.includes(payment.text('BT-81'));

/** UBL alone can have the group several times. */
const atMostOne = (id: string, group: string, what: string): Rule =>
  holds(
    id,
    [group],
    `There is more than one ${what} (${group}).`,
    (invoice, syntax) => syntax !== 'ubl' || invoice.all(group).length <= 1,
  );

/** What an invoice has to have: the rules BR-1 to BR-67 of EN 16931-1. */
export const completeness: readonly Rule[] = [
  required('BR-01', 'BT-24', 'The specification identifier'),
  required('BR-02', 'BT-1', 'The invoice number'),
  required('BR-03', 'BT-2', 'The invoice issue date'),
  required('BR-04', 'BT-3', 'The invoice type code'),
  required('BR-05', 'BT-5', 'The invoice currency code'),
  required('BR-06', 'BT-27', 'The name of the seller'),
  required('BR-07', 'BT-44', 'The name of the buyer'),
  required('BR-08', 'BG-5', 'The postal address of the seller'),
  requiredInEach('BR-09', 'BG-5', 'BT-40', 'The country code of the seller'),
  required('BR-10', 'BG-8', 'The postal address of the buyer'),
  requiredInEach('BR-11', 'BG-8', 'BT-55', 'The country code of the buyer'),
  required('BR-12', 'BT-106', 'The sum of the net amounts of the lines'),
  required('BR-13', 'BT-109', 'The total without VAT'),
  required('BR-14', 'BT-112', 'The total with VAT'),
  required('BR-15', 'BT-115', 'The amount due for payment'),
  required('BR-16', 'BG-25', 'An invoice line'),
  holdsInEach(
    'BR-17',
    'BG-10',
    ['BT-59'],
    'The name of the payee (BT-59) is missing in BG-10, or the payee is the seller.',
    (payee, invoice, syntax) => payee.has('BT-59') && isOther(payee, invoice, sameParty[syntax]),
  ),
  requiredInEach('BR-18', 'BG-11', 'BT-62', 'The name of the tax representative'),
  requiredInEach('BR-19', 'BG-11', 'BG-12', 'The postal address of the tax representative'),
  requiredInEach('BR-20', 'BG-12', 'BT-69', 'The country code of the tax representative'),
  requiredInEach('BR-21', 'BG-25', 'BT-126', 'The identifier of the line'),
  requiredInEach('BR-22', 'BG-25', 'BT-129', 'The invoiced quantity'),
  requiredInEach('BR-23', 'BG-25', 'BT-130', 'The unit of the invoiced quantity'),
  requiredInEach('BR-24', 'BG-25', 'BT-131', 'The net amount of the line'),
  requiredInEach('BR-25', 'BG-25', 'BT-153', 'The name of the item'),
  requiredInEach('BR-26', 'BG-25', 'BT-146', 'The net price of the item'),
  holdsForEach('BR-27', 'BT-146', 'The net price of an item (BT-146) is below zero.', isNotNegative),
  holdsForEach('BR-28', 'BT-148', 'The gross price of an item (BT-148) is below zero.', isNotNegative),
  ends('BR-29', 'BG-14', 'BT-73', 'BT-74'),
  ends('BR-30', 'BG-26', 'BT-134', 'BT-135'),
  requiredInEach('BR-31', 'BG-20', 'BT-92', 'The amount of the allowance'),
  requiredInEach('BR-32', 'BG-20', 'BT-95', 'The VAT category of the allowance'),
  requiredInEach('BR-33', 'BG-20', ['BT-97', 'BT-98'], 'The reason of the allowance'),
  requiredInEach('BR-36', 'BG-21', 'BT-99', 'The amount of the charge'),
  requiredInEach('BR-37', 'BG-21', 'BT-102', 'The VAT category of the charge'),
  requiredInEach('BR-38', 'BG-21', ['BT-104', 'BT-105'], 'The reason of the charge'),
  requiredInEach('BR-41', 'BG-27', 'BT-136', 'The amount of the line allowance'),
  requiredInEach('BR-42', 'BG-27', ['BT-139', 'BT-140'], 'The reason of the line allowance'),
  requiredInEach('BR-43', 'BG-28', 'BT-141', 'The amount of the line charge'),
  requiredInEach('BR-44', 'BG-28', ['BT-144', 'BT-145'], 'The reason of the line charge'),
  requiredInEach('BR-45', 'BG-23', 'BT-116', 'The taxable amount of the VAT category'),
  requiredInEach('BR-46', 'BG-23', 'BT-117', 'The tax amount of the VAT category'),
  requiredInEach('BR-47', 'BG-23', 'BT-118', 'The VAT category code'),
  holdsInEach(
    'BR-48',
    'BG-23',
    ['BT-118', 'BT-119'],
    'The rate of the VAT category (BT-119) is missing in BG-23.',
    (breakdown) => breakdown.has('BT-119') || breakdown.text('BT-118') === 'O',
  ),
  requiredInEach('BR-49', 'BG-16', 'BT-81', 'The payment means code'),
  holdsInEach(
    'BR-50',
    'BG-16',
    ['BG-17', 'BT-81', 'BT-84'],
    'The payment account (BT-84) is missing in BG-17.',
    (payment) => !isCreditTransfer(payment) || payment.groups('BG-17').every((account) => account.has('BT-84')),
  ),
  warning(
    holdsForEach(
      'BR-51',
      'BT-87',
      'Of a card number (BT-87), an invoice has the first 6 and the last 4 digits at most.',
      (number) => number.length <= 10,
    ),
  ),
  requiredInEach('BR-52', 'BG-24', 'BT-122', 'The reference of the supporting document'),
  holds(
    'BR-53',
    ['BT-6', 'BT-111'],
    'The invoice names an accounting currency (BT-6), but not its total VAT in that currency (BT-111).',
    (invoice) => !invoice.has('BT-6') || invoice.has('BT-111'),
  ),
  holdsInEach(
    'BR-54',
    'BG-32',
    ['BT-160', 'BT-161'],
    'An item attribute has no name (BT-160) or no value (BT-161).',
    (attribute) => attribute.has('BT-160') && attribute.has('BT-161'),
  ),
  requiredInEach('BR-55', 'BG-3', 'BT-25', 'The number of the preceding invoice'),
  requiredInEach('BR-56', 'BG-11', 'BT-63', 'The VAT identifier of the tax representative'),
  requiredInEach('BR-57', 'BG-15', 'BT-80', 'The country code of the place of delivery'),
  holdsInEach(
    'BR-61',
    'BG-16',
    ['BT-81', 'BT-84'],
    'A credit transfer (BT-81) names no account (BT-84).',
    (payment) => !isCreditTransfer(payment) || payment.has('BT-84'),
  ),
  hasScheme('BR-62', 'BT-34'),
  hasScheme('BR-63', 'BT-49'),
  hasScheme('BR-64', 'BT-157'),
  hasScheme('BR-65', 'BT-158'),
  atMostOne('BR-66', 'BG-18', 'payment card'),
  atMostOne('BR-67', 'BG-19', 'direct debit'),
];

import { absolute, compare, type Decimal, minus, plus, roundedTo, times, zero } from '../../decimal.ts';
import { isCountryOfVat } from '../countries.ts';
import type { InvoiceTerms } from '../invoice-terms.ts';
import { holds, holdsForEach, holdsInDocument, holdsInEach, type Rule, requiredInEach } from './rule.ts';

const cents = (amount: Decimal): bigint => roundedTo(amount, 2);
const same = (left: Decimal, right: Decimal): boolean => cents(left) === cents(right);

/** `total = parts`, to the cent, where the total is there; a missing total counts as zero if there is no part. */
const sums = (id: string, total: string, part: string, message: string): Rule =>
  holds(id, [total, part], message, (invoice) => {
    const stated = invoice.amount(total);
    const sum = invoice.sum(part);
    return stated === null ? invoice.all(part).length === 0 : same(stated, sum);
  });

const amountOr0 = (invoice: InvoiceTerms, id: string): Decimal => invoice.amount(id) ?? zero;

const hasCountry = (term: string): Rule =>
  holdsForEach(
    'BR-CO-09',
    term,
    `The VAT identifier (${term}) does not begin with the code of a country.`,
    isCountryOfVat,
  );

/** `BT-92` has at most two digits behind the point. */
const cent = (id: string, term: string): Rule =>
  holdsForEach(
    id,
    term,
    `The amount (${term}) has more than two digits behind the point.`,
    (text) => (text.split('.')[1] ?? '').length <= 2,
  );

const decimals = (
  [
    ['01', 92],
    ['02', 93],
    ['05', 99],
    ['06', 100],
    ['09', 106],
    ['10', 107],
    ['11', 108],
    ['12', 109],
    ['13', 110],
    ['14', 112],
    ['15', 111],
    ['16', 113],
    ['17', 114],
    ['18', 115],
    ['19', 116],
    ['20', 117],
    ['23', 131],
    ['24', 136],
    ['25', 137],
    ['27', 141],
    ['28', 142],
  ] as const
).map(([number, term]) => cent(`BR-DEC-${number}`, `BT-${term}`));

/** How the amounts of an invoice follow from each other: the rules BR-CO and BR-DEC of EN 16931-1. */
export const calculation: readonly Rule[] = [
  holds(
    'BR-CO-03',
    ['BT-7', 'BT-8'],
    'The tax point is stated twice: as a date (BT-7) and as a code (BT-8).',
    (invoice) => !(invoice.has('BT-7') && invoice.has('BT-8')),
  ),
  requiredInEach('BR-CO-04', 'BG-25', 'BT-151', 'The VAT category of the line'),
  ...['BT-31', 'BT-48', 'BT-63'].map(hasCountry),
  holds(
    'BR-CO-10',
    ['BT-106', 'BT-131'],
    'The sum of the lines (BT-106) is not that of their net amounts (BT-131).',
    (invoice) => {
      const stated = invoice.amount('BT-106');
      return stated === null || same(stated, invoice.sum('BT-131'));
    },
  ),
  sums('BR-CO-11', 'BT-107', 'BT-92', 'The sum of the allowances (BT-107) is not that of their amounts (BT-92).'),
  sums('BR-CO-12', 'BT-108', 'BT-99', 'The sum of the charges (BT-108) is not that of their amounts (BT-99).'),
  holds(
    'BR-CO-13',
    ['BT-106', 'BT-107', 'BT-108', 'BT-109'],
    'The total without VAT (BT-109) is not the sum of the lines (BT-106) less allowances (BT-107) plus charges (BT-108).',
    (invoice) => {
      const net = invoice.amount('BT-109');
      const lines = invoice.amount('BT-106');
      if (net === null || lines === null) return true;
      return same(net, plus(minus(lines, amountOr0(invoice, 'BT-107')), amountOr0(invoice, 'BT-108')));
    },
  ),
  holds(
    'BR-CO-14',
    ['BT-110', 'BT-117'],
    'The total VAT (BT-110) is not the sum of the VAT of its categories (BT-117).',
    (invoice) => {
      const total = invoice.amount('BT-110');
      return total === null || invoice.all('BG-23').length === 0 || same(total, invoice.sum('BT-117'));
    },
  ),
  holds(
    'BR-CO-15',
    ['BT-109', 'BT-110', 'BT-112'],
    'The total with VAT (BT-112) is not the total without VAT (BT-109) plus VAT (BT-110).',
    (invoice, syntax) => {
      const net = invoice.amount('BT-109');
      const gross = invoice.amount('BT-112');
      const stated = invoice.all('BT-110').length;
      if (net === null || gross === null || !invoice.has('BT-5')) return true;
      // In CII, VAT of nothing need not be stated.
      return stated === 1 || (stated === 0 && syntax === 'cii')
        ? same(gross, plus(net, amountOr0(invoice, 'BT-110')))
        : false;
    },
  ),
  // Where a profile has no rounding amount (BT-114), it is zero.
  holds(
    'BR-CO-16',
    ['BT-112', 'BT-113', 'BT-115'],
    'The amount due (BT-115) is not the total with VAT (BT-112) less what is paid (BT-113) plus rounding (BT-114).',
    (invoice) => {
      const gross = invoice.amount('BT-112');
      const due = invoice.amount('BT-115');
      if (gross === null || due === null) return true;
      return same(due, plus(minus(gross, amountOr0(invoice, 'BT-113')), amountOr0(invoice, 'BT-114')));
    },
  ),
  holdsInEach(
    'BR-CO-17',
    'BG-23',
    ['BT-116', 'BT-117', 'BT-119'],
    'The VAT of a category (BT-117) is not its taxable amount (BT-116) times its rate (BT-119).',
    (breakdown) => isTaxOf(breakdown),
  ),
  holds('BR-CO-18', ['BG-23'], 'The VAT breakdown (BG-23) is missing.', (invoice) => invoice.has('BG-23')),
  requiredInEach('BR-CO-19', 'BG-14', ['BT-73', 'BT-74'], 'The start or the end of the invoicing period'),
  requiredInEach('BR-CO-20', 'BG-26', ['BT-134', 'BT-135'], 'The start or the end of the line period'),
  requiredInEach('BR-CO-21', 'BG-20', ['BT-97', 'BT-98'], 'The reason of the allowance'),
  requiredInEach('BR-CO-22', 'BG-21', ['BT-104', 'BT-105'], 'The reason of the charge'),
  requiredInEach('BR-CO-23', 'BG-27', ['BT-139', 'BT-140'], 'The reason of the line allowance'),
  requiredInEach('BR-CO-24', 'BG-28', ['BT-144', 'BT-145'], 'The reason of the line charge'),
  holdsInDocument(
    'BR-CO-25',
    ['BT-9', 'BT-20', 'BT-115'],
    'There is an amount to pay (BT-115), but neither a due date (BT-9) nor payment terms (BT-20).',
    (invoice, root) => {
      const isToPay = root.name !== 'ubl:CreditNote' && compare(amountOr0(invoice, 'BT-115'), zero) > 0;
      return isToPay && !invoice.has('BT-9') && !invoice.has('BT-20') ? [invoice.xpath] : [];
    },
  ),
  holds(
    'BR-CO-26',
    ['BT-29', 'BT-30', 'BT-31'],
    'The seller has no identifier (BT-29), legal registration (BT-30) or VAT identifier (BT-31).',
    (invoice) => ['BT-29', 'BT-30', 'BT-31'].some((term) => invoice.has(term)),
  ),
  ...decimals,
];

/** Whether the VAT of a category is its rate of the taxable amount, whatever their signs; both may be rounded, so that a difference below 1 is none. */
export const isTaxOf = (breakdown: InvoiceTerms): boolean => {
  const [taxable, tax, rate] = ['BT-116', 'BT-117', 'BT-119'].map((term) => breakdown.amount(term));
  if (!taxable || !tax) return true;
  const percent: Decimal = { digits: (rate ?? zero).digits, scale: (rate ?? zero).scale + 2 };
  if (roundedTo(rate ?? zero, 0) === 0n) return roundedTo(tax, 0) === 0n;
  const due: Decimal = { digits: roundedTo(times(absolute(taxable), percent), 2), scale: 2 };
  return isBelowOne(minus(absolute(tax), due));
};

/** Amounts may be rounded one by one. */
export const isBelowOne = (difference: Decimal): boolean => compare(absolute(difference), { digits: 1n, scale: 0 }) < 0;

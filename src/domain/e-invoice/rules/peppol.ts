import { absolute, compare, type Decimal, minus, plus, readDecimal, roundedTo, times, zero } from '../../decimal.ts';
import { dateOf } from '../dates.ts';
import type { InvoiceTerms } from '../invoice-terms.ts';
import { id, peppolXml } from './peppol-xml.ts';
import { holds, holdsForEach, holdsInEach, type Rule, required } from './rule.ts';

/** Two amounts are the same if they differ by no more than two cents. */
const isNear = (left: Decimal, right: Decimal): boolean =>
  compare(absolute(minus(left, right)), { digits: 2n, scale: 2 }) <= 0;

/** Allowances and charges with a percentage: of the document, and of lines. */
const discounts = [
  { group: 'BG-20', amount: 'BT-92', base: 'BT-93', percent: 'BT-94' },
  { group: 'BG-21', amount: 'BT-99', base: 'BT-100', percent: 'BT-101' },
  { group: 'BG-27', amount: 'BT-136', base: 'BT-137', percent: 'BT-138' },
  { group: 'BG-28', amount: 'BT-141', base: 'BT-142', percent: 'BT-143' },
];

const discountRules = discounts.flatMap(({ group, amount, base, percent }) => [
  holdsInEach(
    id('040'),
    group,
    [amount, base, percent],
    `The amount (${amount}) is not its base (${base}) times its percentage (${percent}).`,
    (part) => {
      const stated = part.amount(amount);
      const of = part.amount(base);
      const rate = part.amount(percent);
      if (stated === null || of === null || rate === null) return true;
      return isNear(stated, times(of, { digits: rate.digits, scale: rate.scale + 2 }));
    },
  ),
  holdsInEach(
    id('041'),
    group,
    [base, percent],
    `A percentage (${percent}) needs the base (${base}) that it is of.`,
    (part) => !part.has(percent) || part.has(base),
  ),
  holdsInEach(
    id('042'),
    group,
    [base, percent],
    `A base (${base}) needs its percentage (${percent}).`,
    (part) => !part.has(base) || part.has(percent),
  ),
]);

/** Whole divisions lose digits: the quotient is compared with more of them than amounts have. */
const QUOTIENT_SCALE = 12;
const divided = (left: Decimal, right: Decimal): Decimal => ({
  digits:
    roundedTo({ digits: left.digits * 10n ** BigInt(QUOTIENT_SCALE + right.scale), scale: left.scale }, 0) /
    right.digits,
  scale: QUOTIENT_SCALE,
});

const isLineAmount = (line: InvoiceTerms): boolean => {
  const net = line.amount('BT-131');
  const quantity = line.amount('BT-129');
  const price = line.amount('BT-146');
  if (net === null || quantity === null || price === null) return true;
  const base = line.amount('BT-149');
  const ofItems = times(quantity, base === null || base.digits === 0n ? price : divided(price, base));
  return isNear(net, minus(plus(ofItems, line.sum('BT-141')), line.sum('BT-136')));
};

/** A date of a line stays in the period of the invoice. */
const inPeriod = (
  number: string,
  own: string,
  whole: string,
  isIn: (date: string, bound: string) => boolean,
  what: string,
): Rule =>
  holdsForEach(id(number), own, `${what} (${own}) is outside of the invoicing period (${whole}).`, (text, invoice) => {
    const date = dateOf(text);
    const bound = dateOf(invoice.text(whole));
    return date === null || bound === null || isIn(date, bound);
  });

/** What Peppol BIS Billing adds to EN 16931-1, as far as it needs no list of codes: the rules PEPPOL-EN16931-R. */
export const peppol: readonly Rule[] = [
  required(id('001'), 'BT-23', 'The business process'),
  holds(
    id('003'),
    ['BT-10', 'BT-13'],
    'The reference of the buyer (BT-10) or of the order (BT-13) is missing.',
    (invoice) => invoice.has('BT-10') || invoice.has('BT-13'),
  ),
  holdsForEach(
    id('005'),
    'BT-6',
    'The accounting currency (BT-6) is that of the invoice (BT-5).',
    (currency, invoice) => currency !== invoice.text('BT-5'),
  ),
  holdsForEach(
    id('007'),
    'BT-23',
    'The business process (BT-23) has another form than urn:fdc:peppol.eu:2017:poacc:billing:01:1.0.',
    (text) => /^urn:fdc:peppol\.eu:2017:poacc:(?:self)?billing:\d{2}:1\.0$/.test(text),
  ),
  required(id('010'), 'BT-49', 'The electronic address of the buyer'),
  required(id('020'), 'BT-34', 'The electronic address of the seller'),
  ...discountRules,
  holdsInEach(
    id('046'),
    'BG-29',
    ['BT-146', 'BT-147', 'BT-148'],
    'The net price (BT-146) is not the gross price (BT-148) less the discount (BT-147).',
    (price, _, syntax) => {
      if (syntax === 'cii') return true;
      const net = price.amount('BT-146');
      const gross = price.amount('BT-148');
      if (net === null || gross === null) return true;
      return compare(net, minus(gross, price.amount('BT-147') ?? zero)) === 0;
    },
  ),
  holds(
    id('055'),
    ['BT-110', 'BT-111'],
    'The VAT in both currencies (BT-110, BT-111) has not the same sign.',
    (invoice) => {
      const total = invoice.amount('BT-110');
      const other = invoice.amount('BT-111');
      return total === null || other === null || compare(total, zero) * compare(other, zero) >= 0;
    },
  ),
  holdsInEach(
    id('061'),
    'BG-16',
    ['BT-81', 'BT-89'],
    'A direct debit (BT-81) needs the reference of its mandate (BT-89).',
    (payment, invoice, syntax) =>
      !['49', '59'].includes(payment.text('BT-81')) || (syntax === 'ubl' ? payment : invoice).has('BT-89'),
  ),
  inPeriod('110', 'BT-134', 'BT-73', (date, start) => date >= start, 'The start of the line period'),
  inPeriod('111', 'BT-135', 'BT-74', (date, end) => date <= end, 'The end of the line period'),
  holdsInEach(
    id('120'),
    'BG-25',
    ['BT-129', 'BT-131', 'BT-146'],
    'The net amount of a line (BT-131) is not its quantity times its price plus charges less allowances.',
    isLineAmount,
  ),
  holdsForEach(id('121'), 'BT-149', 'The base quantity of a price (BT-149) is not above zero.', (text) => {
    const quantity = readDecimal(text);
    return quantity !== null && compare(quantity, zero) > 0;
  }),
  holdsInEach(
    id('130'),
    'BG-25',
    ['BT-130', 'BT-150'],
    'The unit of the base quantity (BT-150) is not that of the invoiced quantity (BT-130).',
    (line) => !line.has('BT-150') || line.text('BT-150') === line.text('BT-130'),
  ),
  ...peppolXml,
];

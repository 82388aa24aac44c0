import { compare, type Decimal, minus, plus, roundedTo, zero } from '../../decimal.ts';
import type { InvoiceTerms } from '../invoice-terms.ts';
import { isBelowOne, isTaxOf } from './calculation.ts';
import { holds, holdsInEach, type Rule } from './rule.ts';

interface Category {
  /** In the ids of its rules. */
  readonly name: string;
  /** In an invoice: BT-95, BT-102, BT-118, BT-151. */
  readonly code: string;
  /** What the rate has to be. */
  readonly rate: 'above zero' | 'zero' | 'not below zero' | 'none';
  /** Its breakdown is one for each rate, or exactly one. */
  readonly perRate: boolean;
  /** Whether its breakdown says why it is exempt. */
  readonly hasReason: boolean;
  readonly parties: { readonly message: string; readonly test: (invoice: InvoiceTerms) => boolean };
}

const hasAny =
  (...terms: readonly string[]) =>
  (invoice: InvoiceTerms): boolean =>
    terms.some((term) => invoice.has(term));

const sellerKnown: Category['parties'] = {
  message: 'needs a VAT or tax identifier of the seller (BT-31, BT-32) or of its tax representative (BT-63)',
  test: hasAny('BT-31', 'BT-32', 'BT-63'),
};

const categories: readonly Category[] = [
  { name: 'S', code: 'S', rate: 'above zero', perRate: true, hasReason: false, parties: sellerKnown },
  { name: 'Z', code: 'Z', rate: 'zero', perRate: false, hasReason: false, parties: sellerKnown },
  { name: 'E', code: 'E', rate: 'zero', perRate: false, hasReason: true, parties: sellerKnown },
  {
    name: 'AE',
    code: 'AE',
    rate: 'zero',
    perRate: false,
    hasReason: true,
    parties: {
      message:
        'needs a tax identifier of the seller (BT-31, BT-32, BT-63) and an identifier of the buyer (BT-47, BT-48)',
      test: (invoice) => sellerKnown.test(invoice) && hasAny('BT-47', 'BT-48')(invoice),
    },
  },
  {
    name: 'IC',
    code: 'K',
    rate: 'zero',
    perRate: false,
    hasReason: true,
    parties: {
      message: 'needs the VAT identifiers of the seller (BT-31, BT-63) and of the buyer (BT-48)',
      test: (invoice) => hasAny('BT-31', 'BT-63')(invoice) && invoice.has('BT-48'),
    },
  },
  {
    name: 'G',
    code: 'G',
    rate: 'zero',
    perRate: false,
    hasReason: true,
    parties: {
      message: 'needs the VAT identifier of the seller (BT-31) or of its tax representative (BT-63)',
      test: hasAny('BT-31', 'BT-63'),
    },
  },
  {
    name: 'O',
    code: 'O',
    rate: 'none',
    perRate: false,
    hasReason: true,
    parties: {
      message: 'allows no VAT identifier of the seller (BT-31), its tax representative (BT-63) or the buyer (BT-48)',
      test: (invoice) => !hasAny('BT-31', 'BT-63', 'BT-48')(invoice),
    },
  },
  { name: 'AF', code: 'L', rate: 'not below zero', perRate: true, hasReason: false, parties: sellerKnown },
  { name: 'AG', code: 'M', rate: 'not below zero', perRate: true, hasReason: false, parties: sellerKnown },
];

/** Where a category is used: the group, the term of its code, the term of its rate, and of its amount. */
const uses = [
  { group: 'BG-25', code: 'BT-151', rate: 'BT-152', amount: 'BT-131', what: 'line', sign: 1 },
  { group: 'BG-20', code: 'BT-95', rate: 'BT-96', amount: 'BT-92', what: 'allowance', sign: -1 },
  { group: 'BG-21', code: 'BT-102', rate: 'BT-103', amount: 'BT-99', what: 'charge', sign: 1 },
] as const;

const isRate = (rate: Category['rate'], part: InvoiceTerms, term: string): boolean => {
  if (rate === 'none') return !part.has(term);
  const stated = part.amount(term);
  if (stated === null) return false;
  const order = compare(stated, zero);
  return rate === 'zero' ? order === 0 : order > 0 || (rate === 'not below zero' && order === 0);
};

const rates = { 'above zero': 'above zero', zero: 'zero', 'not below zero': 'zero or more', none: 'absent' };

/** What lines and charges of this category come to, less allowances; of one rate if there is one. */
const taxableOf = (invoice: InvoiceTerms, code: string, rate: Decimal | null): Decimal =>
  uses.reduce((sum, use) => {
    const parts = invoice
      .groups(use.group)
      .filter(
        (part) => part.text(use.code) === code && (rate === null || compare(part.amount(use.rate) ?? zero, rate) === 0),
      );
    const amount = parts.reduce((total, part) => plus(total, part.amount(use.amount) ?? zero), zero);
    return use.sign === 1 ? plus(sum, amount) : minus(sum, amount);
  }, zero);

const isTaxable = (breakdown: InvoiceTerms, invoice: InvoiceTerms, { code, perRate }: Category): boolean => {
  const stated = breakdown.amount('BT-116');
  if (stated === null) return true;
  const sum = taxableOf(invoice, code, perRate ? (breakdown.amount('BT-119') ?? zero) : null);
  if (!perRate) return roundedTo(stated, 2) === roundedTo(sum, 2);
  return isBelowOne(minus(stated, sum));
};

const rulesOf = (category: Category): readonly Rule[] => {
  const { name, code, rate, perRate, hasReason, parties } = category;
  const id = (number: string) => `BR-${name}-${number}`;
  const inBreakdown = (numbered: string, terms: readonly string[], message: string, test: BreakdownTest) =>
    holdsInEach(
      id(numbered),
      'BG-23',
      ['BT-118', ...terms],
      message,
      (breakdown, invoice) => breakdown.text('BT-118') !== code || test(breakdown, invoice),
    );
  return [
    holds(
      id('01'),
      ['BG-23', 'BT-118', 'BG-25', 'BT-151'],
      `An invoice with VAT category ${code} has ${perRate ? 'at least' : 'exactly'} one VAT breakdown (BG-23) of it.`,
      (invoice) => {
        const breakdowns = invoice.groups('BG-23').filter((each) => each.text('BT-118') === code).length;
        const isUsed = uses.some((use) => invoice.all(use.code).some(({ text }) => text.trim() === code));
        return perRate ? isUsed === breakdowns > 0 : breakdowns === 1 || (breakdowns === 0 && !isUsed);
      },
    ),
    ...uses.map((use, index) =>
      holds(
        id(`0${index + 2}`),
        [use.group, use.code],
        `A ${use.what} of VAT category ${code} ${parties.message}.`,
        (invoice) => {
          const isUsed = invoice.all(use.code).some(({ text }) => text.trim() === code);
          return !isUsed || parties.test(invoice);
        },
      ),
    ),
    ...uses.map((use, index) =>
      holdsInEach(
        id(`0${index + 5}`),
        use.group,
        [use.code, use.rate],
        `The VAT rate (${use.rate}) of a ${use.what} of category ${code} has to be ${rates[rate]}.`,
        (part) => part.text(use.code) !== code || isRate(rate, part, use.rate),
      ),
    ),
    inBreakdown(
      '08',
      ['BT-116', 'BG-25', 'BT-131'],
      `The taxable amount (BT-116) of VAT category ${code} is not the sum of its lines and charges less allowances.`,
      (breakdown, invoice) => isTaxable(breakdown, invoice, category),
    ),
    inBreakdown(
      '09',
      ['BT-117'],
      rate === 'zero' || rate === 'none'
        ? `The VAT (BT-117) of category ${code} has to be zero.`
        : `The VAT (BT-117) of category ${code} is not its taxable amount (BT-116) times its rate (BT-119).`,
      (breakdown) =>
        rate === 'zero' || rate === 'none'
          ? compare(breakdown.amount('BT-117') ?? zero, zero) === 0
          : isTaxOf(breakdown),
    ),
    inBreakdown(
      '10',
      ['BT-120', 'BT-121'],
      hasReason
        ? `VAT category ${code} needs the reason of its exemption (BT-120 or BT-121).`
        : `VAT category ${code} allows no reason of an exemption (BT-120, BT-121).`,
      (breakdown) => hasAny('BT-120', 'BT-121')(breakdown) === hasReason,
    ),
  ];
};

type BreakdownTest = (breakdown: InvoiceTerms, invoice: InvoiceTerms) => boolean;

const breakdownCodes = (invoice: InvoiceTerms): readonly string[] =>
  invoice.all('BT-118').map(({ text }) => text.trim());

/** Where there is a breakdown of category O, every other category is forbidden. */
const onlyOutside = (id: string, term: string, where: string): Rule =>
  holds(id, [term, 'BT-118'], `Beside VAT category O, ${where} has no other category (${term}).`, (invoice) => {
    const isOutside = breakdownCodes(invoice).includes('O');
    return !isOutside || invoice.all(term).every(({ text }) => text.trim() === 'O');
  });

const isIntraCommunity = (invoice: InvoiceTerms): boolean => breakdownCodes(invoice).includes('K');

/** What holds for each category of VAT: the rules BR-S, BR-Z, BR-E, BR-AE, BR-IC, BR-G, BR-O, BR-AF, BR-AG and BR-B of EN 16931-1. */
export const vatCategories: readonly Rule[] = [
  ...categories.flatMap(rulesOf),
  holds(
    'BR-IC-11',
    ['BT-118', 'BT-72', 'BG-14'],
    'An intra-Community supply needs the date of delivery (BT-72) or the invoicing period (BG-14).',
    (invoice) => !isIntraCommunity(invoice) || invoice.has('BT-72') || invoice.has('BG-14'),
  ),
  holds(
    'BR-IC-12',
    ['BT-118', 'BT-80'],
    'An intra-Community supply needs the country of delivery (BT-80).',
    (invoice) => !isIntraCommunity(invoice) || invoice.has('BT-80'),
  ),
  onlyOutside('BR-O-11', 'BT-118', 'the VAT breakdown'),
  onlyOutside('BR-O-12', 'BT-151', 'a line'),
  onlyOutside('BR-O-13', 'BT-95', 'an allowance'),
  onlyOutside('BR-O-14', 'BT-102', 'a charge'),
  holds(
    'BR-B-01',
    ['BT-118', 'BT-40', 'BT-55'],
    'Split payment (VAT category B) is for invoices within Italy: a country in it is another.',
    (invoice) =>
      !usesCode(invoice, 'B') || COUNTRIES.every((term) => invoice.all(term).every(({ text }) => text.trim() === 'IT')),
  ),
  holds(
    'BR-B-02',
    ['BT-118', 'BT-151'],
    'Split payment (VAT category B) does not stand beside the standard rate (S).',
    (invoice) => !(usesCode(invoice, 'B') && usesCode(invoice, 'S')),
  ),
];

/** Of the seller, the buyer, the tax representative, the delivery and the items. */
const COUNTRIES = ['BT-40', 'BT-55', 'BT-69', 'BT-80', 'BT-159'];

const usesCode = (invoice: InvoiceTerms, code: string): boolean =>
  ['BT-118', 'BT-151', 'BT-95', 'BT-102'].some((term) => invoice.all(term).some(({ text }) => text.trim() === code));

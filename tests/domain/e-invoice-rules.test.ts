import { expect } from 'chai';
import { readXml } from '../../src/adapters/text/formats/xml.ts';
import type { EInvoice, Profile } from '../../src/domain/e-invoice/e-invoice.ts';
import type { Rule } from '../../src/domain/e-invoice/rules/rule.ts';
import { rules, rulesOf, violationsOf } from '../../src/domain/e-invoice/violations.ts';
import type { Broken, Kind } from '../fixtures/e-invoice/broken.ts';
import { notNational } from '../fixtures/e-invoice/broken-national.ts';
import { incomplete, miscalculated } from '../fixtures/e-invoice/broken-standard.ts';
import { ofCategory, validCategories, validSplit, wrongCategories } from '../fixtures/e-invoice/broken-vat.ts';
import { add, type Change, changed, element, invoiceIn, put, twice, without } from '../fixtures/e-invoice/changes.ts';
import { EN16931, type Payment, PEPPOL, XRECHNUNG } from '../fixtures/e-invoice/full.ts';
import { fullCii } from '../fixtures/e-invoice/full-cii.ts';
import { fullUbl } from '../fixtures/e-invoice/full-ubl.ts';

const specifications: Readonly<Partial<Record<Profile, string>>> = {
  minimum: 'urn:factur-x.eu:1p0:minimum',
  basic_wl: 'urn:factur-x.eu:1p0:basicwl',
  basic: `${EN16931}#compliant#urn:factur-x.eu:1p0:basic`,
  en16931: EN16931,
  extended: `${EN16931}#conformant#urn:factur-x.eu:1p0:extended`,
  xrechnung: XRECHNUNG,
  peppol: PEPPOL,
};
const profiles = Object.keys(specifications) as readonly Profile[];
const kinds: readonly Kind[] = ['Invoice', 'CreditNote', 'cii'];
const payments: readonly Payment[] = ['transfer', 'card', 'debit'];

/** What MINIMUM and BASIC WL do not have of the full invoice. */
const beyond: Readonly<Partial<Record<Profile, readonly string[]>>> = {
  minimum: [
    'BT-6',
    'BT-9',
    'BT-20',
    'BT-28',
    'BT-34',
    'BT-49',
    'BT-106',
    'BT-107',
    'BT-108',
    'BT-111',
    'BT-113',
    'BT-114',
    'BG-1',
    'BG-3',
    'BG-6',
    'BG-8',
    'BG-10',
    'BG-11',
    'BG-13',
    'BG-14',
    'BG-16',
    'BG-20',
    'BG-21',
    'BG-23',
    'BG-24',
    'BT-35',
    'BT-37',
    'BT-38',
    'BT-48',
    'BT-89',
    'BT-90',
    'BG-25',
  ],
  basic_wl: ['BG-6', 'BG-18', 'BG-24', 'BG-25', 'BT-114'],
};

const written = new Map<string, EInvoice['root']>();
const full = (kind: Kind, profile: Profile, payment: Payment): EInvoice['root'] => {
  const key = [kind, profile, payment].join(' ');
  const known = written.get(key);
  if (known !== undefined) return known;
  const how = { specification: specifications[profile] ?? '', payment };
  const root = readXml(kind === 'cii' ? fullCii(how) : fullUbl(kind, how));
  const reduced = changed(
    root,
    (beyond[profile] ?? []).map((term) => without(term)),
  );
  written.set(key, reduced);
  return reduced;
};

const named = ({ id, message }: Pick<Rule, 'id' | 'message'>): string => `${id}: ${message}`;

/** The rules that an invoice breaks with these changes, with their messages: some have several. */
const breaks = (root: EInvoice['root'], changes: readonly Change[]): readonly string[] => {
  const known = found.get(root) ?? new Map<readonly Change[], readonly string[]>();
  found.set(root, known);
  const before = known.get(changes);
  if (before !== undefined) return before;
  const violations = violationsOf(invoiceIn(changed(root, changes)));
  const broken = [...new Set(violations.map(({ rule: id, message }) => named({ id, message })))];
  known.set(changes, broken);
  return broken;
};
/** What was found out once, as many tests ask for the same. */
const found = new Map<EInvoice['root'], Map<readonly Change[], readonly string[]>>();

const idsOf = (broken: readonly string[]): readonly string[] => [
  ...new Set(broken.map((rule) => rule.slice(0, rule.indexOf(':')))),
];

const cases: readonly Broken[] = [...incomplete, ...miscalculated, ...wrongCategories, ...notNational];

describe('the rules of e-invoices', () => {
  it('are kept by an invoice of every profile, syntax and way of payment', () => {
    for (const profile of profiles)
      for (const kind of kinds)
        for (const payment of payments) {
          const invoice = invoiceIn(full(kind, profile, payment));
          expect([invoice.profile, violationsOf(invoice)], `${kind} ${payment}`).to.deep.equal([profile, []]);
        }
  });

  for (const [name, changes] of [...validCategories, ['B', validSplit] as const])
    it(`are kept in the VAT category ${name}`, () => {
      for (const kind of kinds) expect(breaks(full(kind, 'en16931', 'transfer'), changes)).to.deep.equal([]);
    });

  const kept: readonly (readonly [string, Profile, readonly Kind[], readonly Change[]])[] = [
    [
      'where something is paid, or rounded',
      'en16931',
      kinds,
      [put('BT-113', '32.00'), put('BT-114', '-0.05'), put('BT-115', '200.00')],
    ],
    ['by a credit note without a due date', 'en16931', ['CreditNote'], [without('BT-20')]],
    [
      'by a code of the tax point without a period',
      'en16931',
      ['Invoice', 'CreditNote'],
      [add('BG-14', { ubl: element('cbc:DescriptionCode', '35') }), without('BT-73'), without('BT-74')],
    ],
    [
      'by an account without a number that nothing is transferred to',
      'en16931',
      kinds,
      [put('BT-81', '10'), without('BT-84')],
    ],
    ['by ten digits of a card', 'en16931', kinds, [put('BT-87', '1234567890')]],
    ['by VAT of nothing that is not stated', 'en16931', ['cii'], [...ofCategory('E', 0, true), without('BT-110')]],
    ['by two notes between Germans', 'peppol', ['Invoice', 'CreditNote'], [twice('BG-1')]],
    ['by self-billing', 'peppol', kinds, [put('BT-23', 'urn:fdc:peppol.eu:2017:poacc:selfbilling:01:1.0')]],
  ];
  for (const [what, profile, some, changes] of kept)
    it(`are kept ${what}`, () => {
      for (const kind of some) expect(breaks(full(kind, profile, 'transfer'), changes), kind).to.deep.equal([]);
    });

  it('have a case each', () => {
    const broken = new Set(
      cases.flatMap(({ changes, kinds: some = kinds, payment = 'transfer', profiles: [profile = 'en16931'] = [] }) =>
        some.flatMap((kind) => breaks(full(kind, profile, payment), changes)),
      ),
    );
    expect(rules.map(named).filter((rule) => !broken.has(rule))).to.deep.equal([]);
    const own = new Set(cases.map(({ rule }) => rule));
    expect(rules.map(({ id }) => id).filter((id) => !own.has(id))).to.deep.equal([]);
  });

  it('are those of EN 16931 in BASIC and EXTENDED too', () => {
    for (const profile of ['basic', 'extended'] as const) {
      expect(rulesOf(profile)).to.deep.equal(rulesOf('en16931'));
      expect(idsOf(breaks(full('cii', profile, 'transfer'), [without('BT-1')]))).to.deep.equal(['BR-02']);
    }
  });

  for (const each of cases) {
    const {
      rule,
      changes,
      also = [],
      kinds: some = kinds,
      payment = 'transfer',
      profiles: [profile = 'en16931'] = [],
    } = each;
    it(`${rule} is named where it is broken, and no other${also.length > 0 ? ` but ${also.join(', ')}` : ''}`, () => {
      for (const kind of some)
        expect(idsOf(breaks(full(kind, profile, payment), changes)), kind).to.have.members([rule, ...also]);
    });
  }

  // Factur-X is CII. Of MINIMUM and BASIC WL, what is broken are the rules over terms that they have.
  for (const profile of ['minimum', 'basic_wl'] as const)
    it(`are named in ${profile}, as far as it has them`, () => {
      const known = rulesOf(profile).map(named);
      const own = cases.filter(
        (each) => each.profiles === undefined && known.some((rule) => rule.startsWith(`${each.rule}:`)),
      );
      expect(own).to.have.length.above(15);
      for (const { rule, changes, kinds: some = kinds, payment = 'transfer' } of own) {
        if (!some.includes('cii')) continue;
        const inWhole = breaks(full('cii', 'en16931', payment), changes);
        const found = breaks(full('cii', profile, payment), changes);
        expect(found, rule).to.have.members(inWhole.filter((broken) => known.includes(broken)));
      }
    });
});

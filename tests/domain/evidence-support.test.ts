import { expect } from 'chai';
import fc from 'fast-check';
import { supportOf } from '../../src/domain/evidence-support.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { ExactNumber, jsonNumber } from '../../src/domain/json-number.ts';
import { drained } from '../support/generators.ts';
import { altered, support } from '../support/support-of.ts';

const seed = Date.now() % 2 ** 31;

const all = (document: JsonObject, quotes: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    drained(
      supportOf(
        document,
        Object.entries(quotes).map(([pointer, quote]) => ({ pointer, quote })),
      ),
    ),
  );

/** Digits in groups from the right: of three, or as in India of three and then of two. */
const grouped = (digits: string, sign: string, next = 3): string => {
  const groups = [digits.slice(-3)];
  for (let end = digits.length - 3; end > 0; end -= next) groups.unshift(digits.slice(Math.max(0, end - next), end));
  return groups.join(sign);
};

const notations: readonly ((whole: string, fraction: string) => string)[] = [
  (whole, fraction) => `${grouped(whole, ',')}.${fraction}`,
  (whole, fraction) => `${grouped(whole, '.')},${fraction}`,
  (whole, fraction) => `${grouped(whole, ' ')},${fraction}`,
  (whole, fraction) => `${grouped(whole, '\u202f')},${fraction}`,
  (whole, fraction) => `${grouped(whole, '\u00a0')}.${fraction}`,
  (whole, fraction) => `${grouped(whole, "'")}.${fraction}`,
  (whole, fraction) => `${grouped(whole, '’')}.${fraction}`,
  (whole, fraction) => `${grouped(whole, ',', 2)}.${fraction}`,
  (whole, fraction) => `${whole}.${fraction}`,
  (whole, fraction) => `${whole},${fraction}`,
];

const surroundings: readonly ((figure: string) => string)[] = [
  (figure) => figure,
  (figure) => `Total ${figure} EUR`,
  (figure) => `Gesamtbetrag: € ${figure}`,
  (figure) => `$${figure}`,
  (figure) => `Montant TTC ${figure}€.`,
  (figure) => `CHF ${figure} inkl. MwSt.`,
];

const negatives: readonly ((figure: string) => string)[] = [
  (figure) => `Credit -${figure} EUR`,
  (figure) => `Gutschrift −${figure}`,
  (figure) => `Gutschrift ${figure}-`,
  (figure) => `Credit (${figure})`,
  (figure) => `Credit (€${figure})`,
  (figure) => `Credit -€${figure}`,
  (figure) => `Credit € -${figure}`,
];

const amount = fc.tuple(fc.stringMatching(/^[1-9]\d{0,17}$/), fc.stringMatching(/^\d{2}$/));
const notation = fc.constantFrom(...notations);

describe(`support of a value by its quote (seed ${seed})`, () => {
  it('a number is supported in every notation, to its last digit', () => {
    fc.assert(
      fc.property(amount, notation, fc.constantFrom(...surroundings), ([whole, fraction], write, put) => {
        expect(support(jsonNumber(`${whole}.${fraction}`), put(write(whole, fraction)))).to.be.oneOf([
          'exact',
          'normalized',
        ]);
      }),
      { seed, numRuns: 500 },
    );
  });

  it('a number with an altered digit is not', () => {
    const place = fc.nat({ max: 40 });
    fc.assert(
      fc.property(
        amount,
        notation,
        fc.constantFrom(...surroundings),
        place,
        fc.integer({ min: 1, max: 9 }),
        ([whole, fraction], write, put, at, by) => {
          const value = jsonNumber(altered(`${whole}.${fraction}`, at, by));
          expect(support(value, put(write(whole, fraction)))).to.equal('none');
        },
      ),
      { seed, numRuns: 1000 },
    );
  });

  it('a number below zero is supported where it has a minus, before or behind it, or parentheses', () => {
    fc.assert(
      fc.property(amount, notation, fc.constantFrom(...negatives), ([whole, fraction], write, put) => {
        const quote = put(write(whole, fraction));
        expect(support(jsonNumber(`-${whole}.${fraction}`), quote), quote).to.be.oneOf(['exact', 'normalized']);
      }),
      { seed, numRuns: 300 },
    );
    expect(support(-12.5, 'Total 12.50')).to.equal('none');
    expect(support(12.5, 'Credit -12.50')).to.equal('none');
    expect(support(20, '10-20 pieces')).to.equal('exact');
  });

  it('says whether the number stands there as it is', () => {
    expect(support(1190.5, 'Total 1190.5 EUR')).to.equal('exact');
    expect(support(1190.5, 'Total 1,190.50 EUR')).to.equal('normalized');
    expect(support(4711, 'Invoice no. 4711')).to.equal('exact');
    expect(support(-5, 'Discount -5')).to.equal('exact');
    expect(support(new ExactNumber('123456789012345678901.25'), '123.456.789.012.345.678.901,25 €')).to.equal(
      'normalized',
    );
    expect(support(new ExactNumber('123456789012345678901.26'), '123.456.789.012.345.678.901,25 €')).to.equal('none');
  });

  it('a part of a number is not the number', () => {
    expect(support(190.5, 'Total 1,190.50')).to.equal('none');
    expect(support(234.56, 'Total 1 234,56 €')).to.equal('none');
    expect(support(14, 'of 2014')).to.equal('none');
    expect(support('14', 'of 2014')).to.equal('none');
  });

  it('finds a number in the row of a table, of a CSV file and in a date', () => {
    for (const value of [2, 100, 200]) expect(support(value, 'Nuts 2 100,00 200,00')).to.not.equal('none');
    for (const value of [2, 1, 200]) expect(support(value, 'A-1,EUR,Nuts,2,1.00,200.00')).to.not.equal('none');
    for (const value of [2, 1, 200]) expect(support(value, 'A-1;EUR;Nuts;2;1,00;200,00')).to.not.equal('none');
    for (const value of [1, 148]) expect(support(value, 'Burr set\t1\t148\t148')).to.equal('exact');
    expect(support(2026, '03.05.2026')).to.equal('exact');
  });

  it('reads percent, thousands and millions, and the dash for no cents', () => {
    expect(support(0.19, 'VAT 19 %')).to.equal('normalized');
    expect(support(19, 'VAT 19 %')).to.equal('exact');
    expect(support(0.055, 'TVA 5,5 %')).to.equal('normalized');
    expect(support(1_200_000, '1,2 Mio. €')).to.equal('normalized');
    expect(support(250_000, 'Tsd. 250 / 250 Tsd. €')).to.equal('normalized');
    expect(support(10, '10,- €')).to.equal('exact');
    expect(support(0.5, 'about .50')).to.equal('normalized');
  });

  it('a date is supported as English, German and French write it', () => {
    const quotes = [
      '3 May 2026',
      'May 3, 2026',
      'Sunday, 3rd of May 2026',
      '03/05/2026',
      '05/03/2026',
      '3-May-26',
      '2026/05/03',
      'MAY 3 2026',
      '3. Mai 2026',
      '03.05.2026',
      '3.5.26',
      '03. 05. 2026',
      'Berlin, den 3.Mai 2026',
      '20260503',
      '3 mai 2026',
      'le 03-05-2026',
    ];
    for (const quote of quotes) expect(support('2026-05-03', `Date: ${quote}`), quote).to.equal('normalized');
    expect(support('2026-05-03', 'Date: 2026-05-03.')).to.equal('exact');
    for (const quote of ['1. März 2026', '1 Mrz 2026', '1er mars 2026', 'Mar 1, 2026', '1. Mär. 2026']) {
      expect(support('2026-03-01', quote), quote).to.equal('normalized');
    }
    for (const quote of ['12 août 2026', '12. Aug. 2026', 'August 12th, 2026'])
      expect(support('2026-08-12', quote), quote).to.equal('normalized');
    expect(support('2026-05-03T14:30:00Z', '3. Mai 2026, 14:30 Uhr')).to.equal('normalized');
    expect(support('2026-05-03T14:30:00Z', 'May 3, 2026 at 2:30 p.m.')).to.equal('normalized');
    expect(support('2026-05-03T14:31:00Z', '3. Mai 2026, 14:30 Uhr')).to.equal('none');
  });

  it('a date with an altered digit is not', () => {
    const date = fc.date({
      min: new Date('1950-01-01T00:00:00Z'),
      max: new Date('2049-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    const locales = fc.constantFrom('en-GB', 'en-US', 'de-DE', 'fr-FR');
    const style = fc.constantFrom('long', 'medium', 'short');
    fc.assert(
      fc.property(
        date,
        locales,
        style,
        fc.nat({ max: 7 }),
        fc.integer({ min: 1, max: 9 }),
        (day, locale, dateStyle, at, by) => {
          const iso = day.toISOString().slice(0, 10);
          const quote = `Datum: ${new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' }).format(day)}`;
          expect(support(iso, quote), quote).to.equal('normalized');
          expect(support(altered(iso, at, by), quote), quote).to.equal('none');
        },
      ),
      { seed, numRuns: 500 },
    );
  });

  it('a currency is supported by its code, its sign and its name', () => {
    expect(support('EUR', '12 EUR')).to.equal('exact');
    for (const quote of ['€ 12', '12€', '12 Euro', '12 eur'])
      expect(support('EUR', quote), quote).to.equal('normalized');
    expect(support('USD', '$12.00')).to.equal('normalized');
    expect(support('CAD', '$12.00')).to.equal('normalized');
    expect(support('CHF', 'Fr. 12.00')).to.equal('normalized');
    expect(support('USD', '12 €')).to.equal('none');
  });

  it('a text is supported up to case, blanks, quotes, hyphens, ligatures and soft hyphens', () => {
    expect(support('Meyer & Söhne', 'Supplier: Meyer & Söhne')).to.equal('exact');
    const pairs = [
      ['meyer & söhne', 'MEYER & SÖHNE'],
      ['Hauptstraße 5', 'HAUPTSTRASSE 5'],
      ['DE89370400440532013000', 'IBAN DE89 3704 0044 0532 0130 00'],
      ["the 'best' one", 'the ‘best’ one'],
      ['A-4711', 'A‑4711'],
      ['first office', 'ﬁrst oﬃce'],
      ['Rechnung', 'Rech\u00adnung'],
      ['Rechnungsbetrag', 'Rech-\nnungsbetrag'],
      ['Rechnungsbetrag', 'Rech\u0002\nnungsbetrag'],
      ['Main St 5, 10115 Berlin', 'Main St 5\n10115 Berlin'],
      ['Söhne', 'So\u0308hne'],
      ['1.5 kg', '1,50 kg'],
      ['1.5 kg', '1,5 Kilogramm'],
      ['EUR 1190.50', '1.190,50 €'],
      ['1190.50', '1.190,50'],
    ] as const;
    for (const [value = '', quote = ''] of pairs)
      expect(support(value, quote), `${value} in ${quote}`).to.equal('normalized');
    for (const [value, quote] of [
      ['Meyer', 'Meyerhof'],
      ['A-4711', 'A-4712'],
      ['1.5 kg', '1,5 g'],
      ['EUR 5', '5 $'],
      ['', 'any'],
    ] as const) {
      expect(support(value, quote), `${value} in ${quote}`).to.equal('none');
    }
  });

  it('a part of a word is not the text, in another case either', () => {
    for (const [value, quote] of [
      ['Order 12', 'order 123'],
      ['Order 12', 'ORDER 123 of May'],
      ['Acme', 'ACMES Ltd'],
      ['Acme', 'ACMES'],
      ['Ende 𠀀', 'ENDE 𠀀5'],
    ] as const)
      expect(support(value, quote), `${value} in ${quote}`).to.equal('none');
    for (const [value, quote] of [
      ['Order 12', 'order 12'],
      ['Order 12', 'ORDER 12, of May'],
      ['Ende 𠀀', 'ENDE 𠀀 5'],
    ] as const)
      expect(support(value, quote), `${value} in ${quote}`).to.equal('normalized');
  });

  it('names of enums and booleans are supported by their words', () => {
    expect(support('in_transit', 'Status: In transit')).to.equal('normalized');
    expect(support('paid', 'PAID')).to.equal('normalized');
    expect(support('paid', 'unpaid')).to.equal('none');
    for (const quote of ['Express: yes', 'Eilig: Ja', 'oui', '☒ Express', '[x] Express', 'Express']) {
      expect(support(true, quote, 'express'), quote).to.equal('normalized');
    }
    for (const quote of ['Express: no', 'Nein', 'not express', '☐ Express', '[ ] Express']) {
      expect(support(false, quote, 'express'), quote).to.equal('normalized');
      expect(support(true, quote, 'express'), quote).to.equal('none');
    }
    expect(support(false, 'Invoice no. 4711', 'paid')).to.equal('none');
  });

  it('a sum or a product of numbers in the quote, or of quoted values, is computed', () => {
    expect(support(300, '2 x 150.00')).to.equal('computed');
    expect(support(234.57, '19 % of 1,234.56')).to.equal('computed');
    expect(support(60, '10 + 20 + 30')).to.equal('computed');
    expect(support(61, '10 + 20 + 30')).to.equal('none');
    const lines = [
      { quantity: 2, price: 1.1, amount: 2.2 },
      { quantity: 3, price: 0.1, amount: 0.3 },
    ];
    const found = all(
      { lines, total: 2.5, net: 2.4 },
      {
        '/lines/0/quantity': '2 pcs at 1,10',
        '/lines/0/price': '2 pcs at 1,10',
        '/lines/0/amount': 'see above',
        '/lines/1/quantity': '3 for 0.30',
        '/lines/1/price': 'at 0.1',
        '/lines/1/amount': '3 for 0.30',
        '/total': 'Total',
        '/net': 'Total',
      },
    );
    expect(found).to.include({
      '/lines/0/amount': 'computed',
      '/lines/1/amount': 'normalized',
      '/total': 'none',
      '/net': 'none',
    });
    expect(
      all(
        { lines: [{ a: 2.2 }, { a: 0.3 }], total: 2.5 },
        { '/lines/0/a': '2.20', '/lines/1/a': '0.30', '/total': 'Total' },
      ),
    ).to.include({
      '/total': 'computed',
    });
  });

  it('is not looked for again where it is known, and counts for sums', () => {
    const lines = [2.2, 0.3].map((amount, index) => ({ pointer: `/lines/${index}/a`, quote: 'not there', amount }));
    const document = { lines: lines.map(({ amount }) => ({ a: amount })), total: 2.5, net: 2.5 };
    const open = [
      { pointer: '/total', quote: 'Total' },
      { pointer: '/net', quote: '2.50', known: 'none' as const },
    ];
    const known = lines.map(({ pointer, quote }) => ({ pointer, quote, known: 'exact' as const }));
    expect(Object.fromEntries(drained(supportOf(document, [...known, ...open])))).to.deep.equal({
      '/lines/0/a': 'exact',
      '/lines/1/a': 'exact',
      '/total': 'computed',
      '/net': 'computed',
    });
    expect(Object.fromEntries(drained(supportOf(document, [...lines, ...open])))).to.include({
      '/lines/0/a': 'none',
      '/total': 'none',
    });
  });

  it('answers a hostile quote soon', () => {
    const hostile = [
      '1 '.repeat(1000),
      '111 '.repeat(500),
      '1,'.repeat(1000),
      '-'.repeat(2000),
      '(€ '.repeat(600),
      'a'.repeat(2000),
      '1.1.'.repeat(500),
    ];
    for (const quote of hostile) for (const value of [12.5, 'a'.repeat(999), '2026-05-03', true]) support(value, quote);
  });
});

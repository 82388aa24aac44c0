import { expect } from 'chai';
import fc from 'fast-check';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { altered, support } from '../support/support-of.ts';

const seed = Date.now() % 2 ** 31;

const european =
  'bg hr cs da nl en-IE et fi fr de el hu ga it lv lt mt pl pt ro sk sl es sv en-US de-AT fr-CA nb ru'.split(' ');
const others = ['tr', 'uk', 'he', 'ar', 'ar-SY', 'ar-EG-u-nu-arab', 'ar-u-nu-arabext'];
const inNumbers = 'de-CH fr-CH en-IN hi-u-nu-deva bn fa ja ja-u-nu-fullwide zh ko th-u-nu-thai'.split(' ');
const inDates = ['ja', 'ja-u-nu-fullwide', 'ja-u-ca-japanese', 'zh-Hans', 'zh-Hant-u-ca-roc', 'zh-Hans-u-ca-roc'];

/** Polish, Czech and Croatian take these for different months. */
const TWO_MONTHS = /(?<!\p{L})(?:listopada|lis|lip|srp)(?!\p{L})/iu;
const dateStyles = ['full', 'long', 'medium', 'short'] as const;

const found = ['exact', 'normalized'];

const amounts = fc
  .tuple(fc.stringMatching(/^[1-9]\d{0,13}$/), fc.stringMatching(/^\d{2}$/))
  .map((parts) => parts.join('.'));
const surroundings = fc.constantFrom(
  (words: string) => words,
  (words: string) => `Total: ${words}`,
  (words: string) => `合計 ${words}\n`,
  (words: string) => `סה"כ ${words} ,`,
);

describe(`support in the languages of the world (seed ${seed})`, () => {
  it('a number is supported as every language writes it, alone and with a currency, and no other number is', () => {
    const styles = fc.constantFrom<Intl.NumberFormatOptions[]>(
      {},
      { style: 'currency', currency: 'EUR' },
      { style: 'currency', currency: 'EUR', currencySign: 'accounting' },
      { style: 'currency', currency: 'EUR', currencyDisplay: 'code' },
    );
    const locales = fc.constantFrom(...european, ...others, ...inNumbers);
    fc.assert(
      fc.property(
        ...([
          amounts,
          locales,
          styles,
          surroundings,
          fc.boolean(),
          fc.nat({ max: 40 }),
          fc.integer({ min: 1, max: 9 }),
        ] as const),
        (amount, locale, style, put, negative, at, by) => {
          const format = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, ...style });
          const [value, opposite] = negative ? [`-${amount}`, amount] : [amount, `-${amount}`];
          const quote = put(format.format(value as never));
          expect(support(jsonNumber(value), quote), `${value} in ${quote}`).to.be.oneOf(found);
          expect(support(jsonNumber(altered(value, at, by)), quote), `altered ${value} in ${quote}`).to.equal('none');
          if (style.currencySign !== 'accounting' && amount !== '0.00')
            expect(support(jsonNumber(opposite), quote), `${opposite} in ${quote}`).to.equal('none');
        },
      ),
      { seed, numRuns: 2000 },
    );
  });

  it('a date is supported as every language writes it, in any case and without accents, and no other date is', () => {
    const locales = [...european, ...others, ...inDates];
    const formats = new Map<string, Intl.DateTimeFormat>(
      locales.flatMap((locale) =>
        dateStyles.map(
          (dateStyle) =>
            [`${locale} ${dateStyle}`, new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' })] as const,
        ),
      ),
    );
    const written = (day: Date, locale: string, style: string) => formats.get(`${locale} ${style}`)?.format(day) ?? '';
    const days = fc.date({
      min: new Date('1950-01-01T00:00:00Z'),
      max: new Date('2049-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    const changes = fc.constantFrom(
      (text: string) => text,
      (text: string) => text.toUpperCase(),
      (text: string) => text.normalize('NFD').replace(/\p{M}/gu, ''),
      (text: string) => text.replace(/(?<=\p{L})\.(?=\s)/gu, ''),
    );
    fc.assert(
      fc.property(
        ...([days, fc.constantFrom(...locales), fc.constantFrom(...dateStyles), changes, surroundings] as const),
        ...([fc.nat({ max: 7 }), fc.integer({ min: 1, max: 9 })] as const),
        (day, locale, style, change, put, at, by) => {
          const text = written(day, locale, style);
          const [iso, quote] = [day.toISOString().slice(0, 10), put(change(text))];
          expect(support(iso, quote), `${iso} in ${quote} (${locale})`).to.be.oneOf(found);
          const other = altered(iso, at, by);
          if (TWO_MONTHS.test(text)) return;
          expect(support(other, quote), `${other} in ${quote} (${locale})`).to.equal('none');
        },
      ),
      { seed, numRuns: 2000 },
    );
  });

  it('the name of a month is supported alone and inflected, as forms and letters have it', () => {
    for (const [quote, day] of [
      ...(
        ['toukokuu 3, 2026', '3 květen 2026', '3 мая 2026 г.', '3. kvě. 2026', 'Μάιος 3, 2026', '3 may 2026'] as const
      ).map((quote) => [quote, '2026-05-03'] as const),
      ['٣ أيار ٢٠٢٦', '2026-05-03'],
      ['3 كانون الثاني 2026', '2026-01-03'],
      ['3 Deireadh Fómhair 2026', '2026-10-03'],
      ['3 de diciembre del 2026', '2026-12-03'],
      ['1º de março de 2026', '2026-03-01'],
      ['3. jaenner 2026', '2026-01-03'],
      ['3 KASIM 2026', '2026-11-03'],
      ['3 כסלו 2026', null],
      ['3 Monat 2026', null],
    ] as const)
      for (const value of ['2026-01-03', '2026-03-01', '2026-05-03', '2026-10-03', '2026-11-03', '2026-12-03'])
        expect(support(value, quote), `${value} in ${quote}`).to.equal(value === day ? 'normalized' : 'none');
    // October in Croatia, November in Poland: both can be meant.
    for (const value of ['2026-10-03', '2026-11-03']) expect(support(value, '3 listopada 2026')).to.equal('normalized');
    expect(support('2026-12-03', '3 listopada 2026')).to.equal('none');
  });

  it('years of East Asia are supported in every form, and what they leave open is not', () => {
    for (const quote of [
      '2026年5月3日',
      '２０２６年０５月０３日',
      '2026年 5月 3日(日)',
      '2026년 5월 3일',
      '発行日令和8年5月3日',
      '令和８年５月３日',
      'R8.5.3',
      'R08/05/03',
      '㋿8年5月3日',
      '民國115年5月3日',
      '中华民国115年5月3日',
      '民国115/5/3',
    ])
      expect(support('2026-05-03', quote), quote).to.equal('normalized');
    expect(support('2019-05-01', '令和元年5月1日')).to.equal('normalized');
    expect(support('1989-01-08', 'H1.1.8')).to.equal('normalized');
    for (const quote of ['26年5月3日', '8年5月3日', '昭和8年5月3日', 'S8.5.3', '115年5月3日', '2026年5月30日'])
      expect(support('2026-05-03', quote), quote).to.equal('none');
    expect(support('2008-05-03', '令和08年5月3日')).to.equal('none');
    expect(support('2003-05-08', 'R08/05/03')).to.equal('none');
  });

  it('the year that ends one date begins no other', () => {
    const quote = '15 Dec 2025 14 Jan 2026';
    for (const value of ['2025-12-15', '2026-01-14']) expect(support(value, quote)).to.equal('normalized');
    for (const value of ['2025-01-14', '2026-12-15', '2026-01-15']) expect(support(value, quote)).to.equal('none');
    for (const period of [
      'Dec 15, 2025 - Jan 14, 2026',
      '2025. december 15. - 2026. január 14.',
      '15.12.2025 14 Jan 2026',
    ])
      expect(support('2025-01-14', period), period).to.equal('none');
    expect(support('2010-05-03', '3 May 10:30')).to.equal('none');
  });

  it('what may be below zero is supported with both signs, what is certain with one', () => {
    for (const quote of [
      '1,234.50 CR',
      '1,234.50CR',
      '$1,234.50 Cr.',
      '1,234.50 USD CR',
      'CR 1,234.50',
      '(1,234.50)',
      '（１，２３４．５０）',
      '(1’234.50 CHF)',
      '▲1,234.50',
      '△ ¥1,234.50',
      '1.234,50 -',
      '1.234,50 € -\n',
    ]) {
      expect(support(-1234.5, quote), quote).to.equal('normalized');
      expect(support(1234.5, quote), quote).to.equal('normalized');
    }
    for (const quote of [
      '1.234,50-',
      '1.234,50 €-',
      '－１，２３４．５０',
      '‎-1,234.50',
      '؜-١٬٢٣٤٫٥٠',
      '−1 234,50',
      'CHF-1’234.50',
    ]) {
      expect(support(-1234.5, quote), quote).to.equal('normalized');
      expect(support(1234.5, quote), quote).to.equal('none');
    }
    for (const quote of ['1,234.50 crates', '1,234.50 - paid', 'CRATE 1,234.50', '1,234.50 - 2,000.00'])
      expect(support(-1234.5, quote), quote).to.equal('none');
  });

  it('separators that mean one thing are read in one way', () => {
    expect(support(1234, '١٬٢٣٤')).to.equal('normalized');
    expect(support(1.234, '١٬٢٣٤')).to.equal('none');
    expect(support(1.234, '١٫٢٣٤')).to.equal('normalized');
    expect(support(1234, '١٫٢٣٤')).to.equal('none');
    expect(support(123456.78, '₹1,23,456.78')).to.equal('normalized');
    expect(support(23456.78, '₹1,23,456.78')).to.equal('none');
    expect(support(0.125, '0,125 kg')).to.equal('normalized');
    for (const quote of ['0,125 kg', '0.125 kg', '0٬125', "0'125", '0,12,345']) {
      expect(support(125, quote), quote).to.equal('none');
      expect(support(12345, quote), quote).to.equal('none');
    }
    expect([support(0, 'Rabatt 0 125'), support(125, 'Rabatt 0 125')], 'two cells').to.deep.equal(['exact', 'exact']);
    expect(support(123, '１２３')).to.equal('normalized');
    expect(support('INV-123', 'رقم INV-١٢٣')).to.equal('normalized');
    expect(support('1234 JPY', '合計１，２３４円')).to.equal('normalized');
  });

  it('answers a hostile quote soon', () => {
    for (const unit of ['3 may ', '令和8年', '2026. ', '3 de ', '٣٬', '▲1 CR ', 'كانون ', "3.'/-"])
      for (const value of ['2026-05-03', 12.5, 'x1']) support(value, unit.repeat(2000));
  });
});

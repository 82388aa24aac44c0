import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonValue } from '../../src/domain/json.ts';
import type { PageLayout, PageWord } from '../../src/domain/page-words.ts';
import * as places from '../../src/domain/quote-places.ts';
import { drained } from '../support/generators.ts';

const placeQuotes = (quotes: readonly Omit<places.QuoteToPlace, 'value'>[], value: JsonValue = null) =>
  drained(places.placeQuotes(quotes.map((quote) => ({ ...quote, value }))));

const seed = Date.now() % 2 ** 31;

const CHARACTER = 0.008;
const LINE = 0.02;

/** A page whose words stand in lines, and in columns where a line has several blanks. */
const pageOf = (
  lines: readonly string[],
  over: Partial<PageLayout> = {},
  confidence: number | null = null,
): PageLayout => {
  const words = lines.flatMap((line, index) =>
    [...line.matchAll(/\S+/g)].map(({ 0: text, index: column }): PageWord => {
      const place = {
        x: 0.05 + CHARACTER * column,
        y: 0.05 + LINE * index,
        width: CHARACTER * text.length,
        height: LINE * 0.7,
      };
      return { text, ...place, confidence };
    }),
  );
  return { number: 1, width: 595, height: 842, source: 'text', words, ...over };
};

const place = (layout: PageLayout, quote: string) => placeQuotes([{ pointer: '/a', quote, layout }]).get('/a');

const under = (layout: PageLayout, boxes: readonly { x: number; y: number; width: number; height: number }[]) =>
  layout.words.filter((word) =>
    boxes.some(
      ({ x, y, width, height }) =>
        word.x + word.width / 2 > x &&
        word.x + word.width / 2 < x + width &&
        word.y + word.height / 2 > y &&
        word.y + word.height / 2 < y + height,
    ),
  );

const textUnder = (layout: PageLayout, quote: string) => {
  const found = place(layout, quote);
  return (
    found &&
    under(layout, found.boxes)
      .map(({ text }) => text)
      .join(' ')
  );
};

describe(`the places of quotes (seed ${seed})`, () => {
  const invoice = pageOf([
    'Invoice no. 4711',
    '',
    'Item        Qty   Amount',
    'Nuts         12    24.00',
    'Bolts        12    36.00',
    'Total 1,190.50 EUR',
  ]);

  it('are the boxes of the words, one for each line', () => {
    expect(textUnder(invoice, 'Total 1,190.50 EUR')).to.equal('Total 1,190.50 EUR');
    expect(place(invoice, 'Total 1,190.50 EUR')).to.deep.equal({
      boxes: [{ page: 1, x: 0.05, y: 0.15, width: 0.144, height: 0.014 }],
      source: 'text',
      confidence: null,
      approximate: false,
    });
    expect(place(invoice, 'Bolts 12 36.00 Total 1,190.50')?.boxes).to.have.length(2);
    expect(textUnder(invoice, '4711')).to.equal('4711');
    expect(place(invoice, 'Total 1,191.50 EUR')).to.equal(undefined);
    expect(place(invoice, '')).to.equal(undefined);
  });

  it('do not depend on what typesetting changes', () => {
    const page = pageOf([
      'Rech-',
      'nungsbetrag: ﬁve ‘per’ cent',
      'So\u0308hne & Cie',
      'DE89 3704 0044',
      'ein Wör\u00adter\u00adbuch',
      'Zahlungs\u0002',
      'ziel',
    ]);
    expect(place(page, 'Rechnungsbetrag')?.boxes).to.have.length(2);
    expect(place(page, 'Rech-\nnungsbetrag')?.boxes).to.have.length(2);
    expect(place(page, 'Zahlungsziel')?.boxes).to.have.length(2);
    expect(textUnder(page, "five 'per' cent")).to.equal('ﬁve ‘per’ cent');
    expect(textUnder(page, 'SÖHNE')).to.equal('So\u0308hne');
    expect(textUnder(page, 'DE8937040044')).to.equal('DE89 3704 0044');
    expect(textUnder(page, 'Wörterbuch')).to.equal('Wör\u00adter\u00adbuch');
    for (const quote of ['Rechnungsbetrag', "five 'per'", 'Wörterbuch'])
      expect(place(page, quote)?.approximate, quote).to.equal(false);
  });

  it('are found where the file has its words column by column', () => {
    const { words } = invoice;
    const byColumn = { ...invoice, words: words.toSorted((a, b) => Math.round((a.x - b.x) * 20) || a.y - b.y) };
    expect(textUnder(byColumn, 'Bolts 12 36.00')?.split(' ').toSorted()).to.deep.equal(['12', '36.00', 'Bolts']);
    expect(place(byColumn, 'Bolts 12 36.00')?.boxes).to.have.length(1);
  });

  it('are one box for each line of a page that lies on its side or its head, each value in its row', () => {
    const turns: readonly ((word: PageWord) => PageWord)[] = [
      ({ x, y, width, height, ...word }) => ({ ...word, x: 1 - y - height, y: x, width: height, height: width }),
      ({ x, y, ...word }) => ({ ...word, x: 1 - x - word.width, y: 1 - y - word.height }),
      ({ x, y, width, height, ...word }) => ({ ...word, x: y, y: 1 - x - width, width: height, height: width }),
    ];
    const rows = ['Nuts', 'Bolts'].flatMap((quote, row) => [
      { pointer: `/lines/${row}/name`, quote },
      { pointer: `/lines/${row}/quantity`, quote: '12' },
    ]);
    for (const turn of turns) {
      const page = { ...invoice, words: invoice.words.map(turn) };
      for (const quote of ['Bolts 12 36.00', 'Total 1,190.50 EUR']) {
        expect(place(page, quote)?.boxes, quote).to.have.length(1);
        expect(textUnder(page, quote)).to.equal(quote);
      }
      expect(place(page, 'Bolts 12 36.00 Total')?.boxes).to.have.length(2);
      const found = placeQuotes(rows.map((row) => ({ ...row, layout: page })));
      const whole = { ...page, words: page.words };
      for (const row of [0, 1]) {
        const quote = row === 0 ? 'Nuts 12 24.00' : 'Bolts 12 36.00';
        const [line] = place(whole, quote)?.boxes ?? [];
        const [box] = found.get(`/lines/${row}/quantity`)?.boxes ?? [];
        expect(
          [box?.x, box?.y].map((side, axis) => (side ?? 9) >= ((axis === 0 ? line?.x : line?.y) ?? 10) - 1e-5),
        ).to.deep.equal([true, true]);
      }
    }
  });

  it('of a number are digits that stand together, never those of several cells', () => {
    const table = pageOf(['Pos    Qty     Price', '3       12     0,50', '5        7    1 234,00']);
    const byColumn = { ...table, words: table.words.toSorted((a, b) => Math.round((a.x - b.x) * 15) || a.y - b.y) };
    expect(byColumn.words.map(({ text }) => text).join(' ')).to.contain('Pos 3 5 Qty 12 7');
    for (const quote of ['35', '312', '127', '57', '120,50', '71234,00']) {
      for (const page of [table, byColumn]) expect(place(page, quote), quote).to.equal(undefined);
    }
    for (const quote of ['1 234,00', '1234,00']) expect(textUnder(table, quote)).to.equal('1 234,00');
    expect(textUnder(table, '12 0,50')).to.equal('12 0,50');
  });

  it('of a quote that occurs often are near its neighbours', () => {
    const entries = [
      { pointer: '/lines/0/quantity', quote: '12' },
      { pointer: '/lines/0/amount', quote: '24.00' },
      { pointer: '/lines/1/quantity', quote: '12' },
      { pointer: '/lines/1/amount', quote: '36.00' },
    ];
    const found = placeQuotes(entries.map((entry) => ({ ...entry, layout: invoice })));
    const line = (pointer: string) => Math.round(((found.get(pointer)?.boxes[0]?.y ?? 0) - 0.05) / LINE);
    expect(entries.map(({ pointer }) => line(pointer))).to.deep.equal([3, 3, 4, 4]);
    const same = pageOf(['Nuts 12 24.00', 'Nuts 12 24.00']);
    const rows = placeQuotes(
      [0, 1].flatMap((row) =>
        ['a', 'b'].map((key) => ({ pointer: `/lines/${row}/${key}`, quote: 'Nuts 12 24.00', layout: same })),
      ),
    );
    expect([...rows.values()].map(({ boxes }) => boxes[0]?.y)).to.deep.equal([0.05, 0.05, 0.07, 0.07]);
  });

  it('of a row stand in its line and in their columns, though the next line has the same words nearer by', () => {
    const list = pageOf([
      '8 Nuts of steel, zinc plated           2    3.10     6.20',
      '9 Bolts                                8    6.20     6.20',
      '10 Washers                            15    1.00    15.00',
    ]);
    const rows = [
      { description: 'Nuts', quantity: '2', price: '3.10', amount: '6.20' },
      { description: 'Bolts', quantity: '8', price: '6.20', amount: '6.20' },
      { description: 'Washers', quantity: '15', price: '1.00', amount: '15.00' },
    ];
    const quotes = rows.flatMap((row, index) =>
      Object.entries(row).map(([name, quote]) => ({ pointer: `/lines/${index}/${name}`, quote, layout: list })),
    );
    const found = placeQuotes(quotes);
    const at = (pointer: string) => {
      const { x = 0, y = 0 } = found.get(pointer)?.boxes[0] ?? {};
      return [Math.round((x - 0.05) / CHARACTER), Math.round((y - 0.05) / LINE)];
    };
    expect(at('/lines/1/quantity')).to.deep.equal([39, 1]);
    expect(at('/lines/1/price')).to.deep.equal([44, 1]);
    expect(at('/lines/1/amount')).to.deep.equal([53, 1]);
    expect(at('/lines/0/amount')).to.deep.equal([53, 0]);
  });

  it('are whole words as they are seen, sooner than parts of words in the order of the file', () => {
    const list = pageOf(['Bolts    3 kg    588.8 kg', 'Nuts    12 kg    673.3 kg']);
    const byColumn = ['Bolts', 'Nuts', '3', '12', '673.3', 'kg', '588.8'].map((text) =>
      list.words.find((each) => each.text === text),
    );
    const words = [...byColumn.flatMap((each) => each ?? []), ...list.words.filter((each) => !byColumn.includes(each))];
    expect(
      textUnder({ ...list, words }, '3 kg 588.8')
        ?.split(' ')
        .toSorted(),
    ).to.deep.equal(['3', '588.8', 'kg']);
  });

  it('are found where the quote ends with the hyphen of a divided word', () => {
    const page = pageOf(['The terms of pay-', 'ment are known']);
    expect(textUnder(page, 'terms of pay-')).to.equal('terms of pay-');
  });

  it('are approximate where the words differ, and then their digits do not', () => {
    const scan = pageOf(['The tenant may terminete the lease with 30 days notice'], { source: 'ocr' }, 0.9);
    expect(place(scan, 'may terminate the lease with 30 days notice')).to.include({
      approximate: true,
      source: 'ocr',
      confidence: 0.9,
    });
    expect(place(scan, 'may terminete the lease with 30 days notice')).to.include({ approximate: false });
    expect(place(scan, 'may terminate the lease with 31 days notice')).to.equal(undefined);
    expect(place(scan, 'the landlord may raise the rent at any time')).to.equal(undefined);
    expect(place(pageOf(['Offset paper, 80 g/m², hite']), 'Offset paper, 80 g/m2, white')).to.include({
      approximate: true,
    });
  });

  it('of OCR have the confidence of the least sure word', () => {
    const page = pageOf(['Total 12.50 EUR'], { source: 'ocr' });
    const words = page.words.map((word, index) => ({ ...word, confidence: [0.98, 0.61, 0.9][index] ?? null }));
    expect(place({ ...page, words }, 'Total 12.50')).to.include({ source: 'ocr', confidence: 0.61 });
    expect(place({ ...page, words }, 'EUR')).to.include({ confidence: 0.9 });
  });

  it('of OCR have the confidence of the words of the value, not of those that are quoted with it', () => {
    const page = pageOf(['2 Steel bolts 1 234.50 2 469.00 Sum'], { source: 'ocr' });
    const sure = [0.5, 0.9, 0.95, 0.96, 0.97, 0.98, 0.99, 0.1];
    const words = page.words.map((each, index) => ({ ...each, confidence: sure[index] ?? null }));
    const quote = '2 Steel bolts 1 234.50 2 469.00 Sum';
    const confidence = (value: JsonValue) =>
      placeQuotes([{ pointer: '/lines/0/a', quote, layout: { ...page, words } }], value).get('/lines/0/a')?.confidence;
    expect(confidence(1234.5)).to.equal(0.96);
    expect(confidence(2469)).to.equal(0.98);
    expect(confidence('Steel bolts')).to.equal(0.9);
    expect(confidence('steel')).to.equal(0.9);
    // It stands there twice, or is computed: what is not certain counts.
    expect(confidence(2)).to.equal(0.5);
    expect(confidence(3703.5)).to.equal(0.1);
  });

  const word = fc.oneof(
    fc.stringMatching(/^[a-zA-ZäöüéßÀ-Ý]{1,12}[.,:]?$/),
    fc.stringMatching(/^\d{1,3}([.,]\d{2,3}){0,2}$/),
    fc.constantFrom('€', '-', '%', '–'),
  );
  const page = fc.array(fc.array(word, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 30 });

  it('never miss a quote that the page has, and have all its words', () => {
    fc.assert(
      fc.property(page, fc.nat(), fc.integer({ min: 1, max: 12 }), (lines, from, count) => {
        const layout = pageOf(lines.map((line) => line.join(' ')));
        const words = layout.words.slice(from % layout.words.length).slice(0, count);
        const quote = words.map(({ text }) => text).join(' ');
        const found = place(layout, quote);
        if (!/[\p{L}\p{N}€%]/u.test(quote)) return;
        const letters = (text: string) =>
          [
            ...text
              .normalize('NFC')
              .toLowerCase()
              .replaceAll('ß', 'ss')
              .replace(/[^\p{L}\p{N}]/gu, ''),
          ]
            .toSorted()
            .join('');
        const text =
          found === undefined
            ? ''
            : under(layout, found.boxes)
                .map((each) => each.text)
                .join('');
        for (const letter of letters(quote)) expect(letters(text), quote).to.include(letter);
        expect(letters(text).length, quote).to.be.at.least(letters(quote).length);
      }),
      { seed, numRuns: 300 },
    );
  });

  it('are found for every quote of which few letters are others', () => {
    const letters = fc.array(fc.stringMatching(/^[a-z]{3,12}$/), { minLength: 6, maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 20 }),
        fc.nat(),
        fc.array(fc.nat(), { maxLength: 20 }),
        (lines, at, slips) => {
          const layout = pageOf(lines.map((line) => line.join(' ')));
          const quote = [...(lines[at % lines.length] ?? []).join(' ')];
          const most = Math.floor(quote.filter((letter) => letter !== ' ').length * 0.15);
          for (const slip of slips.slice(0, most))
            if (quote[slip % quote.length] !== ' ') quote[slip % quote.length] = 'ö';
          expect(place(layout, quote.join(''))).to.not.equal(undefined);
        },
      ),
      { seed, numRuns: 200 },
    );
  });

  it('never leave their page, wherever its words are said to stand', () => {
    const number = fc.double({ min: -0.5, max: 1.5, noNaN: true });
    const anywhere = fc.record({
      text: word,
      x: number,
      y: number,
      width: number.map(Math.abs),
      height: number.map(Math.abs),
      confidence: fc.constant(null),
    });
    fc.assert(
      fc.property(fc.array(anywhere, { minLength: 1, maxLength: 20 }), fc.nat(), (words, from) => {
        const quote = words
          .slice(from % words.length)
          .map(({ text }) => text)
          .join(' ');
        for (const box of place(pageOf([], { words }), quote)?.boxes ?? []) {
          for (const side of [box.x, box.y, box.width, box.height]) expect(side).to.be.within(0, 1);
          expect(box.x + box.width).to.be.at.most(1.000001);
          expect(box.y + box.height).to.be.at.most(1.000001);
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  it('are none for a quote whose digits the page does not have', () => {
    fc.assert(
      fc.property(page, fc.nat(), fc.integer({ min: 1, max: 9 }), (lines, at, by) => {
        const layout = pageOf(lines.map((line) => line.join(' ')));
        const text = lines.map((line) => line.join(' ')).join(' ');
        const digits = [...text.matchAll(/\d/g)].map(({ index }) => index);
        const changed = digits[at % Math.max(1, digits.length)];
        if (changed === undefined) return;
        const quote = `${text.slice(0, changed)}${(Number(text[changed]) + by) % 10}${text.slice(changed + 1)}`;
        expect(place(layout, quote)).to.equal(undefined);
      }),
      { seed, numRuns: 200 },
    );
  });
});

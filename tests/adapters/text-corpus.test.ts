import { expect } from 'chai';
import fc from 'fast-check';
import { degrees, PDFDocument } from 'pdf-lib';
import { textExtractor } from '../../src/adapters/text/extractor.ts';
import { readPdf } from '../../src/adapters/text/formats/pdf.ts';
import { clean } from '../../src/adapters/text/text.ts';
import { supportOf } from '../../src/domain/evidence-support.ts';
import { fold } from '../../src/domain/folded-text.ts';
import type { JsonObject, JsonValue } from '../../src/domain/json.ts';
import type { PageLayout } from '../../src/domain/page-words.ts';
import { placeQuotes } from '../../src/domain/quote-places.ts';
import { papers } from '../fixtures/corpus/documents.ts';
import { type LaidPaper, layPaper } from '../fixtures/corpus/letter.ts';
import { coversAll, coversNoOther, exact, folded, misread, textOf } from '../fixtures/corpus/measures.ts';
import { type ScanKind, scanKinds, scanned } from '../fixtures/corpus/scans.ts';
import type { KnownPage, KnownValue, KnownWord } from '../fixtures/corpus/typesetter.ts';
import type { Point } from '../fixtures/corpus/warp.ts';
import { pdfOfScans, scanOf } from '../fixtures/text/scans.ts';
import { drained } from '../support/generators.ts';

const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
const MOST_CHARACTERS = 1_000_000;

const asPrinted = (point: Point): Point => point;

interface Page {
  readonly name: string;
  readonly known: KnownPage;
  readonly values: readonly KnownValue[];
  /** As it was read, blanks folded. */
  readonly text: string;
  readonly layout: PageLayout;
}

const pagesOf = async (paper: LaidPaper, pdf = paper.pdf): Promise<readonly Page[]> => {
  const read = await readPdf(pdf, MOST_CHARACTERS);
  return paper.pages.map((known) => {
    const { number } = known;
    const layout = read.layouts.find((each) => each.number === number);
    if (layout === undefined) throw new Error(`page ${number} of ${paper.name} has no layout`);
    const text = folded(
      read.pages.filter((each) => each.number === number).map((each) => ({ text: clean(each.text) })),
    );
    const values = paper.values.filter(({ page, words }) => page === number && words.length > 0);
    return { name: `${paper.name}, page ${number}`, known, values, text, layout };
  });
};

const turnedBy = async (data: Uint8Array, angle: number): Promise<Uint8Array<ArrayBuffer>> => {
  const pdf = await PDFDocument.load(data);
  for (const page of pdf.getPages()) page.setRotation(degrees((page.getRotation().angle + angle) % 360));
  return new Uint8Array(await pdf.save());
};

/** The same text but for one of its digits; null if it has none. */
const withOtherDigit = (text: string, digit: number, by: number): string | null => {
  const digits = [...text.matchAll(/\d/g)];
  const { index } = digits[digit % Math.max(1, digits.length)] ?? { index: -1 };
  return index === -1 ? null : `${text.slice(0, index)}${(Number(text[index]) + by) % 10}${text.slice(index + 1)}`;
};

/** Without what does not count where a quote is looked for. */
const compact = (text: string) => fold(text).text;

/** The document that has these values. */
const documentOf = (values: readonly KnownValue[]): JsonObject => {
  interface Growing {
    [key: string]: JsonValue | Growing;
  }
  const document: Growing = {};
  for (const { pointer, value } of values) {
    const steps = pointer.slice(1).split('/');
    let at = document;
    for (const step of steps.slice(0, -1)) {
      at[step] ??= {};
      at = at[step] as Growing;
    }
    at[steps.at(-1) ?? ''] = value;
  }
  return document as JsonObject;
};

const placed = (layout: PageLayout, quotes: readonly { readonly pointer: string; readonly quote: string }[]) =>
  drained(placeQuotes(quotes.map((each) => ({ ...each, value: null, layout }))));

describe(`the corpus of printed papers (seed ${seed})`, () => {
  let laid: readonly LaidPaper[] = [];
  let pages: readonly Page[] = [];
  before(async () => {
    laid = await Promise.all(papers.map(layPaper));
    pages = (await Promise.all(laid.map((paper) => pagesOf(paper)))).flat();
  });

  it('has invoices, orders and delivery notes in three languages, and is the same whenever it is made', async () => {
    expect(pages.length).to.be.at.least(40);
    expect(new Set(laid.map(({ kind, language }) => `${kind} ${language}`)).size).to.equal(9);
    const again = await layPaper(papers[7] as (typeof papers)[number]);
    expect(Buffer.from(again.pdf).equals(laid[7]?.pdf ?? new Uint8Array(0))).to.equal(true);
  });

  it('is read as it was printed, line by line', () => {
    for (const { name, known, text } of pages)
      for (const line of known.lines) expect(text, name).to.include(textOf(line));
  });

  /** Of the values of a page: those that have no box of their own where they stand. */
  const misplaced = ({ name, known, values, layout }: Page, place: (point: Point) => Point): readonly string[] => {
    const places = placed(
      layout,
      values.map(({ pointer, words }) => ({ pointer, quote: textOf(words) })),
    );
    return [...Map.groupBy(values, (value) => value.pointer)].flatMap(([pointer, printed]) => {
      const boxes = places.get(pointer)?.boxes ?? [];
      const isThere = printed.some(
        ({ words }) => coversAll(words, boxes, place) && coversNoOther(words, known, boxes, place),
      );
      return isThere ? [] : [`${name}: ${pointer}`];
    });
  };

  it('has each value where it was printed, in its own row and column', () => {
    expect(pages.flatMap((page) => misplaced(page, asPrinted))).to.deep.equal([]);
  });

  const turns: Readonly<Record<number, (point: Point) => Point>> = {
    90: ([x, y]) => [1 - y, x],
    180: ([x, y]) => [1 - x, 1 - y],
    270: ([x, y]) => [y, 1 - x],
  };
  for (const [angle, place] of Object.entries(turns)) {
    it(`has each line and value where it is shown on pages that are turned by ${angle}°`, async () => {
      const turned = await Promise.all(
        laid.map(async (paper) => pagesOf(paper, await turnedBy(paper.pdf, Number(angle)))),
      );
      const lines = turned
        .flat()
        .flatMap(({ text, known, layout }) => known.lines.map((line) => ({ quote: textOf(line), text, layout })));
      const unread = lines.filter(({ quote, text }) => !text.includes(quote));
      const unplaced = lines.filter(
        ({ quote, layout }) => placed(layout, [{ pointer: '/a', quote }]).get('/a')?.boxes.length !== 1,
      );
      // On a page that lies on its head, halves of equal numbers are taken for one another where a file has its table column by column.
      const most = Number(angle) === 180 ? 3 : 0;
      for (const missed of [unread, unplaced, turned.flat().flatMap((page) => misplaced(page, place))])
        expect(missed).to.have.length.at.most(most);
    });
  }

  /** Words that follow one another on a page, over lines too, and their place among all of them. */
  const passage = fc.record({ page: fc.nat(), from: fc.nat(), count: fc.integer({ min: 1, max: 14 }) });
  const chosen = ({ page, from, count }: { page: number; from: number; count: number }) => {
    const found = pages[page % pages.length] as Page;
    const all = found.known.lines.flat();
    const start = from % all.length;
    return { ...found, words: all.slice(start, start + count), before: all[start - 1] };
  };

  const timesOf = (word: KnownWord, { lines }: KnownPage) =>
    lines.flat().filter((other) => compact(textOf([other])) === compact(textOf([word]))).length;

  it('has every passage under boxes that lie on its page', () => {
    fc.assert(
      fc.property(passage, (where) => {
        const { name, layout, known, words } = chosen(where);
        const quote = textOf(words);
        const boxes = placed(layout, [{ pointer: '/a', quote }]).get('/a')?.boxes ?? [];
        expect(boxes, `${name}: ${quote}`).to.have.length.above(0);
        for (const { x, y, width, height } of boxes)
          for (const side of [x, y, x + width, y + height]) expect(side).to.be.within(0, 1);
        const [all, wanted] = [compact(textOf(known.lines.flat())), compact(quote)];
        // The other words may also stand together elsewhere: in a table, one below the other.
        const unique = words.filter((word) => timesOf(word, known) === 1);
        const isOnce = all.indexOf(wanted) === all.lastIndexOf(wanted);
        if (isOnce) expect(coversAll(unique, boxes, asPrinted), `${name}: ${quote}`).to.equal(true);
      }),
      { seed, numRuns: 300 },
    );
  });

  it('has no place for a passage of which a digit is another one', () => {
    const change = fc.record({ where: passage, digit: fc.nat(), by: fc.integer({ min: 1, max: 9 }) });
    fc.assert(
      fc.property(change, ({ where, digit, by }) => {
        const { layout, known, words } = chosen(where);
        const quote = withOtherDigit(textOf(words), digit, by);
        // A short number may stand elsewhere as it is now, beside or below the same words.
        const page = compact(textOf(known.lines.flat()));
        if (
          quote === null ||
          compact(quote).length < 4 ||
          quote.split(' ').every((word) => page.includes(compact(word)))
        )
          return;
        expect(placed(layout, [{ pointer: '/a', quote }]).get('/a'), quote).to.equal(undefined);
      }),
      { seed, numRuns: 300 },
    );
  });

  it('supports each of its values, and none that differs by a digit', () => {
    for (const { name, values } of laid) {
      const own = [...new Map(values.map((value) => [value.pointer, value])).values()];
      const document = documentOf(own);
      const quoted = own.map(({ pointer, words }) => ({
        pointer,
        quote: words.length > 0 ? textOf(words) : 'Subtotal',
      }));
      const support = drained(supportOf(document, quoted));
      for (const { pointer, words } of own) {
        const wanted = words.length > 0 ? ['exact', 'normalized'] : ['computed'];
        expect(wanted, `${name}: ${pointer}`).to.include(support.get(pointer));
      }
    }
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), fc.integer({ min: 1, max: 9 }), (paper, at, digit, by) => {
        const values = (laid[paper % laid.length]?.values ?? []).filter(({ words }) => words.length > 0);
        const { value, words } = values[at % values.length] as KnownValue;
        const changed = withOtherDigit(String(value), digit, by);
        if (changed === null) return;
        const other = typeof value === 'number' ? Number(changed) : changed;
        const quote = textOf(words);
        expect(
          drained(supportOf({ a: other }, [{ pointer: '/a', quote }])).get('/a'),
          `${changed} in ${quote}`,
        ).to.equal('none');
      }),
      { seed, numRuns: 500 },
    );
  });

  describe('as scans', () => {
    let extractor: ReturnType<typeof textExtractor>;
    before(() => {
      extractor = textExtractor({ timeoutSeconds: 60, ocr: { languages: ['eng', 'deu'] } });
    });
    after(() => extractor.close());

    const kindOf = (name: string) => scanKinds.find((each) => each.name === name) as ScanKind;
    type Cut = (data: Uint8Array) => Promise<Uint8Array>;
    const scan = async (kind: ScanKind, name: string, number: number, index = 0, cut: Cut = async (data) => data) => {
      const paper = laid.find((each) => each.name === name) as LaidPaper;
      const known = paper.pages[number - 1] as KnownPage;
      const { fileName, data, place } = await scanned(paper, known, kind, index);
      const [part] = await extractor.extract({ fileName, contentType: '', data: await cut(data) });
      const values = paper.values.filter(({ page, words }) => page === number && words.length > 0);
      return { text: folded(part?.pages ?? []), layout: part?.layouts[0] as PageLayout, known, values, place };
    };
    type Scanned = Awaited<ReturnType<typeof scan>>;

    const shareOfAmounts = ({ text, values }: Scanned) => {
      const { good, all } = exact(values, 'amount', text);
      return good / all;
    };

    /** Of what was read as it is: how much has its boxes where it lies now. Every box is on the page. */
    const shareOfPlaces = ({ text, layout, values, place }: Scanned) => {
      const read = values.filter(({ words }) => text.includes(textOf(words)));
      const places = placed(
        layout,
        read.map(({ pointer, words }) => ({ pointer, quote: textOf(words) })),
      );
      const isThere = read.map(({ pointer, words }) => {
        const boxes = places.get(pointer)?.boxes ?? [];
        for (const { x, y, width, height } of boxes)
          for (const side of [x, y, x + width, y + height]) expect(side).to.be.within(0, 1);
        return coversAll(words, boxes, place);
      });
      return isThere.filter((each) => each).length / isThere.length;
    };

    it('are read through the ruled lines of a table that was photographed from the side', async () => {
      const photo = await scan(kindOf('photo'), 'invoice-de-1', 1, 1);
      expect(shareOfAmounts(photo)).to.be.at.least(0.9);
      const { good: wrong, all } = misread(photo.known, photo.text);
      expect(wrong / all, 'also along the edge of a shadow').to.be.below(0.01);
      expect(photo.text, 'what stands alone at the foot').to.contain('Seite 1 von 1');
      expect(photo.text, 'as one word').to.contain('rechnung@gruenwald.example');
      expect(shareOfPlaces(photo)).to.be.at.least(0.95);
      for (const { words } of photo.values) {
        const quote = withOtherDigit(textOf(words), 0, 1);
        if (quote === null || fold(photo.text).text.includes(compact(quote))) continue;
        expect(placed(photo.layout, [{ pointer: '/a', quote }]).get('/a'), quote).to.equal(undefined);
      }
    });

    it('are read with the points of numbers that the engine leaves out, as of 2.5', async () => {
      const { text, values } = await scan(kindOf('clean 200 dpi'), 'order-en-2', 1);
      for (const kind of ['number', 'amount'] as const) {
        const { good, all } = exact(values, kind, text);
        expect(all - good, kind).to.equal(0);
      }
    });

    it('are read when they lie askew, with sharp print softened once and not twice', async () => {
      // The rows of the table are enough to be read, and cost a third of the page.
      const middleOf: Cut = async (data) => {
        const { width, gray } = await scanOf(data);
        return pdfOfScans([{ width, height: 900, gray: gray.slice(600 * width, 1500 * width) }]);
      };
      expect(shareOfAmounts(await scan(kindOf('skew 3°'), 'invoice-en-1', 1, 0, middleOf))).to.equal(1);
    });

    it('are read when they lie on their side, also where the engine takes that for a slant', async () => {
      const page = await scan({ ...kindOf('poor'), quarters: [3] }, 'invoice-de-3', 1, 2);
      expect(shareOfAmounts(page)).to.be.at.least(0.9);
      expect(shareOfPlaces(page)).to.be.at.least(0.95);
    });

    it('are read where thin strokes of a typewriter are sharp', async () => {
      const page = await scan(kindOf('clean 300 dpi'), 'invoice-de-4', 2);
      expect(shareOfAmounts(page)).to.be.at.least(0.95);
      expect(shareOfPlaces(page)).to.be.at.least(0.95);
    });
  });
});

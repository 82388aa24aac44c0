import { expect } from 'chai';
import fc from 'fast-check';
import { readPdf } from '../../src/adapters/text/formats/pdf.ts';
import { clean } from '../../src/adapters/text/text.ts';
import type { PageLayout } from '../../src/domain/page-words.ts';
import { placeQuotes } from '../../src/domain/quote-places.ts';
import { papers } from '../fixtures/corpus/documents.ts';
import { type LaidPaper, layPaper } from '../fixtures/corpus/letter.ts';
import { coversAll, coversNoOther, folded, textOf } from '../fixtures/corpus/measures.ts';
import type { KnownPage, KnownValue } from '../fixtures/corpus/typesetter.ts';
import type { Point } from '../fixtures/corpus/warp.ts';
import { drained } from '../support/generators.ts';

const seed = Date.now() % 2 ** 31;
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

const pagesOf = async (paper: LaidPaper): Promise<readonly Page[]> => {
  const read = await readPdf(paper.pdf, MOST_CHARACTERS);
  return paper.pages.map((known) => {
    const { number } = known;
    const layout = read.layouts.find((each) => each.number === number);
    if (layout === undefined) throw new Error(`page ${number} of ${paper.name} has no layout`);
    const text = folded(read.pages.filter((each) => each.number === number).map((each) => ({ text: clean(each.text) })));
    const values = paper.values.filter(({ page, words }) => page === number && words.length > 0);
    return { name: `${paper.name}, page ${number}`, known, values, text, layout };
  });
};

const placed = (layout: PageLayout, quotes: readonly { readonly pointer: string; readonly quote: string }[]) =>
  drained(placeQuotes(quotes.map((each) => ({ ...each, layout }))));

describe(`the corpus of printed papers (seed ${seed})`, () => {
  let laid: readonly LaidPaper[] = [];
  let pages: readonly Page[] = [];
  before(async () => {
    laid = await Promise.all(papers.map(layPaper));
    pages = (await Promise.all(laid.map(pagesOf))).flat();
  });

  it('has invoices, orders and delivery notes in three languages, and is the same whenever it is made', async () => {
    expect(pages.length).to.be.at.least(40);
    expect(new Set(laid.map(({ kind, language }) => `${kind} ${language}`)).size).to.equal(9);
    const again = await layPaper(papers[7] as (typeof papers)[number]);
    expect(Buffer.from(again.pdf).equals(laid[7]?.pdf ?? new Uint8Array(0))).to.equal(true);
  });

  it('is read as it was printed, line by line', () => {
    for (const { name, known, text } of pages) for (const line of known.lines) expect(text, name).to.include(textOf(line));
  });

  it('has each value where it was printed, in its own row and column', () => {
    for (const { name, known, values, layout } of pages) {
      const places = placed(
        layout,
        values.map(({ pointer, words }) => ({ pointer, quote: textOf(words) })),
      );
      for (const [pointer, printed] of Map.groupBy(values, (value) => value.pointer)) {
        const boxes = places.get(pointer)?.boxes ?? [];
        const isThere = printed.some(({ words }) => coversAll(words, boxes, asPrinted) && coversNoOther(words, known, boxes, asPrinted));
        expect(isThere, `${name}: ${pointer}`).to.equal(true);
      }
    }
  });

  /** Words that follow one another on a page, over lines too, and their place among all of them. */
  const passage = fc.record({ page: fc.nat(), from: fc.nat(), count: fc.integer({ min: 1, max: 14 }) });
  const chosen = ({ page, from, count }: { page: number; from: number; count: number }) => {
    const found = pages[page % pages.length] as Page;
    const all = found.known.lines.flat();
    const start = from % all.length;
    return { ...found, words: all.slice(start, start + count), before: all[start - 1] };
  };

  it('has every passage under boxes that lie on its page', () => {
    fc.assert(
      fc.property(passage, (where) => {
        const { name, layout, known, words } = chosen(where);
        const quote = textOf(words);
        const boxes = placed(layout, [{ pointer: '/a', quote }]).get('/a')?.boxes ?? [];
        expect(boxes, `${name}: ${quote}`).to.have.length.above(0);
        for (const { x, y, width, height } of boxes) for (const side of [x, y, x + width, y + height]) expect(side).to.be.within(0, 1);
        const isOnce = !folded([{ text: textOf(known.lines.flat()) }])
          .replace(quote, '')
          .includes(quote);
        if (isOnce) expect(coversAll(words, boxes, asPrinted), `${name}: ${quote}`).to.equal(true);
      }),
      { seed, numRuns: 300 },
    );
  });
});

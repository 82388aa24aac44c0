import { expect } from 'chai';
import fc from 'fast-check';
import { addClaims, type OpenPart } from '../../src/domain/routing/claimed-parts.ts';
import type { Part, SplitFile } from '../../src/domain/routing/part.ts';
import { exactly, partErrors, unassignedContent, unassignedOf } from '../../src/domain/routing/partition.ts';
import { claimsIn } from '../../src/domain/routing/question.ts';
import { isBlank, separates, stretchesOf } from '../../src/domain/routing/sheets.ts';

const SEED = Date.now() % 1_000_000;
const check = (property: fc.IProperty<never> | fc.IRawProperty<unknown>) =>
  fc.assert(property as fc.IRawProperty<unknown>, { seed: SEED, numRuns: 500 });

const files: readonly SplitFile[] = [
  { fileName: 'a.pdf', pages: 12, blank: [3, 7] },
  { fileName: 'b.pdf', pages: 1, blank: [] },
  { fileName: 'c.txt', pages: 0, blank: [] },
];

const aPage = fc.oneof(fc.integer({ min: -2, max: 15 }), fc.double());
const aPart = fc.record({
  name: fc.constantFrom('invoice', 'order'),
  fileName: fc.constantFrom('a.pdf', 'b.pdf', 'c.txt', 'nowhere.pdf'),
  pages: fc.array(aPage, { maxLength: 20 }),
});

/** Every page of every file, as often as it is in a part or unassigned. */
const counted = (parts: readonly Pick<Part, 'fileName' | 'pages'>[]) => {
  const all = [...parts, ...unassignedOf(files, parts)];
  return files.map(({ fileName, pages }) => {
    const own = all.filter((each) => each.fileName === fileName);
    if (pages === 0) return own.length;
    return Array.from(
      { length: pages },
      (_, index) => own.flatMap((each) => each.pages).filter((page) => page === index + 1).length,
    );
  });
};
const once = files.map(({ pages }) => (pages === 0 ? 1 : Array.from({ length: pages }, () => 1)));

describe(`the partition of files (seed ${SEED})`, () => {
  it('has each page once, whatever is claimed', () => {
    check(
      fc.property(fc.array(aPart, { maxLength: 30 }), (claimed) => {
        const parts = exactly(
          files,
          claimed.map((part) => ({ ...part, evidence: [], confidence: 1 })),
        );
        expect(counted(parts)).to.deep.equal(once);
        expect(
          parts.every(({ pages }) => pages.every((page, index) => index === 0 || page > (pages[index - 1] ?? 0))),
        ).to.equal(true);
        expect(partErrors(files, ['invoice', 'order'], parts)).to.deep.equal([]);
      }) as never,
    );
  });

  it('takes nothing of an answer that is not in the window, whatever the model says', () => {
    check(
      fc.property(fc.array(fc.anything(), { maxLength: 10 }), fc.array(aPart, { maxLength: 10 }), (junk, parts) => {
        const answer = { parts: [...junk, ...parts.map((part) => ({ ...part, continues: 1, confidence: 7 }))] };
        const open: OpenPart[] = [];
        addClaims(open, claimsIn(answer) ?? [], { from: 4, to: 9, names: new Set(['invoice']) });
        const pages = open.flatMap((part) => [...part.pages]);
        expect(new Set(pages).size).to.equal(pages.length);
        for (const page of pages) expect(page).to.be.within(4, 9);
        for (const part of open) expect([part.name, part.confidence <= 1]).to.deep.equal(['invoice', true]);
      }) as never,
    );
  });

  it('refuses what is no partition, and takes what is', () => {
    check(
      fc.property(fc.array(aPart, { maxLength: 6 }), (asked) => {
        const isOne =
          asked.every(({ fileName, pages }) => {
            const file = files.find((each) => each.fileName === fileName);
            const known = pages.every((page) => Number.isInteger(page) && page >= 1 && page <= (file?.pages ?? 0));
            return file !== undefined && known && (file.pages === 0) === (pages.length === 0);
          }) && JSON.stringify(counted(asked)) === JSON.stringify(once);
        const whole = asked.filter(({ pages }) => pages.every((page) => Number.isInteger(page) && page >= 1));
        if (whole.length === asked.length)
          expect(partErrors(files, ['invoice', 'order'], asked).length === 0).to.equal(isOne);
      }) as never,
    );
  });

  it('goes on with a part by the page that two windows share, and by its number', () => {
    const open: OpenPart[] = [];
    const claim = (pages: readonly number[], continues: number | null = null) => ({
      name: 'invoice',
      pages,
      continues,
      quote: null,
      page: null,
      confidence: 1,
    });
    const names = new Set(['invoice']);
    addClaims(open, [claim([1, 3]), claim([2, 4])], { from: 1, to: 4, names });
    addClaims(open, [claim([4, 5]), claim([6], 0), claim([7])], { from: 5, to: 7, names });
    expect(open.map(({ pages }) => [...pages])).to.deep.equal([[1, 3, 6], [2, 4, 5], [7]]);
  });

  it('says of pages that are in no part which of them are not blank', () => {
    const parts = [{ fileName: 'a.pdf', pages: [1, 2, 4, 5, 6, 8, 9, 10, 11] }];
    expect(unassignedOf(files, parts)).to.deep.equal([
      { fileName: 'a.pdf', pages: [3, 7, 12] },
      { fileName: 'b.pdf', pages: [1] },
      { fileName: 'c.txt', pages: [] },
    ]);
    expect(unassignedContent(files, parts)).to.deep.equal([
      { fileName: 'a.pdf', pages: [12] },
      { fileName: 'b.pdf', pages: [1] },
      { fileName: 'c.txt', pages: [] },
    ]);
  });

  it('divides at blank pages and at sheets that have a separator alone', () => {
    const sheets = ['Invoice', 'Trennblatt', 'Order', ' -- ', 'Trennblatt 2'].map((text, index) => ({
      page: index + 1,
      text,
      isUnread: false,
    }));
    const split = { separators: ['Trennblatt', 'New document'] } as const;
    expect(sheets.map((sheet) => separates(sheet, split.separators))).to.deep.equal([false, true, false, false, false]);
    expect(separates({ text: '* NEW  document *' }, split.separators)).to.equal(true);
    expect(stretchesOf(sheets, { ...split, by: 'blank_page' })).to.deep.equal([[1], [3], [5]]);
    expect(stretchesOf(sheets, { ...split, by: 'page' })).to.deep.equal([[1], [3], [5]]);
    expect(stretchesOf(sheets, { ...split, by: 'none' })).to.deep.equal([[1, 2, 3, 4, 5]]);
    expect(stretchesOf(sheets, { ...split, by: 'content' })).to.equal(null);
    expect(isBlank({ page: 1, text: '', isUnread: true })).to.equal(false);
  });
});

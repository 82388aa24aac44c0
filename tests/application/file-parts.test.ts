import { expect } from 'chai';
import { pagesAlone } from '../../src/application/files/file-parts.ts';
import type { TextPage } from '../../src/application/ports/text.ts';
import { coverageOf } from '../../src/application/turns/file-windows.ts';

const END = '[The text ends here: only the first 2,000,000 characters of this file were read.]';
const first: TextPage = { number: 1, text: 'Invoice 1' };
/** Of five pages, the last three were not read, and the third in part. */
const part = {
  fileName: 'bundle.pdf',
  contentType: 'application/pdf',
  pages: [
    first,
    { number: 2, text: '' },
    { number: 3, text: `Invoice 3\n${END}`, unread: { pages: 3, characters: 900 } },
  ],
  layouts: [1, 2, 3, 4, 5].map((number) => ({
    number,
    width: 595,
    height: 842,
    source: 'text' as const,
    words: [],
  })),
  unreadable: null,
  native: null,
};

const coverage = (pages: readonly number[]) => {
  const alone = pagesAlone(part, pages);
  const to = alone.pages.reduce((sum, { text }) => sum + text.length, 0);
  const { pagesRead, pagesTotal, complete, unread } = coverageOf(
    [{ fileName: 'bundle.pdf', sha256: null, parts: [alone] }],
    [{ from: 0, to }],
  );
  return { read: [pagesRead, pagesTotal], complete, unread: unread.map(({ page, what }) => [page, what]) };
};

describe('pages of a file alone', () => {
  it('are read as far as the file was, and each of the others says that it was not', () => {
    const what = END.slice(1, -2);
    expect(coverage([1, 2])).to.deep.equal({ read: [2, 2], complete: true, unread: [] });
    expect(coverage([4, 5])).to.deep.equal({
      read: [0, 2],
      complete: false,
      unread: [
        [4, what],
        [5, what],
      ],
    });
    expect(coverage([1, 3, 5])).to.deep.equal({
      read: [1, 3],
      complete: false,
      unread: [
        [3, what],
        [5, what],
      ],
    });
  });

  it('are what was read of them', () => {
    expect(pagesAlone(part, [1]).pages).to.deep.equal([first]);
    expect(pagesAlone(part, [1]).layouts.map(({ number }) => number)).to.deep.equal([1]);
  });
});

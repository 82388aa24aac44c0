import { expect } from 'chai';
import type { SearchProvider, SearchResult } from '../../src/application/ports/search.ts';

export interface SearchHarness {
  readonly provider: SearchProvider;
  /** From now on these are the pages, of which each is about everything that its title and snippet name. */
  has(pages: readonly SearchResult[]): Promise<void>;
  close(): Promise<void>;
}

const unaborted = new AbortController().signal;

const pagesAbout = (word: string, count: number): readonly SearchResult[] =>
  Array.from({ length: count }, (_, index) => ({
    title: `${word} number ${index}`,
    url: `https://example.org/${word}/${index}`,
    snippet: `All about ${word}, part ${index}.`,
  }));

/** Every SearchProvider passes this, or it is not one. */
export const searchProviderContract = (name: string, make: () => Promise<SearchHarness>) =>
  describe(`SearchProvider: ${name}`, () => {
    let harness: SearchHarness;
    beforeEach(async () => {
      harness = await make();
    });
    afterEach(() => harness.close());
    const search = (query: string, limit = 10) => harness.provider.search(query, { limit }, unaborted);

    it('answers the pages it finds, with titles, addresses and what they say', async () => {
      await harness.has(pagesAbout('herring', 2));
      const found = await search('herring');
      expect(found.map(({ url }) => url)).to.have.members([
        'https://example.org/herring/0',
        'https://example.org/herring/1',
      ]);
      const first = found.find(({ url }) => url.endsWith('/0'));
      expect(first?.title).to.equal('herring number 0');
      expect(first?.snippet).to.contain('All about herring, part 0.');
    });

    it('answers no more than it is asked for', async () => {
      await harness.has(pagesAbout('herring', 7));
      expect(await search('herring', 3)).to.have.length(3);
      expect(await search('herring', 1)).to.have.length(1);
    });

    it('answers none where nothing fits', async () => {
      await harness.has([]);
      expect(await search('xylophone')).to.deep.equal([]);
    });

    it('answers no page twice', async () => {
      const [page] = pagesAbout('herring', 1);
      await harness.has(page ? [page, page] : []);
      const urls = (await search('herring')).map(({ url }) => url);
      expect(new Set(urls).size).to.equal(urls.length);
    });

    it('takes any query', async () => {
      await harness.has(pagesAbout('herring', 1));
      const queries = [
        '"',
        "'; drop table pages; --",
        'a&q=b#c%00%',
        '鯡 '.repeat(600),
        '😀'.repeat(1000),
        '*'.repeat(2000),
        'word '.repeat(400),
      ];
      for (const query of queries) expect(await search(query), query.slice(0, 20)).to.be.an('array');
    });

    it('answers whole characters on one line', async () => {
      await harness.has([
        { title: 'herring “fresh” é 鯡', url: 'https://example.org/a', snippet: 'herring & chips < fish' },
      ]);
      const [found] = await search('herring');
      expect(found?.title).to.equal('herring “fresh” é 鯡');
      expect(found?.snippet).to.contain('herring & chips < fish');
    });

    it('ends with the reason of an abort', async () => {
      const reason = new Error('enough');
      const outcome = await harness.provider
        .search('herring', { limit: 1 }, AbortSignal.abort(reason))
        .catch((error: unknown) => error);
      expect(outcome).to.equal(reason);
    });
  });

import { ask, resultsOf, type Service } from '../src/adapters/search/service.ts';
import type { Outbound } from '../src/application/ports/outbound.ts';
import type { SearchProvider } from '../src/application/ports/search.ts';
import { isObject } from '../src/domain/json.ts';

interface Settings {
  /** Of its `api.php`, without that name: `https://en.wikipedia.org/w`. */
  readonly url: string;
  /** Every request goes through this port, which bounds its time and size. */
  readonly outbound: Outbound;
}

/** MediaWiki takes at most 300 bytes. */
const MAX_QUERY = 300;

const cut = (query: string) => {
  const bytes = new TextEncoder().encode(query.trim());
  return new TextDecoder().decode(bytes.subarray(0, MAX_QUERY), { stream: true });
};

const inOrder = (pages: readonly unknown[]) =>
  pages
    .filter(isObject)
    .toSorted((one, other) => Number(one.index) - Number(other.index))
    .map((page) => ({ ...page, url: page.fullurl }));

/** Searches a MediaWiki, such as Wikipedia or the handbook of a company, in the place of the web. */
export const mediaWiki = ({ url, outbound }: Settings): SearchProvider => {
  // `ask` and `resultsOf` turn each failure and each odd answer into what the port promises, with these names in the messages.
  const service: Service = { name: 'MediaWiki', variable: 'MEDIAWIKI_URL', baseUrl: url, meanings: {} };
  return {
    async search(query, { limit }, signal) {
      const parameters = new URLSearchParams({
        action: 'query',
        format: 'json',
        formatversion: '2',
        generator: 'search',
        gsrsearch: cut(query),
        gsrlimit: String(limit),
        prop: 'info|extracts',
        inprop: 'url',
        exintro: '1',
        explaintext: '1',
        exlimit: 'max',
      });
      const headers = { accept: 'application/json' };
      const answer = await ask(
        service,
        outbound,
        { method: 'GET', path: `/api.php?${parameters}`, headers, body: null },
        signal,
      );
      // An answer without pages has no `query`. Pages come in any order, each with its position.
      const found = isObject(answer.query) ? answer.query.pages : answer.batchcomplete === true ? [] : null;
      return resultsOf(service, Array.isArray(found) ? inOrder(found) : null, { snippet: 'extract' }, limit);
    },
  };
};

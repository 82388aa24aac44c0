import { convert } from 'html-to-text';
import type { SearchProvider } from '../../application/ports/search.ts';
import { isObject } from '../../domain/json.ts';
import { ask, type KeyedEngine, resultsOf, type Service, shortened } from './service.ts';

const MAX_QUERY = { characters: 400, words: 50 };
const MAX_COUNT = 20;

/** Titles and descriptions have character references and sometimes tags. */
const plain = (html: string) =>
  /[<&]/.test(html) ? convert(html, { wordwrap: false }).replace(/\s+/g, ' ').trim() : html;

/** The Brave Search API (web search). */
export const brave = ({ apiKey, outbound, baseUrl = 'https://api.search.brave.com' }: KeyedEngine): SearchProvider => {
  const service: Service = {
    name: 'Brave',
    variable: 'BRAVE_API_KEY',
    baseUrl,
    meanings: { 402: 'takes no more searches: its plan is used up', 422: 'does not accept BRAVE_API_KEY or the query' },
  };
  return {
    async search(query, { limit }, signal) {
      const parameters = new URLSearchParams({
        q: shortened(query, MAX_QUERY),
        count: String(Math.min(limit, MAX_COUNT)),
        text_decorations: 'false',
        result_filter: 'web',
      });
      const path = `/res/v1/web/search?${parameters}`;
      const headers = { accept: 'application/json', 'x-subscription-token': apiKey };
      const { type, web } = await ask(service, outbound, { method: 'GET', path, headers, body: null }, signal);
      // A response without results has no `web`.
      if (web === undefined && type === 'search') return [];
      return resultsOf(service, isObject(web) ? web.results : null, { snippet: 'description', text: plain }, limit);
    },
  };
};

import type { SearchProvider } from '../../application/ports/search.ts';
import { ask, type KeyedEngine, resultsOf, type Service, shortened } from './service.ts';

const MAX_QUERY = { characters: 400, words: 400 };
const MAX_RESULTS = 20;

/** The Tavily Search API. */
export const tavily = ({ apiKey, outbound, baseUrl = 'https://api.tavily.com' }: KeyedEngine): SearchProvider => {
  const spent = 'takes no more searches: its plan is used up';
  const service: Service = {
    name: 'Tavily',
    variable: 'TAVILY_API_KEY',
    baseUrl,
    meanings: { 432: spent, 433: spent },
  };
  return {
    async search(query, { limit }, signal) {
      const body = JSON.stringify({
        query: shortened(query, MAX_QUERY),
        max_results: Math.min(limit, MAX_RESULTS),
        search_depth: 'basic',
        include_answer: false,
        include_raw_content: false,
        include_images: false,
      });
      const headers = {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `Bearer ${apiKey}`,
      };
      const { results } = await ask(service, outbound, { method: 'POST', path: '/search', headers, body }, signal);
      return resultsOf(service, results, { snippet: 'content' }, limit);
    },
  };
};

import type { Outbound } from '../../application/ports/outbound.ts';
import type { SearchProvider } from '../../application/ports/search.ts';
import { ask, resultsOf, type Service } from './service.ts';

/** A SearXNG server (Search API, `format=json`). */
export const searxng = ({ url, outbound }: { readonly url: string; readonly outbound: Outbound }): SearchProvider => {
  const service: Service = {
    name: 'SearXNG',
    variable: 'SEARXNG_URL',
    baseUrl: url,
    meanings: {
      403: 'does not answer in JSON: its settings.yml must name json under search.formats',
      429: 'takes no more searches for the moment: its limiter is on',
    },
  };
  return {
    async search(query, { limit }, signal) {
      // A form, because a long query does not fit into a URL.
      const body = new URLSearchParams({ q: query, format: 'json' }).toString();
      const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
      const { results } = await ask(service, outbound, { method: 'POST', path: '/search', headers, body }, signal);
      return resultsOf(service, results, { snippet: 'content' }, limit);
    },
  };
};

import * as t from 'io-ts';
import type { WebAnswer } from '../../../application/search/web-search.ts';
import { about, closed, component, list } from '../../../wire/kit/structures.ts';
import { text, uri } from '../../../wire/kit/values.ts';
import { operation } from '../operation.ts';

const source = component('SearchSource', { title: t.string, url: uri });

export const webAnswer = component('WebAnswer', {
  summary: about('A summary of the pages. `[1]` cites the first source, `[2]` the second, and so on.', t.string),
  sources: about(
    'The pages that the summary cites, in that order; none if no page was found or readable.',
    list(source),
  ),
});

export const exampleAnswer: WebAnswer = {
  summary:
    'Invoices are due within 30 days unless the parties agree otherwise [1]. Public authorities pay within 30 days in any case [2].',
  sources: [
    { title: 'Late payment of commercial invoices', url: 'https://law.example.org/late-payment' },
    { title: 'Paying suppliers', url: 'https://treasury.example.org/suppliers' },
  ],
};

const MAX_QUERY = 2000;

const query = text({
  min: 1,
  max: MAX_QUERY,
  pattern: /\S/,
  expected: `a string of 1 to ${MAX_QUERY} characters that is not blank, without NUL`,
});

export const searchWeb = operation({
  id: 'searchWeb',
  method: 'post',
  path: '/search-web',
  resource: 'search_web',
  tag: 'Search',
  access: 'api-key',
  specified: true,
  summary: 'Search the web',
  description:
    'Searches the web, reads the first readable pages, and returns a summary of them with their addresses. The summary cites every source, ' +
    'each of which is a page that was read, or says that nothing was found. It can take a minute.',
  body: closed({ query: about('Search terms or a question.', query) }),
  example: { body: { query: 'When is an invoice due?' } },
  success: { description: 'The summary and its sources.', data: webAnswer, example: exampleAnswer },
  refuses: ['upstream_unavailable'],
  handle: ({ webSearch }, { caller, body, signal }) => webSearch.search(caller, body.query, signal),
});

import { about, closed } from '../../../wire/kit/structures.ts';
import { notBlank } from '../../../wire/kit/values.ts';
import { exampleAnswer, webAnswer } from '../../../wire/web-search.ts';
import { operation } from '../operation.ts';

const MAX_QUERY = 2000;

export const searchWeb = operation({
  id: 'searchWeb',
  method: 'post',
  path: '/search-web',
  resource: 'search_web',
  tag: 'Search',
  access: 'api-key',
  longRead: true,
  specified: true,
  summary: 'Search the web',
  description:
    'Searches the web, reads the first readable pages, and returns a summary of them with their addresses. The summary cites every source, ' +
    'each of which is a page that was read, or says that nothing was found. It can take a minute.',
  body: closed({ query: about('Search terms or a question.', notBlank(MAX_QUERY)) }),
  example: { body: { query: 'When is an invoice due?' } },
  success: { description: 'The summary and its sources.', data: webAnswer, example: exampleAnswer },
  refuses: ['upstream_unavailable'],
  handle: ({ webSearch }, { caller, body, signal }) => webSearch.search(caller, body.query, signal),
});

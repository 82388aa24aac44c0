import { text } from '../codecs.ts';
import { operation } from '../operation.ts';
import { exampleAnswer, webAnswer } from '../shapes/search.ts';
import { about, closed } from '../structures.ts';

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
  tag: 'Search',
  resource: 'search_web',
  summary: 'Search the web',
  description:
    'Searches, reads the first pages that can be read, and answers a summary of them with their addresses. The summary cites every source it ' +
    'lists, and lists only pages that were fetched; where nothing is found it says so. It can take a minute.',
  access: 'api-key',
  body: closed({ query: about('What to look for, in words or as a question.', query) }),
  example: { body: { query: 'When is an invoice due?' } },
  success: { description: 'The summary and its sources.', data: webAnswer, example: exampleAnswer },
  refuses: ['upstream_unavailable'],
  handle: ({ webSearch }, { caller, body, signal }) => webSearch.search(caller, body.query, signal),
});

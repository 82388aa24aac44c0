import * as t from 'io-ts';
import { about, component, list } from './kit/structures.ts';
import { uri } from './kit/values.ts';

const source = component('SearchSource', { title: t.string, url: uri });

export const webAnswer = component('WebAnswer', {
  summary: about('A summary of the pages. `[1]` cites the first source, `[2]` the second, and so on.', t.string),
  sources: about(
    'The pages that the summary cites, in that order; none if no page was found or readable.',
    list(source),
  ),
});

export const exampleAnswer = {
  summary:
    'Invoices are due within 30 days unless the parties agree otherwise [1]. Public authorities pay within 30 days in any case [2].',
  sources: [
    { title: 'Late payment of commercial invoices', url: 'https://law.example.org/late-payment' },
    { title: 'Paying suppliers', url: 'https://treasury.example.org/suppliers' },
  ],
};

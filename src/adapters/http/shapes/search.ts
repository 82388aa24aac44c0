import * as t from 'io-ts';
import type { WebAnswer } from '../../../application/search/web-search.ts';
import { uri } from '../codecs.ts';
import { named } from '../json-schema.ts';
import { about, list, wire } from '../structures.ts';

const source = named('SearchSource', wire({ title: t.string, url: uri }));

export const webAnswer = named(
  'WebAnswer',
  wire({
    summary: about(
      'Written from the pages that were fetched. `[1]` in it cites the first of the sources, `[2]` the second, and so on.',
      t.string,
    ),
    sources: about('The pages that the summary cites, in that order; none where nothing was found or could be read.', list(source)),
  }),
);

export const exampleAnswer: WebAnswer = {
  summary: 'Invoices are due within 30 days unless the parties agree otherwise [1]. Public authorities pay within 30 days in any case [2].',
  sources: [
    { title: 'Late payment of commercial invoices', url: 'https://law.example.org/late-payment' },
    { title: 'Paying suppliers', url: 'https://treasury.example.org/suppliers' },
  ],
};

import type { SourceProps } from './places.ts';

/** What the files say, in the words of the files: for those that have no pages to show. Values of one row mostly stand in one quote. */
export const Quotes = ({ document: { evidence }, labels, chosen, choose }: SourceProps) => {
  const quoteOf = (pointer: string) => evidence[pointer] ?? { quote: '', file_name: '', page: null };
  // What a person entered has no quote.
  const quoted = [...labels.keys()].filter((pointer) => quoteOf(pointer).quote !== '');
  const quotes = Map.groupBy(quoted, (pointer) =>
    JSON.stringify([quoteOf(pointer).file_name, quoteOf(pointer).page, quoteOf(pointer).quote]),
  );
  if (quotes.size === 0) return <p class="soft">No quotes from the files are kept for this document.</p>;
  return (
    <ul class="quotes">
      {[...quotes.values()].map((pointers) => {
        const [first = ''] = pointers;
        const { quote, file_name: file, page } = quoteOf(first);
        return (
          <li class={pointers.includes(chosen ?? '') ? 'chosen' : ''}>
            <button type="button" onClick={() => choose(first)}>
              <span class="soft">{pointers.map((pointer) => labels.get(pointer)).join(', ')}</span>
              <q>{quote}</q>
              <span class="soft cut">
                {file}
                {page !== null && `, page ${page}`}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
};

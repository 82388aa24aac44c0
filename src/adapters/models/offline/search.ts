import type { ModelMessage, SourcePart } from '../../../application/ports/models.ts';
import { type Counted, counted, coverage, relevance, termsOf } from '../../../application/search/relevance.ts';
import { shorten } from '../../../domain/text.ts';

export interface SearchQuestion {
  readonly query: string;
  readonly pages: readonly SourcePart[];
}

/** The question of a web search and the pages that were found for it; null for anything else. */
export const searchQuestion = (messages: readonly ModelMessage[]): SearchQuestion | null => {
  const last = messages.at(-1);
  if (last?.role !== 'user') return null;
  const [query, ...rest] = last.content;
  const pages = rest.filter((content) => content.type === 'source');
  return query?.type === 'text' && pages.length > 0 && pages.length === rest.length
    ? { query: query.text, pages }
    : null;
};

const MAX_SENTENCES = 5;
const MAX_FROM_ONE_PAGE = 3;
const LONGEST = 400;
const FEWEST_WORDS = 4;
const LONGEST_HEADING = 8;
/** Of the best sentence's score: what fits much worse is about something else. */
const WORTH = 0.5;
const TITLE_WEIGHT = 0.5;

interface Sentence {
  readonly text: string;
  readonly words: Counted;
  readonly page: SourcePart;
  readonly at: number;
}

/** A few words that neither end like a sentence nor contain a figure: a heading or a button. */
const isHeading = (text: string, { length }: Counted) =>
  length < FEWEST_WORDS || (length <= LONGEST_HEADING && !/[.!?。！？,;:"”]$|\d|\t/.test(text));

let segmenter: Intl.Segmenter | null = null;

function* sentencesOf(pages: readonly SourcePart[]): Generator<void, readonly Sentence[]> {
  // Made when it is first needed: that takes milliseconds of every start.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  const sentences: Sentence[] = [];
  for (const page of pages) {
    for (const line of page.text.split('\n')) {
      for (const { segment } of segmenter.segment(line)) {
        const text = segment.replace(/^\s*(?:[-*•·>#]+\s+)*/, '').trim();
        const words = counted(text);
        if (!isHeading(text, words)) sentences.push({ text, words, page, at: sentences.length });
      }
      yield;
    }
  }
  return sentences;
}

/** The sentences that answer best; of those that say the same, the first. */
const best = (query: string, pages: readonly SourcePart[], sentences: readonly Sentence[]): readonly Sentence[] => {
  const terms = termsOf(query);
  const titles = relevance(
    terms,
    pages.map(({ title }) => counted(title)),
  );
  const scores = relevance(
    terms,
    sentences.map(({ words }) => words),
  );
  const scored = sentences
    .map((sentence, index) => ({ sentence, own: scores[index] ?? 0, of: pages.indexOf(sentence.page) }))
    .filter((each) => each.own > 0)
    .map(({ sentence, own: score, of }) => ({
      sentence,
      score: score * coverage(terms, sentence.words) + TITLE_WEIGHT * (titles[of] ?? 0),
    }))
    .sort((a, b) => b.score - a.score || a.sentence.at - b.sentence.at);
  const chosen: Sentence[] = [];
  for (const { sentence, score } of scored) {
    if (chosen.length === MAX_SENTENCES || score < WORTH * (scored[0]?.score ?? 0)) break;
    const isKnown = chosen.some(
      ({ words }) => coverage([...sentence.words.counts.keys()], words) > 0.7 * sentence.words.counts.size,
    );
    const isFull = chosen.filter((each) => each.page === sentence.page).length === MAX_FROM_ONE_PAGE;
    if (!isKnown && !isFull) chosen.push(sentence);
  }
  return chosen;
};

const quoted = ({ text, page: { number } }: Sentence) => {
  const [, body = '', stop = ''] =
    /^([\s\S]*?)([.!?。！？]?)$/.exec(shorten(text.replace(/\s*\t\s*/g, ', '), LONGEST)) ?? [];
  return `${body} [${number}]${stop === '' ? '.' : stop}`;
};

/** Quotes the pages: what the model does not understand, it does not rephrase. */
export function* summarise({ query, pages }: SearchQuestion): Generator<void, string> {
  const chosen = best(query, pages, yield* sentencesOf(pages));
  if (chosen.length === 0) return 'The pages that were found say nothing in the words of the question.';
  const order = [...new Set(chosen.map((each) => each.page))];
  const paragraphs = order.map((each) =>
    chosen
      .filter((sentence) => sentence.page === each)
      .sort((a, b) => a.at - b.at)
      .map(quoted)
      .join(' '),
  );
  return ['In the words of the pages that were found:', ...paragraphs].join('\n\n');
}

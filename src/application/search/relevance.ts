import { withoutAccents } from '../../domain/text.ts';

/** Words that every question has, and every page. */
const common = new Set(
  (
    'a about am an and any are as at be been but by can could did do does for from had has have how i if in into is it its may me might must my no not of on or ' +
    'our s shall should so t than that the their them then there these they this those to us was we were what when where which who whom whose why ' +
    'will with would you your'
  ).split(' '),
);

const word = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[[\p{L}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]]+/gv;

/** Plural and singular are one word (the S stemmer of Harman, 1991). */
const stem = (text: string): string => {
  if (text.length < 4) return text;
  if (/[^ae]ies$/.test(text)) return `${text.slice(0, -3)}y`;
  return /[^us]s$/.test(text) ? text.slice(0, -1) : text;
};

const bare = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII has no accents
  (/^[\x00-\x7f]*$/.test(text) ? text : withoutAccents(text)).toLowerCase();

/** How often each word stands in a text. */
export interface Counted {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

export const counted = (text: string): Counted => {
  const counts = new Map<string, number>();
  let length = 0;
  for (const [written] of bare(text).matchAll(word)) {
    const stemmed = stem(written);
    counts.set(stemmed, (counts.get(stemmed) ?? 0) + 1);
    length += 1;
  }
  return { counts, length };
};

/** The words of a query by which texts differ, each once. */
export const termsOf = (query: string): readonly string[] => {
  const words = [...counted(query).counts.keys()];
  const telling = words.filter((each) => !common.has(each));
  return telling.length > 0 ? telling : words;
};

const K = 1.2;
const B = 0.75;

/** How well each text fits the terms among these texts (Okapi BM25): 0 if it has none of them. */
export const relevance = (terms: readonly string[], texts: readonly Counted[]): readonly number[] => {
  const mean = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length) || 1;
  const weights = terms.map((term) => {
    const having = texts.reduce((sum, { counts }) => sum + (counts.has(term) ? 1 : 0), 0);
    return Math.log(1 + (texts.length - having + 0.5) / (having + 0.5));
  });
  return texts.map(({ counts, length }) =>
    terms.reduce((score, term, index) => {
      const count = counts.get(term) ?? 0;
      const damped = count === 0 ? 0 : (count * (K + 1)) / (count + K * (1 - B + (B * length) / mean));
      return score + (weights[index] ?? 0) * damped;
    }, 0),
  );
};

/** How many of the terms a text has. */
export const coverage = (terms: readonly string[], { counts }: Counted): number =>
  terms.filter((term) => counts.has(term)).length;

const LONGEST_PARAGRAPH = 1_000;
const GAP = '\n[…]\n';

/** Paragraphs, those that are too long in pieces that end where a word does. */
const paragraphsOf = (text: string): readonly string[] =>
  text.split(/\n\s*\n/).flatMap((paragraph) => {
    const pieces: string[] = [];
    let rest = paragraph.trim();
    while (rest.length > LONGEST_PARAGRAPH) {
      const end = Math.max(rest.lastIndexOf(' ', LONGEST_PARAGRAPH), rest.lastIndexOf('\n', LONGEST_PARAGRAPH));
      const cut = end > 0 ? end : LONGEST_PARAGRAPH;
      pieces.push(rest.slice(0, cut));
      rest = rest.slice(cut).trimStart();
    }
    return rest === '' ? pieces : [...pieces, rest];
  });

/** At most `room` characters of a text: how it begins, and the paragraphs that fit the terms best, in their order. */
export const passages = (text: string, terms: readonly string[], room: number): string => {
  if (text.length <= room) return text;
  const paragraphs = paragraphsOf(text);
  const scores = relevance(terms, paragraphs.map(counted));
  const [first, ...others] = paragraphs.keys();
  const best = others.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const chosen = new Set<number>();
  let left = room;
  for (const index of first === undefined ? [] : [first, ...best]) {
    const cost = (paragraphs[index]?.length ?? 0) + GAP.length;
    if (cost > left) continue;
    chosen.add(index);
    left -= cost;
  }
  if (chosen.size === 0) return text.slice(0, room).toWellFormed();
  let passage = '';
  for (const index of [...chosen].sort((a, b) => a - b)) {
    if (passage !== '') passage += chosen.has(index - 1) ? '\n\n' : GAP;
    passage += paragraphs[index];
  }
  return passage;
};

import { distance } from 'fastest-levenshtein';

const LONGEST_WORD = 60;

/** The letters in alphabetical order: two that changed places make no difference to them. */
const sorted = (word: string) => [...word].sort().join('');

/** How far apart two words are; letters that changed places, the usual typing error, count as one step. */
const steps = (a: string, b: string) => {
  const away = distance(a, b);
  return away === 2 && a.length === b.length && sorted(a) === sorted(b) ? 1 : away;
};

/** The word that was probably meant; undefined if none is near. */
export const closest = (word: string, words: readonly string[]): string | undefined => {
  if (word.length > LONGEST_WORD) return undefined;
  const near = words
    .map((candidate) => ({ candidate, away: steps(word.toLowerCase(), candidate) }))
    .filter(({ candidate, away }) => away <= Math.max(1, Math.floor(Math.max(candidate.length, word.length) / 3)))
    .sort((a, b) => a.away - b.away);
  return near[0]?.candidate;
};

/** `did you mean …?`, or every word if none is near. */
export const suggestion = (word: string, words: readonly string[]): string => {
  const meant = closest(word, words);
  return meant === undefined ? `there are ${words.join(', ')}` : `did you mean ${meant}?`;
};

import { hasValue } from './evidence-support.ts';
import type { JsonValue } from './json.ts';
import type { PageWord } from './page-words.ts';

type Words = readonly PageWord[];

/** In a longer quote all words count as the value's: each word that may be left out is tried. */
const MOST_WORDS = 100;

/**
 * The words of a quote that have its value, at its beginning and at its end where they stand there twice; all of them where none has it
 * directly: it is computed from them, or the page has it a little otherwise.
 */
export const ownWords = (value: JsonValue, pointer: string, words: Words): Words => {
  const suffices = (some: Words) => hasValue(value, some.map(({ text }) => text).join(' '), pointer);
  const withoutFirst = (some: Words): Words => {
    let left = some;
    while (left.length > 1 && suffices(left.slice(1))) left = left.slice(1);
    return left;
  };
  const withoutLast = (some: Words): Words => {
    let left = some;
    while (left.length > 1 && suffices(left.slice(0, -1))) left = left.slice(0, -1);
    return left;
  };
  if (words.length > MOST_WORDS || !suffices(words)) return words;
  return [...new Set([...withoutLast(withoutFirst(words)), ...withoutFirst(withoutLast(words))])];
};

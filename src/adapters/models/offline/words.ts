import { fillers, near, phrases, qualifiers, synonyms } from './vocabulary.ts';

/** What labels on paper and names in a schema have in common: both become a short list of canonical words. */
export type Words = readonly string[];

const plain = (text: string) =>
  text
    .replace(/\([^()]{0,60}\)/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/\d+(?:[.,]\d+)? ?%/g, ' ')
    .replaceAll('№', ' number ')
    .replaceAll('#', ' number ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const anyPhrase = new RegExp(phrases.map(([pattern]) => pattern.source).join('|'));

const wordsOf = (text: string): Words => {
  const bare = plain(text);
  const replaced = anyPhrase.test(bare) ? phrases.reduce((left, [pattern, word]) => left.replace(pattern, ` ${word} `), bare) : bare;
  const words = replaced
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => synonyms.get(word) ?? word);
  const telling = words.filter((word) => !fillers.has(word));
  return [...new Set(telling.length > 0 ? telling : words)];
};

const known = new Map<string, Words>();
const MAX_KNOWN = 5_000;

/** The canonical words of a label or a name, each once. Documents repeat their labels, so the last ones are remembered. */
export const canonical = (text: string): Words => {
  const start = text.slice(0, 200);
  const before = known.get(start);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const words = wordsOf(start);
  known.set(start, words);
  return words;
};

/** An invoice's own side is often left unsaid. */
const SOFT = 'supplier';

const twins = new Map<string, readonly string[]>();
for (const [a, b] of near) {
  twins.set(a, [...(twins.get(a) ?? []), b]);
  twins.set(b, [...(twins.get(b) ?? []), a]);
}

/** Every word that a label for one of these names could have a use for. */
export const vocabularyOf = (names: readonly Words[]): ReadonlySet<string> =>
  new Set(names.flatMap((words) => words.flatMap((word) => [word, ...(twins.get(word) ?? [])])));

const isNear = (a: string, b: string) => twins.get(a)?.includes(b) === true;

const penalty = (word: string, each: number) => (word === SOFT ? 0.3 : each);

/** How well a label names a property: 1 for the same words, 0 for something else. */
export const likeness = (label: Words, property: Words): number => {
  if (!label.some((word) => property.includes(word) || property.some((other) => isNear(word, other)))) return 0;
  let extra = label.filter((word) => !property.includes(word));
  let missing = property.filter((word) => !label.includes(word));
  let score = 1;
  for (const word of extra) {
    const twin = missing.find((other) => isNear(word, other));
    if (twin === undefined) continue;
    extra = extra.filter((other) => other !== word);
    missing = missing.filter((other) => other !== twin);
    score -= 0.25;
  }
  if (extra.length > 0 && missing.length > 0) return 0;
  if ([...extra, ...missing].some((word) => qualifiers.has(word)) || extra.includes('date')) return 0;
  for (const word of extra) score -= penalty(word, 0.12);
  for (const word of missing) score -= penalty(word, 0.15);
  return Math.max(0, score);
};

/** Below this a label does not name the property at all. */
export const NAMED = 0.5;
/** From here on a label needs no colon to be one. */
export const SURELY_NAMED = 0.85;

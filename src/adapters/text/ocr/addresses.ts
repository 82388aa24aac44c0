import type { ReadWord } from './reading.ts';

/** Of a word's height: how far apart the parts of an address stand at most. */
const ADDRESS_GAP = 0.6;
const ADDRESS_PARTS = /^[\p{L}\p{N}._+-]+ @[\p{L}\p{N}-]+\.|@[^.\s]+\. \p{Ll}/u;

/** An e-mail address is one word: the engine often puts a blank before its sign, or behind its point. */
export const withAddresses = (words: readonly ReadWord[]): readonly ReadWord[] => {
  const all: ReadWord[] = [];
  for (const word of words) {
    const before = all.at(-1);
    const gap = before === undefined ? 0 : word.left - before.left - before.width;
    const isPart =
      before?.line === word.line &&
      gap < ADDRESS_GAP * word.height &&
      ADDRESS_PARTS.test(`${before.text} ${word.text}`);
    if (!isPart) {
      all.push(word);
      continue;
    }
    const top = Math.min(before.top, word.top);
    const bottom = Math.max(before.top + before.height, word.top + word.height);
    const box = { left: before.left, top, width: word.left + word.width - before.left, height: bottom - top };
    all[all.length - 1] = {
      line: word.line,
      ...box,
      text: before.text + word.text,
      confidence: Math.min(before.confidence, word.confidence),
    };
  }
  return all;
};

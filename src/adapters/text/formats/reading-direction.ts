import bidiFactory from 'bidi-js';
import { isRightToLeft } from '../../../domain/text.ts';

const bidi = bidiFactory();

/** Whether more of the letters are written from right to left than not. */
export const isMostlyRightToLeft = (texts: Iterable<string>): boolean => {
  let backward = 0;
  let forward = 0;
  for (const text of texts) {
    const letters = text.match(/\p{L}/gu) ?? [];
    const own = isRightToLeft(text) ? letters.filter(isRightToLeft).length : 0;
    backward += own;
    forward += letters.length - own;
  }
  return backward > forward;
};

const PAIRS = ['()', '[]', '{}', '<>', '«»'];

const isBalanced = (signs: string, open: string): boolean => {
  let depth = 0;
  for (const sign of signs) {
    depth += sign === open ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
};

/** Files differ in whether a bracket in text from right to left is the one that is seen or the one that is meant: what opens comes first. */
const withBrackets = (pieces: readonly string[]): readonly string[] =>
  PAIRS.reduce((all, pair) => {
    const [open = '', close = ''] = pair;
    const brackets = all.filter((piece) => piece === open || piece === close);
    if (brackets.length % 2 === 1 || isBalanced(brackets.join(''), open)) return all;
    const turned = brackets.map((piece) => (piece === open ? close : open));
    const meant = isBalanced(turned.join(''), open) ? turned : brackets.map((_, index) => pair[index % 2] ?? '');
    let at = -1;
    return all.map((piece) => {
      if (piece !== open && piece !== close) return piece;
      at += 1;
      return meant[at] ?? piece;
    });
  }, pieces);

/** Text between words from right to left runs so, too, if its page does; on another page only if such words begin and end the line. */
const directionOf = (letters: readonly string[], isPageRightToLeft: boolean): 'rtl' | 'ltr' => {
  const ends = [letters[0] ?? '', letters.at(-1) ?? ''].filter(isRightToLeft).length;
  return ends === 2 || (ends === 1 && isPageRightToLeft) ? 'rtl' : 'ltr';
};

/** The signs of a line as they stand from left to right, in the order in which they are read, by the Unicode bidirectional algorithm. */
export const inReadingOrder = (pieces: readonly string[], isPageRightToLeft: boolean): readonly string[] => {
  const letters = pieces.filter((piece) => /\p{L}/u.test(piece));
  if (!letters.some(isRightToLeft)) return pieces;
  // Which pieces change places is the same from the screen to the text as from the text to the screen.
  const { levels } = bidi.getEmbeddingLevels(pieces.join(''), directionOf(letters, isPageRightToLeft));
  let at = 0;
  const placed = pieces.map((piece) => {
    const level = levels[at] ?? 0;
    at += piece.length;
    return { piece, level };
  });
  for (let level = Math.max(...placed.map((each) => each.level)); level > 0; level -= 1) {
    for (let from = 0; from < placed.length; from += 1) {
      let to = from;
      while ((placed[to]?.level ?? 0) >= level) to += 1;
      if (to > from) placed.splice(from, to - from, ...placed.slice(from, to).reverse());
      from = to;
    }
  }
  return withBrackets(placed.map(({ piece }) => piece));
};

import { asciiFigures } from './ascii-figures.ts';

/** A text without what typesetting changes: case, blanks, ligatures, soft hyphens, the shapes of quotes and hyphens. */
export interface FoldedText {
  readonly text: string;
  /** The place in `source` that each character comes from. */
  readonly at: readonly number[];
  readonly source: string;
}

/** PDFium writes a hyphen at the end of a line as U+0002. */
const UNSEEN = /[\s\p{Cf}\p{Cc}]/u;

/** Most characters, which stay as they are. */
const PLAIN = /^[a-z0-9./%&+:@]$/;

const foldedCharacter = (character: string): string => {
  if (PLAIN.test(character)) return character;
  return asciiFigures(character.normalize('NFKC'))
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[‐‑‒–—―−⁃]/g, '-')
    .replace(/[‘’‚‛′´`]/g, "'")
    .replace(/[“”„‟«»″]/g, '"')
    .replace(/\s/g, '');
};

/** A comma or a hyphen at the end of a line, which a writer of the value leaves out or adds. */
const isLayout = (source: string, index: number): boolean => {
  if (source[index] === ',' || source[index] === ';') return /^(?:\s|$)/.test(source.slice(index + 1, index + 2));
  return source[index] === '-' && /^\p{L}-\s+\p{Ll}/u.test(source.slice(Math.max(0, index - 1), index + 4));
};

export const fold = (original: string): FoldedText => {
  const source = original.normalize('NFC');
  const at: number[] = [];
  let text = '';
  let index = 0;
  for (const character of source) {
    const isLeftOut = isLayout(source, index) || UNSEEN.test(character);
    const folded = isLeftOut ? '' : foldedCharacter(character);
    for (let count = 0; count < folded.length; count += 1) at.push(index);
    text += folded;
    index += character.length;
  }
  return { text, at, source };
};

/** A footnote mark goes on with no word. */
const isWordy = (text: string) => /^(?![¹²³⁰⁴-⁹])[\p{L}\p{M}\p{N}]/u.test(text);

/** Whether no word goes on before or behind a place in a text. */
export const standsAlone = (text: string, from: number, to: number): boolean => {
  const last = [...text.slice(Math.max(from, to - 2), to)].at(-1) ?? '';
  const before = [...text.slice(Math.max(0, from - 2), from)].at(-1) ?? '';
  return !(isWordy(text.slice(from, to)) && isWordy(before)) && !(isWordy(last) && isWordy(text.slice(to, to + 2)));
};

/** Whether the text stands in another one, as words of its own. */
export const isWithin = (wanted: FoldedText, { text, at, source }: FoldedText): boolean => {
  if (wanted.text === '') return false;
  for (let place = text.indexOf(wanted.text); place !== -1; place = text.indexOf(wanted.text, place + 1)) {
    const last = at[place + wanted.text.length - 1] ?? 0;
    const end = last + ((source.codePointAt(last) ?? 0) > 0xffff ? 2 : 1);
    if (standsAlone(source, at[place] ?? 0, end)) return true;
  }
  return false;
};

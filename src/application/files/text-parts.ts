import type { FilePart } from '../ports/text.ts';

/** What a reader of the text of a file is sent at once, in characters as JavaScript counts them (UTF-16). */
const PART_CHARACTERS = 100_000;

export interface TextPart {
  readonly text: string;
  /** Where the next part begins; null at the end. */
  readonly next: number | null;
}

/** As it was read; null if it was not. */
export const textOf = ({ pages, unreadable }: Pick<FilePart, 'pages' | 'unreadable'>): string | null =>
  unreadable === null && pages.length > 0 ? pages.map(({ text }) => text).join('\n\n') : null;

/** The part of a text that begins at `from`: whole lines, but of a line that is longer than a part. */
export const partFrom = (text: string, from: number): TextPart => {
  const most = from + PART_CHARACTERS;
  if (most >= text.length) return { text: text.slice(from), next: null };
  const afterLine = text.lastIndexOf('\n', most - 1) + 1;
  const isInCharacter = /[\uD800-\uDBFF]/.test(text.charAt(most - 1));
  const next = afterLine > from ? afterLine : most - (isInCharacter ? 1 : 0);
  return { text: text.slice(from, next), next };
};

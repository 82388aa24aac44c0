import type { ReadingNote, SourceFile, TextPage } from '../../application/ports/text.ts';

/** Why a file has no text: the message ends the sentence "the file …". */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** A file that is within another one. */
export interface InnerFile extends SourceFile {
  /** A picture among the words of a document: one with nothing written on it is no part of its own. */
  readonly isIllustration?: boolean;
}

/** All that is unpacked of one file together. */
export const MAX_UNPACKED_BYTES = 100 * 1024 * 1024;

/** What is in a file that holds others, and what of that is not read. */
export interface Contained {
  readonly attachments: readonly SourceFile[];
  readonly notes: readonly ReadingNote[];
}

/**
 * No pattern: V8 remembers each character of a run that it may have to give back, and the memory for that is full after four million of
 * them once a process has compiled so many patterns that V8 no longer optimises them.
 */
const withoutBlanksAtEnd = (line: string): string => {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end -= 1;
  return line.slice(0, end);
};

/** Text that any database, model or terminal takes: one kind of line end, no control characters, no half characters. */
export const clean = (text: string): string => {
  const sound = text
    .replace(/\r\n?|[\f\v\u0085\u2028\u2029]/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u0008\u000e-\u001f\u007f\ufeff]|\p{Surrogate}/gu, '');
  const lines: string[] = [];
  for (const written of sound.split('\n')) {
    const line = withoutBlanksAtEnd(written);
    if (line !== '' || lines.at(-1) !== '') lines.push(line);
  }
  return lines.join('\n').replace(/^\n|\n$/g, '');
};

/** What some terminals obey, and what turns the direction of writing, so that `exe.pdf` is shown where the name ends in `fdp.exe`. */
const MISLEADING = /[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A name from inside a file, fit to be shown: one line, no path, never empty. */
export const cleanName = (name: string | null | undefined, fallback: string): string => {
  const last = clean(name ?? '')
    .replace(/\s+/g, ' ')
    .replace(MISLEADING, '')
    .split(/[\\/]/)
    .at(-1);
  return (
    Array.from(last?.trim() ?? '')
      .slice(0, 200)
      .join('') || fallback
  );
};

/** How many times longer than the budget a text may be before it is cleaned; what is beyond is not cleaned. */
const RAW_FACTOR = 4;

/** What of these pages is not read if there is room for so many characters. */
const unreadFrom = (pages: readonly TextPage[], room: number) => ({
  pages: pages.reduce((sum, { number, unread }) => sum + (unread?.pages ?? (number === null ? 0 : 1)), 0),
  characters: pages.reduce((sum, { text }) => sum + text.length, 0) - room,
});

export const textBudget = (maxCharacters: number) => {
  const notice = `[The text ends here: only the first ${maxCharacters.toLocaleString('en')} characters of this file were read.]`;
  let left = maxCharacters;
  const cut = (text: string) => {
    const kept = text.slice(0, left).replace(/[\ud800-\udbff]$/, '');
    left = 0;
    return kept === '' ? notice : `${kept}\n${notice}`;
  };
  return {
    get left() {
      return left;
    },
    /** The pages as far as the budget goes; a last line says where it ends. */
    take(pages: readonly TextPage[]): readonly TextPage[] {
      const taken: TextPage[] = [];
      for (const page of pages) {
        const raw = page.text;
        const text = clean(raw.slice(0, maxCharacters * RAW_FACTOR));
        if (text.length > left || raw.length > maxCharacters * RAW_FACTOR) {
          const unread = unreadFrom(pages.slice(taken.length), left);
          return [...taken, { ...page, text: cut(text), unread }];
        }
        left -= text.length;
        taken.push({ ...page, text });
      }
      return taken;
    },
  };
};

export type Budget = ReturnType<typeof textBudget>;

/** How a box that can be ticked is written, in every format. */
export const checkMark = (isChecked: boolean): string => (isChecked ? '[x]' : '[ ]');

const SUPERSCRIPTS = [...'⁰¹²³⁴⁵⁶⁷⁸⁹'];
/** `12,` with raised cents, or `12` with `,50`. */
const CENTS = /[.,]\d\d\D?$/;
/** What is set above the line behind a word: a footnote mark or an exponent is no digit of the number before it. */
export const raised = (text: string, before: string): string =>
  /[^\s>]$/.test(before) && /^\D?\d{1,3}\D?$/.test(text) && !CENTS.test(before.slice(-1) + text)
    ? text.replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)] ?? digit)
    : text;

/** Why a file that is attached to another one was not read: with it, the reader of both came to an end. */
export const NOT_TOGETHER = 'could not be read, or another file beside it could not';

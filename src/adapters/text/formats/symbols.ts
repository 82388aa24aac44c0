import { codePoint } from 'dingbat-to-unicode';
import { counted, noteIfAny } from '../notes.ts';

/** The fonts that have signs in the places of letters, also as PDF files name them: `ABCDEF+Wingdings2-Regular`, `SymbolMT`. */
const FONT = /^(?:[A-Z]{6}\+)?(symbol|webdings|wingdings)[ -]?([23])?(?:mt|-regular)?$/i;

/** The name as the package knows it; undefined of a font of letters. */
export const symbolFont = (name: string | undefined): string | undefined => {
  const [, family, number] = FONT.exec(name?.trim() ?? '') ?? [];
  return number === undefined ? family : `${family} ${number}`;
};

/** Programs write a sign of such a font as its letter, or in the area of private use, where no other font has it. */
const PRIVATE = 0xf000;
const MAY_BE_SIGNS = /[\uf000-\uf0ff]/;
export const isPrivate = (letter: string): boolean => MAY_BE_SIGNS.test(letter);
const BLANK = 0x20;

/** The bytes of the letters of Windows-1252 that Unicode has elsewhere. */
const BYTES: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 32 }, (_, index) => {
    const byte = 0x80 + index;
    return [new TextDecoder('windows-1252').decode(Uint8Array.of(byte)), byte];
  }),
);

const signOf = (font: string | undefined, byte: number): string | undefined =>
  byte <= BLANK ? ' ' : codePoint(font ?? '', byte)?.string;

interface Drawn {
  readonly text: string;
  /** How many signs the reader does not know: it leaves them out. */
  readonly unknown: number;
}

/** A text as its font draws it. */
export const drawnIn = (font: string | undefined, text: string): Drawn => {
  const symbols = symbolFont(font);
  if (symbols === undefined && !isPrivate(text)) return { text, unknown: 0 };
  let drawn = '';
  let unknown = 0;
  for (const letter of text) {
    const isSign = isPrivate(letter);
    const byte = isSign ? letter.charCodeAt(0) - PRIVATE : (BYTES.get(letter) ?? letter.charCodeAt(0));
    const isLetter = !isSign && (symbols === undefined || byte <= BLANK || byte > 0xff);
    const sign = isLetter ? letter : signOf(symbols, byte);
    if (sign === undefined) unknown += 1;
    drawn += sign ?? '';
  }
  return { text: drawn, unknown };
};

/** What is said of signs that the reader does not know. */
export const unknownSigns = (count: number) =>
  noteIfAny('unread', count, `${counted(count, 'sign')} of a font of symbols`);

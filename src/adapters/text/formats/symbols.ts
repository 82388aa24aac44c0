import { codePoint } from 'dingbat-to-unicode';

/** The fonts that have signs in the places of letters. */
const FONTS = new Set(['symbol', 'webdings', 'wingdings', 'wingdings 2', 'wingdings 3']);

/** The name as the package knows it; undefined of a font of letters. */
export const symbolFont = (name: string | undefined): string | undefined => {
  const plain = name?.trim().toLowerCase() ?? '';
  return FONTS.has(plain) ? plain : undefined;
};

/** Programs write a sign of such a font as its letter, or in the area of private use, where no other font has it. */
const PRIVATE = 0xf000;
const MAY_BE_SIGNS = /[\uf000-\uf0ff]/;
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
  /** How many signs there are of which nobody knows what they are: they are left out. */
  readonly unknown: number;
}

/** A text as its font draws it. */
export const drawnIn = (font: string | undefined, text: string): Drawn => {
  const symbols = symbolFont(font);
  if (symbols === undefined && !MAY_BE_SIGNS.test(text)) return { text, unknown: 0 };
  let drawn = '';
  let unknown = 0;
  for (const letter of text) {
    const isPrivate = MAY_BE_SIGNS.test(letter);
    const byte = isPrivate ? letter.charCodeAt(0) - PRIVATE : (BYTES.get(letter) ?? letter.charCodeAt(0));
    const isLetter = !isPrivate && (symbols === undefined || byte <= BLANK || byte > 0xff);
    const sign = isLetter ? letter : signOf(symbols, byte);
    if (sign === undefined) unknown += 1;
    drawn += sign ?? '';
  }
  return { text: drawn, unknown };
};

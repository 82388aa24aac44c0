const isDigit = (character: string) => /^\p{Nd}$/u.test(character);

/** Unicode has the ten digits of a script in a row, from zero on. */
const asciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (isDigit(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
};

const FULL_WIDTH = 0xfee0;

const translated = (text: string): string =>
  text
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - FULL_WIDTH))
    .replace(/[^\P{Nd}0-9]/gu, asciiDigit)
    .replace(/\p{Zs}/gu, ' ')
    .replace(/(?<=\d)[’‘ʼ](?=\d)/g, "'")
    .replace(/(?<=\d)،(?=\d)/g, ',')
    .replace(/[‐‑﹣⁻]/g, '-')
    .replaceAll('￥', '¥')
    .replaceAll('￡', '£');

/**
 * A text whose digits, blanks, and full-width letters and signs are those of ASCII, without marks of direction. The Arabic signs for
 * thousands and decimals (`٬`, `٫`) stay: they mean one thing, and a comma may mean two.
 */
export const asciiFigures = (text: string): string => (/[^\0-\x7f]/.test(text) ? translated(text) : text);

/** Characters that a terminal or a page obeys instead of showing them: control characters and reversals of direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for, so that data has none
export const obeyed = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** These, and all that takes no room on a page, such as spaces without width and the tags in which words may hide. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export const spelled = (character: string): string => {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
};

/** A text in which a person sees all that is there: nothing turns its direction, and nothing is not seen. Its lines stay. */
export const plainly = (text: string): string =>
  text.toWellFormed().replaceAll(unseen, (character) => (character === '\n' ? character : spelled(character)));

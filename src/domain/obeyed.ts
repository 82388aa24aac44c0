/** Characters that a terminal or a page obeys instead of showing them: control characters and reversals of direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for, so that data has none
export const obeyed = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

export const spelled = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

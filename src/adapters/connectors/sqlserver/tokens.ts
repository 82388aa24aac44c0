import { keyword } from './keywords.ts';

/** A piece of T-SQL. `word` is a name or keyword as it stands, `quoted` a name in brackets or double quotes, taken out of them. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'variable' | 'symbol';
  readonly text: string;
  /** Its beginning and end in the whole text. */
  readonly start: number;
  readonly end: number;
}

export const isWord = (token: Token | undefined, ...words: readonly string[]) =>
  token?.kind === 'word' && words.includes(keyword(token.text));

export const isSymbol = (token: Token | undefined, text: string) => token?.kind === 'symbol' && token.text === text;

/** How many parentheses more are open behind the token than before it. */
export const nesting = (token: Token): number => {
  if (isSymbol(token, '(')) return 1;
  return isSymbol(token, ')') ? -1 : 0;
};

type Piece = Pick<Token, 'kind' | 'text'>;

/** A text that the server may read in another way than this program is refused. */
export class Unreadable extends Error {}

const SPACE = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+/y;
const WORD = /[\p{L}_#$][\p{L}\p{M}\p{Nd}_@#$]*/uy;
const VARIABLE = /@[\p{L}\p{M}\p{Nd}_@#$]*/uy;
const NUMBER = /0[xX][0-9a-fA-F]*|\$?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const TEXT = /'(?:[^']|'')*'/y;
const BRACKETED = /\[((?:[^\]]|\]\])*)\]/y;
const DOUBLE_QUOTED = /"((?:[^"]|"")*)"/y;
const LINE_COMMENT = /--[^\n]*/y;
const SYMBOL = /[(),.;=<>!+\-*/%&|^~:]/y;

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** The end of the outermost comment: comments nest. */
const endOfBlockComment = (text: string, start: number): number => {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  let depth = 0;
  for (let mark = edge.exec(text); mark; mark = edge.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  throw new Unreadable('A comment is not closed.');
};

const UNCLOSED: Readonly<Record<string, string>> = {
  "'": 'A text',
  '[': 'A name in brackets',
  '"': 'A name in quotes',
};

/** Servers do not agree on which of these end a line: what stands behind one may be a comment to one and a statement to the other. */
const DOUBTFUL_LINE_END = /[\v\f\u0085\u2028\u2029]|\r(?!$)/;

const lineComment = (comment: string): number => {
  if (DOUBTFUL_LINE_END.test(comment)) throw new Unreadable('A comment has an unusual end of line in it.');
  return comment.length;
};

/** `1drop` is a number and a word to the server, which is never intended. */
const number = (text: string, match: RegExpExecArray): Piece => {
  if (/^[\p{L}\p{M}\p{Nd}_@#$]/u.test(text.slice(match.index + match[0].length, match.index + match[0].length + 2))) {
    throw new Unreadable(`There must be a space behind the number ${match[0].slice(0, 40)}.`);
  }
  return { kind: 'number', text: match[0] };
};

/** Invisible letters, which a server might take for white space. */
const INVISIBLE = /[\u115f\u1160\u3164\uffa0]/;

const word = (_: string, [all]: RegExpExecArray): Piece => {
  if (INVISIBLE.test(all)) throw new Unreadable('A name has an invisible letter in it.');
  return { kind: 'word', text: all };
};

const forms: readonly (readonly [RegExp, (text: string, match: RegExpExecArray) => Piece])[] = [
  [TEXT, (_, [all]) => ({ kind: 'text', text: all })],
  [BRACKETED, (_, [, name = '']) => ({ kind: 'quoted', text: name.replaceAll(']]', ']') })],
  [DOUBLE_QUOTED, (_, [, name = '']) => ({ kind: 'quoted', text: name.replaceAll('""', '"') })],
  [NUMBER, number],
  [WORD, word],
  [VARIABLE, (_, [all]) => ({ kind: 'variable', text: all })],
  [SYMBOL, (_, [all]) => ({ kind: 'symbol', text: all })],
];

/** The length of the white space or comment that begins there; 0 if something else does. */
const blankAt = (text: string, at: number): number => {
  const space = matchAt(SPACE, text, at);
  if (space) return space[0].length;
  const line = matchAt(LINE_COMMENT, text, at);
  if (line) return lineComment(line[0]);
  return text.startsWith('/*', at) ? endOfBlockComment(text, at) - at : 0;
};

const unreadableAt = (text: string, at: number): Unreadable => {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const opened = UNCLOSED[character];
  if (opened) return new Unreadable(`${opened} is not closed.`);
  const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return new Unreadable(
    `The character ${/[!-~]/.test(character) ? `${character} ` : ''}(U+${code}) may stand in texts and quoted names only.`,
  );
};

/** The tokens of a text, without comments and white space. Throws Unreadable. */
export const tokensOf = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const blank = blankAt(text, at);
    at += blank;
    if (blank > 0) continue;
    const [match, read] = firstMatch(text, at) ?? [];
    if (!match || !read) throw unreadableAt(text, at);
    const end = at + match[0].length;
    tokens.push({ ...read(text, match), start: at, end });
    at = end;
  }
  return tokens;
};

const firstMatch = (text: string, at: number) => {
  for (const [pattern, read] of forms) {
    const match = matchAt(pattern, text, at);
    if (match) return [match, read] as const;
  }
  return null;
};

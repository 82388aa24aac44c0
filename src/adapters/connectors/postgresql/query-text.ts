import { DomainError } from '../../../domain/errors.ts';

/** A name that is called, as in `schema.name (…)`, or that may be a call in disguise, as in `row.name`. */
export interface Call {
  readonly schema: string | null;
  readonly name: string;
  readonly called: boolean;
}

interface Token {
  readonly kind: 'word' | 'quoted' | 'symbol' | 'other';
  /** A name as the catalogue has it; a symbol as it is. */
  readonly text: string;
}

/**
 * The lexical rules of PostgreSQL (manual, section 4.1) with `standard_conforming_strings` on, each in time proportional to the text.
 * What begins like one of these and does not end, the server refuses.
 */
const rules = {
  space: /[ \t\n\r\f\v]+|--[^\n\r]*/y,
  comment: /\/\*/y,
  escapeString: /[eE]'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*'/y,
  string: /(?:[bBxXnN]|[uU]&)?'[^']*(?:''[^']*)*'/y,
  dollar: /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y,
  unicodeName: /[uU]&"/y,
  quoted: /"([^"]*(?:""[^"]*)*)"/y,
  word: /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y,
  number: /\$?\d+/y,
  symbol: /[\s\S]/y,
} as const;

type Rule = keyof typeof rules;

const order = Object.keys(rules) as readonly Rule[];

const match = (text: string, at: number): { rule: Rule; found: RegExpExecArray } => {
  for (const rule of order) {
    rules[rule].lastIndex = at;
    const found = rules[rule].exec(text);
    if (found) return { rule, found };
  }
  throw new RangeError('beyond the end of the text');
};

/** Comments nest; one that does not end goes on to the end of the text. */
const endOfComment = (text: string, start: number): number => {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
};

const endOfDollarString = (text: string, start: number, tag: string): number => {
  const end = text.indexOf(tag, start + tag.length);
  return end < 0 ? text.length : end + tag.length;
};

/** The server folds ASCII only: toLowerCase would also make a k of the Kelvin sign. */
const folded = (word: string) => word.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function* tokens(text: string): Generator<Token> {
  for (let at = 0; at < text.length; ) {
    const { rule, found } = match(text, at);
    const [whole, name = ''] = found;
    if (rule === 'comment') at = endOfComment(text, at);
    else if (rule === 'dollar') at = endOfDollarString(text, at, whole);
    else at += whole.length;
    if (rule === 'unicodeName') throw new DomainError('invalid', 'Names are taken as they are or in quotes, not as U&"…".');
    if (rule === 'word') yield { kind: 'word', text: folded(whole) };
    else if (rule === 'quoted') yield { kind: 'quoted', text: name.replaceAll('""', '"') };
    else if (rule === 'symbol') yield { kind: 'symbol', text: whole };
    else if (rule !== 'space' && rule !== 'comment') yield { kind: 'other', text: '' };
  }
}

const isName = (token: Token | undefined): token is Token => token?.kind === 'word' || token?.kind === 'quoted';
const isSymbol = (token: Token | undefined, text: string) => token?.kind === 'symbol' && token.text === text;

const callsIn = (all: readonly Token[]): readonly Call[] => {
  const calls = new Map<string, Call>();
  for (const [index, token] of all.entries()) {
    if (!isName(token)) continue;
    const qualified = isSymbol(all[index - 1], '.');
    const called = isSymbol(all[index + 1], '(');
    if (!called && !qualified) continue;
    const before = all[index - 2];
    const call = { schema: qualified && isName(before) ? before.text : null, name: token.text, called };
    calls.set(JSON.stringify(call), call);
  }
  return [...calls.values()];
};

/** Statements that read and answer columns; everything else is refused before the server sees it. */
const readers = ['select', 'with', 'values', 'table', 'show', 'explain'];

/** What may be explained: EXPLAIN ANALYZE runs it, and even makes the table of a CREATE TABLE AS, in a read-only transaction too. */
const explainable = ['select', 'with', 'values', 'table'];

const explainOptions = new Set(
  'analyze analyse verbose costs settings generic_plan buffers serialize wal timing summary memory format true false on off none text binary xml json yaml'.split(
    ' ',
  ),
);

const refuse = (allowed: readonly string[], word: Token): never => {
  const told = word.kind === 'word' ? ` ${word.text.slice(0, 40).toUpperCase()} is none of them.` : '';
  throw new DomainError('invalid', `Only statements that read can be run: ${allowed.join(', ').toUpperCase()}.${told}`);
};

const isFirst = (token: Token) => token.kind !== 'symbol' || !['(', ';'].includes(token.text);

/** What a query calls. Refuses what is no reading statement, or blank. */
export const readQuery = (text: string): readonly Call[] => {
  if (text.includes('\0')) throw new DomainError('invalid', 'The query holds a NUL character.');
  const all = [...tokens(text)];
  const start = all.findIndex(isFirst);
  const first = all[start];
  if (first === undefined) throw new DomainError('invalid', 'The query is blank.');
  if (first.kind !== 'word' || !readers.includes(first.text)) return refuse(readers, first);
  if (first.text !== 'explain') return callsIn(all);
  const explained = all.slice(start + 1).find((token) => isName(token) && !explainOptions.has(token.text));
  if (explained && (explained.kind !== 'word' || !explainable.includes(explained.text))) return refuse(explainable, explained);
  return callsIn(all);
};

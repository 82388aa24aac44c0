import { refused } from './errors.ts';
import { forbiddenName, forbiddenWord, isReservedInSelect, keyword } from './keywords.ts';
import { type Token, tokensOf, Unreadable } from './tokens.ts';

const LONGEST_QUERY = 256 * 1024;

const isWord = (token: Token | undefined, ...words: readonly string[]) => token?.kind === 'word' && words.includes(keyword(token.text));

const isSymbol = (token: Token | undefined, text: string) => token?.kind === 'symbol' && token.text === text;

const isName = (token: Token | undefined) => token?.kind === 'quoted' || (token?.kind === 'word' && !isReservedInSelect(token.text));

/** What a token means by where it stands. */
interface Place {
  readonly tokens: readonly Token[];
  readonly at: number;
  /** How many parentheses are open. */
  readonly depth: number;
  /** Whether it is in a list of tables. */
  readonly inFrom: boolean;
}

/** A rule of what may not be: why a token is wrong where it stands, or null. */
type Rule = (token: Token, place: Place) => string | null;

const words: Rule = (token) => (token.kind === 'word' ? forbiddenWord(token.text) : null);

const names: Rule = (token) => (token.kind === 'word' || token.kind === 'quoted' ? forbiddenName(token.text) : null);

const noFurtherStatement: Rule = (token) => (isSymbol(token, ';') ? 'A query is one statement: nothing may follow its semicolon' : null);

/** Words that a SELECT has in one place only, where else they would begin another statement. */
const inPlace: Rule = (token, { tokens, at }) => {
  const [before, next, afterNext] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]];
  const misplaced =
    (isWord(token, 'FETCH') && !isWord(before, 'ROW', 'ROWS')) ||
    (isWord(token, 'MERGE') && !isWord(next, 'JOIN', 'UNION')) ||
    (isWord(token, 'USE') && !(isWord(next, 'HINT') && isSymbol(afterNext, '('))) ||
    (isWord(token, 'WITH') && at > 0 && !isSymbol(next, '(') && !isWord(next, 'ROLLUP', 'CUBE', 'TIES'));
  return misplaced ? `${keyword(token.text)} is not allowed there: a query is one SELECT` : null;
};

const sequence: Rule = (token, { tokens, at }) =>
  isWord(token, 'NEXT') && isWord(tokens[at + 1], 'VALUE') && isWord(tokens[at + 2], 'FOR')
    ? 'NEXT VALUE FOR is not allowed in a query: it uses a number of the sequence up'
    : null;

/** Of the statement itself, not of what is in parentheses, every SELECT but the first continues the one before. */
const oneSelect: Rule = (token, { tokens, at, depth }) => {
  if (depth > 0 || !isWord(token, 'SELECT') || at === 0) return null;
  const before = isWord(tokens[at - 1], 'ALL') ? tokens[at - 2] : tokens[at - 1];
  if (isWord(before, 'UNION', 'EXCEPT', 'INTERSECT')) return null;
  const afterTables = isWord(tokens[0], 'WITH') && isSymbol(before, ')') && firstOutside(tokens) === at;
  return afterTables ? null : 'A query is one statement: a second SELECT begins without UNION, EXCEPT or INTERSECT';
};

/** Where the first SELECT is that is in no parentheses. */
const firstOutside = (tokens: readonly Token[]): number => {
  let depth = 0;
  return tokens.findIndex((token) => {
    depth += isSymbol(token, '(') ? 1 : isSymbol(token, ')') ? -1 : 0;
    return depth === 0 && isWord(token, 'SELECT');
  });
};

const MOST_PARTS = 3;

/** `server.database.schema.table` is another server's: it is asked for over the network. */
const otherServers: Rule = (token, { tokens, at, inFrom }) => {
  if (!isWord(token, 'FROM', 'JOIN', 'APPLY') && !(inFrom && (isSymbol(token, ',') || isSymbol(token, '(')))) return null;
  let dots = 0;
  for (let next = at + 1; isName(tokens[next]) || isSymbol(tokens[next], '.'); next += 1) dots += isSymbol(tokens[next], '.') ? 1 : 0;
  return dots >= MOST_PARTS ? 'A name of four parts is not allowed in a query: it would reach another server' : null;
};

const rules: readonly Rule[] = [noFurtherStatement, words, names, inPlace, sequence, oneSelect, otherServers];

const isBatchSeparator = (token: Token, text: string) =>
  isWord(token, 'GO') &&
  /(?:^|[\n\r])[^\S\n\r]*$/.test(text.slice(0, token.start).slice(-LONGEST_INDENT)) &&
  /^[^\S\n\r]*(?:[\n\r]|$)/.test(text.slice(token.end, token.end + LONGEST_INDENT));

const LONGEST_INDENT = 1000;

const withoutOuterSemicolons = (tokens: readonly Token[]): readonly Token[] => {
  const first = tokens.findIndex((token) => !isSymbol(token, ';'));
  const last = tokens.findLastIndex((token) => !isSymbol(token, ';'));
  return first < 0 ? [] : tokens.slice(first, last + 1);
};

/** Parentheses and CASE … END must be balanced at every point: an END too many would end something else. */
const unbalanced = (tokens: readonly Token[]): string | null => {
  let parentheses = 0;
  let cases = 0;
  for (const token of tokens) {
    parentheses += isSymbol(token, '(') ? 1 : isSymbol(token, ')') ? -1 : 0;
    cases += isWord(token, 'CASE') ? 1 : isWord(token, 'END') ? -1 : 0;
    if (parentheses < 0) return 'There is a closing parenthesis too many';
    if (cases < 0) return 'END without CASE is not allowed in a query';
  }
  return null;
};

const firstFault = (tokens: readonly Token[]): string | null => {
  /** For the statement and each open parenthesis, whether a list of tables stands there. */
  const inFrom = [false];
  for (const [at, token] of tokens.entries()) {
    const place = { tokens, at, depth: inFrom.length - 1, inFrom: inFrom.at(-1) ?? false };
    for (const rule of rules) {
      const fault = rule(token, place);
      if (fault) return fault;
    }
    if (isSymbol(token, '(')) inFrom.push(place.inFrom);
    else if (isSymbol(token, ')')) inFrom.pop();
    else if (isWord(token, 'FROM', 'SELECT', 'WHERE', 'GROUP', 'ORDER', 'OPTION')) inFrom[inFrom.length - 1] = isWord(token, 'FROM');
  }
  return null;
};

const faultOf = (text: string): string | null => {
  if (text.includes('\0')) return 'The query holds a NUL character';
  if (text.length > LONGEST_QUERY) return `A query has at most ${LONGEST_QUERY} characters`;
  const all = tokensOf(text);
  if (all.some((token) => isBatchSeparator(token, text))) return 'GO separates batches in some tools: a query is one statement';
  const tokens = withoutOuterSemicolons(all);
  const first = tokens.find((token) => !isSymbol(token, '('));
  if (!first) return 'The query is blank';
  if (!isWord(first, 'SELECT') && !(first === tokens[0] && isWord(first, 'WITH'))) {
    return forbiddenWord(first.text) ?? 'A query has to begin with SELECT or WITH';
  }
  return unbalanced(tokens) ?? firstFault(tokens);
};

/**
 * Lets one SELECT pass and nothing else. In T-SQL a statement may follow another without a semicolon, but its first word is reserved, or
 * must have one before it: so no reserved word may stand there that a SELECT has no use for.
 */
export const assertReadOnly = (text: string): void => {
  try {
    const fault = faultOf(text);
    if (fault) throw refused(`${fault}.`);
  } catch (error) {
    throw error instanceof Unreadable ? refused(error.message) : error;
  }
};

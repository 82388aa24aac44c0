import { outside, refused } from '../errors.ts';
import { forbiddenName, forbiddenWord, keyword, readsByName, readsCatalogue } from './keywords.ts';
import { isName, mayBeMethod, type Relation, relationsIn } from './relations.ts';
import { isSymbol, isWord, nesting, type Token, tokensOf, Unreadable } from './tokens.ts';

const LONGEST_QUERY = 256 * 1024;

/** The place of a token. */
interface Place {
  readonly tokens: readonly Token[];
  readonly at: number;
  /** How many parentheses are open. */
  readonly depth: number;
}

/** Why a token is not allowed in its place, or null. */
type Rule = (token: Token, place: Place) => string | null;

const words: Rule = (token) => (token.kind === 'word' ? forbiddenWord(token.text) : null);

const names: Rule = (token, { tokens, at }) =>
  token.kind === 'word' || token.kind === 'quoted' ? forbiddenName(token.text, isSymbol(tokens[at + 1], '(')) : null;

const noFurtherStatement: Rule = (token) =>
  isSymbol(token, ';') ? 'A query is one statement: nothing may follow its semicolon' : null;

/** Words that a SELECT has in one place only: elsewhere they would begin another statement. */
const inPlace: Rule = (token, { tokens, at }) => {
  const before = tokens[at - 1];
  const next = tokens[at + 1];
  const afterNext = tokens[at + 2];
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

/** The first SELECT outside of parentheses. */
const firstOutside = (tokens: readonly Token[]): number => {
  let depth = 0;
  return tokens.findIndex((token) => {
    depth += nesting(token);
    return depth === 0 && isWord(token, 'SELECT');
  });
};

const rules: readonly Rule[] = [noFurtherStatement, words, names, inPlace, sequence, oneSelect];

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
    parentheses += nesting(token);
    if (isWord(token, 'CASE')) cases += 1;
    if (isWord(token, 'END')) cases -= 1;
    if (parentheses < 0) return 'There is a closing parenthesis too many';
    if (cases < 0) return 'END without CASE is not allowed in a query';
  }
  return null;
};

const firstError = (tokens: readonly Token[]): string | null => {
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    for (const rule of rules) {
      const error = rule(token, { tokens, at, depth });
      if (error) return error;
    }
    depth += nesting(token);
  }
  return null;
};

const MOST_PARTS = 3;

/** What is no table of this server: another server's, asked for over the network, or a procedure that reaches out. */
const errorOf = ({ parts }: Relation): string | null => {
  if (parts.length > MOST_PARTS) return 'A name of four parts is not allowed in a query: it would reach another server';
  return forbiddenName(parts.at(-1) ?? '', true);
};

interface Select {
  readonly tokens: readonly Token[];
  readonly relations: readonly Relation[];
}

/** One SELECT. Throws what is refused, or Unreadable. */
const selectOf = (text: string): Select => {
  const refuse = (error: string | null) => {
    if (error !== null) throw refused(`${error}.`);
  };
  if (text.includes('\0')) refuse('The query holds a NUL character');
  if (text.length > LONGEST_QUERY) refuse(`A query has at most ${LONGEST_QUERY} characters`);
  const all = tokensOf(text);
  if (all.some((token) => isBatchSeparator(token, text)))
    refuse('GO separates batches in some tools: a query is one statement');
  const tokens = withoutOuterSemicolons(all);
  const first = tokens.find((token) => !isSymbol(token, '('));
  if (!first) throw refused('The query is blank.');
  if (!isWord(first, 'SELECT') && !(first === tokens[0] && isWord(first, 'WITH'))) {
    refuse(forbiddenWord(first.text) ?? 'A query has to begin with SELECT or WITH');
  }
  refuse(unbalanced(tokens) ?? firstError(tokens));
  const relations = relationsIn(tokens);
  for (const relation of relations) refuse(errorOf(relation));
  return { tokens, relations };
};

const isOutside = (relation: Relation, schemas: readonly string[]): boolean => {
  const { parts } = relation;
  const [schema = ''] = parts.slice(-2);
  return !mayBeMethod(relation) && parts.length > 1 && (parts.length > 2 || !schemas.includes(schema));
};

/** A function of the system has no schema before its name. */
const callsCatalogue = (tokens: readonly Token[], at: number): boolean => {
  const token = tokens[at];
  return isName(token) && readsCatalogue(token.text) && isSymbol(tokens[at + 1], '(') && !isSymbol(tokens[at - 1], '.');
};

/** The relations of which only the server knows where they are: those without a schema, and what may be a method. */
const unplacedWithin = ({ tokens, relations }: Select, schemas: readonly string[]): readonly Relation[] => {
  const reading = tokens.find(
    ({ kind, text }, at) => kind === 'word' && readsByName(text) && isSymbol(tokens[at + 1], '('),
  );
  if (reading)
    throw refused(`${reading.text} is not allowed in a query of this database: it names a table in its own way.`);
  const telling = schemas.includes('sys') ? undefined : tokens.find((_, at) => callsCatalogue(tokens, at));
  if (telling) throw refused(`A query of this database cannot call ${telling.text}: it reads beyond its schemas.`);
  const foreign = relations.find((relation) => isOutside(relation, schemas));
  if (foreign) throw outside({ schema: null, name: foreign.parts.join('.') }, schemas);
  const unplaced = relations.filter((relation) => relation.parts.length === 1 || mayBeMethod(relation));
  if (unplaced.length > MOST_UNPLACED)
    throw refused(`A query of this database has at most ${MOST_UNPLACED} tables without a schema.`);
  return unplaced;
};

const MOST_UNPLACED = 500;

/**
 * Lets one SELECT pass and nothing else. In T-SQL a statement may follow another without a semicolon, but its first word is reserved, or
 * must have one before it: so no reserved word may stand there that a SELECT has no use for. With schemas given, relations of
 * others are refused, and the answer is the relations that only the server can place.
 */
export const assertReadOnly = (text: string, schemas: readonly string[] | null): readonly Relation[] => {
  try {
    const select = selectOf(text);
    return schemas === null ? [] : unplacedWithin(select, schemas);
  } catch (error) {
    throw error instanceof Unreadable ? refused(error.message) : error;
  }
};

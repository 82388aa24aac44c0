import { outside } from '../errors.ts';
import { quoteName } from './dialect.ts';
import { isReservedInSelect, keyword } from './keywords.ts';
import { type Run, textParameter } from './session.ts';
import { isSymbol, isWord, nesting, type Token } from './tokens.ts';

/** A name where a SELECT has a table: its parts as they stand, an empty one between two dots. */
export interface Relation {
  readonly parts: readonly string[];
  /** Whether a list in parentheses follows, as of a function that answers rows. */
  readonly called: boolean;
  /** False for what the server need not know by its name: a function of T-SQL, a method, or a name of WITH in other letters. */
  readonly isObject: boolean;
}

export const isName = (token: Token | undefined): token is Token =>
  token?.kind === 'quoted' || (token?.kind === 'word' && !isReservedInSelect(token.text));

/** Functions whose first arguments are the names of tables, and how many words stand before the name. */
const takesTable = new Map([
  ['CONTAINSTABLE', 0],
  ['FREETEXTTABLE', 0],
  ['SEMANTICKEYPHRASETABLE', 0],
  ['SEMANTICSIMILARITYTABLE', 0],
  ['SEMANTICSIMILARITYDETAILSTABLE', 0],
  ['CHANGETABLE', 1],
]);

type Chain = Omit<Relation, 'isObject'>;

const chainAt = (tokens: readonly Token[], at: number): Chain | null => {
  const parts: string[] = [];
  let next = at;
  for (let named = false; ; next += 1) {
    const token = tokens[next];
    if (isSymbol(token, '.')) {
      if (!named) parts.push('');
      named = false;
    } else if (isName(token) && !named) {
      parts.push(token.text);
      named = true;
    } else break;
  }
  return parts.length === 0 ? null : { parts, called: isSymbol(tokens[next], '(') };
};

/** The state between two parentheses. */
interface Level {
  /** Whether a SELECT stands there, without which FROM belongs to a function such as TRIM. */
  readonly selects: boolean;
  /** Whether its lists are of tables. */
  readonly tables: boolean;
}

const endsTables = ['SELECT', 'WHERE', 'GROUP', 'HAVING', 'ORDER', 'OPTION', 'FOR'];

const after = (level: Level, token: Token, before: Token | undefined): Level => {
  if (isWord(token, 'SELECT')) return { selects: true, tables: false };
  if (isWord(token, 'GROUP') && isWord(before, 'WITHIN')) return level;
  if (isWord(token, 'FROM')) return level.selects && !isWord(before, 'DISTINCT') ? { ...level, tables: true } : level;
  // FOR of `for system_time` and of PIVOT is within the list of tables.
  if (isWord(token, ...endsTables)) return { ...level, tables: level.tables && isWord(token, 'FOR') };
  return level;
};

const opensTable = (token: Token, level: Level) =>
  isWord(token, 'FROM', 'JOIN', 'APPLY') || (level.tables && (isSymbol(token, ',') || isSymbol(token, '(')));

/** Every name that stands where a SELECT has a table, with the place of its first token. */
const namesOfTables = (tokens: readonly Token[]): readonly (readonly [number, Chain])[] => {
  const chains: (readonly [number, Chain])[] = [];
  const levels: Level[] = [{ selects: false, tables: false }];
  const note = (at: number) => {
    const chain = chainAt(tokens, at);
    if (chain) chains.push([at, chain]);
  };
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    const level = levels.at(-1) ?? { selects: false, tables: false };
    if (isSymbol(token, '(')) {
      const nested =
        isWord(before, 'FROM', 'JOIN', 'APPLY') || (level.tables && (isSymbol(before, ',') || isSymbol(before, '(')));
      levels.push({ selects: false, tables: nested && !isWord(tokens[at + 1], 'VALUES') });
    } else if (isSymbol(token, ')')) levels.pop();
    else levels[levels.length - 1] = after(level, token, before);
    const now = levels.at(-1) ?? level;
    if (opensTable(token, now) && (!isWord(token, 'FROM') || now.tables)) note(at + 1);
    const words = token.kind === 'word' ? takesTable.get(keyword(token.text)) : undefined;
    if (words !== undefined && isSymbol(tokens[at + 1], '(')) note(at + 2 + words);
  }
  return chains;
};

/** The token from which on each name of WITH is known: its own definition. */
const namesOfWith = (tokens: readonly Token[]): ReadonlyMap<string, number> => {
  const known = new Map<string, number>();
  if (!isWord(tokens[0], 'WITH')) return known;
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (depth === 0 && isWord(token, 'SELECT')) break;
    const name = tokens[at + 1];
    if (depth === 0 && (at === 0 || isSymbol(token, ',')) && isName(name)) known.set(name.text, at);
    depth += nesting(token);
  }
  return known;
};

/** Functions of T-SQL that answer rows of what they are given: they have no schema. */
const rowFunctions = new Set([
  'OPENJSON',
  'STRING_SPLIT',
  'GENERATE_SERIES',
  'REGEXP_MATCHES',
  'REGEXP_SPLIT_TO_TABLE',
  // Its table is looked at by itself.
  'CHANGETABLE',
]);

/** The method of a column of XML, or a function or table of that name: they are written alike, but no column is called nothing. */
export const mayBeMethod = ({ parts, called }: Chain): boolean =>
  called && parts.length > 1 && parts.at(-1) === 'nodes' && !parts.includes('');

/** The relations that a SELECT reads, without what it defines itself. */
export const relationsIn = (tokens: readonly Token[]): readonly Relation[] => {
  const known = namesOfWith(tokens);
  const inOtherLetters = new Map([...known].map(([name, from]) => [keyword(name), from]));
  const isKnown = (names: ReadonlyMap<string, number>, name: string, at: number) =>
    (names.get(name) ?? Number.POSITIVE_INFINITY) <= at;
  return namesOfTables(tokens).flatMap(([at, chain]) => {
    const { parts, called } = chain;
    const [name = ''] = parts;
    if (parts.length === 1 && isKnown(known, name, at)) return [];
    const isFunction = mayBeMethod(chain) || (called && rowFunctions.has(keyword(name)));
    const isTemporary = name.startsWith('#');
    return [{ parts, called, isObject: !isFunction && (isTemporary || !isKnown(inOtherLetters, keyword(name), at)) }];
  });
};

/** Refuses relations that the server finds outside of these schemas, or does not find, as temporary tables of others. */
export const mustBeWithin = async (
  schemas: readonly string[],
  relations: readonly Relation[],
  query: Run,
): Promise<void> => {
  const nameOf = ({ parts }: Relation) => parts.map(quoteName).join('.');
  const names = [...new Set(relations.map(nameOf))];
  const values = names.map((_, index) => `(@p${index})`).join(', ');
  const text = `select n.name as [name], object_id(n.name) as [id], convert(nvarchar(128), object_schema_name(object_id(n.name))) as [schema] from (values ${values}) as n (name)`;
  const rows = await query<Found>({ text, parameters: names.map(textParameter) });
  const objects = new Map(rows.filter(({ id }) => id !== null).map((object) => [object.name, object]));
  for (const relation of relations) {
    const { parts, isObject } = relation;
    const object = objects.get(nameOf(relation));
    const schema = object?.schema ?? null;
    const isWithin = parts.length <= 2 && schema !== null && schemas.includes(schema);
    if (object ? isWithin : !isObject) continue;
    throw outside({ schema: parts.length > 1 ? null : schema, name: parts.join('.') }, schemas);
  }
};

interface Found {
  readonly name: string;
  readonly id: number | null;
  readonly schema: string | null;
}

import { isObject } from '../../../domain/json.ts';
import { shown } from '../names.ts';
import { Refusal } from '../query-parser.ts';
import { harmless } from './functions.ts';

/** A relation that a query reads; without a schema, one of the database that the connection is in. */
export interface UsedRelation {
  readonly schema: string | null;
  readonly name: string;
}

const listed = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/));

/** Every kind of node that a reading statement may have; all others, and what later versions add, are refused. */
const nodes = listed(`
Query Select SetOperation Values Explain UnnamedExpr ExprWithAlias Wildcard QualifiedWildcard ObjectName Table Derived NestedJoin JsonTable Named
Nested ForOrdinality Join Inner Left LeftOuter Right RightOuter CrossJoin StraightJoin On Using Natural Expressions Expr Unnamed List OrderBy
Separator WindowSpec NamedWindow Preceding Following Value Number SingleQuotedString DoubleQuotedString NationalStringLiteral HexStringLiteral
SingleQuotedByteStringLiteral Boolean Identifier CompoundIdentifier BinaryOp UnaryOp IsNull IsNotNull IsTrue IsNotTrue IsFalse IsNotFalse
IsUnknown IsNotUnknown IsDistinctFrom IsNotDistinctFrom InList InSubquery Between Like RLike Exists Tuple AnyOp AllOp Subquery Function Case Cast Convert Extract
Position Substring Trim Ceil Floor Interval MatchAgainst Collate Prefixed TypedString LimitOffset OffsetCommaLimit Int Integer
BigInt TinyInt SmallInt Unsigned Signed UnsignedInteger SignedInteger Decimal Numeric Dec Char Character Varchar Nvarchar Binary Varbinary Float Double Real
Date Datetime Timestamp Time Year JSON Precision PrecisionAndScale IntegerLength DateTimeField Scale Limit Null Placeholder`);

/** Every field of those nodes that may be filled. */
const fields = listed(`
with recursive cte_tables alias explicit name value quote_style columns query body left right op set_quantifier order_by limit_clause limit offset
limit_by kind exprs expr options asc nulls_first projection from relation joins join_operator group_by having selection distinct named_window
window_before_qualify flavor subquery lateral list negated low high pattern escape_char any regexp compare_op is_some parameters args clauses
duplicate_treatment null_treatment over window_name partition_by window_frame units start_bound end_bound explicit_row rows content content_rows
describe_alias statement partitions index_hints hint_type index_type for_clause index_names table_with_joins json_expr json_path type path
on_empty on_error data_type charset collation target_before_value styles field syntax in substring_from substring_for special shorthand
trim_where trim_what trim_characters leading_field leading_precision last_field fractional_seconds_precision match_value opt_search_modifier
prefix operand else_result conditions condition result length unit uses_odbc_syntax is_try r#in`);

const operators = listed(`
Plus Minus Multiply Divide Modulo MyIntegerDivide StringConcat Gt Lt GtEq LtEq Spaceship Eq NotEq And Or Xor Not Bang BitwiseOr BitwiseAnd BitwiseXor
BitwiseNot PGBitwiseNot PGBitwiseShiftLeft PGBitwiseShiftRight BangNot Regexp Arrow LongArrow Union Intersect Except MemberOf Match BitwiseShiftLeft BitwiseShiftRight`);

/** What only says where something stands. */
const places = /^span$|_token$/;

const waits = new Set(['sleep', 'benchmark']);

type Node = Readonly<Record<string, unknown>>;
type Scope = ReadonlySet<string>;

const nodeOf = (value: unknown): Node => (isObject(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 'None' ||
  (Array.isArray(value) && value.length === 0);

const spelled = (name: string) =>
  name
    .replaceAll(/(?<=[a-z])[A-Z]/g, ' $&')
    .replaceAll('_', ' ')
    .toUpperCase();
const needless = (name: string) =>
  new Refusal(`A query cannot use ${spelled(name)}: it is nothing that a reading statement needs.`);

const refusals: Readonly<Record<string, string>> = {
  into: 'A query cannot use INTO: it would write what it finds.',
  locks: 'A query cannot use FOR UPDATE or FOR SHARE: it would lock rows.',
  analyze: 'A query cannot use EXPLAIN ANALYZE, which runs what it explains.',
};

interface Part {
  readonly text: string;
  readonly quoted: boolean;
}

/** Letters that both the parser and the server take for those of a name. */
const UNQUOTED = /^@{0,2}[A-Za-z0-9_$\u0080-\uffff]+$/;

const partOf = (identifier: unknown): Part => {
  const { value, quote_style: quote } = nodeOf(identifier);
  if (typeof value !== 'string') throw new Refusal('A query cannot use a name that is not written out.');
  const quoted = quote === '`';
  if (!quoted && (quote || !UNQUOTED.test(value)))
    throw new Refusal(`A query cannot use the name ${shown(value)} without backticks.`);
  return { text: value, quoted };
};

const partsOf = (name: unknown): readonly Part[] => list(name).map((part) => partOf(nodeOf(part).Identifier));

/** Walks the tree of a statement and notes every relation that it reads. */
class Reader {
  readonly used = new Map<string, UsedRelation>();

  /** What a node itself uses; the nodes below it are walked besides. */
  readonly #meanings: Readonly<Record<string, (node: Node, scope: Scope) => void>> = {
    Identifier: (node) => void partOf(node),
    Table: ({ name }, scope) => {
      const parts = partsOf(name);
      const [schema, table] = parts.length === 1 ? [null, parts[0]?.text] : [parts[0]?.text ?? null, parts[1]?.text];
      if (table === undefined || parts.length > 2)
        throw new Refusal('A relation has at most two names: `schema`.`table`.');
      if (schema !== null || !scope.has(table)) this.used.set(JSON.stringify([schema, table]), { schema, name: table });
    },
    Function: ({ name }) => {
      const parts = partsOf(name);
      const called = shown(parts.map(({ text }) => text).join('.'));
      const [only] = parts;
      const known = only?.text.toLowerCase() ?? '';
      if (waits.has(known))
        throw new Refusal(`A query cannot call ${called}: it would keep a session busy with waiting.`);
      if (parts.length !== 1 || only?.quoted || !harmless.has(known))
        throw new Refusal(`A query cannot call ${called}: it may do more than read.`);
    },
    Placeholder: () => {
      throw new Refusal('A query has no parameters: nothing can be given for a placeholder.');
    },
  };

  walk(value: unknown, scope: Scope): void {
    if (Array.isArray(value)) {
      for (const item of value) this.walk(item, scope);
      return;
    }
    if (!isObject(value)) return;
    if ('body' in value && 'locks' in value) {
      this.#query(value, scope);
      return;
    }
    for (const [key, inner] of Object.entries(value)) {
      if (places.test(key) || isEmpty(inner)) continue;
      if (/^[A-Z]/.test(key)) {
        if (!nodes.has(key)) throw needless(key);
        this.#meanings[key]?.(nodeOf(inner), scope);
      } else this.#checkField(key, inner);
      this.walk(inner, scope);
    }
  }

  #checkField(key: string, value: unknown) {
    const refusal = refusals[key];
    if (refusal !== undefined) throw new Refusal(refusal);
    if (!fields.has(key)) throw needless(key);
    if (key === 'op' && typeof value === 'string' && !operators.has(value)) throw needless(value);
    if (key === 'flavor' && value !== 'Standard') throw needless(key);
  }

  /** A name of WITH hides the relation of that name in the statement and, unless it is recursive, in the queries of WITH behind its own. */
  #query({ with: withClause, ...rest }: Node, outer: Scope): void {
    const scope = new Set(outer);
    const { cte_tables: ctes, recursive } = nodeOf(withClause);
    const named = list(ctes).map((cte) => ({ name: partOf(nodeOf(nodeOf(cte).alias).name).text, cte: nodeOf(cte) }));
    if (recursive === true) for (const { name } of named) scope.add(name);
    for (const { name, cte } of named) {
      this.walk(cte, new Set(scope));
      scope.add(name);
    }
    for (const [key, inner] of Object.entries(rest)) {
      if (isEmpty(inner)) continue;
      this.#checkField(key, inner);
      this.walk(inner, scope);
    }
  }
}

/** Every relation that a query reads. Throws a Refusal unless the statements are one that only reads. */
export const relationsIn = (statements: readonly unknown[]): readonly UsedRelation[] => {
  const [first, ...others] = statements.map(nodeOf);
  if (first === undefined) throw new Refusal('The query is blank.');
  if (others.length > 0) throw new Refusal('A query is one statement, and this is more than one.');
  const { statement = first } = nodeOf(first.Explain);
  const [kind = 'statement'] = Object.keys(nodeOf(statement));
  if (kind !== 'Query')
    throw new Refusal(
      `Only statements that read can be run: SELECT, WITH, VALUES, EXPLAIN. ${spelled(kind)} is none of them.`,
    );
  const reader = new Reader();
  reader.walk(first, new Set());
  return [...reader.used.values()];
};

import type { JsonObject, JsonValue } from '../../../domain/json.ts';
import { Refusal } from '../query-parser.ts';

/**
 * A name that a query uses, in the catalogue's spelling. `attribute` is the last part of `x.name` or `(x).name`, which calls a function of one
 * argument where there is no such column; `column`: of rows alone.
 */
export interface UsedName {
  readonly kind: 'function' | 'attribute' | 'column' | 'operator' | 'type' | 'relation';
  readonly schema: string | null;
  readonly name: string;
}

/** Every node of the grammar that a reading statement may have; all others, and what later versions add, are refused. */
const nodes = new Set(
  `SelectStmt CommonTableExpr ResTarget SortBy WindowDef GroupingSet GroupingFunc RangeVar RangeSubselect RangeFunction RangeTableSample
  RangeTableFunc RangeTableFuncCol JoinExpr ColumnDef TypeName TypeCast CollateClause FuncCall NamedArgExpr ColumnRef A_Star A_Const A_Expr
  A_Indirection A_Indices A_ArrayExpr BoolExpr BooleanTest NullTest CaseExpr CaseWhen CoalesceExpr MinMaxExpr RowExpr SubLink
  SQLValueFunction XmlExpr XmlSerialize JsonTable JsonTableColumn JsonTablePathSpec JsonObjectConstructor JsonArrayConstructor
  JsonArrayQueryConstructor JsonObjectAgg JsonArrayAgg JsonAggConstructor JsonFuncExpr JsonParseExpr JsonScalarExpr JsonSerializeExpr
  JsonIsPredicate JsonKeyValue JsonValueExpr JsonOutput JsonReturning JsonFormat JsonArgument JsonBehavior List String Integer Float Boolean
  BitString`.split(/\s+/),
);

const readers = 'SELECT, WITH, VALUES, TABLE, SHOW, EXPLAIN';

/** `CreateTableAsStmt` is a CREATE TABLE AS. */
const spelled = (node: string) =>
  node
    .replace(/Stmt$/, '')
    .replaceAll(/(?<=[a-z])[A-Z]/g, ' $&')
    .toUpperCase();

const refusalOf = (node: string): Refusal => {
  if (node === 'ParamRef') return new Refusal('A query has no parameters: nothing can be given for $1.');
  if (node.endsWith('Stmt'))
    return new Refusal(`Only statements that read can be run: ${readers}. ${spelled(node)} is none of them.`);
  return new Refusal(`A query cannot use ${spelled(node)}: it is nothing that a reading statement needs.`);
};

const fields = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

const list = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

/** The texts of a list of names; null for what is none, as the star of `a.*`. */
const parts = (value: JsonValue | undefined): readonly (string | null)[] =>
  list(value).map((part) => {
    const { sval } = fields(fields(part).String);
    return typeof sval === 'string' ? sval : null;
  });

type Scope = ReadonlySet<string>;

/** Operators that the grammar stands for without writing them. */
const behindBetween = ['<', '<=', '>', '>='];

/** Walks the tree of a statement and notes every name that the catalogue decides about. */
class Reader {
  readonly #used = new Map<string, UsedName>();
  /** Whether a function stands in FROM: where it answers no rows but values, `x.name` may call a function of such a value. */
  #hasValuesInFrom = false;

  get names(): readonly UsedName[] {
    const names = [...this.#used.values()];
    if (!this.#hasValuesInFrom) return names;
    return names.map((used) => (used.kind === 'column' ? { ...used, kind: 'attribute' } : used));
  }

  #note(kind: UsedName['kind'], name: string | null | undefined, schema: string | null = null) {
    if (typeof name === 'string') this.#used.set(JSON.stringify([kind, schema, name]), { kind, schema, name });
  }

  #noteQualified(kind: UsedName['kind'], names: JsonValue | undefined) {
    const all = parts(names);
    this.#note(kind, all.at(-1), all.at(-2) ?? null);
  }

  /** What a node itself uses; the nodes below it are walked besides. */
  readonly #meanings: Readonly<Record<string, (node: JsonObject, scope: Scope) => void>> = {
    FuncCall: ({ funcname }) => this.#noteQualified('function', funcname),
    ColumnRef: (node) => {
      const all = parts(node.fields);
      if (all.length > 1) this.#note('column', all.at(-1));
    },
    RangeFunction: () => {
      this.#hasValuesInFrom = true;
    },
    A_Indirection: ({ indirection }) => {
      for (const name of parts(indirection)) this.#note('attribute', name);
    },
    A_Expr: ({ kind, name }) => {
      if (String(kind).includes('BETWEEN')) for (const operator of behindBetween) this.#note('operator', operator);
      else this.#noteQualified('operator', name);
    },
    SubLink: ({ subLinkType, operName }) => {
      if (operName !== undefined) this.#noteQualified('operator', operName);
      else if (subLinkType === 'ANY_SUBLINK') this.#note('operator', '=');
    },
    SortBy: ({ useOp }) => this.#noteQualified('operator', useOp),
    CaseExpr: ({ arg }) => {
      if (arg !== undefined) this.#note('operator', '=');
    },
    JoinExpr: ({ isNatural, usingClause }) => {
      if (isNatural === true || usingClause !== undefined) this.#note('operator', '=');
    },
    RangeVar: ({ schemaname, relname }, scope) => {
      const schema = typeof schemaname === 'string' ? schemaname : null;
      if (schema === null && typeof relname === 'string' && scope.has(relname)) return;
      this.#note('relation', typeof relname === 'string' ? relname : null, schema);
    },
  };

  walk(value: JsonValue, scope: Scope): void {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) this.walk(item, scope);
      return;
    }
    for (const [key, inner] of Object.entries(value as JsonObject)) {
      if (/^[A-Z]/.test(key)) this.#node(key, fields(inner), scope);
      else {
        if (key === 'typeName') this.#noteQualified('type', fields(inner).names);
        this.walk(inner, scope);
      }
    }
  }

  #node(tag: string, node: JsonObject, scope: Scope): void {
    if (!nodes.has(tag)) throw refusalOf(tag);
    if (tag === 'SelectStmt') {
      this.select(node, scope);
      return;
    }
    this.#meanings[tag]?.(node, scope);
    if (tag === 'TypeName') this.#noteQualified('type', node.names);
    this.walk(node, scope);
  }

  /** A name of WITH hides the relation of that name in the statement and, unless it is recursive, in the queries of WITH behind its own. */
  select({ withClause, larg, rarg, ...rest }: JsonObject, outer: Scope): void {
    if (rest.intoClause !== undefined) throw new Refusal('A query cannot use INTO: it would make a table.');
    if (rest.lockingClause !== undefined)
      throw new Refusal('A query cannot use FOR UPDATE or FOR SHARE: it would lock rows.');
    const scope = new Set(outer);
    const { ctes, recursive } = fields(withClause);
    const queries = list(ctes).map((query) => fields(fields(query).CommonTableExpr));
    if (recursive === true) for (const { ctename } of queries) scope.add(String(ctename));
    for (const query of queries) {
      this.walk(query, new Set(scope));
      scope.add(String(query.ctename));
    }
    this.walk(rest, scope);
    for (const side of [larg, rarg]) if (side !== undefined) this.select(fields(side), scope);
  }
}

/** What is run of a statement: an EXPLAIN that analyses runs what it explains, and even makes the table of a CREATE TABLE AS. */
const explained = (statement: JsonObject): JsonObject => {
  const { query } = fields(statement.ExplainStmt);
  return query === undefined ? statement : fields(query);
};

/** Every name that a query uses. Throws a Refusal unless the tree is of one statement that only reads. */
export const namesIn = (tree: JsonObject): readonly UsedName[] => {
  const [first, ...others] = list(tree.stmts).map((raw) => fields(fields(raw).stmt));
  if (first === undefined) throw new Refusal('The query is blank.');
  if (others.length > 0) throw new Refusal('A query is one statement, and this is more than one.');
  if (first.VariableShowStmt !== undefined) return [];
  const statement = explained(first);
  if (statement.SelectStmt === undefined) throw refusalOf(Object.keys(statement)[0] ?? 'Stmt');
  const reader = new Reader();
  reader.select(fields(statement.SelectStmt), new Set());
  return reader.names;
};

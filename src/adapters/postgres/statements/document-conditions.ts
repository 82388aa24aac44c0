import { invalid } from '../../../domain/errors.ts';
import type { Comparison, Filter, FilterValue } from '../../../domain/filter.ts';
import { tokensOf } from '../../../domain/json.ts';

/** Adds a parameter to the statement; how the statement names it. */
export type Bind = (value: unknown) => string;

const operators: Readonly<Record<Exclude<Comparison, 'eq' | 'ne' | 'like'>, string>> = {
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};

/** PostgreSQL takes these for an index of a list; a JSON Pointer does not. */
const isOddIndex = (token: string) => /^\s*[+-]?\d+$/.test(token) && !/^(0|[1-9]\d*)$/.test(token);

/** The value at a JSON Pointer into `v.data`, as jsonb. */
const valueAt = (pointer: string, bind: Bind): string => {
  const path = tokensOf(pointer);
  const value = `(v.data #> ${bind(path)}::text[])`;
  const objects = path.flatMap((token, index) =>
    isOddIndex(token) ? [`jsonb_typeof(v.data #> ${bind(path.slice(0, index))}::text[]) = 'object'`] : [],
  );
  return objects.length === 0 ? value : `(case when ${objects.join(' and ')} then ${value} end)`;
};

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d{1,4})?$/;
const MOST_DIGITS = 1000;
const isComparable = (text: string) => text.length <= MOST_DIGITS && NUMBER.test(text);

type Typed<T extends FilterValue['type']> = Extract<FilterValue, { readonly type: T }>;
const ofType = <T extends FilterValue['type']>(values: readonly FilterValue[], type: T) =>
  values.filter((value): value is Typed<T> => value.type === type);

/** What the values are for a JSON value of each type: a text that reads as a number compares with numbers too. */
const operandsOf = (values: readonly FilterValue[]) => {
  const tooLarge = ofType(values, 'number').find(({ text }) => !isComparable(text));
  if (tooLarge)
    throw invalid({
      path: 'where',
      message: `compares with a number of too many digits: ${tooLarge.text.slice(0, 40)}`,
    });
  return {
    string: ofType(values, 'text').map(({ text }) => text),
    number: values.flatMap((value) => (value.type !== 'boolean' && isComparable(value.text) ? [value.text] : [])),
    boolean: ofType(values, 'boolean').map(({ value }) => value),
  };
};

type Operands = ReturnType<typeof operandsOf>;

const types = {
  string: { read: (value: string) => `(${value} #>> '{}') collate "C"`, type: 'text' },
  number: { read: (value: string) => `(${value} #>> '{}')::numeric`, type: 'numeric' },
  boolean: { read: (value: string) => `(${value} #>> '{}')::boolean`, type: 'boolean' },
} as const;
const typeNames = Object.keys(types) as readonly (keyof typeof types)[];

/** A condition on a value by its own type. It is unknown where there is no value or null, and false for a value of a type that is not compared. */
const byType = (value: string, arms: readonly (readonly [type: string, condition: string])[]) =>
  `(case coalesce(jsonb_typeof(${value}), 'null') when 'null' then null ${arms.map(([type, condition]) => `when '${type}' then coalesce(${condition}, false)`).join(' ')} else false end)`;

const armsOf = (
  value: string,
  operands: Operands,
  conditionOf: (expression: string, operand: string, type: string) => string,
  bind: Bind,
) =>
  typeNames.flatMap((name) => {
    const { read, type } = types[name];
    return operands[name].length === 0 ? [] : [[name, conditionOf(read(value), bind(operands[name]), type)] as const];
  });

const isOneOf = (value: string, values: readonly FilterValue[], bind: Bind) =>
  byType(
    value,
    armsOf(
      value,
      operandsOf(values),
      (expression, operand, type) => `${expression} = any (${operand}::${type}[])`,
      bind,
    ),
  );

const like = (value: string, pattern: string, bind: Bind) => {
  if (/(^|[^\\])(\\\\)*\\$/.test(pattern))
    throw invalid({ path: 'where', message: 'has a pattern that ends in half of an escape' });
  return byType(value, [['string', `(${value} #>> '{}') like ${bind(pattern)}`]]);
};

const compare = (value: string, comparison: Comparison, operand: FilterValue, bind: Bind): string => {
  if (comparison === 'eq') return isOneOf(value, [operand], bind);
  if (comparison === 'ne') return `not ${isOneOf(value, [operand], bind)}`;
  if (comparison === 'like') return like(value, operand.type === 'text' ? operand.text : '', bind);
  const operator = operators[comparison];
  return byType(
    value,
    armsOf(
      value,
      operandsOf([operand]),
      (expression, bound, type) => `${expression} ${operator} (${bound}::${type}[])[1]`,
      bind,
    ),
  );
};

/** A filter over `v.data` as a condition whose values and paths are parameters only. */
export const conditionOf = (filter: Filter, bind: Bind): string => {
  switch (filter.kind) {
    case 'compare':
      return compare(valueAt(filter.column, bind), filter.comparison, filter.value, bind);
    case 'in':
      return isOneOf(valueAt(filter.column, bind), filter.values, bind);
    case 'null':
      return `coalesce(jsonb_typeof(${valueAt(filter.column, bind)}), 'null') ${filter.isNull ? '=' : '<>'} 'null'`;
    case 'not':
      return `not (${conditionOf(filter.part, bind)})`;
    default: {
      const parts = filter.parts.map((part) => conditionOf(part, bind));
      return parts.length === 0 ? String(filter.kind === 'and') : `(${parts.join(` ${filter.kind} `)})`;
    }
  }
};

/** Texts of the index of which a document that the filter selects has one of each list. */
const leavesOf = (filter: Filter, bind: Bind): readonly string[] => {
  if (filter.kind === 'and') return filter.parts.flatMap((part) => leavesOf(part, bind));
  const isEqual = filter.kind === 'in' || (filter.kind === 'compare' && filter.comparison === 'eq');
  if (!isEqual) return [];
  const operands = operandsOf(filter.kind === 'in' ? filter.values : [filter.value]);
  const pairs = typeNames.flatMap((kind) => operands[kind].map((value) => [kind, String(value)] as const));
  const kinds = bind(pairs.map(([kind]) => kind));
  const values = bind(pairs.map(([, value]) => value));
  return [
    `(select string_agg(quote_literal(leaf_token(${bind(filter.column)}, kind, value)), ' | ') || ' | ''!''' from unnest(${kinds}::text[], ${values}::text[]) as leaf (kind, value))::tsquery`,
  ];
};

/** What `documents.words` has of the documents that are looked for; empty where it cannot tell. */
export const searchesOf = (q: string | null, where: Filter | null, bind: Bind): readonly string[] => [
  ...(q === null
    ? []
    : [`(select string_agg(quote_literal(word) || ':*', ' & ') from unnest(search_words(${bind(q)})) word)::tsquery`]),
  ...(where === null ? [] : leavesOf(where, bind)),
];

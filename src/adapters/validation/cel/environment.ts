import {
  type ASTNode,
  Environment,
  EvaluationError,
  ParseError,
  type ParseResult,
  TypeError as TypeCheckError,
} from '@marcbachmann/cel-js';
import Big from 'big.js';
import { messageOf } from '../../../domain/errors.ts';
import { isDay } from '../../../domain/text.ts';
import { isNode } from './names.ts';

/** Decimals of this module alone: a quotient that does not end is rounded, half to even, to so many places. */
const Decimal = Big();
Decimal.DP = 34;
Decimal.RM = Big.roundHalfEven;

/** No amount has so many digits; without a bound, a few of them would fill the memory. */
const MOST_DIGITS = 1000;
const isInRange = ({ c, e }: Big) => c.length <= MOST_DIGITS && Math.abs(e) <= MOST_DIGITS;

/** Stands in a document for a number beyond all bounds: to compute with it is an error. */
class NumberOutOfRange {}

export const decimalOf = (text: string): Big | NumberOutOfRange => {
  const value = text.length > 4 * MOST_DIGITS ? null : new Decimal(text);
  return value !== null && isInRange(value) ? value : new NumberOutOfRange();
};

type Numeral = Big | bigint;
const toDecimal = (value: unknown): Big => {
  if (value instanceof Decimal) return value;
  if (typeof value === 'bigint') return new Decimal(value.toString());
  throw new Error(value === null ? 'null is not a number' : 'the list holds something that is not a number');
};

const bounded = (value: Big): Big => {
  if (isInRange(value)) return value;
  throw new Error(`a number has over ${MOST_DIGITS} digits`);
};

const arithmetic: Readonly<Record<string, (a: Big, b: Big) => Big>> = {
  '+': (a, b) => a.plus(b),
  '-': (a, b) => a.minus(b),
  '*': (a, b) => a.times(b),
  '/': (a, b) => {
    if (b.eq(0)) throw new Error('division by zero');
    return a.div(b);
  },
};

const comparison: Readonly<Record<string, (a: Big, b: Big) => boolean>> = {
  '<': (a, b) => a.lt(b),
  '<=': (a, b) => a.lte(b),
  '>': (a, b) => a.gt(b),
  '>=': (a, b) => a.gte(b),
};

/** Decimals among themselves and with CEL's own integers, which keep their own arithmetic. */
const addDecimals = (environment: Environment) => {
  environment.registerType('decimal', { ctor: Decimal as unknown as new () => object, fields: {} });
  const pairs = [
    ['decimal', 'decimal'],
    ['decimal', 'int'],
    ['int', 'decimal'],
  ] as const;
  for (const [left, right] of pairs) {
    for (const [sign, compute] of Object.entries(arithmetic))
      environment.registerOperator(`${left} ${sign} ${right}: decimal`, (a: Numeral, b: Numeral) =>
        bounded(compute(toDecimal(a), toDecimal(b))),
      );
    for (const [sign, compare] of Object.entries(comparison))
      environment.registerOperator(`${left} ${sign} ${right}`, (a: Numeral, b: Numeral) =>
        compare(toDecimal(a), toDecimal(b)),
      );
  }
  const areEqual = (a: Numeral, b: Numeral) => toDecimal(a).eq(toDecimal(b));
  environment.registerOperator('decimal == decimal', areEqual).registerOperator('decimal == int', areEqual);
  environment.registerOperator('-decimal', (value: Big) => value.times(-1));
};

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)([Zz]|[+-]\d{2}:\d{2})?)?$/;

/** A day is its first moment in UTC; a time without a zone is one in UTC. The thirtieth of February is none, though `Date` takes it for a later day. */
const dateOf = (text: string): Date => {
  const [, day = '', time = '00:00', zone = 'Z'] = DATE.exec(text) ?? [];
  const date = new Date(`${day}T${time}${zone}`);
  if (isDay(day) && !Number.isNaN(date.getTime())) return date;
  throw new Error(`${JSON.stringify(text.slice(0, 40))} is not a date as in "2026-11-06"`);
};

const addFunctions = (environment: Environment) => {
  const total = (list: readonly unknown[]) =>
    list.reduce((sum: Big, value) => bounded(sum.plus(toDecimal(value))), new Decimal(0));
  environment.registerFunction('sum(list): decimal', (list: readonly unknown[] | ReadonlySet<unknown>) =>
    total([...list]),
  );
  environment.registerFunction('date(string): google.protobuf.Timestamp', dateOf);
  const kinds = ['decimal', 'int'];
  for (const a of kinds)
    for (const b of kinds)
      for (const tolerance of kinds)
        environment.registerFunction(`near(${a}, ${b}, ${tolerance}): bool`, (x: Numeral, y: Numeral, most: Numeral) =>
          toDecimal(x).minus(toDecimal(y)).abs().lte(toDecimal(most)),
        );
};

const limits = { maxAstNodes: 1000, maxDepth: 50, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 10 };

/** CEL with decimals, `sum`, `near` and `date`. What is added to a clone is no part of it. */
export const celEnvironment = (): Environment => {
  const environment = new Environment({ limits });
  addDecimals(environment);
  addFunctions(environment);
  return environment;
};

/** `0.1` in an expression is a decimal with the digits that stand there: the parser has made a double of it. */
const exactLiterals = (root: ASTNode, source: string) => {
  const waiting: unknown[] = [root];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (Array.isArray(at)) waiting.push(...at);
    else if (isNode(at) && at.op !== 'value') waiting.push(at.args);
    else if (isNode(at) && typeof at.args === 'number')
      Object.assign(at, { args: decimalOf(source.slice(at.start, at.end)) });
  }
};

export const parseExpression = (environment: Environment, source: string): ParseResult => {
  const parsed = environment.parse(source);
  exactLiterals(parsed.ast, source);
  return parsed;
};

const isCelError = (error: unknown): error is ParseError | EvaluationError | TypeCheckError =>
  error instanceof ParseError || error instanceof EvaluationError || error instanceof TypeCheckError;

/** Why an expression cannot be parsed, checked or computed, in one clause. */
export const explain = (
  error: unknown,
): { readonly words: string; readonly code: string | null; readonly at: number | null } => {
  if (isCelError(error)) {
    const outOfRange = error.code === 'unsupported_type' && error.summary.endsWith(NumberOutOfRange.name);
    const words = outOfRange
      ? `a number has over ${MOST_DIGITS} digits`
      : error.summary.replaceAll(/dyn<([^<>]*)>/g, '$1');
    return { words, code: error.code, at: error.range?.start ?? null };
  }
  return { words: messageOf(error), code: null, at: null };
};

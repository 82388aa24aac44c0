import type { FuncKeywordDefinition } from 'ajv';
import { default as runtime } from 'ajv/dist/runtime/equal.js';
import type { DataValidationCxt, SchemaValidateFunction } from 'ajv/dist/types/index.js';
import { compareNumbers, ExactNumber, isInteger, isMultipleOf, type JsonNumber } from '../../domain/json-number.ts';
import type { Compiler } from './schema-drafts.ts';

/** Copies with stand-ins → their originals. */
const originals = new WeakMap<object, object>();

/** The nearest double that is an integer if, and only if, the number is one. */
const standInOf = (number: ExactNumber): number => {
  const double = Number(number.text);
  if (!isInteger(number)) return Number.isInteger(double) || !Number.isFinite(double) ? 0.5 : double;
  return Number.isFinite(double) ? double : Math.sign(double) * Number.MAX_VALUE;
};

/** Hardly any value does: to look for one first costs a fifth of what a copy costs. */
export const holdsExact = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (value instanceof ExactNumber || Object.values(value).some(holdsExact));

const copied = (value: unknown): unknown => {
  if (value instanceof ExactNumber) return standInOf(value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, copied(item), item] as const);
  if (entries.every(([, standIn, item]) => standIn === item)) return value;
  const copy = Array.isArray(value) ? entries.map(([, standIn]) => standIn) : Object.fromEntries(entries);
  originals.set(copy, value);
  return copy;
};

/** The value with a double for each exact number, which Ajv takes for an object; the same object if it contains none. */
export const withStandIns = (value: unknown): unknown => (holdsExact(value) ? copied(value) : value);

const originalOf = (data: unknown, context: DataValidationCxt | undefined): unknown => {
  if (typeof data === 'object' && data !== null) return originals.get(data) ?? data;
  if (typeof data !== 'number' || !context?.parentData) return data;
  const parent = originals.get(context.parentData) as Readonly<Record<string, unknown>> | undefined;
  return parent?.[context.parentDataProperty] ?? data;
};

/** The comparison of Ajv's own keywords, which its types do not declare; it compares objects by a `toString` of their own. */
const equal = runtime.default as unknown as (a: unknown, b: unknown) => boolean;

const repeated = (items: readonly unknown[]): { readonly i: number; readonly j: number } | null => {
  for (let i = items.length - 1; i > 0; i -= 1) {
    for (let j = i - 1; j >= 0; j -= 1) if (equal(items[i], items[j])) return { i, j };
  }
  return null;
};

/** As much as Ajv tolerates for ordinary numbers. */
const TOLERANCE = 1e-9;

const isMultiple = (value: JsonNumber, step: JsonNumber): boolean => {
  if (typeof value !== 'number' || typeof step !== 'number') return isMultipleOf(value, step);
  return Math.abs(Math.round(value / step) - value / step) <= TOLERANCE;
};

/** The parameters of a keyword's error, or null if the value passes. */
type Fails = (limit: never, value: never, parentSchema: Readonly<Record<string, unknown>>) => object | null;

const bounded = (comparison: string, passes: (order: number) => boolean) => (limit: JsonNumber, value: JsonNumber) =>
  passes(compareNumbers(value, limit)) ? null : { comparison, limit };

const below = bounded('<', (order) => order < 0);
const above = bounded('>', (order) => order > 0);
const atMost = bounded('<=', (order) => order <= 0);
const atLeast = bounded('>=', (order) => order >= 0);

const numeric: Partial<FuncKeywordDefinition> = { type: 'number', schemaType: ['number', 'object'] };
/** In draft 04 it is a flag beside the limit. */
const exclusive: Partial<FuncKeywordDefinition> = { type: 'number', schemaType: ['number', 'object', 'boolean'] };

const keywords: Readonly<Record<string, Partial<FuncKeywordDefinition> & { readonly fails: Fails }>> = {
  maximum: {
    ...numeric,
    fails: (limit: JsonNumber, value: JsonNumber, { exclusiveMaximum }) =>
      (exclusiveMaximum === true ? below : atMost)(limit, value),
  },
  minimum: {
    ...numeric,
    fails: (limit: JsonNumber, value: JsonNumber, { exclusiveMinimum }) =>
      (exclusiveMinimum === true ? above : atLeast)(limit, value),
  },
  exclusiveMaximum: {
    ...exclusive,
    fails: (limit: JsonNumber | boolean, value: JsonNumber) =>
      typeof limit === 'boolean' ? null : below(limit, value),
  },
  exclusiveMinimum: {
    ...exclusive,
    fails: (limit: JsonNumber | boolean, value: JsonNumber) =>
      typeof limit === 'boolean' ? null : above(limit, value),
  },
  multipleOf: {
    ...numeric,
    fails: (step: JsonNumber, value: JsonNumber) => (isMultiple(value, step) ? null : { multipleOf: step }),
  },
  const: { fails: (allowed: unknown, value: unknown) => (equal(value, allowed) ? null : { allowedValue: allowed }) },
  enum: {
    schemaType: 'array',
    fails: (allowed: readonly unknown[], value: unknown) =>
      allowed.some((each) => equal(value, each)) ? null : { allowedValues: allowed },
  },
  uniqueItems: {
    type: 'array',
    schemaType: 'boolean',
    fails: (asked: boolean, items: readonly unknown[]) => (asked ? repeated(items) : null),
  },
};

/** Makes every keyword for numbers check the exact number behind its stand-in. */
export const compareExactly = (ajv: Compiler): void => {
  for (const [keyword, { fails, ...definition }] of Object.entries(keywords)) {
    const validate: SchemaValidateFunction = (limit, data, parentSchema, context) => {
      const params = fails(limit as never, originalOf(data, context) as never, parentSchema ?? {});
      if (params !== null) validate.errors = [{ keyword, params, message: '' }];
      return params === null;
    };
    ajv.removeKeyword(keyword);
    ajv.addKeyword({ ...definition, keyword, errors: true, validate });
  }
};

import { invalid, type ValidationError } from './errors.ts';
import { contentError, isObject, isPointer, type JsonValue } from './json.ts';
import { isNumber, parseJson } from './json-number.ts';

/** A value to compare with. Numbers are text, with every digit. */
export type FilterValue =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'number'; readonly text: string }
  | { readonly type: 'boolean'; readonly value: boolean };

const comparisons = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'like'] as const;
export type Comparison = (typeof comparisons)[number];

/** A filter of records, the same for every SQL connection. */
export type Filter =
  | { readonly kind: 'compare'; readonly column: string; readonly comparison: Comparison; readonly value: FilterValue }
  | { readonly kind: 'in'; readonly column: string; readonly values: readonly FilterValue[] }
  | { readonly kind: 'null'; readonly column: string; readonly isNull: boolean }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter };

/** What a filter may be like, beyond its grammar. */
interface FilterTerms {
  /** What is wrong with the name of a column; null if nothing is. */
  naming(column: string): string | null;
  readonly levels: number;
  readonly values: number;
  readonly conditions: number;
  /** How long the pattern of a `like` may be. */
  readonly patternCharacters: number;
  /** One that is taken, for who wrote what is none. */
  readonly example: string;
}

/** Any system answers these for itself. */
const ofRecords: FilterTerms = {
  naming: () => null,
  levels: 64,
  values: 1000,
  conditions: Number.POSITIVE_INFINITY,
  patternCharacters: Number.POSITIVE_INFINITY,
  example: '{"status": "open"}',
};

/** The columns of documents are the places of their values. Conditions on them are looked up in each document that no index rules out. */
export const ofDocuments: FilterTerms = {
  naming: (column) =>
    column !== '' && isPointer(column)
      ? null
      : 'is not a JSON Pointer such as /total or /lines/0/amount, nor and, or, not',
  levels: 5,
  values: 1000,
  conditions: 50,
  patternCharacters: 200,
  example: '{"/total": {"gt": 1000}}',
};

/** Reads a filter, or answers every error of it; `path` is where it stands in the request. */
export const readFilter = (
  root: JsonValue,
  path: string,
  { naming, ...most }: FilterTerms = ofRecords,
): { readonly filter: Filter } | { readonly errors: readonly ValidationError[] } => {
  const errors: ValidationError[] = [];
  let values = 0;
  let conditions = 0;
  const error = (at: string, message: string): Filter => {
    errors.push({ path: at, message });
    return { kind: 'and', parts: [] };
  };

  const scalar = (value: JsonValue | undefined): FilterValue | null => {
    values += 1;
    if (typeof value === 'string') return { type: 'text', text: value };
    if (typeof value === 'boolean') return { type: 'boolean', value };
    return isNumber(value) ? { type: 'number', text: String(value) } : null;
  };

  const patternDefect = (value: FilterValue): string | null => {
    if (value.type !== 'text') return 'must be a string';
    const { patternCharacters } = most;
    return value.text.length > patternCharacters ? `must be at most ${patternCharacters} characters long` : null;
  };

  const oneOf = (column: string, operand: JsonValue, at: string): Filter => {
    if (!Array.isArray(operand) || operand.length === 0) return error(at, 'must be a list of at least one value');
    const list = operand.map(scalar);
    if (list.some((value) => value === null)) return error(at, 'must hold strings, numbers and booleans only');
    return { kind: 'in', column, values: list.filter((value) => value !== null) };
  };

  const operator = (column: string, word: string, operand: JsonValue, at: string): Filter => {
    conditions += 1;
    if (word === 'is_null') {
      if (typeof operand !== 'boolean') return error(at, 'must be true or false');
      return { kind: 'null', column, isNull: operand };
    }
    if (word === 'in') return oneOf(column, operand, at);
    const comparison = comparisons.find((known) => known === word);
    if (!comparison) return error(at, `is not an operator: there are ${comparisons.join(', ')}, in and is_null`);
    if (operand === null && (comparison === 'eq' || comparison === 'ne'))
      return { kind: 'null', column, isNull: comparison === 'eq' };
    const value = scalar(operand);
    if (value === null) return error(at, 'must be a string, a number or a boolean');
    const defect = comparison === 'like' ? patternDefect(value) : null;
    return defect === null ? { kind: 'compare', column, comparison, value } : error(at, defect);
  };

  const condition = (column: string, value: JsonValue, at: string): Filter => {
    if (!isObject(value)) conditions += 1;
    if (value === null) return { kind: 'null', column, isNull: true };
    if (Array.isArray(value)) return error(at, 'must be a value or an operator such as {"in": […]}');
    if (!isObject(value)) {
      const operand = scalar(value);
      return operand === null
        ? error(at, 'must be a string, a number, a boolean or null')
        : { kind: 'compare', column, comparison: 'eq', value: operand };
    }
    const parts = Object.entries(value).map(([word, operand]) => operator(column, word, operand, `${at}.${word}`));
    return parts.length === 0 ? error(at, 'must name an operator') : joined('and', parts);
  };

  const read = (value: JsonValue, at: string, level: number): Filter => {
    if (level > most.levels) return error(at, `is nested over ${most.levels} levels deep`);
    if (!isObject(value)) return error(at, 'must be a JSON object');
    const parts = Object.entries(value).map(([key, operand]): Filter => {
      const here = `${at}.${key}`;
      if (key === 'not') return { kind: 'not', part: read(operand, here, level + 1) };
      if (key !== 'and' && key !== 'or') {
        const wrong = naming(key);
        return wrong === null ? condition(key, operand, here) : error(here, wrong);
      }
      if (!Array.isArray(operand)) return error(here, 'must be a list of filters');
      return { kind: key, parts: operand.map((part, index) => read(part, `${here}[${index}]`, level + 1)) };
    });
    return joined('and', parts);
  };

  const filter = read(root, path, 1);
  if (values > most.values) errors.push({ path, message: `has over ${most.values} values` });
  if (conditions > most.conditions) errors.push({ path, message: `has over ${most.conditions} conditions` });
  return errors.length > 0 ? { errors } : { filter };
};

const joined = (kind: 'and' | 'or', parts: readonly Filter[]): Filter => {
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0 ? only : { kind, parts };
};

/** The filter that a client wrote as JSON text, or a refusal with everything that is wrong with it. */
export const parseFilter = (text: string, path: string, terms = ofRecords): Filter => {
  let root: JsonValue;
  try {
    root = parseJson(text) as JsonValue;
  } catch {
    throw invalid({ path, message: `must be JSON text such as ${terms.example}` });
  }
  const unusable = contentError(root);
  if (unusable !== null) throw invalid({ path, message: unusable });
  const read = readFilter(root, path, terms);
  if ('errors' in read) throw invalid(...read.errors);
  return read.filter;
};

import { type Alias, isAlias, isMap, isScalar, isSeq, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import type { ValidationError } from '../../domain/errors.ts';
import type { JsonValue } from '../../domain/json.ts';
import { type JsonNumber, jsonNumber } from '../../domain/json-number.ts';
import { memberStep } from '../../wire/kit/errors.ts';
import { closest } from './closest.ts';
import { keyName, type Source } from './source.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const reference = /\$\$\{|\$\{([^{}]*)(\})?/g;
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

const unset = (name: string, env: Environment) => {
  const known = new Map(Object.keys(env).map((each) => [each.toLowerCase(), each]));
  const meant = known.get(closest(name.toLowerCase(), [...known.keys()]) ?? '');
  return `needs the environment variable ${name}, which is not set${meant === undefined ? '' : ` (${meant} is)`}`;
};

/** Replaces each `${NAME}` by the variable's value; `$${` stands for `${` itself. What comes from a variable is not read again. */
const substitute = (text: string, env: Environment): { readonly value: string; readonly errors: readonly string[] } => {
  const errors: string[] = [];
  const value = text.replaceAll(reference, (match: string, name: string | undefined, closed: string | undefined) => {
    if (name === undefined) return '${';
    if (closed === undefined || !variableName.test(name)) {
      errors.push(
        'has "${" without a variable\'s name and a closing brace after it; for the characters themselves write "$${"',
      );
      return match;
    }
    const variable = Object.hasOwn(env, name) ? env[name] : undefined;
    if (variable === undefined) errors.push(unset(name, env));
    return variable ?? '';
  });
  return { value, errors: [...new Set(errors)] };
};

/** Aliases can make a small text a huge value, or one without an end. */
const MAX_VALUES = 50_000;
const MAX_DEPTH = 64;
const MAX_ALIASES = 100;
export const MAX_ERRORS = 100;

/** Such as `0815`: YAML takes it for 815, or by its older version for octal digits. Who writes it means neither. */
const PADDED = /^[-+]?0\d/;
const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

/** A number with every digit that the file has; null for the infinities and for what is no number. */
const numberOf = (source: string): JsonNumber | null => {
  if (/^0[xo]/.test(source)) return jsonNumber(BigInt(source).toString());
  return DECIMAL.test(source) ? jsonNumber(source) : null;
};

const member = (path: string, key: string) => (path + memberStep(key)).replace(/^\./, '');

/** The source as JSON, each `${NAME}` replaced; whatever has no JSON value is an error and stands as null. */
export const toJson = (
  source: Source,
  env: Environment,
): { readonly value: JsonValue; readonly errors: readonly ValidationError[] } => {
  const errors: ValidationError[] = [];
  let values = 0;
  let aliases = 0;

  const error = (path: string, message: string): null => {
    if (errors.length < MAX_ERRORS) errors.push({ path, message });
    return null;
  };

  const again = (key: unknown, path: string) => {
    if (errors.length < MAX_ERRORS) errors.push(source.placeAt(key, { path, message: 'stands here a second time' }));
  };

  const text = (raw: string, path: string): JsonValue => {
    const { value, errors: missing } = substitute(raw, env);
    for (const message of missing) error(path, message);
    if (value.includes('\0') || !value.isWellFormed())
      return error(path, 'holds a NUL or half of a surrogate pair, which cannot be stored');
    return value;
  };

  const scalar = (node: Scalar, path: string): JsonValue => {
    const { value } = node;
    if (typeof value === 'string') return text(value, path);
    if (value === null || typeof value === 'boolean') return value;
    if (PADDED.test(node.source ?? ''))
      return error(path, 'begins with a zero: put it in quotes, or leave the zero out');
    const number = typeof value === 'number' ? numberOf(node.source ?? String(value)) : null;
    if (number !== null) return number;
    return error(path, 'is not a text, number, true, false or null');
  };

  const mapping = (node: YAMLMap, path: string, depth: number): JsonValue => {
    const entries = new Map<string, JsonValue>();
    for (const pair of node.items) {
      const name = keyName(pair);
      const at = member(path, name);
      if (!isScalar(pair.key) || name === '') error(path, 'has a key that is not a name');
      else if (entries.has(name)) again(pair.key, at);
      else entries.set(name, walk(pair.value, at, depth + 1));
    }
    return Object.fromEntries(entries);
  };

  const list = (node: YAMLSeq, path: string, depth: number): JsonValue =>
    node.items.map((item, index) => walk(item, `${path}[${index}]`, depth + 1));

  const aliased = (node: Alias, path: string, depth: number): JsonValue => {
    aliases++;
    if (aliases === MAX_ALIASES + 1) return error(path, `comes after ${MAX_ALIASES} aliases: the file has too many`);
    if (aliases > MAX_ALIASES) return null;
    const target = source.resolve(node);
    if (target === undefined) return error(path, 'is an alias of nothing: there is no such anchor before it');
    return walk(target, path, depth + 1);
  };

  const walk = (node: unknown, path: string, depth: number): JsonValue => {
    values++;
    if (values > MAX_VALUES)
      return values === MAX_VALUES + 1 ? error(path, `comes after ${MAX_VALUES} values: the file has too many`) : null;
    if (depth > MAX_DEPTH) return error(path, `is nested over ${MAX_DEPTH} levels deep`);
    if (isAlias(node)) return aliased(node, path, depth);
    if (isMap(node)) return mapping(node, path, depth);
    if (isSeq(node)) return list(node, path, depth);
    return isScalar(node) ? scalar(node, path) : null;
  };

  return { value: walk(source.root, '', 0), errors };
};

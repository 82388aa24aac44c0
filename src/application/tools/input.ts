import type { ValidationError } from '../../domain/errors.ts';
import { contentError, isObject, type JsonObject, type JsonValue, tokensOf } from '../../domain/json.ts';
import { parseJson } from '../../domain/json-number.ts';

/** The object or list that a text is the JSON of; the value itself if it is no such text. */
export const parsedOnce = <T>(value: T): T | JsonValue => {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return value;
  try {
    const parsed = parseJson(value) as JsonValue;
    return contentError(parsed) === null ? parsed : value;
  } catch {
    return value;
  }
};

/** The value with what stands at the path edited; undefined takes a property away. */
const edited = (
  value: JsonValue,
  [token, ...rest]: readonly string[],
  edit: (at: JsonValue) => JsonValue | undefined,
): JsonValue | undefined => {
  if (token === undefined) return edit(value);
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, index) => (String(index) === token ? (edited(item, rest, edit) ?? item) : item));
  }
  if (!isObject(value) || !Object.hasOwn(value, token)) return value;
  const entries = Object.entries(value as JsonObject).map(
    ([name, item]) => [name, name === token ? edited(item, rest, edit) : item] as const,
  );
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined)) as JsonObject;
};

/** Without the nulls that the errors name, and with the texts that they name read as JSON, where that is asked for. */
const repaired = (input: JsonObject, errors: readonly ValidationError[], readTexts: boolean): JsonObject => {
  const repair = (value: JsonValue) => {
    if (value === null) return undefined;
    return readTexts ? parsedOnce(value) : value;
  };
  let repairing = input;
  for (const { path } of errors) if (path !== '') repairing = edited(repairing, tokensOf(path), repair) as JsonObject;
  return repairing;
};

type Errors = readonly ValidationError[];
type ErrorsOf = (input: JsonObject) => Errors | Promise<Errors>;

interface Fitted {
  readonly input: JsonObject;
  readonly errors: readonly ValidationError[];
}

/**
 * The arguments as their schema takes them. Models write null for an argument that they leave out, and JSON as text where an object or
 * a list is wanted: both are taken as they are meant. If arguments do not fit all the same, they stay as they came, with what is wrong.
 */
export const fitted = async (input: JsonObject, errorsOf: ErrorsOf): Promise<Fitted> => {
  let taken: Fitted = { input, errors: await errorsOf(input) };
  const asGiven = taken;
  // What was in a text may have nulls of its own; a text in it stays one.
  for (const readTexts of [true, false]) {
    if (taken.errors.length === 0) return taken;
    const next = repaired(taken.input, taken.errors, readTexts);
    if (next === taken.input) continue;
    taken = { input: next, errors: await errorsOf(next) };
  }
  return taken.errors.length === 0 ? taken : asGiven;
};

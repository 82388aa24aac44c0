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

/** The value with what stands at the path edited; undefined takes a property away. What stays the same is the same object. */
const edited = (
  value: JsonValue,
  [token, ...rest]: readonly string[],
  edit: (at: JsonValue) => JsonValue | undefined,
): JsonValue | undefined => {
  if (token === undefined) return edit(value);
  if (Array.isArray(value)) {
    const item: JsonValue | undefined = /^\d+$/.test(token) ? value[Number(token)] : undefined;
    const next = item === undefined ? undefined : edited(item, rest, edit);
    return next === undefined || next === item ? value : value.with(Number(token), next);
  }
  if (!isObject(value) || !Object.hasOwn(value, token)) return value;
  const { [token]: item = null, ...others } = value as JsonObject;
  const next = edited(item, rest, edit);
  if (next === item) return value;
  return next === undefined ? others : { ...value, [token]: next };
};

/** Without the nulls that the errors name, and with the texts that they name read as JSON. `read`: the paths of these; a text in one stays one. */
const repaired = (input: JsonObject, errors: readonly ValidationError[], read: Set<string>): JsonObject => {
  let repairing = input;
  for (const { path } of errors) {
    const isInText = [...read].some((each) => path.startsWith(`${each}/`));
    const repair = (value: JsonValue) => {
      if (value === null) return undefined;
      const parsed = isInText ? value : parsedOnce(value);
      if (parsed !== value) read.add(path);
      return parsed;
    };
    if (path !== '') repairing = edited(repairing, tokensOf(path), repair) as JsonObject;
  }
  return repairing;
};

type Errors = readonly ValidationError[];
type ErrorsOf = (input: JsonObject) => Errors | Promise<Errors>;

interface Fitted {
  readonly input: JsonObject;
  readonly errors: readonly ValidationError[];
}

/** The validator names only the first errors: each round mends those and validates again. */
const MAX_ROUNDS = 20;

/**
 * The arguments as their schema takes them. Models write null for an argument that they leave out, and JSON as text where an object or
 * a list is wanted: both are taken as they are meant. If arguments do not fit all the same, they stay as they came, with what is wrong.
 */
export const fitted = async (input: JsonObject, errorsOf: ErrorsOf): Promise<Fitted> => {
  const asGiven: Fitted = { input, errors: await errorsOf(input) };
  const read = new Set<string>();
  let taken = asGiven;
  for (let round = 0; round < MAX_ROUNDS && taken.errors.length > 0; round += 1) {
    const next = repaired(taken.input, taken.errors, read);
    if (next === taken.input) return asGiven;
    taken = { input: next, errors: await errorsOf(next) };
  }
  return taken.errors.length === 0 ? taken : asGiven;
};

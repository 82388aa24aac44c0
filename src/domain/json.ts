import { compareNumbers, ExactNumber, isNumber, type JsonNumber } from './json-number.ts';

export type JsonValue = null | boolean | JsonNumber | string | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue };

/** The draft of JSON Schema that is meant where `$schema` names none. */
export const DRAFT_2020_12 = 'https://json-schema.org/draft/2020-12/schema';

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** One reference token of a JSON Pointer (RFC 6901 section 3). */
export const escapeToken = (token: string | number) => String(token).replaceAll('~', '~0').replaceAll('/', '~1');

export const unescapeToken = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** The reference tokens of a JSON Pointer, unescaped. */
export const tokensOf = (pointer: string): readonly string[] => pointer.split('/').slice(1).map(unescapeToken);

/** The last reference token of a JSON Pointer, as it stands there. */
export const lastToken = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);

/** The JSON Pointer of the object or the list that the value is in. */
export const parentPointer = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));

/** Stands in a JSON Pointer for every item of a list. */
export const EVERY_ITEM = '*';

/** The same place in every item of the lists that the JSON Pointer leads through. */
export const inEveryItem = (pointer: string): string => pointer.replaceAll(/\/\d+(?=\/|$)/g, `/${EVERY_ITEM}`);

/** What one reference token leads to, or undefined if there is nothing. */
export const memberOf = (value: JsonValue | undefined, token: string): JsonValue | undefined => {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
  return isObject(value) && Object.hasOwn(value, token) ? (value as JsonObject)[token] : undefined;
};

/** The value a JSON Pointer points at (RFC 6901 section 4), or undefined if there is none. */
export const resolvePointer = (root: JsonValue, pointer: string): JsonValue | undefined =>
  tokensOf(pointer).reduce<JsonValue | undefined>(memberOf, root);

/** Whether the text is a JSON Pointer at all: empty, or tokens that each begin with a slash. */
export const isPointer = (text: string) => /^(\/([^~/]|~[01])*)*$/.test(text);

/** Each member with its name, one after the other: `Object.entries` of many thousands would take long in one piece. */
export function* eachMember<T>(members: Readonly<Record<string, T>>): Generator<readonly [name: string, value: T]> {
  for (const name of Object.keys(members)) yield [name, members[name] as T];
}

/** The values that have no parts, one after the other, each with its JSON Pointer; null is none. */
export function* eachLeaf(value: JsonValue, pointer = ''): Generator<readonly [pointer: string, value: JsonValue]> {
  if (isObject(value) || Array.isArray(value)) {
    for (const [key, item] of eachMember(value as JsonObject)) yield* eachLeaf(item, `${pointer}/${escapeToken(key)}`);
  } else if (value !== null) yield [pointer, value];
}

export const leavesOf = (value: JsonValue, pointer = ''): readonly (readonly [pointer: string, value: JsonValue])[] => [
  ...eachLeaf(value, pointer),
];

/** Whether both are the same value: 1.0 is 1, and the order of members does not count. */
export const isSameJson = (a: JsonValue, b: JsonValue): boolean => {
  if (isNumber(a) || isNumber(b)) return isNumber(a) && isNumber(b) && compareNumbers(a, b) === 0;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const one = a as JsonObject;
  const other = b as JsonObject;
  const names = Object.keys(one);
  const isThere = (name: string) =>
    Object.hasOwn(other, name) && isSameJson(one[name] as JsonValue, other[name] as JsonValue);
  return names.length === Object.keys(other).length && names.every(isThere);
};

const encoder = new TextEncoder();

/** The length of its JSON text in UTF-8. Most texts are ASCII, whose length is known without encoding them. */
export const jsonBytes = (value: JsonValue): number => {
  const text = JSON.stringify(value);
  return /[^\0-\x7f]/.test(text) ? encoder.encode(text).length : text.length;
};

const MAX_DEPTH = 64;

const textError = (text: string): string | null => {
  if (text.includes('\0')) return 'must not contain a NUL character';
  return text.isWellFormed() ? null : 'must not contain half of a surrogate pair';
};

const errorAt = (value: unknown, depth: number): string | null => {
  if (typeof value === 'string') return textError(value);
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return null;
  if (depth >= MAX_DEPTH) return `must not be nested over ${MAX_DEPTH} levels deep`;
  for (const key of Object.keys(value)) {
    const error = textError(key) ?? errorAt((value as Record<string, unknown>)[key], depth + 1);
    if (error !== null) return error;
  }
  return null;
};

/** What must not be stored or recursed into, wherever it is in a body. It goes no deeper than a body may be nested. */
export const contentError = (root: unknown): string | null => errorAt(root, 0);

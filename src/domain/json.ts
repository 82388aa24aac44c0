export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue };

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One reference token of a JSON Pointer (RFC 6901 section 3). */
export const escapeToken = (token: string | number) => String(token).replaceAll('~', '~0').replaceAll('/', '~1');

const unescapeToken = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** The value a JSON Pointer points at (RFC 6901 section 4), or undefined where there is none. */
export const resolvePointer = (root: JsonValue, pointer: string): JsonValue | undefined => {
  let at: JsonValue | undefined = root;
  for (const token of pointer.split('/').slice(1).map(unescapeToken)) {
    if (Array.isArray(at)) at = /^(0|[1-9]\d*)$/.test(token) ? at[Number(token)] : undefined;
    else if (isObject(at)) at = Object.hasOwn(at, token) ? (at as JsonObject)[token] : undefined;
    else return undefined;
  }
  return at;
};

/** Whether the text is a JSON Pointer at all: empty, or tokens that each begin with a slash. */
export const isPointer = (text: string) => /^(\/([^~/]|~[01])*)*$/.test(text);

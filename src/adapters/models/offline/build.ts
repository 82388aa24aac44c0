import { escapeToken, isObject, type JsonObject, type JsonValue } from '../../../domain/json.ts';
import { MAX_DEPTH } from './leaves.ts';
import { type Resolve, type View, viewOf } from './schema.ts';

/** What was read, by JSON Pointer. */
export interface Found {
  readonly value: (pointer: string) => JsonValue | undefined;
  /** Every pointer that has something below it. */
  readonly parents: ReadonlySet<string>;
  /** How many elements a list has. */
  readonly length: (pointer: string) => number;
}

const isPlain = ({ kind, schema }: View) =>
  kind === 'string' && schema.format === undefined && schema.minLength === undefined && schema.pattern === undefined;

/** The value that the schema asks for, made of what was found; null, an empty text or nothing at all in the other places. */
export const build = (root: View, found: Found, resolve: Resolve): JsonValue => {
  const views = new Map<unknown, View>();
  const seen = (node: unknown): View => {
    const view = views.get(node) ?? viewOf(node, resolve);
    views.set(node, view);
    return view;
  };

  const object = ({ schema }: View, pointer: string, depth: number): JsonObject => {
    if (depth > 2 * MAX_DEPTH || !isObject(schema.properties)) return {};
    const required = Array.isArray(schema.required) ? schema.required : [];
    const entries = Object.entries(schema.properties).flatMap(([key, node]): readonly (readonly [string, JsonValue])[] => {
      const value = at(seen(node), `${pointer}/${escapeToken(key)}`, depth + 1, required.includes(key));
      return value === undefined ? [] : [[key, value]];
    });
    return Object.fromEntries(entries);
  };

  const list = ({ schema, nullable }: View, pointer: string, depth: number, required: boolean): JsonValue | undefined => {
    const length = found.length(pointer);
    const item = seen(schema.items);
    if (length > 0) return Array.from({ length }, (_, index) => at(item, `${pointer}/${index}`, depth + 1, true) ?? null);
    if (nullable) return null;
    return required || schema.minItems === undefined ? [] : undefined;
  };

  /** undefined: the key is left out. What has no empty value (a number, a date) is null even where that is not allowed: invented, it would be a lie. */
  const at = (view: View, pointer: string, depth: number, required: boolean): JsonValue | undefined => {
    if (view.kind === 'const') return view.schema.const as JsonValue;
    if (view.kind === 'array') return list(view, pointer, depth, required);
    if (view.kind === 'object') {
      const bare = depth > 0 && !found.parents.has(pointer);
      if (bare && view.nullable) return null;
      return bare && !required ? undefined : object(view, pointer, depth);
    }
    const value = found.value(pointer);
    if (value !== undefined) return value;
    if (view.nullable) return null;
    return required ? (isPlain(view) ? '' : null) : undefined;
  };

  return at(root, '', 0, true) ?? null;
};

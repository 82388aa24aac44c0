import { escapeToken, isObject, type JsonObject, type JsonValue } from './json.ts';

/** A JSON Merge Patch (RFC 7396): members of a document and what they become; `null` removes one. */
export interface MergePatch {
  readonly merge: JsonObject;
}

type Change =
  | { readonly op: 'add'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/** What a merge makes of nothing. */
const withoutNulls = (value: JsonValue): JsonValue =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value as JsonObject).flatMap(([name, item]) =>
          item === null ? [] : [[name, withoutNulls(item)] as const],
        ),
      )
    : value;

/** The operations of RFC 6902 that do the same to the value. */
export const operationsOf = ({ merge }: MergePatch, value: JsonValue, pointer = ''): readonly Change[] => {
  if (!isObject(value)) return [{ op: 'add', path: pointer, value: withoutNulls(merge) }];
  return Object.entries(merge).flatMap(([name, item]): readonly Change[] => {
    const path = `${pointer}/${escapeToken(name)}`;
    const there = Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
    if (item === null) return there === undefined ? [] : [{ op: 'remove', path }];
    return isObject(item) && isObject(there)
      ? operationsOf({ merge: item as JsonObject }, there as JsonObject, path)
      : [{ op: 'add', path, value: withoutNulls(item) }];
  });
};

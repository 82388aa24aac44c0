import { type JsonValue, parentPointer, resolvePointer, tokensOf } from './json.ts';
import { differences } from './json-difference.ts';
import { parseJson } from './json-number.ts';

/** An operation that makes one value of another (RFC 6902). */
export type Edit =
  | { readonly op: 'replace' | 'add'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/** The operations that make `after` of `before`, each at the innermost place. Items at the end of a list are removed from its end on. */
export const editsBetween = (before: JsonValue, after: JsonValue): readonly Edit[] => {
  const edits = differences(before, after).map((path): Edit => {
    const value = resolvePointer(after, path);
    if (value === undefined) return { op: 'remove', path };
    return { op: resolvePointer(before, path) === undefined ? 'add' : 'replace', path, value };
  });
  const removed = edits.filter(({ op }) => op === 'remove');
  return [...edits.filter(({ op }) => op !== 'remove'), ...removed.toReversed()];
};

/**
 * The operations that make the items `to` of a list of the items `from`, both by name in order: they are removed from the end on and then
 * added in order, so that every index is right when its turn comes. What stays is not moved.
 */
export const itemEdits = (
  list: string,
  from: readonly string[],
  to: readonly string[],
  valueAt: (index: number) => JsonValue,
): readonly Edit[] => {
  const before = new Set(from);
  const after = new Set(to);
  const removed = [...from.keys()].filter((index) => !after.has(from[index] ?? '')).toReversed();
  const added = [...to.keys()].filter((index) => !before.has(to[index] ?? ''));
  return [
    ...removed.map((index): Edit => ({ op: 'remove', path: `${list}/${index}` })),
    ...added.map((index): Edit => ({ op: 'add', path: `${list}/${index}`, value: valueAt(index) })),
  ];
};

/** What a value is after edits that fit it, each below its root, and the edits that make it again what it was. */
export const edited = (
  before: JsonValue,
  edits: readonly Edit[],
): { readonly after: JsonValue; readonly inverse: readonly Edit[] } => {
  const after = parseJson(JSON.stringify(before)) as JsonValue;
  const inverse = edits.map((edit): Edit => {
    const { op, path } = edit;
    const old = resolvePointer(after, path);
    const above = resolvePointer(after, parentPointer(path));
    const key = tokensOf(path).at(-1) ?? '';
    const value = op === 'remove' ? [] : [edit.value];
    if (Array.isArray(above)) {
      above.splice(Number(key), op === 'add' ? 0 : 1, ...value);
      if (op === 'add') return { op: 'remove', path };
      return { op: op === 'remove' ? 'add' : 'replace', path, value: old ?? null };
    }
    const members = above as Record<string, JsonValue>;
    if (op === 'remove') delete members[key];
    else
      Object.defineProperty(members, key, { value: edit.value, writable: true, enumerable: true, configurable: true });
    return old === undefined ? { op: 'remove', path } : { op: 'add', path, value: old };
  });
  return { after, inverse: inverse.toReversed() };
};

import { type JsonValue, resolvePointer } from './json.ts';
import { differences } from './json-difference.ts';

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

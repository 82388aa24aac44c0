import { escapeToken, isObject } from './json.ts';

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members | null =>
  isObject(value) || Array.isArray(value) ? (value as Members) : null;
const isAlike = (before: Members, after: Members) => Array.isArray(before) === Array.isArray(after);

/** The innermost JSON Pointers whose values differ. An object whose members only stand in another order differs as a whole. */
export const differences = (before: unknown, after: unknown, pointer = ''): readonly string[] => {
  if (before === after) return [];
  const old = membersOf(before);
  const next = membersOf(after);
  if (!old || !next || !isAlike(old, next)) return JSON.stringify(before) === JSON.stringify(after) ? [] : [pointer];
  const keys = Object.keys({ ...old, ...next });
  const within = keys.flatMap((key) => {
    const at = `${pointer}/${escapeToken(key)}`;
    return Object.hasOwn(old, key) && Object.hasOwn(next, key) ? differences(old[key], next[key], at) : [at];
  });
  if (within.length > 0) return within;
  return JSON.stringify(Object.keys(old)) === JSON.stringify(Object.keys(next)) ? [] : [pointer];
};

import { hash } from 'node:crypto';
import type { JsonValue } from '../../domain/json.ts';

/** Enough that few items are asked for again because a new one is in their group. */
const GROUPS = 256;

interface Entry {
  readonly ref: string;
}

const groupOf = (ref: string) => Number.parseInt(hash('sha1', ref).slice(0, 2), 16);

const sumOf = (entries: readonly Entry[]) =>
  entries.length === 0
    ? ''
    : hash(
        'sha256',
        entries
          .map(({ ref }) => ref)
          .sort()
          .join('\0'),
      ).slice(0, 16);

const sumsIn = (cursor: JsonValue | null): readonly JsonValue[] =>
  Array.isArray(cursor) && cursor.length === GROUPS ? cursor : Array.from({ length: GROUPS }, () => '');

/**
 * What may be new in a listing that has no order of time. The cursor is a sum of each group of items: a group whose sum is the same holds what
 * was there the last time, and is left out, so that a hundred thousand old items cost no more than their listing.
 */
export const changedGroups = <E extends Entry>(
  listing: readonly E[],
  cursor: JsonValue | null,
): readonly { readonly entries: readonly E[]; readonly cursor: JsonValue }[] => {
  const sums = [...sumsIn(cursor)];
  const groups = Map.groupBy(listing, ({ ref }) => groupOf(ref));
  return Array.from(sums.keys()).flatMap((group) => {
    const entries = groups.get(group) ?? [];
    const sum = sumOf(entries);
    if (sums[group] === sum) return [];
    sums[group] = sum;
    return [{ entries, cursor: [...sums] }];
  });
};

import type { Share } from '../../domain/caller.ts';

/** Counts what is open at once by several shares, such as those of a credential and of its user. */
export const openShares = () => {
  const counts = new Map<string, number>();
  const add = (key: string, more: number) => {
    const count = (counts.get(key) ?? 0) + more;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  };
  return {
    /** The first of these that has no room; null if each has. */
    full: (shares: readonly Share[]): Share | null =>
      shares.find(({ key, most }) => (counts.get(key) ?? 0) >= most) ?? null,
    /** Counts one more; answers what takes it off again. */
    enter(shares: readonly Share[]): () => void {
      for (const { key } of shares) add(key, 1);
      return () => {
        for (const { key } of shares) add(key, -1);
      };
    },
  };
};

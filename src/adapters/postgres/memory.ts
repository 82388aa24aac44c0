import { LRUCache } from 'lru-cache';

/** Answers of the database that are kept for a moment, by key. */
export interface Memory<V extends object> {
  /** What is remembered, or else what `find` answers. Those who ask for the same at once wait for one answer; null is not remembered. */
  recall(key: string, find: () => Promise<V | null>): Promise<V | null>;
  /** Forgets the values that this is true of; everything without it. */
  forget(isStale?: (value: V) => boolean): void;
}

interface Bounds {
  readonly most: number;
  /** Nothing is kept for longer: a connection that fell silent is not known to be lost at once. */
  readonly rememberMs: number;
  /** Whether word of changes comes at this moment; while it does not, nothing is remembered and nobody is given another's answer. */
  hears(): boolean;
}

/** An answer that was on its way while something changed is neither kept nor given to anybody who asks later: it may be from before. */
export const memory = <V extends object>({ most, rememberMs, hears }: Bounds): Memory<V> => {
  const known = new LRUCache<string, V>({ max: most, ttl: rememberMs });
  let underWay = new Map<string, Promise<V | null>>();

  const ask = (key: string, find: () => Promise<V | null>) => {
    const current = underWay;
    const answer = find()
      .then((value) => {
        if (value && current === underWay && hears()) known.set(key, value);
        return value;
      })
      .finally(() => current.delete(key));
    current.set(key, answer);
    return answer;
  };

  return {
    recall: async (key, find) => (hears() ? (known.get(key) ?? underWay.get(key) ?? ask(key, find)) : find()),
    forget(isStale) {
      underWay = new Map();
      if (!isStale) return known.clear();
      for (const [key, value] of known.entries()) if (isStale(value)) known.delete(key);
    },
  };
};

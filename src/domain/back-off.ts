interface Terms {
  /** After the first failure; each wait is three times the one before. */
  readonly firstSeconds: number;
  readonly longestSeconds: number;
}

const GROWTH = 3;
const JITTER = 0.2;

/** How long to wait after so many failures; `chance`, from 0 to 1, spreads those that failed together. */
export const backOffSeconds = (failures: number, chance: number, { firstSeconds, longestSeconds }: Terms): number => {
  const delay = Math.min(firstSeconds * GROWTH ** Math.max(0, failures - 1), longestSeconds);
  return delay * (1 + JITTER * (2 * chance - 1));
};

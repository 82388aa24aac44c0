/** A fixed window that starts at the first request it counts. */
export interface Limit {
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

/** A limit as one request meets it: `key` names the window that is counted. */
export interface Charge extends Limit {
  readonly key: string;
}

/** A limit that has counted a request, and what it has left. */
export interface Quota extends Limit {
  readonly remaining: number;
  /** Seconds until the window resets, rounded up. */
  readonly resetSeconds: number;
}

/** The quota with the fewest remaining requests; on a tie the one that resets last. */
export const tightest = (quotas: readonly Quota[]): Quota | undefined =>
  quotas.reduce<Quota | undefined>((least, quota) => {
    if (!least || quota.remaining < least.remaining) return quota;
    return quota.remaining === least.remaining && quota.resetSeconds > least.resetSeconds ? quota : least;
  }, undefined);

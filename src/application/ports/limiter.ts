import type { Charge, Quota } from '../../domain/rate-limit.ts';

export interface RateLimiter {
  /**
   * Counts one request against every limit, or against none of them when any is spent.
   * The quotas are in the order of the charges and show the state after the call.
   */
  take(charges: readonly Charge[]): Promise<{ readonly allowed: boolean; readonly quotas: readonly Quota[] }>;
  /** Takes a counted request back out of its windows; a window that is over stays over. */
  giveBack(charges: readonly Charge[]): Promise<void>;
  /** Whether every process counts together at the moment; absent if each counts its own. */
  available?(): boolean;
}

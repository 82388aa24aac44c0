import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from './provider-errors.ts';

export interface Backoff {
  readonly baseMs: number;
  readonly capMs: number;
  /** The longest wait that a provider's own `Retry-After` can ask for. */
  readonly retryAfterCapMs: number;
}

export const defaultBackoff: Backoff = { baseMs: 1_000, capMs: 30_000, retryAfterCapMs: 60_000 };

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  /** Called before each wait. */
  readonly onRetry: (attempt: number, waitMs: number, failure: Failure) => void;
}

/** Full jitter: any time up to the exponential bound, so that many workers do not return in step. */
const delay = (attempt: number, { waitMs }: Failure, { backoff }: RetryPolicy) =>
  waitMs === null
    ? Math.round(Math.random() * Math.min(backoff.capMs, backoff.baseMs * 2 ** (attempt - 1)))
    : Math.min(waitMs, backoff.retryAfterCapMs);

/**
 * Tries until it succeeds, fails for good, or has tried often enough. An abort rejects with the signal's reason, also during a wait. The
 * provider's `Retry-After` decides how long that is, which p-retry has no option for.
 */
export const withRetry = async <T>(
  once: () => Promise<T>,
  failureOf: (error: unknown) => Failure | null,
  policy: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      signal?.throwIfAborted();
      return await once();
    } catch (error) {
      signal?.throwIfAborted();
      const failure = failureOf(error);
      if (failure === null) throw error;
      if (!failure.retry || attempt >= policy.maxAttempts) throw failure.error(attempt);
      const waitMs = delay(attempt, failure, policy);
      policy.onRetry(attempt, waitMs, failure);
      await sleep(waitMs, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
    }
  }
};

import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelError } from '../../application/ports/models.ts';

export interface Backoff {
  readonly baseMs: number;
  readonly capMs: number;
  /** The longest that a provider's own `Retry-After` is obeyed. */
  readonly retryAfterCapMs: number;
}

export const defaultBackoff: Backoff = { baseMs: 1_000, capMs: 30_000, retryAfterCapMs: 60_000 };

/** What went wrong in one attempt, and whether another one may go better. */
export interface Failure {
  readonly retry: boolean;
  /** What the provider asked for, if it did. */
  readonly waitMs: number | null;
  readonly error: (attempts: number) => ModelError;
}

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  readonly random: () => number;
  /** Called before each wait. */
  readonly onRetry: (attempt: number, waitMs: number, failure: Failure) => void;
}

/** Full jitter: any time up to the exponential bound, so that many workers do not return in step. */
const delay = (attempt: number, { waitMs }: Failure, { backoff, random }: RetryPolicy) =>
  waitMs === null
    ? Math.round(random() * Math.min(backoff.capMs, backoff.baseMs * 2 ** (attempt - 1)))
    : Math.min(waitMs, backoff.retryAfterCapMs);

/** Tries until it succeeds, fails for good, or has tried often enough. An abort rejects with the signal's reason, also while it waits. */
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

/** What `retry-after-ms` or `Retry-After` (seconds or a date, RFC 9110 section 10.2.3) ask for, in milliseconds. */
export const retryAfterMs = (headers: Readonly<Record<string, string>>, now: number): number | null => {
  const exact = headers['retry-after-ms']?.trim();
  if (exact && /^\d+(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact));
  const value = headers['retry-after']?.trim();
  if (!value) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
};

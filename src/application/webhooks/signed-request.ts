import { retryAfterMs } from '../../domain/retry-after.ts';
import { retryDelaySeconds } from '../../domain/webhook.ts';
import type { WebhookSignatures } from '../ports/webhooks.ts';

/**
 * A request to a webhook, signed by the Standard Webhooks specification with each of the secrets, which stand on lines of their own. Its `id`
 * is the same for every attempt.
 */
export const signedRequest = (signatures: WebhookSignatures, secrets: string, id: string, body: string, now: Date) => {
  const timestamp = Math.floor(now.getTime() / 1000);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets
      .split('\n')
      .map((secret) => signatures.sign(secret, { id, timestamp, body }))
      .join(' '),
  };
  return { headers, body };
};

const LONGEST_RETRY_AFTER_SECONDS = 12 * 3600;

/** How long to wait after so many attempts that failed; `retryAfter` is what the last answer asks for. */
export const secondsUntilRetry = (
  attempts: number,
  firstSeconds: number,
  retryAfter: string | null,
  now: Date,
): number => {
  const wishSeconds = (retryAfterMs(retryAfter, now.getTime()) ?? 0) / 1000;
  return Math.max(
    retryDelaySeconds(attempts, Math.random(), firstSeconds),
    Math.min(wishSeconds, LONGEST_RETRY_AFTER_SECONDS),
  );
};

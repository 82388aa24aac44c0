import { deadline } from '../../application/shared/async.ts';
import { secondsUntilRetry, signedRequest } from '../../application/webhooks/signed-request.ts';
import { pause, reasonOf } from '../../client/send.ts';
import { shownAddress } from '../../domain/web-address.ts';
import { MAX_WAITED_FAILURES } from '../../domain/webhook.ts';
import type { Event } from './answers.ts';
import type { Forwarding } from './dependencies.ts';
import { CliFailure } from './failures.ts';

interface Receiver {
  readonly url: URL;
  readonly secret: string;
  readonly note: (line: string) => void;
}

const GONE = 410;

/** Sends events to a receiver as the server sends them to its webhooks; answers how each was taken. */
export const forwarder = (
  { signatures, timeoutSeconds, firstRetrySeconds }: Forwarding,
  { url, secret, note }: Receiver,
) => {
  const shown = shownAddress(url.href);

  /** The status of the answer, null if there was none. */
  const attempt = async (event: Event, signal: AbortSignal) => {
    const { id, type, created_at: timestamp, sequence, data } = event;
    const body = JSON.stringify({ type, timestamp, sequence, event_id: id, data });
    const signed = signedRequest(signatures, secret, id, body, new Date());
    const timeout = deadline(timeoutSeconds);
    try {
      const answer = await fetch(url, {
        method: 'POST',
        ...signed,
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      });
      await answer.body?.cancel();
      return {
        status: answer.status,
        retryAfter: answer.headers.get('retry-after'),
        reason: `it answered ${answer.status}`,
      };
    } catch (error) {
      signal.throwIfAborted();
      const reason = timeout.aborted ? `it did not answer within ${timeoutSeconds} seconds` : reasonOf(error);
      return { status: null, retryAfter: null, reason };
    }
  };

  return async (event: Event, signal: AbortSignal): Promise<string> => {
    for (let attempts = 1; ; attempts++) {
      const { status, retryAfter, reason } = await attempt(event, signal);
      if (status !== null && status >= 200 && status < 300) return String(status);
      if (status === GONE)
        throw new CliFailure(`${shown} answered 410: the receiver is gone, and wants no more events`);
      if (attempts === MAX_WAITED_FAILURES) return `given up after ${attempts} attempts: ${reason}`;
      const seconds = secondsUntilRetry(attempts, firstRetrySeconds, retryAfter, new Date());
      note(`${event.type} was not taken by ${shown}: ${reason}; trying again in ${Math.ceil(seconds)} s`);
      await pause(seconds, signal);
    }
  };
};

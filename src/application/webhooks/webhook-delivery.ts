import { DomainError } from '../../domain/errors.ts';
import { storable } from '../../domain/text.ts';
import { withoutAddress } from '../../domain/web-address.ts';
import { webhookMessage } from '../../wire/event.ts';
import { type Outbound, type OutboundAnswer, OutboundFailure } from '../ports/outbound.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import type { Sealer } from '../ports/secrets.ts';
import type { Attempt, DeliveryWork, EndedAttempt, WebhookQueue, WebhookSignatures } from '../ports/webhooks.ts';
import { opened } from '../shared/opened.ts';
import { secondsUntilRetry, signedRequest } from './signed-request.ts';

export interface DeliverySettings {
  readonly timeoutSeconds: number;
  /** After the first failure; later ones wait longer. */
  readonly firstRetrySeconds: number;
}

interface Dependencies {
  readonly queue: WebhookQueue;
  readonly outbound: Outbound;
  readonly signatures: WebhookSignatures;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: DeliverySettings;
}

/** Enough of an answer to see what the receiver complained about. */
const MAX_RESPONSE_BYTES = 1024;
const GONE = 410;

/** So much more is read, because what is cut off within a secret would not be known for one. */
const longestSecret = (url: string) => new URL(url).href.length;

const readBytes = (url: string) => MAX_RESPONSE_BYTES + longestSecret(url);

/** Text that a database can store and a terminal can show, from any bytes, without what is secret of the address. */
const readable = (body: Uint8Array, url: string): string => {
  const text = withoutAddress(storable(new TextDecoder().decode(body)), url);
  const isCut = body.byteLength >= readBytes(url);
  return storable((isCut ? text.slice(0, -longestSecret(url)) : text).slice(0, MAX_RESPONSE_BYTES));
};

/** Sends one leased event and stores the outcome. Rejects with the signal's reason if it aborts before the outcome is known. */
export const webhookDelivery = ({ queue, outbound, signatures, sealer, clock, log, settings }: Dependencies) => {
  const send = (url: string, work: DeliveryWork, signal: AbortSignal) => {
    const { lease, webhook, event, occurredAt, sequence, eventId, subject } = work;
    const message = { type: event, timestamp: occurredAt, sequence, eventId, data: subject };
    const body = JSON.stringify(webhookMessage.encode(message));
    const signed = signedRequest(
      signatures,
      opened(sealer, webhook.sealedSecret, 'webhook'),
      lease.id,
      body,
      clock.now(),
    );
    const { timeoutSeconds } = settings;
    const terms = { timeoutSeconds, maxBytes: readBytes(url), redirects: 0, read: 'beginning' as const };
    return outbound.send({ method: 'POST', url, ...signed }, terms, signal);
  };

  const attempted = async (
    work: DeliveryWork,
    signal: AbortSignal,
  ): Promise<{ answer: OutboundAnswer | null; attempt: Attempt }> => {
    try {
      const url = opened(sealer, work.webhook.sealedUrl, 'webhook');
      const answer = await send(url, work, signal);
      const taken = answer.status >= 200 && answer.status < 300;
      const error = taken ? null : `The receiver answered ${answer.status}.`;
      return { answer, attempt: { status: answer.status, error, response: readable(answer.body, url) } };
    } catch (error) {
      signal.throwIfAborted();
      const known = error instanceof OutboundFailure || error instanceof DomainError;
      if (!known)
        log.error(
          { delivery_id: work.lease.id, webhook_id: work.webhook.id, err: error },
          'an event could not be sent',
        );
      const message = known ? error.message : 'Portico could not send it; its log says why.';
      return { answer: null, attempt: { status: null, error: message, response: null } };
    }
  };

  const settle = async (work: DeliveryWork, answer: OutboundAnswer | null, attempt: EndedAttempt) => {
    const { lease, webhook, attempts } = work;
    if (attempt.error === null) return queue.succeed(lease, attempt);
    const fields = { delivery_id: lease.id, webhook_id: webhook.id, address: webhook.address, attempts };
    if (attempt.status === GONE) {
      // First, so that no worker sends the next event between the two.
      const ended = await queue.disable(webhook.id, 'The receiver answered that it is gone (410).');
      if (ended !== null)
        log.warn(
          { ...fields, ended },
          'a receiver is gone: its webhook is disabled until the workspace file is applied again',
        );
      return queue.fail(lease, attempt, null);
    }
    log.info({ ...fields, status: attempt.status, reason: attempt.error }, 'an event was not taken');
    const delay = secondsUntilRetry(
      attempts,
      settings.firstRetrySeconds,
      answer?.headers['retry-after'] ?? null,
      clock.now(),
    );
    return queue.fail(lease, attempt, delay);
  };

  return async (work: DeliveryWork, signal: AbortSignal): Promise<void> => {
    const startedAt = performance.now();
    const { answer, attempt } = await attempted(work, signal);
    const stored = await settle(work, answer, { ...attempt, durationMs: Math.round(performance.now() - startedAt) });
    if (!stored) log.info({ delivery_id: work.lease.id }, 'the delivery was no longer ours');
  };
};

import { SpanKind } from '@opentelemetry/api';
import type { Connectors } from '../../application/ports/connectors.ts';
import type { DeliveryWork, WebhookQueue } from '../../application/ports/webhooks.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Metrics } from './metrics.ts';
import { currentScope } from './scope.ts';
import { markFailed, type Task, type Trace } from './tracing.ts';

type Deliver = (work: DeliveryWork, signal: AbortSignal) => Promise<void>;

const runOf = ({ subject }: DeliveryWork) => {
  if (subject.kind === 'run') return { id: subject.run.id, traceId: subject.run.traceId };
  if (subject.kind === 'checkpoint' || subject.kind === 'budget') return { id: null, traceId: null };
  return { id: subject.kind === 'approval' ? subject.approval.runId : subject.document.runId, traceId: null };
};

const taskOf = (work: DeliveryWork): Task => {
  const { lease, webhook, event, attempts } = work;
  const run = runOf(work);
  return {
    name: `deliver ${event}`,
    kind: SpanKind.PRODUCER,
    attributes: {
      'portico.event': event,
      ...(run.id !== null && { 'portico.run.id': run.id }),
      'portico.delivery.id': lease.id,
      'portico.delivery.attempt': attempts,
      'portico.webhook.id': webhook.id,
    },
    fields: { delivery_id: lease.id, webhook_id: webhook.id, ...(run.id !== null && { run_id: run.id }) },
    traceId: run.traceId,
  };
};

/** The sending of an event is part of the trace of its run. */
export const observedDelivery =
  (deliver: Deliver, trace: Trace): Deliver =>
  (work, signal) =>
    trace(taskOf(work), () => deliver(work, signal));

/** Counts attempts as they are stored. */
export const observedWebhookQueue = (queue: WebhookQueue, { count }: Metrics): WebhookQueue => ({
  ...queue,
  async succeed(lease, attempt) {
    const isHeld = await queue.succeed(lease, attempt);
    count.webhookDeliveries.inc({ outcome: 'taken' });
    if (attempt.status !== null) currentScope()?.span?.setAttribute('http.response.status_code', attempt.status);
    return isHeld;
  },
  async fail(lease, attempt, retryInSeconds) {
    const isHeld = await queue.fail(lease, attempt, retryInSeconds);
    count.webhookDeliveries.inc({ outcome: attempt.status === null ? 'unreachable' : 'refused' });
    const span = currentScope()?.span;
    if (attempt.status !== null) span?.setAttribute('http.response.status_code', attempt.status);
    if (span) markFailed(span, attempt.status === null ? 'unreachable' : String(attempt.status));
    return isHeld;
  },
});

/** Observes each document on its way to its system of record. */
export const observedConnectors = (connectors: Connectors, trace: Trace, { count }: Metrics): Connectors => {
  const open: Connectors['open'] = (connection, sharer) => {
    const connector = connectors.open(connection, sharer);
    return {
      ...connector,
      deliver(row, signal) {
        const attributes = {
          'portico.connection.id': connection.id,
          'portico.connection.type': connection.type,
          'portico.document.id': row.documentId,
        };
        return trace({ name: 'deliver document', kind: SpanKind.CLIENT, attributes }, async (span) => {
          let outcome: string = 'unavailable';
          try {
            const result = await connector.deliver(row, signal);
            outcome = result.outcome;
            return result;
          } catch (error) {
            if (error instanceof DomainError && error.kind === 'outcome_unknown') outcome = 'unknown';
            throw error;
          } finally {
            span.setAttribute('portico.outcome', outcome);
            count.documentDeliveries.inc({ outcome });
          }
        });
      },
    };
  };
  return { ...connectors, open };
};

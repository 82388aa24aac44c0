import { DomainError, notFound } from '../../domain/errors.ts';
import type { Delivery, DeliveryFilter, WebhookOverview, WebhookRepository } from '../ports/webhooks.ts';

/** For the operator. */
export interface WebhookService {
  /** By workspace, then address. */
  list(): Promise<readonly WebhookOverview[]>;
  /** Newest first. */
  deliveries(filter: DeliveryFilter): Promise<readonly Delivery[]>;
  /** Sends an event once more, delivered or not; the receiver recognises it by its id. */
  redeliver(id: string): Promise<void>;
}

export const webhookService = ({ webhooks }: { webhooks: WebhookRepository }): WebhookService => ({
  list: () => webhooks.list(),
  deliveries: (filter) => webhooks.deliveries(filter),
  async redeliver(id) {
    const outcome = await webhooks.redeliver(id);
    if (outcome === 'unknown') throw notFound('delivery');
    if (outcome === 'webhook_removed') throw new DomainError('conflict', 'The webhook of this delivery was removed.');
  },
});

import { ContainerModule } from 'inversify';
import { webhookDelivery } from '../../application/webhooks/webhook-delivery.ts';
import { webhookWorker } from '../../application/webhooks/webhook-worker.ts';
import { deliveryService, webhookService } from '../../application/webhooks/webhooks.ts';
import { deliverySettings } from '../config.ts';
import { token } from '../module.ts';
import { Outbound } from './outside.ts';
import { WebhookQueue, WebhookRepository, WebhookWakeups } from './postgres.ts';
import { Clock, Log, Sealer, WebhookSignatures } from './system.ts';

export const WebhookService = token(webhookService);
export const DeliveryService = token(deliveryService);
export const WebhookDelivery = token(webhookDelivery);
export const WebhookWorker = token(webhookWorker);

const settings = { concurrency: 16, perWebhook: 4, leaseSeconds: 30, pollMs: 1000 };

/** Events that are sent to other servers. */
export const webhooks = new ContainerModule(({ bind }) => {
  bind(WebhookService).toDynamicValue(({ get }) => webhookService({ webhooks: get(WebhookRepository) }));
  bind(DeliveryService).toDynamicValue(({ get }) =>
    deliveryService({ webhooks: get(WebhookRepository), log: get(Log) }),
  );
  bind(WebhookDelivery).toDynamicValue(({ get }) =>
    webhookDelivery({
      queue: get(WebhookQueue),
      outbound: get(Outbound),
      signatures: get(WebhookSignatures),
      sealer: get(Sealer),
      clock: get(Clock),
      log: get(Log),
      settings: deliverySettings,
    }),
  );
  bind(WebhookWorker).toDynamicValue(({ get }) =>
    webhookWorker({
      queue: get(WebhookQueue),
      wakeups: get(WebhookWakeups),
      deliver: get(WebhookDelivery),
      log: get(Log),
      settings,
    }),
  );
});

import { ContainerModule } from 'inversify';
import { standardSignatures } from '../../adapters/webhooks/signatures.ts';
import { webhookDelivery } from '../../application/webhooks/webhook-delivery.ts';
import { webhookWorker } from '../../application/webhooks/webhook-worker.ts';
import { webhookService } from '../../application/webhooks/webhooks.ts';
import { provider } from '../provide.ts';
import { bounds, port, service } from '../tokens.ts';
import { webhookData } from '../webhook-data.ts';

const { outbound, sealer, signatures, clock, log, webhooks, webhookQueue: queue, webhookWakeups: wakeups, webhookData: encode } = port;

export const webhookModule = new ContainerModule((options) => {
  const provide = provider(options);
  const settings = bounds.webhooks;
  options.bind(signatures).toConstantValue(standardSignatures);
  options.bind(encode).toConstantValue(webhookData);
  options.bind(settings).toConstantValue({
    ...{ timeoutSeconds: 15, firstRetrySeconds: 5 },
    ...{ concurrency: 16, perWebhook: 4, leaseSeconds: 30, pollMs: 1000 },
  });
  provide(service.webhooks, webhookService, { webhooks });
  provide(service.webhookDelivery, webhookDelivery, { queue, outbound, signatures, sealer, encode, clock, log, settings });
  provide(service.webhookWorker, webhookWorker, { queue, wakeups, deliver: service.webhookDelivery, log, settings });
});

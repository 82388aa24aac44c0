import type { DeliverySettings } from '../../application/webhooks/webhook-delivery.ts';

/** How events are sent: by the server to its webhooks, and by `portico listen`. */
export const deliverySettings: DeliverySettings = { timeoutSeconds: 15, firstRetrySeconds: 5 };

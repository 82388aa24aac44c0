import { MAX_KEPT_ATTEMPTS } from '../../../domain/webhook.ts';
import {
  delivery,
  deliveryStatus,
  exampleAttempt,
  exampleDelivery,
  exampleWebhook,
  recordedAttempt,
  webhook,
} from '../../../wire/delivery.ts';
import { about, list, nullable, optional, wire } from '../../../wire/kit/structures.ts';
import { cursor, uuid } from '../../../wire/kit/values.ts';
import { operation } from '../operation.ts';
import { cursorPaging } from '../parameters.ts';

const forAdmins = { tag: 'Deliveries', access: 'api-key', adminOnly: true } as const;
const params = wire({ id: about('The delivery.', uuid) });
const example = { params: { id: exampleDelivery.id } };

export const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'get',
  path: '/webhooks',
  resource: 'webhooks',
  ...forAdmins,
  summary: 'List the webhooks of the workspace',
  description:
    'Where what happens is sent to, by address. The workspace file adds and removes webhooks. A receiver that answers 410 is sent nothing more: its webhook is disabled until the file is applied again.',
  success: {
    description: 'The webhooks.',
    data: wire({ webhooks: list(webhook) }),
    example: { webhooks: [exampleWebhook] },
  },
  handle: async ({ deliveries }, { caller }) => ({ webhooks: await deliveries.webhooks(caller) }),
});

export const listDeliveries = operation({
  id: 'listDeliveries',
  method: 'get',
  path: '/deliveries',
  resource: 'deliveries',
  ...forAdmins,
  summary: 'List deliveries to webhooks',
  description:
    'What was sent to the webhooks of the workspace and what waits to be sent, newest first, each with how often it was sent and what came of the last attempt. A delivery is kept for 30 days.',
  query: wire({
    status: about('Only deliveries with this status.', optional(deliveryStatus)),
    webhookId: about('Only deliveries to this webhook.', optional(uuid), exampleDelivery.webhookId),
    ...cursorPaging(cursor, 25),
  }),
  example: { query: { status: 'failed', limit: 25 } },
  success: {
    description: 'A page of deliveries; `next` is null on the last one.',
    data: wire({ deliveries: list(delivery), next: nullable(cursor) }),
    example: { deliveries: [exampleDelivery], next: null },
  },
  handle: ({ deliveries }, { caller, query: { status = null, webhookId = null, limit, after: before = null } }) =>
    deliveries.list(caller, { status, webhookId, limit, before }),
});

export const listDeliveryAttempts = operation({
  id: 'listDeliveryAttempts',
  method: 'get',
  path: '/deliveries/{id}/attempts',
  resource: 'delivery_attempts',
  ...forAdmins,
  summary: 'List the attempts of a delivery',
  description: `When a delivery was sent and what came of it each time, newest first. The last ${MAX_KEPT_ATTEMPTS} attempts are kept, as long as the delivery.`,
  params,
  example,
  success: {
    description: 'Its attempts that ended.',
    data: wire({ attempts: list(recordedAttempt) }),
    example: { attempts: [exampleAttempt] },
  },
  refuses: ['not_found'],
  handle: async ({ deliveries }, { caller, params: { id } }) => ({ attempts: await deliveries.attempts(caller, id) }),
});

export const redeliver = operation({
  id: 'redeliver',
  method: 'post',
  path: '/deliveries/{id}/redeliver',
  resource: 'delivery_redeliver',
  ...forAdmins,
  summary: 'Send a delivery again',
  description:
    'Sends the event once more at once, whether it was delivered before or not, with as many attempts as a new one. Its `webhook-id` is the same, by which the receiver recognises it. ' +
    'If it is being sent at the moment, nothing changes; where its webhook was removed or is disabled, this is a conflict. Takes no body.',
  writes: true,
  params,
  example,
  success: { description: 'It is sent again.', data: wire({ id: uuid }), example: { id: exampleDelivery.id } },
  refuses: ['not_found', 'conflict'],
  async handle({ deliveries }, { caller, params: { id } }) {
    await deliveries.redeliver(caller, id);
    return { id };
  },
});

import * as t from 'io-ts';
import { deliveryMachine, eventPatterns, webhookEvents } from '../domain/webhook.ts';
import { about, component, list, nullable } from './kit/structures.ts';
import { dateTime, integer, oneOf, uuid } from './kit/values.ts';
import { exampleRun } from './run.ts';

export const deliveryStatus = oneOf(...deliveryMachine.states);

const outcome = {
  status: about('The HTTP status of the answer; null if there was none.', nullable(integer({ min: 100, max: 999 }))),
  error: about('Why the event was not taken; null if it was.', nullable(t.string)),
  response: about(
    'The beginning of what the receiver answered, without the parts of its address that are not shown.',
    nullable(t.string),
  ),
};

const attempt = component('DeliveryAttempt', outcome);

export const recordedAttempt = component('RecordedAttempt', {
  number: about(
    'Counts on when the delivery is sent again. A number is missing where the server stopped before it knew what came of the attempt.',
    integer({ min: 1 }),
  ),
  startedAt: dateTime,
  durationMs: about('How long it took until the answer was there or the attempt failed.', integer({ min: 0 })),
  ...outcome,
});

const address = about(
  'The origin of the webhook, and the first part of its path if that is a plain word: the rest may be a secret.',
  t.string,
);

export const webhook = component('Webhook', {
  id: uuid,
  address,
  events: about('What it is sent.', list(oneOf(...eventPatterns))),
  createdAt: dateTime,
  updatedAt: dateTime,
  disabledAt: about('When it was disabled; null while it is sent what happens.', nullable(dateTime)),
  disabledReason: about('Why it was disabled; null while it is sent what happens.', nullable(t.string)),
});

export const delivery = component('Delivery', {
  id: about('The `webhook-id` of the request: the same for every attempt.', uuid),
  webhookId: uuid,
  address,
  event: oneOf(...webhookEvents),
  runId: about('Null of an approval that no run waits for.', nullable(uuid)),
  documentId: nullable(uuid),
  status: about('`disabled`: it was not sent, because its webhook is disabled.', deliveryStatus),
  attempts: about('How often it was sent; counts anew when it is sent again.', integer({ min: 0 })),
  lastAttempt: about('null before the first one.', nullable(attempt)),
  occurredAt: about('When the event happened.', dateTime),
  dueAt: about('When it is sent next; null once it has ended.', nullable(dateTime)),
  endedAt: about('When it was delivered, given up, or ended because its webhook is disabled.', nullable(dateTime)),
});

export const exampleDelivery = {
  id: '01989c0e-65f2-7a1b-8c3d-aaaaaaaaaaa1',
  webhookId: '01989c0e-65f2-7a1b-8c3d-aaaaaaaaaaa2',
  place: 17,
  address: 'https://hooks.example.com/services/…',
  event: 'run.completed',
  runId: exampleRun.id,
  documentId: null,
  status: 'failed',
  attempts: 9,
  lastAttempt: { status: 503, error: 'The receiver answered 503.', response: 'Down for repairs.' },
  occurredAt: new Date('2026-11-20T09:31:12.000Z'),
  dueAt: null,
  endedAt: new Date('2026-11-23T09:31:12.000Z'),
} as const;

export const exampleAttempt = {
  number: 9,
  startedAt: new Date('2026-11-23T09:31:11.958Z'),
  durationMs: 42,
  status: 503,
  error: 'The receiver answered 503.',
  response: 'Down for repairs.',
};

export const exampleWebhook = {
  id: exampleDelivery.webhookId,
  workspaceId: '01989c0e-65f2-7a1b-8c3d-aaaaaaaaaaa3',
  address: exampleDelivery.address,
  events: ['run.*'],
  createdAt: new Date('2026-11-19T16:20:00.000Z'),
  updatedAt: new Date('2026-11-19T16:20:00.000Z'),
  disabledAt: new Date('2026-11-23T09:31:12.000Z'),
  disabledReason: 'The receiver answered that it is gone (410).',
} as const;

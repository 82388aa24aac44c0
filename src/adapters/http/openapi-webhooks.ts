import type * as t from 'io-ts';
import type { ShownDocument } from '../../application/ports/storage.ts';
import type { DocumentStatus } from '../../domain/document.ts';
import { eventIdOf } from '../../domain/event.ts';
import type { JsonSchema } from '../../domain/json.ts';
import type { ReviewStatus } from '../../domain/review.ts';
import type { RunStatus } from '../../domain/run.ts';
import { type WebhookEvent, webhookEvents } from '../../domain/webhook.ts';
import { approval, exampleApproval } from '../../wire/approval.ts';
import { checkpoint, exampleCheckpoint } from '../../wire/audit.ts';
import { budgetMark, exampleBudgetMark } from '../../wire/budget.ts';
import { documentEvent, exampleDocument } from '../../wire/document.ts';
import { type eventData, webhookMessage } from '../../wire/event.ts';
import { schemaOf } from '../../wire/kit/codec.ts';
import { exampleRun, run } from '../../wire/run.ts';
import { json } from './openapi-components.ts';

const EXAMPLE_SEQUENCE = 89266408955911;

const header = (name: string, description: string, schema: JsonSchema, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
  example,
});

const seconds = String(Math.floor(exampleRun.createdAt.getTime() / 1000));

/** The headers of the Standard Webhooks specification, by the name of their component. */
export const webhookParameters = {
  'webhook-id': header(
    'webhook-id',
    'The same for every attempt to send the event.',
    { type: 'string', minLength: 1 },
    exampleDocument.id,
  ),
  'webhook-timestamp': header(
    'webhook-timestamp',
    'When it was sent: a Unix timestamp in seconds.',
    { type: 'string', pattern: '^\\d+$' },
    seconds,
  ),
  'webhook-signature': header(
    'webhook-signature',
    'HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the webhook’s secret, in Base64.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$' },
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
};

const responses = {
  '2XX': { description: 'The event was accepted.' },
  410: {
    description:
      'The receiver is gone: its webhook is disabled, and is sent nothing more until the workspace file is applied again.',
  },
  default: {
    description:
      'The event was not accepted. The server sends it again for up to three days, after growing pauses, and honours `Retry-After`.',
  },
};

const pascal = (event: WebhookEvent) => event.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());

interface Subject {
  readonly codec: object;
  readonly summary: string;
  /** What is always so of the run, the document or the approval in this event. */
  readonly known: JsonSchema;
  readonly example: t.TypeOf<typeof eventData>;
}

const ofRun = (status: RunStatus): Subject => ({
  codec: run,
  summary: `A run is ${status}`,
  known: { status: { const: status } },
  example: { kind: 'run', run: { ...exampleRun, status } },
});

const ofDocument = (known: JsonSchema, summary: string, over: Partial<ShownDocument>): Subject => ({
  codec: documentEvent,
  summary,
  known,
  example: { kind: 'document', document: { ...exampleDocument, ...over } },
});

const REVIEW = { $ref: '#/components/schemas/Review' };

const reviewIs = (reviewStatus: ReviewStatus, summary: string) =>
  ofDocument({ review: { allOf: [REVIEW, { properties: { status: { const: reviewStatus } } }] } }, summary, {
    reviewStatus,
  });

type OfDocument<E extends WebhookEvent> = E extends `document.${infer What}` ? What : never;

/** What happens to a document without its status becoming another one. */
const otherwise: Readonly<Record<Exclude<OfDocument<WebhookEvent>, DocumentStatus>, Subject>> = {
  review_required: reviewIs('pending', 'A document waits for a decision'),
  approved: reviewIs('approved', 'A document is approved'),
  rejected: reviewIs('rejected', 'A document is rejected'),
  changed: ofDocument({}, 'The data of a document has changed', { revision: 2 }),
  restored: ofDocument({}, 'A document is back from the trash', {}),
};

const ofApproval = (what: string): Subject => ({
  codec: approval,
  summary: what === 'requested' ? 'A call of a tool waits for a person' : 'A call of a tool waits for a person no more',
  known: what === 'requested' ? { status: { const: 'pending' } } : {},
  example: { kind: 'approval', approval: { ...exampleApproval, status: what === 'requested' ? 'pending' : 'denied' } },
});

const ofCheckpoint: Subject = {
  codec: checkpoint,
  summary: 'Where the chain of the audit log ends: every 1,000 entries, and once a day',
  known: {},
  example: { kind: 'checkpoint', checkpoint: exampleCheckpoint },
};

const ofBudget = (what: string): Subject => ({
  codec: budgetMark,
  summary: what === 'warning' ? 'Of a budget, 80 % are spent' : 'A budget is spent',
  known: {},
  example: { kind: 'budget', budget: { ...exampleBudgetMark, ...(what === 'exhausted' && { spent: '500.0028' }) } },
});

const subjectOf = (kind: string, what: string): Subject => {
  if (kind === 'run') return ofRun(what as RunStatus);
  if (kind === 'approval') return ofApproval(what);
  if (kind === 'audit') return ofCheckpoint;
  if (kind === 'budget') return ofBudget(what);
  if (Object.hasOwn(otherwise, what)) return otherwise[what as keyof typeof otherwise];
  const status = what as DocumentStatus;
  return ofDocument({ status: { const: status } }, `A document is ${status}`, { status });
};

const eventObject = (event: WebhookEvent, components: Map<string, JsonSchema>) => {
  const [kind = '', what = ''] = event.split('.');
  const { codec, summary, known, example } = subjectOf(kind, what);
  const message = schemaOf(webhookMessage, components);
  const data = { allOf: [schemaOf(codec, components), { type: 'object', properties: known }] };
  const schema = { ...message, properties: { ...(message.properties as object), type: { const: event }, data } };
  const { updatedAt: timestamp, workspaceId } = exampleDocument;
  const eventId = eventIdOf({ sequence: EXAMPLE_SEQUENCE, createdAt: timestamp, workspaceId });
  const shown = webhookMessage.encode({ type: event, timestamp, sequence: EXAMPLE_SEQUENCE, eventId, data: example });
  return {
    operationId: `on${pascal(event)}`,
    tags: ['Webhooks'],
    summary,
    description: `Sent to the webhooks with the event \`${event}\`, \`${kind}.*\` or \`*\`, with the ${kind} as it was then.`,
    parameters: Object.keys(webhookParameters).map((each) => ({ $ref: `#/components/parameters/${each}` })),
    requestBody: { required: true, ...json(schema, shown) },
    responses,
    security: [],
  };
};

/** The requests to the webhooks of a workspace, one for each event. */
export const webhookObjects = (components: Map<string, JsonSchema>) =>
  Object.fromEntries(webhookEvents.map((event) => [event, { post: eventObject(event, components) }]));

import { backOffSeconds } from './back-off.ts';
import type { Document, DocumentStatus } from './document.ts';
import type { ReviewStatus } from './review.ts';
import { runMachine } from './run.ts';
import { machine } from './state-machine.ts';

const runEvents = runMachine.states.map((status) => `run.${status}` as const);

/** The event of a document that comes to a status, or whose review does. */
const arrivals = {
  ready: 'document.ready',
  processed: 'document.processed',
  error: 'document.error',
  trashed: 'document.trashed',
  pending: 'document.review_required',
  approved: 'document.approved',
  rejected: 'document.rejected',
} as const satisfies Partial<Record<DocumentStatus | ReviewStatus, string>>;

/** A call of a tool waits for a person, and waits no more. */
export const approvalEvents = ['approval.requested', 'approval.decided'] as const;

/** Where the chain of the audit log ends, every so often. */
const auditEvents = ['audit.checkpoint'] as const;

/** What is spent of a budget: 80 %, and all of it. */
export const budgetEvents = ['budget.warning', 'budget.exhausted'] as const;

const documentEvents = [...Object.values(arrivals), 'document.changed', 'document.restored'] as const;

/** The events that a webhook can receive, each recorded in the transaction that causes it. */
export type WebhookEvent = (
  | typeof runEvents
  | typeof documentEvents
  | typeof approvalEvents
  | typeof auditEvents
  | typeof budgetEvents
)[number];

export const webhookEvents: readonly WebhookEvent[] = [
  ...runEvents,
  ...documentEvents,
  ...approvalEvents,
  ...auditEvents,
  ...budgetEvents,
];

type Known = Pick<Document, 'status' | 'revision' | 'reviewStatus'>;

/**
 * What happened to a document between two states of it, in this order, for who writes the second one to log. One change may be several
 * events: a document that becomes ready may need a review, a correction takes an approval back.
 */
export const eventsBetween = (before: Known, after: Known): readonly WebhookEvent[] => {
  const arrival: Readonly<Partial<Record<DocumentStatus | ReviewStatus, WebhookEvent>>> = arrivals;
  const events: WebhookEvent[] = [];
  const note = (event: WebhookEvent | undefined) => event && events.push(event);
  if (before.status === 'trashed' && after.status !== 'trashed') note('document.restored');
  else if (after.revision !== before.revision && before.revision > 0) note('document.changed');
  else if (after.status !== before.status) note(arrival[after.status]);
  if (after.reviewStatus !== before.reviewStatus) note(arrival[after.reviewStatus]);
  return events;
};

/** What a webhook may ask for: one event, all of a kind, or all. */
export const eventPatterns: readonly [string, ...string[]] = [
  '*',
  'run.*',
  ...runEvents,
  'document.*',
  ...documentEvents,
  'approval.*',
  ...approvalEvents,
  'audit.*',
  ...auditEvents,
  'budget.*',
  ...budgetEvents,
];

export interface Webhook {
  readonly id: string;
  readonly workspaceId: string;
  /** Where it leads, as it may be shown: see `shownAddress`. */
  readonly address: string;
  readonly sealedUrl: string;
  /** The secrets, each on a line of its own. */
  readonly sealedSecret: string;
  /** Event patterns. */
  readonly events: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** When it was disabled, and why: its receiver wants no more events. Both are null while it gets them. */
  readonly disabledAt: Date | null;
  readonly disabledReason: string | null;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'disabled';

/** `pending` does not change when an attempt fails and there is time for another one; `disabled`: not sent, because the webhook is. */
export const deliveryMachine = machine<DeliveryStatus, 'deliver' | 'abandon' | 'disable' | 'redeliver'>('delivery', {
  pending: { deliver: 'delivered', abandon: 'failed', disable: 'disabled', redeliver: 'pending' },
  delivered: { redeliver: 'pending' },
  failed: { redeliver: 'pending' },
  disabled: { redeliver: 'pending' },
});

/** After so many failures of one event, the later events of its run no longer wait for it. */
export const MAX_WAITED_FAILURES = 5;

/** An event that was not taken within this time is given up. */
export const RETRY_SECONDS = 3 * 86_400;

/** About 15 attempts fit in that time: the newest of each delivery that are kept are those of three rounds, if it is sent again twice. */
export const MAX_KEPT_ATTEMPTS = 50;

const FIRST_DELAY_SECONDS = 5;
const LONGEST_DELAY_SECONDS = 12 * 3600;

/** How long to wait after so many attempts; `chance`, from 0 to 1, spreads those that failed together. */
export const retryDelaySeconds = (attempts: number, chance: number, firstSeconds = FIRST_DELAY_SECONDS): number =>
  backOffSeconds(attempts, chance, { firstSeconds, longestSeconds: LONGEST_DELAY_SECONDS });

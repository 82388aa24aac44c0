import type { Approval } from '../../domain/approval.ts';
import type { ChainPoint } from '../../domain/audit-chain.ts';
import type { BudgetMark } from '../../domain/budget.ts';
import type { DeliveryStatus, Webhook, WebhookEvent } from '../../domain/webhook.ts';
import type { RunSummary, ShownDocument } from './storage.ts';

/** A run as it was when the event happened. */
export type RunSnapshot = Omit<RunSummary, 'workspaceId' | 'userId' | 'origin' | 'userMessage' | 'files'>;

/** A document as it was when the event happened, without its data, and without its duplicates, which are found when a document is read. */
export type DocumentSnapshot = Omit<
  ShownDocument,
  | ('workspaceId' | 'documentData' | 'contradictions' | 'duplicateKey' | 'laterKey' | 'duplicates')
  | ('attemptedRevision' | 'approvedRevision' | 'approvedAs' | 'reopened' | 'fence' | 'leaseExpiresAt' | 'trashedFrom')
>;

/** An approval as it was when the event happened. */
export type ApprovalSnapshot = Omit<Approval, 'workspaceId' | 'agentVersion' | 'toolCallId' | 'approver'>;

export type WebhookSubject =
  | { readonly kind: 'run'; readonly run: RunSnapshot }
  | { readonly kind: 'document'; readonly document: DocumentSnapshot }
  | { readonly kind: 'approval'; readonly approval: ApprovalSnapshot }
  | { readonly kind: 'checkpoint'; readonly checkpoint: ChainPoint }
  | { readonly kind: 'budget'; readonly budget: BudgetMark };

/** The right to send one event to one webhook, until the lease is over. */
export interface DeliveryLease {
  readonly id: string;
  readonly fence: number;
}

export interface DeliveryWork {
  readonly lease: DeliveryLease;
  readonly webhook: Pick<Webhook, 'id' | 'address' | 'sealedUrl' | 'sealedSecret'>;
  readonly event: WebhookEvent;
  readonly occurredAt: Date;
  /** The number of the event in the log, and its id. */
  readonly sequence: number;
  readonly eventId: string;
  readonly subject: WebhookSubject;
  /** Counts this one. */
  readonly attempts: number;
}

/** What an attempt came to. */
export interface Attempt {
  /** null if nothing was answered. */
  readonly status: number | null;
  /** In plain words; null if the event was taken. */
  readonly error: string | null;
  /** The beginning of what was answered, to find the cause. */
  readonly response: string | null;
}

/** An attempt that is over. */
export interface EndedAttempt extends Attempt {
  readonly durationMs: number;
}

export interface RecordedAttempt extends EndedAttempt {
  /** Counts the leases of the delivery: one is missing where the outcome was not stored. */
  readonly number: number;
  readonly startedAt: Date;
}

/** Events of the log on their way to webhooks; times are the database's. */
export interface WebhookQueue {
  /**
   * Goes on in the log for every webhook and makes its deliveries, each event in the log's order and once. Answers the workspaces that have
   * webhooks, and whether there is more in the log already.
   */
  collect(): Promise<{ readonly workspaces: ReadonlySet<string>; readonly hasMore: boolean }>;
  /**
   * Leases up to `most` deliveries that are due, at most `perWebhook` of a webhook at a time, fewer where they are large. An event waits for the earlier
   * ones of its run and webhook until they are taken, given up, or have failed `MAX_WAITED_FAILURES` times.
   */
  lease(most: number, perWebhook: number, leaseSeconds: number): Promise<readonly DeliveryWork[]>;
  /** Each answers false, and changes nothing, if the lease is no longer held. The first two record the attempt too. */
  succeed(lease: DeliveryLease, attempt: EndedAttempt): Promise<boolean>;
  /** Tries again after so many seconds, or gives up if that would be too late or `retryInSeconds` is null. */
  fail(lease: DeliveryLease, attempt: EndedAttempt, retryInSeconds: number | null): Promise<boolean>;
  /** Hands it back at once, as if it had not been tried. */
  release(lease: DeliveryLease): Promise<boolean>;
  /**
   * Disables this webhook until it is applied again, and ends everything that waits for it and is not under way; how much, or null if it is
   * disabled or removed already. What happens from then on is kept for it as `disabled`.
   */
  disable(webhookId: string, reason: string): Promise<number | null>;
  /** Leads each webhook past what is older than so many days and was not read for it; what of that it had asked for, once. */
  passExpired(keptDays: number): Promise<readonly LostEvents[]>;
  /** Ends what is too late or whose webhook is removed or disabled, and deletes what is old, in bounded batches; how many of both. */
  cleanUp(): Promise<number>;
}

/** Events that a webhook asked for and that no worker read before they expired. */
export interface LostEvents {
  readonly webhookId: string;
  readonly address: string;
  readonly events: number;
  /** When the oldest of them happened. */
  readonly since: Date;
}

/** Notifies that something happened in a workspace; null: perhaps in any of them. A missed one costs a poll. */
export interface WebhookWakeups {
  subscribe(wake: (workspaceId: string | null) => void): () => void;
}

export type ShownWebhook = Omit<Webhook, 'sealedUrl' | 'sealedSecret'>;

export interface WebhookOverview extends ShownWebhook {
  readonly workspace: string;
  readonly pending: number;
  readonly failed: number;
}

export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly address: string;
  readonly event: WebhookEvent;
  readonly runId: string | null;
  readonly documentId: string | null;
  readonly status: DeliveryStatus;
  /** Its place among the deliveries: later ones have greater places. */
  readonly place: number;
  readonly attempts: number;
  readonly lastAttempt: Attempt | null;
  readonly occurredAt: Date;
  /** When it is tried next, or when the attempt under way is taken for lost; null once it is over. */
  readonly dueAt: Date | null;
  readonly endedAt: Date | null;
}

export interface DeliveryFilter {
  readonly webhookId: string | null;
  readonly status: DeliveryStatus | null;
  readonly limit: number;
  /** Only to webhooks of this workspace; absent: of every one. */
  readonly workspaceId?: string;
  /** Only what is older than the delivery at this place. */
  readonly before?: number | null;
}

export interface WebhookRepository {
  /** By workspace, then address. */
  list(): Promise<readonly WebhookOverview[]>;
  /** Those of a workspace, by address. */
  listOf(workspaceId: string): Promise<readonly ShownWebhook[]>;
  /** Newest first. */
  deliveries(filter: DeliveryFilter): Promise<readonly Delivery[]>;
  /** Newest first, the last `MAX_KEPT_ATTEMPTS`; null if there is no such delivery, in this workspace if one is given. */
  attempts(id: string, workspaceId?: string): Promise<readonly RecordedAttempt[] | null>;
  /** Makes it due now, with as much time and as many attempts as a new one; of this workspace if one is given. */
  redeliver(id: string, workspaceId?: string): Promise<'due' | 'unknown' | 'webhook_removed' | 'webhook_disabled'>;
}

/** Signatures by the Standard Webhooks specification. */
export interface WebhookSignatures {
  /** What is wrong with the secret, in plain words; null if it can be used. */
  defect(secret: string): string | null;
  /** How many bytes its key has. */
  bytesOf(secret: string): number;
  sign(secret: string, message: { readonly id: string; readonly timestamp: number; readonly body: string }): string;
}

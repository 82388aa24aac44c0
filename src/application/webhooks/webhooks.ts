import { DomainError, notFound } from '../../domain/errors.ts';
import { type Caller, mustBeAdmin } from '../access/caller.ts';
import type { Log } from '../ports/runtime.ts';
import type { Delivery, DeliveryFilter, RecordedAttempt, WebhookOverview, WebhookRepository } from '../ports/webhooks.ts';

/** For the operator. */
export interface WebhookService {
  /** By workspace, then address. */
  list(): Promise<readonly WebhookOverview[]>;
  /** Newest first. */
  deliveries(filter: DeliveryFilter): Promise<readonly Delivery[]>;
  /** What each attempt of a delivery came to, newest first. */
  attempts(id: string): Promise<readonly RecordedAttempt[]>;
  /** Sends an event once more, delivered or not; the receiver recognises it by its id. */
  redeliver(id: string): Promise<void>;
}

/** The same for the administrators of a workspace, who see its webhooks alone. */
export interface DeliveryService {
  /** A page, newest first; `next` is null on the last one. */
  list(
    caller: Caller,
    filter: Omit<DeliveryFilter, 'workspaceId'>,
  ): Promise<{ readonly deliveries: readonly Delivery[]; readonly next: number | null }>;
  attempts(caller: Caller, id: string): Promise<readonly RecordedAttempt[]>;
  redeliver(caller: Caller, id: string): Promise<void>;
}

interface Dependencies {
  readonly webhooks: WebhookRepository;
}

const attempts = async ({ webhooks }: Dependencies, id: string, workspaceId?: string) => {
  const found = await webhooks.attempts(id, workspaceId);
  if (found === null) throw notFound('delivery');
  return found;
};

const redeliver = async ({ webhooks }: Dependencies, id: string, workspaceId?: string) => {
  const outcome = await webhooks.redeliver(id, workspaceId);
  if (outcome === 'unknown') throw notFound('delivery');
  if (outcome === 'webhook_removed') throw new DomainError('conflict', 'The webhook of this delivery was removed.');
};

export const webhookService = ({ webhooks }: Dependencies): WebhookService => ({
  list: () => webhooks.list(),
  deliveries: (filter) => webhooks.deliveries(filter),
  attempts: (id) => attempts({ webhooks }, id),
  redeliver: (id) => redeliver({ webhooks }, id),
});

export const deliveryService = ({ webhooks, log }: Dependencies & { readonly log: Log }): DeliveryService => ({
  async list(caller, filter) {
    mustBeAdmin(caller);
    const { limit } = filter;
    const found = await webhooks.deliveries({ ...filter, workspaceId: caller.workspaceId, limit: limit + 1 });
    const deliveries = found.slice(0, limit);
    return { deliveries, next: found.length > limit ? (deliveries.at(-1)?.place ?? null) : null };
  },
  async attempts(caller, id) {
    mustBeAdmin(caller);
    return attempts({ webhooks }, id, caller.workspaceId);
  },
  async redeliver(caller, id) {
    mustBeAdmin(caller);
    await redeliver({ webhooks }, id, caller.workspaceId);
    log.info({ delivery_id: id, user_id: caller.userId, credential_id: caller.credential.id }, 'a delivery is sent again');
  },
});

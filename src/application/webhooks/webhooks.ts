import { type Caller, mustBeAdmin } from '../../domain/caller.ts';
import { DomainError, mustExist, notFound } from '../../domain/errors.ts';
import type { Log } from '../ports/runtime.ts';
import type { DeliveryFilter, WebhookRepository } from '../ports/webhooks.ts';

/** For the operator, or within a workspace alone. */
export const webhookService = ({ webhooks }: { webhooks: WebhookRepository }) => ({
  /** By workspace, then address. */
  list: () => webhooks.list(),

  /** Newest first. */
  deliveries: (filter: DeliveryFilter) => webhooks.deliveries(filter),

  /** What each attempt of a delivery came to, newest first. */
  attempts: async (id: string, workspaceId?: string) => mustExist(await webhooks.attempts(id, workspaceId), 'delivery'),

  /** Sends an event once more, delivered or not; the receiver recognises it by its id. */
  async redeliver(id: string, workspaceId?: string): Promise<void> {
    const outcome = await webhooks.redeliver(id, workspaceId);
    if (outcome === 'unknown') throw notFound('delivery');
    if (outcome === 'webhook_removed') throw new DomainError('conflict', 'The webhook of this delivery was removed.');
    if (outcome === 'webhook_disabled') {
      throw new DomainError(
        'conflict',
        'The webhook of this delivery is disabled. Apply the workspace file to enable it, and try again.',
      );
    }
  },
});

export type WebhookService = ReturnType<typeof webhookService>;

/** The same for the administrators of a workspace, who see its webhooks alone. */
export const deliveryService = ({ webhooks, log }: { webhooks: WebhookRepository; log: Log }) => {
  const { attempts, redeliver } = webhookService({ webhooks });
  return {
    /** The webhooks, by address. */
    async webhooks(caller: Caller) {
      mustBeAdmin(caller);
      return webhooks.listOf(caller.workspaceId);
    },

    /** A page, newest first; `next` is null on the last one. */
    async list(caller: Caller, filter: Omit<DeliveryFilter, 'workspaceId'>) {
      mustBeAdmin(caller);
      const { limit } = filter;
      const rows = await webhooks.deliveries({ ...filter, workspaceId: caller.workspaceId, limit: limit + 1 });
      const deliveries = rows.slice(0, limit);
      return { deliveries, next: rows.length > limit ? (deliveries.at(-1)?.place ?? null) : null };
    },

    async attempts(caller: Caller, id: string) {
      mustBeAdmin(caller);
      return attempts(id, caller.workspaceId);
    },

    async redeliver(caller: Caller, id: string): Promise<void> {
      mustBeAdmin(caller);
      await redeliver(id, caller.workspaceId);
      log.info(
        { delivery_id: id, user_id: caller.userId, credential_id: caller.credential.id },
        'a delivery is sent again',
      );
    },
  };
};

export type DeliveryService = ReturnType<typeof deliveryService>;

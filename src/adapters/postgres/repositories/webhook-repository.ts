import type {
  Attempt,
  Delivery,
  RecordedAttempt,
  WebhookOverview,
  WebhookRepository,
  WebhookWakeups,
} from '../../../application/ports/webhooks.ts';
import { RETRY_SECONDS } from '../../../domain/webhook.ts';
import type { Database } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import type { Listener } from '../connection/listener.ts';
import * as sql from '../statements/webhook-statements.ts';
import { WebhookTable } from '../tables/entities.ts';
import { eventSignals } from './event-log.ts';

export const webhookWakeups = (listener: Listener): WebhookWakeups => ({
  subscribe(wake) {
    const wakeAll = () => wake(null);
    const ends = [
      listener.listen(sql.CHANNEL, { message: wakeAll, gap: wakeAll }),
      eventSignals(listener).subscribe({
        happened: ({ workspaceId, isStep }) => isStep || wake(workspaceId),
        gap: wakeAll,
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  },
});

interface Listed extends Omit<Delivery, 'lastAttempt'> {
  readonly lastStatus: Attempt['status'];
  readonly lastError: Attempt['error'];
  readonly lastResponse: Attempt['response'];
}

const deliveryOf = ({ lastStatus: status, lastError: error, lastResponse: response, ...rest }: Listed): Delivery => ({
  ...rest,
  lastAttempt: status === null && error === null ? null : { status, error, response },
});

export const webhookRepository = ({ query, mapper }: Pick<Database, 'query' | 'mapper'>): WebhookRepository => ({
  list: () => query<WebhookOverview>(sql.list, []),
  listOf: (workspaceId) =>
    mapper.find(WebhookTable, { workspaceId }, { exclude: sql.secret, orderBy: { address: 'asc', id: 'asc' } }),
  async deliveries({ webhookId, status, limit, workspaceId = null, before = null }) {
    if (webhookId !== null && !isId(webhookId)) return [];
    return (await query<Listed>(sql.deliveries, [webhookId, status, limit, workspaceId, before])).map(deliveryOf);
  },
  async attempts(id, workspaceId) {
    if (!isId(id)) return null;
    const rows = await query<RecordedAttempt | { readonly number: null }>(sql.attempts, [id, workspaceId ?? null]);
    return rows.length === 0 ? null : rows.filter((each) => each.number !== null);
  },
  async redeliver(id, workspaceId) {
    if (!isId(id)) return 'unknown';
    const [delivery] = await query<{ removed: boolean; disabled: boolean }>(sql.redeliver, [
      id,
      RETRY_SECONDS,
      workspaceId ?? null,
    ]);
    if (!delivery) return 'unknown';
    if (delivery.removed) return 'webhook_removed';
    return delivery.disabled ? 'webhook_disabled' : 'due';
  },
});

import type {
  Attempt,
  Delivery,
  RecordedAttempt,
  WebhookOverview,
  WebhookRepository,
  WebhookWakeups,
} from '../../application/ports/webhooks.ts';
import { RETRY_SECONDS } from '../../domain/webhook.ts';
import { columnsOf } from './columns.ts';
import { type Database, prepared } from './database.ts';
import { WebhookTable } from './entities.ts';
import { eventSignals } from './events.ts';
import { isId } from './ids.ts';
import type { Listener } from './listener.ts';
import { deliveryStates } from './states.ts';

/** Sent when a delivery is due once more. */
const CHANNEL = 'portico_webhooks';

export const webhookWakeups = (listener: Listener): WebhookWakeups => ({
  subscribe(wake) {
    const wakeAll = () => wake(null);
    const ends = [
      listener.listen(CHANNEL, { message: wakeAll, gap: wakeAll }),
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

const secret = ['sealedUrl', 'sealedSecret'] as const;

const list = prepared('webhooks_list')`
select ${columnsOf(WebhookTable, 'w', secret)}, s.name as workspace,
  (select count(*) from webhook_deliveries d where d.webhook_id = w.id and d.status = ${deliveryStates.initial}) as pending,
  (select count(*) from webhook_deliveries d where d.webhook_id = w.id and d.status = ${deliveryStates.after('abandon')}) as failed
from webhooks w join workspaces s on s.id = w.workspace_id
where w.removed_at is null order by s.name, w.address, w.id`;

const deliveries = prepared('webhook_deliveries_list')`
select d.id, d.webhook_id as "webhookId", w.address, d.event, d.run_id as "runId", d.document_id as "documentId", d.status, d.attempts,
  d.last_status as "lastStatus", d.last_error as "lastError", d.last_response as "lastResponse", d.occurred_at as "occurredAt",
  d.due_at as "dueAt", d.ended_at as "endedAt", d.seq as place
from webhook_deliveries d join webhooks w on w.id = d.webhook_id
where ($1::uuid is null or d.webhook_id = $1) and ($2::text is null or d.status = $2) and ($4::uuid is null or w.workspace_id = $4)
  and ($5::bigint is null or d.seq < $5)
order by d.seq desc limit $3`;

/** A delivery without attempts is one row without a number. */
const attempts = prepared('webhook_attempts_list')`
select a.number, a.started_at as "startedAt", a.duration_ms as "durationMs", a.status, a.error, a.response
from webhook_deliveries d join webhooks w on w.id = d.webhook_id left join webhook_attempts a on a.delivery = d.seq
where d.id = $1 and ($2::uuid is null or w.workspace_id = $2) order by a.number desc`;

/** Leaves a delivery alone while a worker is sending it. */
const redeliver = prepared('webhook_deliveries_redeliver')`
with found as (
  select d.seq, w.removed_at is not null as removed, w.disabled_at is not null as disabled, d.claimed and d.status = ${deliveryStates.initial} and d.due_at > now() as "underWay"
  from webhook_deliveries d join webhooks w on w.id = d.webhook_id where d.id = $1 and ($3::uuid is null or w.workspace_id = $3) for update of d
), renewed as (
  update webhook_deliveries d set status = ${deliveryStates.after('redeliver')}, claimed = false, attempts = 0,
    due_at = date_trunc('milliseconds', now()), ended_at = null, expires_at = now() + make_interval(secs => $2)
  from found where d.seq = found.seq and d.status ${deliveryStates.before('redeliver')} and not (found.removed or found.disabled or found."underWay")
  returning pg_notify('${CHANNEL}', '')
)
select found.removed, found.disabled from found left join renewed on true`;

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
  list: () => query<WebhookOverview>(list, []),
  listOf: (workspaceId) =>
    mapper.find(WebhookTable, { workspaceId }, { exclude: secret, orderBy: { address: 'asc', id: 'asc' } }),
  async deliveries({ webhookId, status, limit, workspaceId = null, before = null }) {
    if (webhookId !== null && !isId(webhookId)) return [];
    return (await query<Listed>(deliveries, [webhookId, status, limit, workspaceId, before])).map(deliveryOf);
  },
  async attempts(id, workspaceId) {
    if (!isId(id)) return null;
    const found = await query<RecordedAttempt | { readonly number: null }>(attempts, [id, workspaceId ?? null]);
    return found.length === 0 ? null : found.filter((each) => each.number !== null);
  },
  async redeliver(id, workspaceId) {
    if (!isId(id)) return 'unknown';
    const [found] = await query<{ removed: boolean; disabled: boolean }>(redeliver, [
      id,
      RETRY_SECONDS,
      workspaceId ?? null,
    ]);
    if (!found) return 'unknown';
    if (found.removed) return 'webhook_removed';
    return found.disabled ? 'webhook_disabled' : 'due';
  },
});

import { prepared } from '../connection/database.ts';
import { columnsOf } from '../tables/columns.ts';
import { WebhookTable } from '../tables/entities.ts';
import { deliveryStates } from '../tables/states.ts';

/** Sent when a delivery is due once more. */
export const CHANNEL = 'portico_webhooks';

export const secret = ['sealedUrl', 'sealedSecret'] as const;

export const list = prepared('webhooks_list')`
select ${columnsOf(WebhookTable, 'w', secret)}, s.name as workspace,
  (select count(*) from webhook_deliveries d where d.webhook_id = w.id and d.status = ${deliveryStates.initial}) as pending,
  (select count(*) from webhook_deliveries d where d.webhook_id = w.id and d.status = ${deliveryStates.after('abandon')}) as failed
from webhooks w join workspaces s on s.id = w.workspace_id
where w.removed_at is null order by s.name, w.address, w.id`;

export const deliveries = prepared('webhook_deliveries_list')`
select d.id, d.webhook_id as "webhookId", w.address, d.event, d.run_id as "runId", d.document_id as "documentId", d.status, d.attempts,
  d.last_status as "lastStatus", d.last_error as "lastError", d.last_response as "lastResponse", d.occurred_at as "occurredAt",
  d.due_at as "dueAt", d.ended_at as "endedAt", d.seq as place
from webhook_deliveries d join webhooks w on w.id = d.webhook_id
where ($1::uuid is null or d.webhook_id = $1) and ($2::text is null or d.status = $2) and ($4::uuid is null or w.workspace_id = $4)
  and ($5::bigint is null or d.seq < $5)
order by d.seq desc limit $3`;

/** A delivery without attempts is one row without a number. */
export const attempts = prepared('webhook_attempts_list')`
select a.number, a.started_at as "startedAt", a.duration_ms as "durationMs", a.status, a.error, a.response
from webhook_deliveries d join webhooks w on w.id = d.webhook_id left join webhook_attempts a on a.delivery = d.seq
where d.id = $1 and ($2::uuid is null or w.workspace_id = $2) order by a.number desc`;

/** Leaves a delivery alone while a worker is sending it. */
export const redeliver = prepared('webhook_deliveries_redeliver')`
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

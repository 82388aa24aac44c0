import { prepared } from '../connection/database.ts';
import { documentStates } from '../tables/states.ts';

const isQueued = `d.status = ${documentStates.after('extract')} and d.post_at is not null`;
const isDue = `${isQueued} and d.post_at <= now()`;

/**
 * `$1` most, `$2` seconds, `$3` and `$4` workspaces and agents that are left out.
 *
 * Each agent that has documents in the queue is two probes of `documents_to_post`, for the next agent and for the document that is due longest,
 * however many wait. The rows are locked in a second step, which passes over what another worker is taking at the moment.
 */
export const lease = prepared('posting_lease')`
with recursive waiting (workspace_id, agent_id) as (
  (select d.workspace_id, d.agent_id from documents d where ${isQueued} order by d.workspace_id, d.agent_id limit 1)
  union all
  select next.workspace_id, next.agent_id from waiting w cross join lateral (
    select d.workspace_id, d.agent_id from documents d
    where ${isQueued} and (d.workspace_id, d.agent_id) > (w.workspace_id, w.agent_id) order by d.workspace_id, d.agent_id limit 1
  ) next
), due as materialized (
  select first.id, first.post_at, row_number() over (partition by w.workspace_id order by first.post_at, first.id) as turn
  from waiting w cross join lateral (
    select d.id, d.post_at from documents d
    where ${isDue} and d.workspace_id = w.workspace_id and d.agent_id = w.agent_id order by d.post_at, d.id limit 1
  ) first
  where w.workspace_id <> all ($3::uuid[]) and w.agent_id <> all ($4::uuid[])
), free as (
  select d.id from documents d where d.id = any (array(select id from due order by turn, post_at, id limit $1)) and ${isDue}
  for update skip locked
)
update documents d set post_at = date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => $2)
where d.id = any (array(select id from free))
returning d.id as "documentId", d.workspace_id as "workspaceId", d.agent_id as "agentId", d.post_at as until`;

/** A document that is tried again later has waited since its system was first out of reach. One that is not due yet does not wait. */
export const depth = prepared('posting_depth')`
select count(*)::int as waiting,
  coalesce(greatest(extract(epoch from clock_timestamp() - min(coalesce(d.post_failing_since, d.post_at))), 0), 0)::float8 as "oldestSeconds"
from documents d where ${isQueued}`;

/** A document that was decided on or tried meanwhile has another time, and stays as it is. */
export const release = prepared('posting_release')`
update documents d set post_at = date_trunc('milliseconds', now()) where d.id = $1 and d.post_at = $2 and ${isQueued}`;

/** `$1` documents, `$2` the fence of the delivery of each, `$3` seconds. A delivery that another one has taken over has another fence. */
export const renewDeliveries = prepared('posting_renew_deliveries')`
update documents d set lease_expires_at = date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => $3)
from unnest($1::uuid[], $2::int[]) held (id, fence)
where d.id = held.id and d.fence = held.fence and d.status ${documentStates.before('postpone')}
returning d.id`;

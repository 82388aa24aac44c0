import { prepared } from '../connection/database.ts';
import { isSeenBy, visible } from './visibility.ts';

export const CHANNEL = 'portico_sources';

/** Whether `$2` is still the fencing number of the source `s`, which is `$1`. */
const isHeld = 's.id = $1 and s.fence = $2 and s.leased_until > now() and s.removed_at is null';

/** Its runs are those of the first administrator, else member, who sees the agent. */
const owner = `
select u.id from users u
where u.workspace_id = s.workspace_id and u.removed_at is null and u.disabled_at is null and u.role in ('admin', 'member') and ${isSeenBy('u.id', 'a')}
order by u.role = 'admin' desc, u.created_at, u.id limit 1`;

/** `$1` most, `$2` seconds. */
export const lease = prepared('sources_lease')`
with due as (
  select s.id from sources s
  where s.removed_at is null and not s.paused and s.due_at <= now() and (s.leased_until is null or s.leased_until <= now())
  order by s.due_at limit $1 for update skip locked
)
update sources s set fence = s.fence + 1, asked = false, leased_until = clock_timestamp() + make_interval(secs => $2)
from due, agents a where s.id = due.id and a.id = s.agent_id
returning s.id, s.fence, s.workspace_id as "workspaceId", s.name, s.agent_id as "agentId", s.type, s.address, s.sealed_place as "sealedPlace", s.sealed_token as "sealedToken", s.after,
  s."from", s.every_seconds as "everySeconds", s.cursor, s.failures, s.waiting as "isWaiting", (${owner}) as "userId"`;

export const renew = prepared('sources_renew')`
update sources s set leased_until = clock_timestamp() + make_interval(secs => $3)
from unnest($1::uuid[], $2::int[]) as held (id, fence)
where s.id = held.id and s.fence = held.fence and s.leased_until > now() and s.removed_at is null and not s.paused
returning s.id`;

/** Read from the index of these runs, which are few, and no other. `$2` most. */
export const openRuns = prepared('sources_open_runs')`
select count(*)::int as open from (
  select from sources s join runs r on r.workspace_id = s.workspace_id and (r.source ->> 'name') collate "C" = s.name
  where s.id = $1 and r.source is not null and (r.completed_at is null) is true limit $2
) r`;

/** The digest by which an item is known once its run is removed: the references of some sources have its name in them. */
export const withoutWords = (ref: string) => `'erased ' || encode(sha256(convert_to(${ref}, 'UTF8')), 'hex')`;

export const unknown = prepared('source_items_unknown')`
select asked.ref from unnest($2::text[]) as asked (ref)
where not exists (select from source_items i where i.source_id = $1 and i.ref in (asked.ref, ${withoutWords('asked.ref')}))`;

export const takenAs = prepared('source_items_taken_as')`
select run_id as "runId" from source_items where source_id = $1 and digest = $2 and why_not is null`;

/** Held until the transaction ends: what is written in it belongs to this lease. */
export const hold = `select from sources s where ${isHeld} for no key update`;

export const isKnown =
  'select from source_items where source_id = $1 and (ref = $2 or (digest = $3 and why_not is null)) limit 1';

/** An item that was recorded meanwhile stays as it is. */
export const insert = `
insert into source_items (source_id, ref, key, name, size_bytes, digest, run_id, why_not, unsettled)
values ($1, case when $3 = '' then ${withoutWords('$2')} else $2 end, $3, $4, $5, $6, $7, $8, $9)
on conflict (source_id, ref) do nothing`;

export const unsettled = prepared('source_items_to_settle')`
select ref from source_items where source_id = $1 and unsettled order by place limit $2`;

export const settled = prepared('source_items_settled')`
update source_items i set unsettled = false
where i.source_id = $1 and i.ref = $3 and exists (select from sources s where ${isHeld}) returning place`;

export const advance = prepared('sources_advance')`
update sources s set cursor = $3::json where ${isHeld} returning id`;

export const keepToken = prepared('sources_keep_token')`update sources set sealed_token = $2 where id = $1`;

export const present = prepared('sources_present')`
select s.cursor, (${owner}) as "userId" from sources s join agents a on a.id = s.agent_id where s.id = $1`;

/** The lease of a source that is watched stays. What asked for a look meanwhile has another one at once. */
export const looked = prepared('sources_looked')`
update sources s set last_checked_at = clock_timestamp(), error = $3, failures = case when $3::text is null then 0 else s.failures + 1 end,
  asked = false, waiting = $6,
  due_at = case when s.asked then now() else clock_timestamp() + make_interval(secs => $4) end, leased_until = case when $5::boolean then s.leased_until end
where ${isHeld} returning id`;

export const release = prepared(
  'sources_release',
)`update sources s set leased_until = null where s.id = $1 and s.fence = $2 returning id`;

const shown = `s.id, s.name, s.type, s.address, a.name as agent, s.last_checked_at as "lastCheckedAt", s.error,
  case when s.paused then 'paused' when s.error is not null then 'failing' when s.last_checked_at is null then 'new' when s.waiting then 'waiting' else 'well' end as state`;
const shownTo = `from sources s join agents a on a.id = s.agent_id where s.workspace_id = $1 and s.removed_at is null and ${visible('a')}`;

export const listVisible = prepared('sources_list')`select ${shown} ${shownTo} order by s.name`;
export const findVisible = prepared('sources_find')`select ${shown} ${shownTo} and s.name = $3`;

export const intake = prepared('source_items_list')`
select place, key, name, received_at as "receivedAt", size_bytes as "sizeBytes", digest, run_id as "runId", why_not as "whyNot"
from source_items where source_id = $1 and ($3::bigint is null or place < $3) order by place desc limit $2`;

export const check = prepared('sources_check')`
with asked as (update sources set due_at = now(), asked = true where id = $1 returning id)
select pg_notify('${CHANNEL}', id::text) from asked`;

export const states = prepared('sources_states')`
select count(*) filter (where error is null and not waiting)::int as well, count(*) filter (where error is null and waiting)::int as waiting, count(*) filter (where error is not null)::int as failing,
  coalesce(greatest(extract(epoch from now() - min(due_at) filter (where leased_until is null or leased_until <= now())), 0), 0)::float8 as "lateSeconds"
from sources where removed_at is null and not paused`;

export const all = prepared('sources_all')`
select w.name as workspace, s.id, s.name, s.type, s.address, s.sealed_place as "sealedPlace", s.sealed_token as "sealedToken", s.after
from sources s join workspaces w on w.id = s.workspace_id where s.removed_at is null order by w.name, s.name`;

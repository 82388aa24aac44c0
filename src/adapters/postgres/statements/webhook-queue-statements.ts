import { MAX_KEPT_ATTEMPTS, MAX_WAITED_FAILURES, webhookEvents } from '../../../domain/webhook.ts';
import { prepared, type Statement } from '../connection/database.ts';
import { deliveryStates } from '../tables/states.ts';
import { versionOfRun, withVersion } from './event-statements.ts';
import { fitting } from './page-bytes.ts';

/** Events that one webhook takes from the log at a time; fewer where they are large. */
const EVENTS = 500;
const next = `(
  select * from events e where e.workspace_id = w.workspace_id and e.sequence > w.position and e.sequence <= $1 order by e.sequence limit ${EVENTS}
)`;

/** Whether webhook `w` asked for event `e`. */
const isWanted = (w: string, e: string) =>
  `${e}.type = any ('{${webhookEvents.join()}}') and ${w}.events && array[${e}.type, split_part(${e}.type, '.', 1) || '.*', '*']::text[]`;

/**
 * Passes over webhooks for which another worker is reading at the moment. No statement that locks or changes rows reads the log as well: it
 * could crash PostgreSQL 18 (docs/decisions/the-event-log.md).
 */
export const lockBehind = prepared('webhooks_lock_behind')`
select id from webhooks where removed_at is null and position < $1 for no key update skip locked`;

/** A delivery of each event that the webhooks `$2` asked for, from where they are in the log up to `$1`; and how far each of them has read. */
export const collect = prepared('webhook_deliveries_collect')`
with found as (
  select w.id as webhook_id, w.events, w.disabled_at is not null as disabled, e.*
  from webhooks w cross join lateral ${fitting(next, ['data'], 'sequence')} e where w.id = any ($2::uuid[])
), stored as (
  insert into webhook_deliveries (webhook_id, run_id, document_id, event, data, occurred_at, sequence, status, due_at, ended_at)
  select f.webhook_id, f.run_id, f.document_id, f.type, f.data, f.created_at, f.sequence,
    case when f.disabled then ${deliveryStates.after('disable')} else ${deliveryStates.initial} end,
    case when not f.disabled then date_trunc('milliseconds', clock_timestamp()) end,
    case when f.disabled then clock_timestamp() end
  from found f
  where ${isWanted('f', 'f')}
  order by f.sequence, f.webhook_id
)
select array(select distinct w.workspace_id from webhooks w where w.removed_at is null) as workspaces, read.* from (select) one left join (
  select f.webhook_id as id, max(f.sequence) as position, count(*) < max(f."inAll") or count(*) = ${EVENTS} as "hasMore" from found f group by 1
) read on true`;

/** A webhook that finds nothing is not written. */
export const advance = prepared('webhooks_advance')`
update webhooks w set position = read.position from unnest($1::uuid[], $2::bigint[]) as read (id, position) where w.id = read.id`;

/** Up to the day that keep_events() drops next. */
export const findExpired = prepared('webhooks_find_expired')`
with kept as materialized (select (extract(epoch from now())::bigint / 86400 - $1::int - 1) << 32 as start)
select w.id as "webhookId", w.address, w.position, count(*)::int as events, min(e.created_at) as since, (select start from kept) - 1 as until
from webhooks w join events e on e.workspace_id = w.workspace_id and e.sequence > w.position and e.sequence < (select start from kept)
where w.removed_at is null and ${isWanted('w', 'e')} group by w.id`;

/** What two processes find at a time, one of them moves the webhook past. */
export const passExpired = prepared('webhooks_pass_expired')`
update webhooks w set position = lost.until from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as lost (id, position, until)
where w.id = lost.id and w.position = lost.position returning w.id`;

/**
 * Looks for due deliveries webhook by webhook, and takes those to the webhooks with the fewest under way first, so that receivers that are
 * slow or down, however many, delay no other. The second step locks the rows: it passes over those that another worker is leasing at the
 * moment, and those that it has leased are no longer due. The next look hands out deliveries for which there was no room.
 */
export const lease = prepared('webhook_deliveries_lease')`
with due as materialized (
  select found.*, busy.count + row_number() over (partition by w.id order by found.due_at, found.seq) as turn
  from webhooks w cross join lateral (
    select count(*) from webhook_deliveries f
    where f.webhook_id = w.id and f.status = ${deliveryStates.initial} and f.claimed and f.due_at > now()
  ) busy cross join lateral (
    select d.seq, d.due_at, d.data from webhook_deliveries d
    where d.webhook_id = w.id and d.status ${deliveryStates.before('deliver')} and d.due_at <= now() and d.expires_at > now()
      and not exists (
        select from webhook_deliveries e
        where e.webhook_id = d.webhook_id and e.run_id = d.run_id and e.status = ${deliveryStates.initial} and e.seq < d.seq
          and e.attempts - e.claimed::int < ${MAX_WAITED_FAILURES})
    order by d.due_at, d.seq
    limit greatest(0, $2 - busy.count)
  ) found
  where w.removed_at is null and w.disabled_at is null
  order by turn, found.due_at, found.seq limit $1
), free as (
  select d.seq from webhook_deliveries d
  where d.seq = any (array(select f.seq from ${fitting('due', ['data'], 'turn, due_at, seq')} f)) and d.status ${deliveryStates.before('deliver')} and d.due_at <= now() for update skip locked
), c as (
  update webhook_deliveries d set claimed = true, attempts = attempts + 1, fence = fence + 1,
    due_at = clock_timestamp() + make_interval(secs => $3)
  where d.seq = any (array(select seq from free))
  returning *
)
select c.id, c.fence, c.event, c.occurred_at as "occurredAt", c.document_id as "documentId", c.data, ${versionOfRun}, c.attempts, c.sequence,
  w.id as "webhookId", w.workspace_id as "workspaceId", w.address, w.sealed_url as "sealedUrl", w.sealed_secret as "sealedSecret"
from c join webhooks w on w.id = c.webhook_id ${withVersion('c')} order by c.seq`;

/** No other worker has leased it meanwhile. */
const isLeased = `id = $1 and fence = $2 and claimed and (status ${deliveryStates.before('deliver', 'abandon')}) is true`;
const noted = 'last_status = $3, last_error = $4, last_response = $5';

/** Records the attempt of what `ended` has, in the statement that ends it, and deletes what is too many. `$6`: how many milliseconds it took. */
const recorded = `
recorded as (
  insert into webhook_attempts (delivery, number, started_at, duration_ms, status, error, response)
  select e.seq, e.fence, clock_timestamp() - make_interval(secs => $6::int / 1000.0), $6, $3, $4, $5 from ended e
), trimmed as (
  delete from webhook_attempts a using ended e where a.delivery = e.seq and a.number <= e.fence - ${MAX_KEPT_ATTEMPTS}
)
select from ended`;

export const succeed = prepared('webhook_deliveries_succeed')`
with ended as (
  update webhook_deliveries set status = ${deliveryStates.after('deliver')}, claimed = false, due_at = null, ended_at = clock_timestamp(), ${noted}
  where ${isLeased} returning seq, fence
), ${recorded}`;

/** `$7`: the seconds until the next attempt; null abandons the delivery, and so does an attempt that would come too late. */
export const fail = prepared('webhook_deliveries_fail')`
with next as (
  select d.seq, date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => $7) as at, d.expires_at from webhook_deliveries d
  where ${isLeased} for update
), ended as (
  update webhook_deliveries d set claimed = false, ${noted},
    status = case when next.at <= next.expires_at then d.status else ${deliveryStates.after('abandon')} end,
    due_at = case when next.at <= next.expires_at then next.at end,
    ended_at = case when next.at <= next.expires_at then null else clock_timestamp() end
  from next where d.seq = next.seq returning d.seq, d.fence
), ${recorded}`;

export const release = prepared('webhook_deliveries_release')`
update webhook_deliveries set claimed = false, attempts = attempts - 1, due_at = date_trunc('milliseconds', now()) where ${isLeased} returning id`;

export const BATCH = 1000;
const KEPT = `interval '30 days'`;
const endedBy = (event: 'abandon' | 'disable') =>
  `status = ${deliveryStates.after(event)}, claimed = false, due_at = null, ended_at = clock_timestamp()`;

/** Waits for a worker that is making deliveries of it at the moment, so that none of those is left out afterwards. */
export const disable = prepared('webhooks_disable')`
update webhooks set disabled_at = clock_timestamp(), disabled_reason = $2 where id = $1 and disabled_at is null and removed_at is null
returning id`;

/** Ends the deliveries that wait for the disabled webhook `$1`, or for any if that is null; one that is under way ends by the answer of its receiver. */
export const endDisabled = prepared('webhook_deliveries_disable')`
update webhook_deliveries set ${endedBy('disable')}
where seq in (
  select d.seq from webhooks w join webhook_deliveries d on d.webhook_id = w.id and d.status ${deliveryStates.before('disable')}
  where w.disabled_at is not null and ($1::uuid is null or w.id = $1) and not (d.claimed and d.due_at > now())
  limit ${BATCH} for update of d skip locked)
returning id`;

export const cleanup: readonly Statement[] = [
  prepared('webhook_deliveries_expire')`
update webhook_deliveries set ${endedBy('abandon')}, last_error = coalesce(last_error, 'It was not sent in time.')
where seq in (
  select seq from webhook_deliveries where status ${deliveryStates.before('abandon')} and expires_at <= now() and not (claimed and due_at > now())
  order by expires_at limit ${BATCH} for update skip locked)
returning id`,
  prepared('webhook_deliveries_orphaned')`
update webhook_deliveries set ${endedBy('abandon')}, last_error = 'The webhook was removed.'
where seq in (
  select d.seq from webhooks w join webhook_deliveries d on d.webhook_id = w.id and d.status ${deliveryStates.before('abandon')}
  where w.removed_at is not null limit ${BATCH} for update of d skip locked)
returning id`,
  prepared('webhook_deliveries_delete_old')`
delete from webhook_deliveries where seq in (
  select seq from webhook_deliveries where occurred_at <= now() - ${KEPT} and status <> ${deliveryStates.initial}
  order by occurred_at limit ${BATCH} for update skip locked)
returning id`,
];

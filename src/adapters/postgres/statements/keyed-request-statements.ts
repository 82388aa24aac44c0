import { prepared } from '../connection/database.ts';

const KEPT = `interval '24 hours'`;
/** The end of a lease that is over, also for a clock that is behind the one of this statement. */
export const OVER = `'-infinity'`;
const until = (seconds: string) => `now() + make_interval(secs => ${seconds})`;

/** A second request waits here until the first has committed, and finds it then. */
export const begin = prepared('keyed_requests_begin')`
insert into idempotent_requests as r (credential_id, operation, key, request_hash, lease_id, lease_expires_at)
values ($1, $2, $3, $4, $5, ${until('$6')})
on conflict (credential_id, operation, key) do update
set request_hash = excluded.request_hash, lease_id = excluded.lease_id, lease_expires_at = excluded.lease_expires_at, answer = null, created_at = now()
where r.created_at <= now() - ${KEPT}
  or ($7 and r.answer is null and r.lease_expires_at <= now() and r.request_hash = excluded.request_hash)
returning 1`;

export const find = prepared('keyed_requests_find')`
select request_hash as "requestHash", answer, lease_expires_at <= now() as ended
from idempotent_requests where credential_id = $1 and operation = $2 and key = $3`;

export const renew = prepared('keyed_requests_renew')`
update idempotent_requests set lease_expires_at = ${until('$2')} where lease_id = any ($1::uuid[]) and answer is null returning lease_id as id`;

export const answer = prepared('keyed_requests_answer')`update idempotent_requests set answer = $2 where lease_id = $1`;
export const interrupt = prepared(
  'keyed_requests_interrupt',
)`update idempotent_requests set lease_expires_at = ${OVER} where lease_id = $1`;
export const forget = prepared(
  'keyed_requests_forget',
)`delete from idempotent_requests where lease_id = $1 and answer is null`;

/** A batch, so that the cleanup never takes long. */
export const removeOld = prepared('keyed_requests_remove_old')`
delete from idempotent_requests where (credential_id, operation, key) in (
  select credential_id, operation, key from idempotent_requests
  where created_at <= now() - ${KEPT} order by created_at limit 1000 for update skip locked)
returning 1`;

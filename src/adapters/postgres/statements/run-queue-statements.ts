import { MAX_ATTEMPTS } from '../../../domain/run.ts';
import { prepared } from '../connection/database.ts';
import { columnsOf, jsonOf, millis } from '../tables/columns.ts';
import { AgentTable, definitionNames, RunTable, RunUnitTable } from '../tables/entities.ts';
import { runStates } from '../tables/states.ts';
import { joinVersion } from './agent-statements.ts';
import { runData } from './event-data.ts';
import { endUnfinished } from './run-work-statements.ts';

const leaseEnd = 'clock_timestamp() + make_interval(secs => $3)';
/** Runs `r` that no worker holds, and that one of the version before leased, if that lease is over. */
const isHandedBack = `r.status = ${runStates.after('start')} and r.lease_expires_at <= now()`;
/**
 * Runs `r` whose lease ended at the time `from` or later. They are found by an array, of which the planner takes it that it is short, and
 * by their id alone: of the index of running runs, a condition in another form would have it read all.
 */
const isLost = (from: string) => `
  r.id = any (array(select l.run_id from run_leases l where l.expires_at >= ${from}::timestamptz and l.expires_at <= now()))
  and (r.status = ${runStates.after('start')} and r.lease_expires_at is null) is true`;
/** Those of the runs `lost` whose lease is over still: a renewal changes the lease alone. */
const over = `
  select l.run_id from run_leases l where l.run_id = any (array(select id from lost)) and l.expires_at <= now() for update skip locked`;
const mayGoOn = `r.attempt - r.handed_back < ${MAX_ATTEMPTS} and r.deadline_at > now() and r.workspace_id <> all ($5::uuid[])`;
const isQueued = `q.status ${runStates.before('start')}`;

/** Of each workspace the first run that waits, as `[{"workspaceId", "turn", "createdAt"}]`. */
const knownHeads = (parameter: string) =>
  `json_to_recordset(${parameter}::json) as known ("workspaceId" uuid, turn bigint, "createdAt" timestamptz)`;
/**
 * What waits and has come since. The condition has the form that allows the index of times, and no other; an end of the span makes the planner
 * expect few.
 */
const cameSince = (parameter: string) => `
  select q.workspace_id as "workspaceId", q.turn, q.created_at as "createdAt" from runs q
  where (${isQueued}) is true and q.created_at between ${parameter}::timestamptz and (select 'infinity'::timestamptz)`;

/**
 * `$1` worker, `$2` most, `$3` lease, `$4` the workspace leased from last, `$5` workspaces that are left out, `$6` from `earliestEnd`,
 * `$7` and `$8` the heads and the time from `heads`.
 *
 * Abandoned runs go first: they are the older ones. Then the workspaces that have something queued take turns, one run each, from
 * the one after `$4` and round again until nothing is left: fair queueing in which every run costs the same. Within a workspace its
 * users take turns. Each step is one probe of `runs_queued` for the next run of the next workspace, from its head on, however many are
 * queued. The dead rows of runs that were leased before stand before the head; they stay as long as a snapshot is older than they.
 *
 * A run that is taken over stays running, and so is logged when it is first leased alone.
 *
 * `skip locked` passes over what another worker is leasing at the moment, and locks only what this one leases. The deadline is compared
 * with a time that the planner does not know: by statistics that are older than the queue all deadlines have passed, and it would sort all
 * that a workspace has waiting. `offset 0` keeps it from evaluating (and locking) twice.
 */
export const lease = prepared('queue_lease')`
with recursive handed_back as (
  select r.id, r.created_at from runs r where ${isHandedBack} and ${mayGoOn}
  order by r.created_at, r.id limit $2 for update skip locked
), lost as (
  select r.id, r.created_at from runs r where ${isLost('$6')} and ${mayGoOn}
  order by r.created_at, r.id limit $2 for update skip locked
), over as (${over}
), abandoned as (
  select id from (
    select * from handed_back union all select lost.* from lost join over on over.run_id = lost.id
  ) r order by created_at, id limit $2
), heads as materialized (
  select distinct on ("workspaceId") "workspaceId", turn, "createdAt"
  from (select * from ${knownHeads('$7')} union all ${cameSince('$8')}) head
  order by "workspaceId", turn, "createdAt"
), turns (workspace_id, taken, idle_since) as (
  select $4::uuid, array(select id from abandoned), null::uuid
  union all
  select n."workspaceId", case when run.id is null then t.taken else t.taken || run.id end,
    case when run.id is null then coalesce(t.idle_since, n."workspaceId") end
  from turns t cross join lateral (
    (select * from heads h where h."workspaceId" > t.workspace_id order by h."workspaceId" limit 1)
    union all (select * from heads h order by h."workspaceId" limit 1)
    limit 1
  ) n cross join lateral (
    select (
      select q.id from runs q
      where ${isQueued} and q.workspace_id = n."workspaceId" and (q.turn, q.created_at) >= (n.turn, n."createdAt")
        and n."workspaceId" <> all ($5::uuid[]) and q.deadline_at > (select now()) and q.id <> all (t.taken)
      order by q.turn, q.created_at, q.id limit 1 for update skip locked
    ) as id offset 0
  ) run
  where cardinality(t.taken) < $2 and n."workspaceId" is distinct from t.idle_since
), taken as (
  select taken as ids from turns order by cardinality(taken) desc limit 1
), r as (
  update runs set status = ${runStates.after('start')}, attempt = attempt + 1, worker = $1, lease_expires_at = null,
    started_at = coalesce(started_at, now())
  where id = any ((select ids from taken)::uuid[])
  returning *
), held as (
  insert into run_leases (run_id, attempt, expires_at) select r.id, r.attempt, ${leaseEnd} from r
  on conflict (run_id) do update set attempt = excluded.attempt, expires_at = excluded.expires_at
), logged as (
  insert into events (workspace_id, agent_id, run_id, type, data)
  select r.workspace_id, r.agent_id, r.id, 'run.' || r.status, ${runData('r')}
  from r where r.id not in (select id from abandoned) and r.part_of is null order by array_position((select ids from taken), r.id)
)
select ${columnsOf(RunTable, 'r')}, ${millis('r.deadline_at - now()')} as "remainingMs",
  r.attempt - r.handed_back >= ${MAX_ATTEMPTS} as "isLastAttempt",
  ${jsonOf(AgentTable, 'a', [], { row: 'v', names: ['version', ...definitionNames] })} as agent,
  (select json_agg(${jsonOf(RunUnitTable, 'u', ['runId'])} order by u.index) from run_units u where u.run_id = r.id) as units
from r join agents a on a.id = r.agent_id ${joinVersion('r')}
order by array_position((select ids from taken), r.id)`;

/**
 * No lease that is over ended before this: the queue is polled from here on, and not past the dead rows of all that was renewed, which stay
 * as long as a snapshot is older than they. Leases are only moved on, and new ones end later than now. `$1`: what it was before.
 */
export const earliestEnd = prepared('queue_earliest_end')`
select coalesce(min(expires_at), date_trunc('milliseconds', now()))::text as end
from run_leases where expires_at >= $1::timestamptz and expires_at <= now()`;

/** A run is stored this soon after its statement has begun; one that takes longer waits until all heads are looked for. */
const since = `(now() - interval '5 seconds')::text as since`;
const headsAsJson = `coalesce(json_agg(json_build_object(
    'workspaceId', "workspaceId", 'turn', turn, 'createdAt', "createdAt") order by "workspaceId"), '[]') as heads`;

/**
 * The heads of the queue: of each workspace the first run that waits, and a time; what comes later into the queue was created since. `$1`
 * and `$2`: what they were before, from where they are looked for.
 */
export const heads = prepared('queue_heads')`
with waiting as (
  select first.* from ${knownHeads('$1')} cross join lateral (
    select q.workspace_id as "workspaceId", q.turn, q.created_at as "createdAt" from runs q
    where ${isQueued} and q.workspace_id = known."workspaceId" and (q.turn, q.created_at) >= (known.turn, known."createdAt")
    order by q.turn, q.created_at limit 1
  ) first
  union all ${cameSince('$2')}
), head as (
  select distinct on ("workspaceId") "workspaceId", turn, "createdAt" from waiting order by "workspaceId", turn, "createdAt"
)
select ${since}, ${headsAsJson} from head`;

/** The same without a memory: it reads past all dead rows. */
export const allHeads = prepared('queue_all_heads')`
with recursive head as (
  (select q.workspace_id as "workspaceId", q.turn, q.created_at as "createdAt" from runs q
    where ${isQueued} order by q.workspace_id, q.turn, q.created_at limit 1)
  union all
  select next.* from head cross join lateral (
    select q.workspace_id, q.turn, q.created_at from runs q
    where ${isQueued} and q.workspace_id > head."workspaceId" order by q.workspace_id, q.turn, q.created_at limit 1
  ) next
)
select ${since}, ${headsAsJson} from head`;

export const renew = prepared('queue_renew')`
update run_leases l set expires_at = ${leaseEnd}
where l.run_id = any ($1::uuid[]) and l.run_id || ' ' || l.attempt = any ($2::text[]) and l.expires_at > clock_timestamp()
returning l.run_id as id`;

export const BATCH = 200;

const isGivenUp = `r.attempt - r.handed_back >= ${MAX_ATTEMPTS} and r.deadline_at > now()`;
const reasons = `r.id, 'worker_lost' as code,
    'The run was given up: ' || r.attempt - r.handed_back || ' workers that took it on were lost.' as message`;

/** Fails runs whose deadline has passed, and runs that too many workers were lost with. */
export const sweep = prepared('queue_sweep')`
with late as (
  select id, 'deadline_exceeded' as code,
    'The run did not end within the ' || round(extract(epoch from deadline_at - created_at)) || ' seconds it had.' as message
  from runs where completed_at is null and status ${runStates.before('fail')} and deadline_at <= now() and parked_at is null
  order by deadline_at limit ${BATCH} for update skip locked
), handed_back as (
  select ${reasons} from runs r where ${isHandedBack} and ${isGivenUp}
  order by r.lease_expires_at limit ${BATCH} for update skip locked
), lost as (
  select ${reasons} from runs r where ${isLost("'-infinity'")} and ${isGivenUp}
  order by r.created_at, r.id limit ${BATCH} for update skip locked
), over as (${over}
), doomed as (
  select * from late union all select * from handed_back union all select lost.* from lost join over on over.run_id = lost.id
), ended as (
  update runs r set status = ${runStates.after('fail')}, status_reason = json_build_object('code', d.code, 'message', d.message), error = d.message,
    lease_expires_at = null, waiting_for = null, completed_at = clock_timestamp()
  from doomed d where r.id = d.id
  returning r.id, r.part_of, r.workspace_id, r.agent_id, r.status, d.message as reason, d.code, ${runData('r')} as data
), ${endUnfinished}
select count(*)::int as ended from ended`;

/**
 * Adds the slots of each counter up into one row, and into that of the workspace, so that the total of a run list reads few rows. It
 * skips slots that a transaction is changing, and writes the sums in one order, so that two processes cannot deadlock.
 */
export const rollUpCounters = prepared('run_counts_roll_up')`
with rolled as (
  delete from run_counts where (agent_id, status, slot) in (
    select agent_id, status, slot from run_counts where slot >= 0 limit 10000 for update skip locked)
  returning workspace_id, agent_id, status, runs
), totals as (
  insert into run_totals as t (workspace_id, status, runs)
  select workspace_id, status, sum(runs) from rolled group by 1, 2 order by 1, 2
  on conflict (workspace_id, status) do update set runs = t.runs + excluded.runs
)
insert into run_counts (workspace_id, agent_id, status, slot, runs)
select workspace_id, agent_id, status, -1, sum(runs) from rolled group by 1, 2, 3 order by 2, 3
on conflict (agent_id, status, slot) do update set runs = run_counts.runs + excluded.runs`;

/** Counts in the partial indexes of queued and of running runs. */
export const depth = prepared('queue_depth')`
select count(*)::int as queued, (select count(*) from runs where status = ${runStates.after('start')})::int as running,
  coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as "oldestSeconds"
from runs where status ${runStates.before('start')}`;

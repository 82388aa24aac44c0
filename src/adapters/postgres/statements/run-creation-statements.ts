import { prepared } from '../connection/database.ts';
import { columnsOf } from '../tables/columns.ts';
import { RunTable } from '../tables/entities.ts';
import { runStates } from '../tables/states.ts';
import { joinVersion } from './agent-statements.ts';
import { isLimited } from './budget-statements.ts';
import { runData } from './event-data.ts';
import { visible } from './visibility.ts';

/** `asked`: the parameters of `columns`, one array each, so that runs that are created at the same time share a statement and a commit. */
export const columns = [
  'id uuid',
  'workspace_id uuid',
  'agent_id uuid',
  'user_id uuid',
  'origin text',
  'process_together boolean',
  'user_message text',
  'files text',
  'trace_id text',
  'deadline_seconds float8',
  'units text',
  'agent_version bigint',
  'reread_of uuid',
  'trial boolean',
  'source text',
  'known_turn bigint',
].map((column) => column.split(' ') as [name: string, type: string]);
/** `spent` is materialized, because the planner would ask what is spent before it knows whether a budget stops the agent. */
const newRuns = `
asked as (
  select * from unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')}) as asked (${columns.map(([name]) => name).join(', ')})
), spent as materialized (
  select o.workspace_id, o.agent_id, spent_budget(o.workspace_id, o.agent_id) as budget
  from (select distinct workspace_id, agent_id from asked) o where ${isLimited('o')}
), agent as (
  select asked.id as run_id, a.id, a.name, a.version as newest, v.version, v.workflow_type, v.model, spent.budget
  from asked join agents a on a.id = asked.agent_id
    left join spent on spent.workspace_id = asked.workspace_id and spent.agent_id = asked.agent_id
    left join agent_versions v on v.agent_id = a.id and v.version = coalesce(asked.agent_version, a.version)
  where ${visible('a', 'asked.workspace_id', 'asked.user_id')}
)`;

/**
 * The present turn of the queue of a workspace: that of the run that is next, or else the time in milliseconds. So a turn is rarely before
 * one that was present already, and is looked for from `known` on: not past the dead rows of runs that were leased, which stay as long as a
 * snapshot is older than they.
 */
export const presentTurn = (workspace: string, known: string) => `coalesce(
  (select q.turn from runs q where q.workspace_id = ${workspace} and q.status = ${runStates.initial} and q.turn >= ${known} order by q.turn limit 1),
  floor(extract(epoch from clock_timestamp()) * 1000)::bigint)`;

/** The present turn of each workspace. */
const present = `
present as materialized (
  select o.workspace_id, ${presentTurn('o.workspace_id', 'o.known_turn')} as turn
  from (select workspace_id, max(known_turn) as known_turn from asked group by 1) o
)`;

/** The first turn in which the user has no run: the present one, or the one after those of the user. `turn >= 0`, which every turn is, chooses the index of users. */
const turn = `
coalesce(
  (select q.turn + 1 from runs q where q.user_id = asked.user_id and q.status = ${runStates.initial} and q.turn >= 0 and q.turn >= present.turn order by q.turn desc limit 1),
  present.turn) + row_number() over (partition by asked.user_id order by asked.id) - 1`;

/**
 * Inserts the runs whose agent their caller sees: what is not visible does not exist. A version that the agent does not have is answered
 * without a run, and so is one of which a budget is spent. `also`: only together with a key that is not in use.
 */
const inserts = (also: string) => `
${present}, run as (
  insert into runs (id, workspace_id, agent_id, agent_version, user_id, origin, workflow_type, status, process_together, user_message, files, trace_id, reread_of, trial, source, turn, deadline_at)
  select asked.id, asked.workspace_id, agent.id, agent.version, asked.user_id, asked.origin, agent.workflow_type, ${runStates.initial}, asked.process_together,
    asked.user_message, asked.files::json, asked.trace_id, asked.reread_of, asked.trial, nullif(asked.source, 'null')::json, ${turn}, now() + make_interval(secs => asked.deadline_seconds)
  from asked join agent on agent.run_id = asked.id and agent.version is not null and agent.budget is null
    join present on present.workspace_id = asked.workspace_id ${also}
  returning *
), logged as (
  insert into events (workspace_id, agent_id, run_id, type, data)
  select run.workspace_id, run.agent_id, run.id, 'run.' || run.status, ${runData('run')} from run
), units as (
  insert into run_units (run_id, index, file_indexes, status)
  select run.id, n - 1, unit.files::int[], ${runStates.initial}
  from run join asked on asked.id = run.id, unnest(asked.units::text[]) with ordinality as unit (files, n)
)
select agent.run_id as id, run.created_at as "createdAt", agent.name as "agentName", agent.newest, agent.version as "agentVersion",
  agent.workflow_type as "workflowType", agent.model, agent.budget, present.turn as "presentTurn"
from agent join asked on asked.id = agent.run_id join present on present.workspace_id = asked.workspace_id left join run on run.id = agent.run_id`;

export const create = prepared('runs_create')`with ${newRuns}, ${inserts('')}`;

/** How long a key stands for its first request. A second request waits until the first has committed, and then finds its key. */
const KEPT = `interval '24 hours'`;
/** Behind the parameters of `columns`. */
const after = (place: number) => `$${columns.length + place}`;
export const createOnce = prepared('runs_create_once')`
with ${newRuns}, fresh_key as (
  insert into idempotency_keys as k (credential_id, key, request_hash, run_id, agent_name) select ${after(1)}, ${after(2)}, ${after(3)}, run_id, name from agent where version is not null and budget is null
  on conflict (credential_id, key) do update
  set request_hash = excluded.request_hash, run_id = excluded.run_id, agent_name = excluded.agent_name, created_at = excluded.created_at
  where k.created_at <= now() - ${KEPT}
  returning 1
), ${inserts('cross join fresh_key')}`;

export const replay = prepared('runs_replay')`
select k.request_hash as "requestHash", k.agent_name as "agentName", v.model, ${columnsOf(RunTable, 'r', ['userMessage', 'files'])}
from idempotency_keys k join runs r on r.id = k.run_id ${joinVersion('r')} where k.credential_id = $1 and k.key = $2`;

/** Does not wait for the disk. A notification that is lost, because the process or the database ended, costs a poll. */
export const announce = prepared('runs_announce')`
select set_config('synchronous_commit', 'off', true), pg_notify('portico_runs', id || ' ' || ${runStates.initial} || ' ' || workspace)
from unnest($1::text[], $2::text[]) as run (id, workspace)`;

/** A batch, so that the cleanup never takes long. */
export const deleteOldKeys = prepared('idempotency_keys_delete_old')`
delete from idempotency_keys where (credential_id, key) in (
  select credential_id, key from idempotency_keys where created_at <= now() - ${KEPT} order by created_at limit 1000 for update skip locked)`;

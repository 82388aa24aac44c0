import type { Claim, RunQueue, Work } from '../../application/ports/queue.ts';
import type { Agent } from '../../domain/agent.ts';
import { MAX_ATTEMPTS, type Run, type RunUnit } from '../../domain/run.ts';
import type { Database } from './database.ts';
import { millis, runColumns } from './run-columns.ts';
import { forgetKeys } from './run-creation.ts';
import { endUnfinished } from './run-ending.ts';

const lease = (seconds: string) => `clock_timestamp() + make_interval(secs => ${seconds})`;

/**
 * Abandoned runs go first: they are the older ones. What another worker is just taking is passed over, never waited for.
 * The ids are made an array, for which the planner looks runs up by key; a set under a limit it cannot know it expects to be large.
 */
const claim = {
  name: 'queue_claim',
  text: `
with abandoned as (
  select id from runs
  where status = 'running' and lease_expires_at <= now() and attempt - handed_back < ${MAX_ATTEMPTS} and deadline_at > now()
  order by created_at, id limit $2 for update skip locked
), waiting as (
  select id from runs where status = 'queued' and deadline_at > now()
  order by created_at, id limit $2 - (select count(*) from abandoned) for update skip locked
), r as (
  update runs set status = 'running', attempt = attempt + 1, worker = $1, lease_expires_at = ${lease('$3')},
    started_at = coalesce(started_at, now())
  where id = any (array(select id from abandoned union all select id from waiting))
  returning *
)
select ${runColumns}, ${millis('r.deadline_at - now()')} as "remainingMs",
  r.attempt - r.handed_back >= ${MAX_ATTEMPTS} as "isLastAttempt",
  json_build_object(
    'id', a.id, 'workspaceId', a.workspace_id, 'name', a.name, 'description', a.description, 'workflowType', a.workflow_type,
    'model', a.model, 'instructions', a.instructions, 'documentSchema', a.document_schema, 'systemOfRecord', a.system_of_record,
    'tools', a.tools, 'visibleTo', a.visible_to, 'createdAt', ${millis('a.created_at')}, 'updatedAt', ${millis('a.updated_at')}) as agent,
  (select json_agg(json_build_object(
      'index', u.index, 'fileIndexes', u.file_indexes, 'status', u.status, 'error', u.error, 'errorCode', u.error_code,
      'conversationId', u.conversation_id, 'documentId', u.document_id) order by u.index)
   from run_units u where u.run_id = r.id) as units
from r join agents a on a.id = r.agent_id
order by r.created_at, r.id`,
};

/** Times in JSON are milliseconds. */
interface Claimed extends Run {
  readonly remainingMs: number;
  readonly isLastAttempt: boolean;
  readonly agent: Omit<Agent, 'createdAt' | 'updatedAt'> & { readonly createdAt: number; readonly updatedAt: number };
  readonly units: readonly RunUnit[] | null;
}

const workOf = ({ remainingMs, isLastAttempt, agent, units, ...run }: Claimed): Work => ({
  claim: { runId: run.id, attempt: run.attempt },
  run,
  agent: { ...agent, createdAt: new Date(agent.createdAt), updatedAt: new Date(agent.updatedAt) },
  units: units ?? [],
  remainingMs,
  isLastAttempt,
});

/** Looked up by id in a way that stays quick when the statistics know of no running runs yet. */
const renew = {
  name: 'queue_renew',
  text: `
update runs r set lease_expires_at = ${lease('$3')}
where r.id = any ($1::uuid[]) and r.id || ' ' || r.attempt = any ($2::text[])
  and r.status = 'running' and r.lease_expires_at > clock_timestamp()
returning r.id`,
};

const BATCH = 200;

/** Why a run is failed by nobody in particular, in the machine's word and in plain ones. */
const sweep = {
  name: 'queue_sweep',
  text: `
with late as (
  select id, 'deadline_exceeded' as code,
    'The run did not end within the ' || round(extract(epoch from deadline_at - created_at)) || ' seconds it had.' as message
  from runs where status in ('queued', 'running') and deadline_at <= now() order by deadline_at limit ${BATCH} for update skip locked
), lost as (
  select id, 'worker_lost' as code, 'The run was given up: ' || attempt - handed_back || ' workers that took it on were lost.' as message
  from runs
  where status = 'running' and lease_expires_at <= now() and attempt - handed_back >= ${MAX_ATTEMPTS} and deadline_at > now()
  order by lease_expires_at limit ${BATCH} for update skip locked
), doomed as (select * from late union all select * from lost
), ended as (
  update runs r set status = 'failed', status_reason = json_build_object('code', d.code, 'message', d.message), error = d.message,
    lease_expires_at = null, completed_at = clock_timestamp()
  from doomed d where r.id = d.id
  returning r.id, r.status, d.message as reason, d.code
), ${endUnfinished}
select count(*)::int as ended from ended`,
};

type Claims = Pick<RunQueue, 'claim' | 'renew' | 'sweep'>;

/** Who may work on what, and until when. */
export const queueClaims = ({ query }: Pick<Database, 'query'>): Claims => ({
  claim: async (worker, most, leaseSeconds) => (await query<Claimed>(claim, [worker, most, leaseSeconds])).map(workOf),

  async renew(claims: readonly Claim[], leaseSeconds) {
    const ids = claims.map(({ runId }) => runId);
    const held = claims.map(({ runId, attempt }) => `${runId} ${attempt}`);
    const rows = await query<{ id: string }>(renew, [ids, held, leaseSeconds]);
    return new Set(rows.map(({ id }) => id));
  },

  async sweep() {
    let total = 0;
    for (let ended = BATCH; ended >= BATCH; total += ended) {
      [{ ended }] = (await query<{ ended: number }>(sweep, [])) as [{ ended: number }];
    }
    await query(forgetKeys, []);
    return total;
  },
});

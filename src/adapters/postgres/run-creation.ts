import pg from 'pg';
import type { Created, IdempotencyClaim, NewRun, RunSummary } from '../../application/ports/storage.ts';
import type { Run } from '../../domain/run.ts';
import type { Database } from './database.ts';
import { summaryColumns } from './run-columns.ts';

/** The agent, where the caller may see it: what is not visible does not exist, and gets no run. */
const agent = `
agent as (
  select id, name, workflow_type from agents
  where id = $3 and workspace_id = $2 and removed_at is null and (visible_to is null or $4 = any (visible_to))
)`;

/** `from` is what the run is inserted for: the agent, or only together with a key that nobody has used. */
const inserts = (from: string) => `
run as (
  insert into runs (id, workspace_id, agent_id, user_id, origin, workflow_type, status, process_together, user_message, files, trace_id, deadline_at)
  select $1, $2, agent.id, $4, $5, agent.workflow_type, 'queued', $6::boolean, $7, $8::json, $9, now() + make_interval(secs => $10) from ${from}
  returning id, created_at
), units as (
  insert into run_units (run_id, index, file_indexes, status)
  select run.id, n - 1, files::int[], 'queued' from run, unnest($11::text[]) with ordinality as unit (files, n)
)
select run.created_at as "createdAt", agent.name as "agentName", agent.workflow_type as "workflowType" from run, agent`;

const create = { name: 'runs_create', text: `with ${agent}, ${inserts('agent')}` };

/** How long a key stands for its first request. Whoever comes second waits for the first to commit, then finds the key taken. */
const KEPT = `interval '24 hours'`;
const createOnce = {
  name: 'runs_create_once',
  text: `
with ${agent}, claim as (
  insert into idempotency_keys as k (credential_id, key, request_hash, run_id, agent_name) select $12, $13, $14, $1, agent.name from agent
  on conflict (credential_id, key) do update
  set request_hash = excluded.request_hash, run_id = excluded.run_id, agent_name = excluded.agent_name, created_at = excluded.created_at
  where k.created_at <= now() - ${KEPT}
  returning 1
), ${inserts('agent, claim')}`,
};

const replay = {
  name: 'runs_replay',
  text: `
select k.request_hash as "requestHash", k.agent_name as "agentName", ${summaryColumns}
from idempotency_keys k join runs r on r.id = k.run_id where k.credential_id = $1 and k.key = $2`,
};

/**
 * Tells of new runs once they are committed: transactions that notify commit one after another, each waiting for the disk.
 * Told together while a telling is under way. What is not told, because the process or the database ended, costs a poll.
 */
const announcer = (query: Database['query']) => {
  let waiting: string[] = [];
  let telling = false;
  const tell = async () => {
    telling = true;
    while (waiting.length > 0) {
      const told = waiting;
      waiting = [];
      await query(announce, [told]).catch(() => {});
    }
    telling = false;
  };
  return (id: string) => {
    waiting.push(id);
    if (!telling) void tell();
  };
};
const announce = { name: 'runs_announce', text: `select pg_notify('portico_runs', id || ' queued') from unnest($1::text[]) id` };

/** Bounded, so that cleaning up never takes long. */
export const forgetKeys = {
  name: 'idempotency_keys_forget',
  text: `
delete from idempotency_keys where (credential_id, key) in (
  select credential_id, key from idempotency_keys where created_at <= now() - ${KEPT} order by created_at limit 1000 for update skip locked)`,
};

/** What a run is answered with when it was created, whatever became of it since. */
const asQueued = (run: Omit<RunSummary, keyof typeof untouched>): RunSummary => ({ ...run, ...untouched });
const untouched = {
  status: 'queued',
  statusReason: null,
  error: null,
  attempt: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
  startedAt: null,
  completedAt: null,
} as const satisfies Partial<Run>;

/** The database refuses a run that would be stored without one of its files; it names their keys. */
const expiredFiles = (error: unknown) => {
  if (!(error instanceof pg.DatabaseError) || error.constraint !== 'runs_files_uploaded') throw error;
  return { outcome: 'expired files', fileKeys: error.detail?.split(' ') ?? [] } as const;
};

type Stored = Pick<RunSummary, 'createdAt' | 'agentName' | 'workflowType'>;

const summaryOf = ({ units, deadlineSeconds, files, userMessage, ...run }: NewRun, stored: Stored): RunSummary =>
  asQueued({ ...run, ...stored });

const parametersOf = (run: NewRun) => [
  run.id,
  run.workspaceId,
  run.agentId,
  run.userId,
  run.origin,
  run.processTogether,
  run.userMessage,
  JSON.stringify(run.files),
  run.traceId,
  run.deadlineSeconds,
  run.units.map((indexes) => `{${indexes.join()}}`),
];

export const runCreation = ({ query }: Pick<Database, 'query'>) => {
  const tell = announcer(query);
  const replayed = async ({ credentialId, key, requestHash }: IdempotencyClaim): Promise<Created | null> => {
    const [first] = await query<RunSummary & { requestHash: string }>(replay, [credentialId, key]);
    if (!first) return null;
    const { requestHash: firstHash, ...run } = first;
    return firstHash === requestHash ? { outcome: 'replayed', run: asQueued(run) } : { outcome: 'mismatch' };
  };

  return async (run: NewRun, once: IdempotencyClaim | null): Promise<Created> => {
    const statement = once ? createOnce : create;
    const keyed = once ? [once.credentialId, once.key, once.requestHash] : [];
    const created = await query<Stored>(statement, [...parametersOf(run), ...keyed]).then(([stored]) => stored, expiredFiles);
    if (created && 'outcome' in created) return created;
    if (created) {
      tell(run.id);
      return { outcome: 'created', run: summaryOf(run, created) };
    }
    return (once && (await replayed(once))) ?? { outcome: 'no agent' };
  };
};

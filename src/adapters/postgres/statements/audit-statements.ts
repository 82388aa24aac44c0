import { type Act, type AuditAction, system } from '../../../domain/audit.ts';
import { prepared } from '../connection/database.ts';
import { DECISIONS } from './conversation-statements.ts';

/** Where the names of subjects are, and whose workspace they are in. */
const subjects = [
  ['workspace', 'x.id, x.name from workspaces x where x.id'],
  ['user', 'x.workspace_id, x.name from users x where x.id'],
  ['key', 'u.workspace_id, x.name from api_keys x join users u on u.id = x.user_id where x.id'],
  [
    'grant',
    'u.workspace_id, coalesce(x.client_name, x.client_host) from oauth_grants x join users u on u.id = x.user_id where x.id',
  ],
  ['agent', 'x.workspace_id, x.name from agents x where x.id'],
  ['approval', 'x.workspace_id, x.tool from approvals x where x.id'],
  ['document', 'x.workspace_id, a.name from documents x join agents a on a.id = x.agent_id where x.id'],
  ['run', 'x.workspace_id, a.name from runs x join agents a on a.id = x.agent_id where x.id'],
  ['thread', 'x.workspace_id, a.name from conversations x join agents a on a.id = x.agent_id where x.id'],
].map(([type, subject]) => `select ${subject} = $9 and $8 = '${type}'`);

/** Writes an act, in the transaction that does it. Its values are those of `actValues`. */
export const recordAct = prepared('audit_record')`
with subject (workspace_id, name) as (${subjects.join(' union all ')})
insert into audit_acts (workspace_id, action, actor_type, actor_id, actor_name, via_kind, via_id, via_address,
  subject_type, subject_id, subject_name, details, held_until)
select coalesce($1::uuid, s.workspace_id), $2, $3, $4, coalesce($5, (select u.name from users u where u.id = $4::uuid)), $6, $7, $12,
  $8::text, $9::uuid, coalesce($10, s.name), $11::json, clock_timestamp() + make_interval(secs => $13)
from (select) one left join subject s on true returning number`;

/** An act that is held is chained once it is settled, or after so many seconds. */
export const actValues = (
  { workspaceId, action, actor, via, subject, details = {} }: Act,
  heldSeconds: number | null = null,
): unknown[] => [
  workspaceId,
  action,
  actor.type,
  actor.id,
  actor.name,
  via.kind,
  via.id,
  subject.type,
  subject.id,
  subject.name,
  JSON.stringify(details),
  via.address,
  heldSeconds,
];

/** Part of a statement: what Portico itself has done to the documents that `found` has, with details as SQL over its row `d`. */
export const systemActs = (documents: string, action: AuditAction, details = `'{}'::json`): string => `
  insert into audit_acts (workspace_id, action, actor_type, actor_name, via_kind, subject_type, subject_id, subject_name, details)
  select d.workspace_id, '${action}', '${system.actor.type}', '${system.actor.name}', '${system.via.kind}', 'document', d.id,
    (select a.name from agents a where a.id = d.agent_id), ${details} from ${documents} d`;

export const settle = prepared('audit_settle')`update audit_acts set held_until = null, details = $2 where number = $1`;

export const drop = prepared('audit_drop')`delete from audit_acts where number = $1`;

/** Whether the act `a` may be chained. */
const isFree = '(a.held_until is null or a.held_until <= clock_timestamp())';

const recorded = (row: string) => `${row}.at, ${row}.action, ${row}.details,
  json_build_object('type', ${row}.actor_type, 'id', ${row}.actor_id, 'name', ${row}.actor_name) as actor,
  json_build_object('kind', ${row}.via_kind, 'id', ${row}.via_id, 'address', ${row}.via_address) as via,
  json_build_object('type', ${row}.subject_type, 'id', ${row}.subject_id, 'name', ${row}.subject_name) as subject`;

/** Acts that are chained in one transaction, so that it is short. A checkpoint lies in it at most once. */
export const BATCH = 1000;

export const waiting = prepared('audit_waiting')`
select a.workspace_id as "workspaceId" from audit_acts a where ${isFree} group by 1
union select h.workspace_id from audit_heads h where h.checkpoint_at <= now() - interval '1 day'`;

export const beginChain = prepared(
  'audit_begin_chain',
)`insert into audit_heads (workspace_id) values ($1) on conflict do nothing`;

/** Who chains waits for the other who does, and reads what that one has left in the next statement. */
export const lockHead = prepared('audit_lock_head')`
select sequence, hash, checkpoint_at <= now() - interval '1 day' as "isDue" from audit_heads where workspace_id = $1 for no key update`;

export const acts = prepared('audit_acts')`
select a.number, ${recorded('a')} from audit_acts a where a.workspace_id = $1 and ${isFree} order by a.number limit ${BATCH}`;

export const chain = prepared('audit_chain')`
with entry as (
  select * from json_to_recordset($2::json) as e (sequence bigint, at timestamptz, action text, actor json, via json, subject json,
    details json, previous text, hash text)
)
insert into audit_entries (workspace_id, sequence, at, action, actor_type, actor_id, actor_name, via_kind, via_id, via_address,
  subject_type, subject_id, subject_name, details, previous, hash)
select $1, e.sequence, e.at, e.action, e.actor->>'type', (e.actor->>'id')::uuid, e.actor->>'name', e.via->>'kind', e.via->>'id', e.via->>'address',
  e.subject->>'type', (e.subject->>'id')::uuid, e.subject->>'name', e.details, e.previous, e.hash
from entry e`;

export const leave = prepared('audit_leave')`delete from audit_acts where number = any ($1::bigint[])`;

/** `$4`: whether the log of events is told. */
export const moveHead = prepared('audit_move_head')`
update audit_heads set sequence = $2, hash = $3, checkpoint_at = case when $4 then clock_timestamp() else coalesce(checkpoint_at, clock_timestamp()) end
where workspace_id = $1`;

export const CHECKPOINT = 'audit.checkpoint';

export const logCheckpoint = prepared('audit_log_checkpoint')`
with logged as (insert into events (workspace_id, type, data) values ($1, '${CHECKPOINT}', $2))
select pg_notify('${DECISIONS}', $1::uuid::text)`;

/** Where a chain ends, how far it is stored, and the newest checkpoint, as they are at one moment. */
export const state = prepared('audit_state')`
select coalesce(h.sequence, 0) as sequence, coalesce(h.hash, repeat('0', 64)) as hash,
  (select coalesce(max(e.sequence), 0) from audit_entries e where e.workspace_id = $1) as last,
  (select e.data from events e where e.workspace_id = $1 and e.type = '${CHECKPOINT}' order by e.sequence desc limit 1) as checkpoint
from (select) one left join audit_heads h on h.workspace_id = $1`;

export const workspaces = prepared('audit_workspaces')`select id, name from workspaces order by name`;

const entryColumns = `e.sequence, ${recorded('e')}, e.previous, e.hash`;

export const stored = prepared('audit_stored')`
select ${entryColumns} from audit_entries e where e.workspace_id = $1 and e.sequence > $2 order by e.sequence limit ${BATCH}`;

export const actorOf = prepared('audit_actor')`select id from users where workspace_id = $1 and email = lower($2)`;

/**
 * Between which sequences all entries of a time are. Acts are chained in the order in which they were written, but for those of transactions
 * that lasted longer, none for an hour.
 */
export const span = prepared('audit_span')`
select (select e.sequence from audit_entries e where e.workspace_id = $1 and e.at < $2::timestamptz - interval '1 hour' order by e.at desc limit 1) as after,
  (select e.sequence from audit_entries e where e.workspace_id = $1 and e.at > $3::timestamptz + interval '1 hour' order by e.at limit 1) as before`;

const within = `e.workspace_id = $1 and e.sequence > $2 and e.sequence < $3 and e.at between $4 and $5
  and ($6::text[] is null or e.action = any ($6)) and ($7::uuid is null or e.subject_id = $7) and ($8::uuid is null or e.actor_id = $8)`;

/** By which index a page is found: the rest of the filter is looked at entry by entry. */
const pagesIn = (direction: 'asc' | 'desc') => {
  const ending = `order by e.sequence ${direction} limit $9`;
  const page = (by: string, source: string) =>
    prepared(`audit_page_by_${by}_${direction}`)`select ${entryColumns} from ${source} ${ending}`;
  return {
    sequence: page('sequence', `audit_entries e where ${within}`),
    subject: page('subject', `audit_entries e where e.subject_id = $7::uuid and ${within}`),
    actor: page('actor', `audit_entries e where e.actor_id = $8::uuid and ${within}`),
    action: page(
      'action',
      `unnest($6::text[]) of (action) cross join lateral (
  select * from audit_entries e where e.action = of.action and ${within} ${ending}) e`,
    ),
  };
};

export const pages = { oldest: pagesIn('asc'), newest: pagesIn('desc') } as const;

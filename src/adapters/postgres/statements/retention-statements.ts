import type { WalkedKind } from '../../../application/ports/retention.ts';
import { prepared, type Statement } from '../connection/database.ts';
import { approvalStates, conversationStates, documentStates, reviewStates } from '../tables/states.ts';

export const rules = prepared('retention_rules')`
select id as "workspaceId", name as workspace, retention from workspaces where retention is not null order by name`;

/** A little less than the minute after which every process asks, so that their clocks need not agree. */
export const takeTurn = prepared('retention_take_turn')`
insert into upkeep_turns as t (name, begun_at) values ('retention', now())
on conflict (name) do update set begun_at = excluded.begun_at where t.begun_at < now() - interval '50 seconds'
returning name`;

export const endTurn = prepared('retention_end_turn')`
insert into upkeep_turns as t (name, begun_at) values ('retention', now()) on conflict (name) do update set ended_at = now()`;

/** No row where nothing is removed by age. */
export const behind = prepared('retention_behind')`
select extract(epoch from now() - t.ended_at)::float8 as seconds from upkeep_turns t
where t.name = 'retention' and exists (select from workspaces where retention is not null)`;

/** One batch at a time, whoever asks for it: the lock ends with the transaction. */
export const lock = prepared('retention_lock')`select pg_advisory_xact_lock(28785::bigint << 48)`;

const trashed = documentStates.after('trash');

/** The document `d` stays, and its file, its conversation and its run with it: it is held, waits for a decision, or work on it is under way. */
const isNeeded = (d: string) => `(${d}.held_at is not null or ${d}.status <> ${trashed} and (
    ${d}.review_status = ${reviewStates.after('require')} or ${d}.status ${documentStates.before('extract')} or ${d}.status ${documentStates.before('accept')}
    or ${d}.post_at is not null or ${d}.attempted_revision is not null))`;

/** `$2`: how long things are kept. What was made later is not looked at. */
const cutoff = 'now() - $2::interval';

/** Where the oldest of a kind stand, by an index of this order, and which of them are removed: what has rested for as long as it is kept. */
const kinds: Readonly<
  Record<
    WalkedKind,
    { readonly from: string; readonly id: string; readonly at: string; readonly where: string; readonly isOver: string }
  >
> = {
  files: {
    from: 'uploads x',
    id: 'key',
    at: 'taken_at',
    where: `x.kind = 'file' and x.taken_at is not null and x.expired_at is null`,
    isOver: `not exists (select from run_files f join runs r on r.id = f.run_id where f.key = x.key and (
      r.completed_at is null or r.completed_at >= ${cutoff} or exists (select from documents d where d.run_id = r.id and ${isNeeded('d')})))`,
  },
  conversations: {
    from: 'conversations x',
    id: 'id',
    at: 'created_at',
    where: 'x.removed_at is null',
    isOver: `x.updated_at < ${cutoff} and x.status ${conversationStates.before('begin')} and x.goes_on_after is null
    and not exists (select from approvals p where p.conversation_id = x.id and p.status = ${approvalStates.initial})
    and not exists (select from runs r where r.id = x.run_id and r.completed_at is null)
    and not exists (select from documents d where d.conversation_id = x.id and ${isNeeded('d')})`,
  },
  trash: {
    from: 'documents x',
    id: 'id',
    at: 'created_at',
    where: `x.status = ${trashed}`,
    isOver: `x.updated_at < ${cutoff} and not ${isNeeded('x')}`,
  },
  documents: {
    from: 'documents x',
    id: 'id',
    at: 'created_at',
    where: `x.status <> ${trashed}`,
    isOver: `x.updated_at < ${cutoff} and not ${isNeeded('x')}`,
  },
  runs: {
    from: 'runs x',
    id: 'id',
    at: 'completed_at',
    where: 'x.completed_at is not null',
    isOver: `not exists (select from documents d where d.run_id = x.id) and not exists (
      select from runs p where p.part_of = x.id and (p.completed_at is null or exists (select from documents d where d.run_id = p.id)))`,
  },
};

/** So many are looked at in a transaction, which is over in a few hundredths of a second. */
const BATCH = 100;

const forEach = (statementOf: (kind: WalkedKind) => Statement): Readonly<Record<WalkedKind, Statement>> => ({
  files: statementOf('files'),
  conversations: statementOf('conversations'),
  trash: statementOf('trash'),
  documents: statementOf('documents'),
  runs: statementOf('runs'),
});

/**
 * The next few after `$3`, `$4`, locked, so that a run takes no file and nobody changes a document meanwhile; what is locked by others is left
 * for the next minute.
 */
export const walk = forEach((kind) => {
  const { from, id, at, where } = kinds[kind];
  return prepared(`retention_walk_${kind}`)`
select x.${id} as id, x.${at} as at from ${from} where x.workspace_id = $1 and ${where} and x.${at} < ${cutoff}
  and (x.${at}, x.${id}) > ($3::timestamptz, $4)
order by x.${at}, x.${id} limit ${BATCH} for update of x skip locked`;
});
export const WALKED_AT_ONCE = BATCH;
/** Before everything, of every kind. */
export const BEGINNING = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/** Nobody begins to hold these documents before the transaction is over. */
export const lockDocuments: Readonly<Partial<Record<WalkedKind, Statement>>> = {
  files: prepared('retention_lock_of_files')`
select from documents where run_id in (select run_id from run_files where key = any ($1)) for share`,
  conversations: prepared('retention_lock_of_conversations')`
select from documents where conversation_id = any ($1::uuid[]) for share`,
};

/** Which of those that were locked are removed, as they are now. */
export const over = forEach((kind) => {
  const { from, id, where, isOver } = kinds[kind];
  return prepared(`retention_over_${kind}`)`
select x.${id} as id from ${from} where x.${id} = any ($1) and $2::interval is not null and ${where} and ${isOver}`;
});

/** The shells of the conversations of the documents go with them. */
export const removeDocuments = prepared('retention_remove_documents')`
with gone as (delete from documents where id = any ($1::uuid[]) returning id, conversation_id)
delete from conversations c using gone where c.id = gone.conversation_id and c.removed_at is not null
  and not exists (select from documents d where d.conversation_id = c.id and d.id <> all ($1::uuid[]))`;

const countOf = (kind: WalkedKind, keep: string, more = 'true') => {
  const { from, at, where, isOver } = kinds[kind];
  const by = (text: string) => text.replaceAll('$2', keep);
  return `(select count(*)::int from ${from} where ${keep}::text is not null and x.workspace_id = $1 and ${where} and x.${at} < ${by(cutoff)} and ${by(more === 'true' ? isOver : more)})`;
};

/** A run is counted if its documents are. `$2` to `$5`: how long files, conversations, documents and runs are kept; null: for ever. */
export const count = prepared('retention_count')`
select ${countOf('files', '$2')} as files, ${countOf('conversations', '$3')} as conversations,
  ${countOf('trash', '$4')} + ${countOf('documents', '$4')} as documents,
  ${countOf('runs', '$5', `not exists (select from documents d where d.run_id = x.id and ($4::text is null or d.updated_at >= now() - $4::interval or ${isNeeded('d')}))`)} as runs`;

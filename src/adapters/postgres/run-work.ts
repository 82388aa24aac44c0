import { LeaseLost } from '../../application/ports/leases.ts';
import type { RunLease, RunQueue } from '../../application/ports/queue.ts';
import type { Message } from '../../domain/conversation.ts';
import { runMachine } from '../../domain/run.ts';
import { storable } from '../../domain/text.ts';
import type { Database, Statement } from './database.ts';
import { authoredMessages, insertMessages, messageColumns, messageValues } from './messages.ts';
import { conversationStates, documentStates, runStates } from './states.ts';

/**
 * The part of a statement that ends what is unfinished in the runs of its `ended (id, status, reason, code)`: units get the status of
 * their run, documents under extraction get the reason as their error, conversations become idle.
 */
export const endUnfinished = `
units_ended as (
  update run_units u set status = e.status, error = e.reason, error_code = e.code from ended e
  where u.run_id = e.id and ${runStates.leads('u.status', 'e.status')} returning u.conversation_id, u.document_id, e.reason
), documents_ended as (
  update documents d set status = ${documentStates.after('fail')}, error = u.reason, updated_at = clock_timestamp() from units_ended u
  where d.id = u.document_id and d.status ${documentStates.before('fail')}
), conversations_ended as (
  update conversations c set status = ${conversationStates.after('end')}, updated_at = clock_timestamp() from units_ended u
  where c.id = u.conversation_id and c.status ${conversationStates.before('end')}
)`;

/** Whether attempt `$2` still leases run `$1`: the statement locks the row, so that no other worker leases it meanwhile. */
const isLeased = `r.id = $1 and r.attempt = $2 and r.status = ${runStates.after('start')} and r.lease_expires_at > clock_timestamp()`;
const leased = `leased as (select r.* from runs r where ${isLeased} for no key update)`;

const release = {
  name: 'queue_release',
  text: `
update runs r set lease_expires_at = now() - interval '1 millisecond', handed_back = handed_back + 1, worker = null where ${isLeased}
returning r.id`,
};

const beginUnit = {
  name: 'queue_begin_unit',
  text: `
with ${leased}, fresh as (
  update run_units u set status = ${runStates.after('start')}, conversation_id = $4, document_id = case when $6::text is not null then $5::uuid end
  from leased where u.run_id = leased.id and u.index = $3 and u.conversation_id is null and u.status ${runStates.before('start')}
  returning u.conversation_id, u.document_id
), conversation as (
  insert into conversations (id, workspace_id, agent_id, run_id, user_id, status)
  select $4, leased.workspace_id, leased.agent_id, leased.id, leased.user_id, ${conversationStates.after('begin')} from leased, fresh
), document as (
  insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status)
  select $5, leased.workspace_id, leased.id, leased.agent_id, $4, $6, ${documentStates.initial} from leased, fresh where $6 is not null
), resumed as (
  update conversations c set status = ${conversationStates.after('begin')}, updated_at = clock_timestamp() from leased, run_units u
  where u.run_id = leased.id and u.index = $3 and u.status = ${runStates.after('start')}
    and c.id = u.conversation_id and c.status ${conversationStates.before('begin')}
)
select u.index is not null as known, exists (select from fresh) as fresh,
  case when exists (select from fresh) then $4 else u.conversation_id end as "conversationId",
  case when exists (select from fresh) then (select document_id from fresh) else u.document_id end as "documentId"
from leased left join run_units u on u.run_id = leased.id and u.index = $3`,
};

const messages = {
  name: 'queue_messages',
  text: `
select ${messageColumns} from ${authoredMessages} m where m.conversation_id = $1 order by m.seq`,
};

/** Records calls that are about to be made, until their result is stored. */
const intend = {
  name: 'queue_intend',
  text: `
with ${leased}, conversation as (
  update conversations c set begun = c.begun || $4::text[] from leased where c.id = $3 and c.run_id = leased.id returning c.id
)
select exists (select from conversation) as known from leased`,
};

const append = {
  name: 'queue_append',
  text: `
with leased as (
  update runs r set input_tokens = input_tokens + $4, output_tokens = output_tokens + $5 where ${isLeased} returning r.id
), conversation as (
  update conversations c set updated_at = clock_timestamp() from leased where c.id = $3 and c.run_id = leased.id returning c.id
), stored as (
  ${insertMessages('conversation', 6)}
)
select exists (select from conversation) as known from leased`,
};

/** Notifies clients that watch the run: it is still running, and one more unit has ended. */
const finishUnit = {
  name: 'queue_finish_unit',
  text: `
with ${leased}, unit as (
  update run_units u set status = $4, error = $5, error_code = $6 from leased
  where u.run_id = leased.id and u.index = $3 and ${runStates.leads('u.status', '$4')}
  returning u.conversation_id, u.document_id
), document as (
  update documents d set document_data = $7::json,
    status = case when $7::json is null then ${documentStates.after('fail')} else ${documentStates.after('extract')} end,
    evidence = coalesce($8::json, d.evidence), updated_at = clock_timestamp(),
    error = case when $7::json is null then coalesce($5, 'Nothing was extracted.') end
  from unit where d.id = unit.document_id and d.status ${documentStates.before('extract', 'fail')}
), conversation as (
  update conversations c set status = ${conversationStates.after('end')}, updated_at = clock_timestamp() from unit
  where c.id = unit.conversation_id and c.status ${conversationStates.before('end')}
)
select true as known, pg_notify('portico_runs', leased.id || ' ' || ${runStates.after('start')}) from leased`,
};

const finish = {
  name: 'queue_finish',
  text: `
with ended as (
  update runs r set status = $3, status_reason = $4::json, error = $5, lease_expires_at = null, completed_at = clock_timestamp()
  where ${isLeased}
  returning r.id, r.status, $5::text as reason, $6::text as code
), ${endUnfinished}
select true as known from ended`,
};

interface Begun {
  readonly known: boolean;
  readonly fresh: boolean;
  readonly conversationId: string;
  readonly documentId: string | null;
}

type Work = Pick<RunQueue, 'release' | 'beginUnit' | 'append' | 'intend' | 'finishUnit' | 'finish'>;

/** What a worker writes under its lease: each statement checks the lease and writes, or does neither. */
export const runWork = ({ query }: Pick<Database, 'query'>): Work => {
  const underLease = async <Row extends object>({ runId, attempt }: RunLease, statement: Statement, values: readonly unknown[]) => {
    const [row] = await query<Row>(statement, [runId, attempt, ...values]);
    if (!row) throw new LeaseLost('run', runId);
    return row;
  };

  return {
    async release(lease) {
      await underLease(lease, release, []);
    },

    async beginUnit(lease, { index, conversationId, documentId, documentName }) {
      const unit = await underLease<Begun>(lease, beginUnit, [index, conversationId, documentId, documentName && storable(documentName)]);
      if (!unit.known) throw new Error(`Run ${lease.runId} has no unit ${index}.`);
      const stored = unit.fresh ? [] : await query<Message>(messages, [unit.conversationId]);
      return { conversationId: unit.conversationId, documentId: unit.documentId, messages: stored };
    },

    async append(lease, conversationId, list, usage) {
      const values = [conversationId, usage.inputTokens, usage.outputTokens, ...messageValues(list)];
      const { known } = await underLease<{ known: boolean }>(lease, append, values);
      if (!known) throw new Error(`Run ${lease.runId} has no conversation ${conversationId}.`);
    },

    async intend(lease, conversationId, toolCallIds) {
      const { known } = await underLease<{ known: boolean }>(lease, intend, [conversationId, toolCallIds]);
      if (!known) throw new Error(`Run ${lease.runId} has no conversation ${conversationId}.`);
    },

    async finishUnit(lease, index, outcome) {
      const { error, code } = outcome.status === 'failed' ? outcome : { error: null, code: null };
      const document = outcome.status === 'completed' ? outcome.document : null;
      const [data, evidence] = document ? [JSON.stringify(document.data), JSON.stringify(document.evidence)] : [null, null];
      await underLease(lease, finishUnit, [index, outcome.status, error && storable(error), code, data, evidence]);
    },

    async finish(lease, end) {
      const { reason, error } = end.event === 'fail' ? end : { reason: null, error: null };
      await underLease(lease, finish, [
        runMachine.stateAfter(end.event),
        reason && JSON.stringify(reason),
        error && storable(error),
        reason?.code ?? null,
      ]);
    },
  };
};

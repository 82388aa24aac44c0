import { type EntityManager, LockMode, wrap } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import type { DocumentSummary, Page, RunDetail, RunRepository, RunSummary } from '../../application/ports/storage.ts';
import type { Conversation } from '../../domain/conversation.ts';
import { type Run, type RunUnit, runMachine } from '../../domain/run.ts';
import { joinVersion } from './agent-versions.ts';
import { columnsOf, fromJson, type Json, jsonOf, millis } from './columns.ts';
import type { Database, Statement } from './database.ts';
import { RunTable, RunUnitTable } from './entities.ts';
import { findById, isId } from './ids.ts';
import { runCreation } from './run-creation.ts';
import { endUnfinished } from './run-work.ts';
import { documentStates } from './states.ts';
import { visible } from './visibility.ts';

/** A list that skips no more runs than this is a short read: `limit` makes the planner expect few rows. */
const SHALLOW = 1000;

interface Listing {
  readonly byAgent: boolean;
  readonly byStatus: boolean;
  readonly deep: boolean;
}

/**
 * One statement for each set of filters, so that the planner picks the index for each. The ids of the page come from the index alone;
 * only then the runs are read, and none beyond the total.
 */
const listing = ({ byAgent, byStatus, deep }: Listing): Statement => {
  const status = (table: string) => (byStatus ? `and ${table}.status = $${byAgent ? 6 : 5}` : '');
  const mine = byAgent
    ? 'r.agent_id = (select id from visible)'
    : `r.workspace_id = $1 and r.agent_id not in (select a.id from agents a where a.workspace_id = $1 and not (${visible('a')}))`;
  return {
    name: `runs_list${byAgent ? '_by_agent' : ''}${byStatus ? '_by_status' : ''}${deep ? '_deep' : ''}`,
    text: `
with visible as materialized (select a.id, a.name from agents a where ${visible('a')} ${byAgent ? 'and a.id = $5' : ''}),
total as (select coalesce(sum(c.runs), 0)::bigint as total from run_counts c where c.agent_id in (select id from visible) ${status('c')}),
page as (
  select id from (
    select r.id from runs r where ${mine} and r.origin = 'api' ${status('r')}
    order by r.created_at desc, r.id desc ${deep ? '' : `limit ${SHALLOW}`}
  ) matching
  limit (select case when total > $4 then $3::bigint else 0 end from total) offset $4
), listed as (
  select ${columnsOf(RunTable, 'r', ['userMessage', 'files'])}, s.name as "agentName", v.model
  from runs r join visible s on s.id = r.agent_id ${joinVersion('r')} where r.id = any (array(select id from page))
)
select total.total, listed.* from total left join listed on true order by listed."createdAt" desc, listed.id desc`,
  };
};

const nameOf = ({ byAgent, byStatus, deep }: Listing) => `${byAgent} ${byStatus} ${deep}`;
const either = [false, true];
const listings = new Map(
  either
    .flatMap((byAgent) => either.flatMap((byStatus) => either.map((deep) => ({ byAgent, byStatus, deep }))))
    .map((terms) => [nameOf(terms), listing(terms)]),
);

const findVisible = {
  name: 'runs_find_visible',
  text: `
select ${columnsOf(RunTable, 'r')}, a.name as "agentName", v.model, (
  select json_agg(json_build_object(
    'unit', ${jsonOf(RunUnitTable, 'u', ['runId', 'documentId'])},
    'conversation', case when c.id is not null then json_build_object('id', c.id, 'status', c.status, 'createdAt', ${millis('c.created_at')}) end,
    'document', case when d.id is not null then json_build_object('id', d.id, 'name', d.name, 'status', d.status, 'error', d.error,
      'conversationId', d.conversation_id, 'createdAt', ${millis('d.created_at')}, 'updatedAt', ${millis('d.updated_at')}) end) order by u.index)
  from run_units u left join conversations c on c.id = u.conversation_id
    left join documents d on d.id = u.document_id and d.status <> ${documentStates.after('trash')}
  where u.run_id = r.id) as parts
from runs r join agents a on a.id = r.agent_id ${joinVersion('r')}
where r.id = $3 and r.workspace_id = $1 and ${visible('a')}`,
};

/** A unit with its conversation and its document, if it has them. */
interface Part {
  readonly unit: Omit<RunUnit, 'documentId'>;
  readonly conversation: Json<Pick<Conversation, 'id' | 'status' | 'createdAt'>> | null;
  readonly document: Json<DocumentSummary> | null;
}

type Found = Omit<RunDetail, 'units' | 'conversations' | 'documents'> & { readonly parts: readonly Part[] | null };

const detailOf = ({ parts, ...run }: Found): RunDetail => ({
  ...run,
  units: (parts ?? []).map(({ unit, document }) => ({ ...unit, documentId: document?.id ?? null })),
  conversations: (parts ?? []).flatMap(({ unit: { fileIndexes }, conversation }) =>
    conversation ? [{ ...fromJson<Pick<Conversation, 'id' | 'status' | 'createdAt'>>(conversation, 'createdAt'), fileIndexes }] : [],
  ),
  documents: (parts ?? []).flatMap(({ document }) => (document ? [fromJson<DocumentSummary>(document, 'createdAt', 'updatedAt')] : [])),
});

type Listed = { readonly total: number } & RunSummary;

/** The time after the row is locked, in milliseconds like the tables. */
const context = `
select a.name as "agentName", v.model, date_trunc('milliseconds', clock_timestamp()) as now
from agents a join agent_versions v on v.agent_id = a.id and v.version = ? where a.id = ?`;
const end = `with ended as (select $1::uuid as id, $2 as status, $3 as reason, $4 as code), ${endUnfinished} select 1`;

const endUnits = async (em: EntityManager, { id, status, error, statusReason }: Run) => {
  const reason = error ?? statusReason?.message ?? `The run was ${status}.`;
  await em.getTransactionContext()?.executeQuery(CompiledQuery.raw(end, [id, status, reason, statusReason?.code ?? status]));
};

export const runRepository = (database: Database): RunRepository => ({
  create: runCreation(database),

  async findVisible({ workspaceId, userId }, id) {
    const found = await findById<Found>(database, findVisible, workspaceId, userId, id);
    return found && detailOf(found);
  },

  async listVisible(viewer, { agentId, status }, { limit, offset }): Promise<Page<RunSummary>> {
    if (agentId !== undefined && !isId(agentId)) return { items: [], total: 0 };
    const deep = offset + limit > SHALLOW;
    const statement = listings.get(nameOf({ byAgent: agentId !== undefined, byStatus: status !== undefined, deep })) as Statement;
    const values = [viewer.workspaceId, viewer.userId, limit, offset, ...[agentId, status].filter((value) => value !== undefined)];
    // A deep page takes longer: it must not delay the short reads.
    const rows = await (deep ? database.query<Listed> : database.read<Listed>)(statement, values);
    const items = rows.filter(({ id }) => id !== null).map(({ total, ...run }) => run);
    return { items, total: rows[0]?.total ?? 0 };
  },

  async update(id, change) {
    if (!isId(id)) return null;
    return database.transaction(async (em) => {
      const row = await em.findOne(RunTable, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!row) return null;
      const [found] = await em.execute<{ agentName: string; model: string; now: Date }[]>(context, [row.agentVersion, row.agentId]);
      if (!found) throw new Error(`The agent of run ${id} is not there.`);
      const before = row.status;
      const next = change(wrap(row).toPOJO() as Run, found.now);
      em.assign(row, next);
      await em.flush();
      if (runMachine.isTerminal(next.status) && !runMachine.isTerminal(before)) await endUnits(em, next);
      const { files, userMessage, ...summary } = next;
      return { ...summary, agentName: found.agentName, model: found.model };
    });
  },
});

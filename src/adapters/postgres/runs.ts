import { LockMode, wrap } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { DocumentSummary, Page, Position, RunDetail, RunRepository, RunSummary, Viewer } from '../../application/ports/storage.ts';
import type { Conversation } from '../../domain/conversation.ts';
import { type Run, type RunUnit, runMachine } from '../../domain/run.ts';
import { joinVersion } from './agent-versions.ts';
import { batched } from './batched.ts';
import { columnsOf, fromJson, type Json, jsonOf, millis } from './columns.ts';
import { type Database, prepared, type Statement, sqlIn } from './database.ts';
import { RunTable, RunUnitTable } from './entities.ts';
import { isId } from './ids.ts';
import { runCreation } from './run-creation.ts';
import { endUnfinished } from './run-work.ts';
import { documentStates } from './states.ts';
import { visible } from './visibility.ts';

/** How many runs one statement looks up. */
const MOST_FOUND = 100;
const LANES = 2;

/** A list that skips no more runs than this is a short read: `limit` makes the planner expect few rows. */
const SHALLOW = 1000;

interface Listing {
  readonly byAgent: boolean;
  readonly byStatus: boolean;
  /** `after`: from a position on; `deep`: past many runs, which are counted. */
  readonly from: 'offset' | 'deep' | 'after';
}

const nameOf = ({ byAgent, byStatus, from }: Listing) =>
  `runs_list${byAgent ? '_by_agent' : ''}${byStatus ? '_by_status' : ''}${from === 'offset' ? '' : `_${from}`}`;

/**
 * One statement for each set of filters, so that the planner picks the index for each. The ids of the page come from the index alone;
 * only then the runs are read, and none beyond the total.
 */
const listing = (terms: Listing): Statement => {
  const { byAgent, byStatus, from } = terms;
  const status = (table: string) => (byStatus ? `and ${table}.status = $${byAgent ? 6 : 5}` : '');
  const first = 5 + Number(byAgent) + Number(byStatus);
  const older = from === 'after' ? `and (r.created_at, r.id) < ($${first}::timestamptz, $${first + 1}::uuid)` : '';
  const mine = byAgent
    ? 'r.agent_id = (select id from visible)'
    : `r.workspace_id = $1 and r.agent_id not in (select a.id from agents a where a.workspace_id = $1 and not (${visible('a')}))`;
  return prepared(nameOf(terms))`
with visible as materialized (select a.id, a.name from agents a where ${visible('a')} ${byAgent ? 'and a.id = $5' : ''}),
total as (select coalesce(sum(c.runs), 0)::bigint as total from run_counts c where c.agent_id in (select id from visible) ${status('c')}),
page as (
  select id from (
    select r.id from runs r where ${mine} and r.origin = 'api' ${status('r')} ${older}
    order by r.created_at desc, r.id desc ${from === 'deep' ? '' : `limit ${SHALLOW}`}
  ) matching
  limit (select case when total > $4 then $3::bigint else 0 end from total) offset $4
), listed as (
  select ${columnsOf(RunTable, 'r', ['userMessage', 'files'])}, s.name as "agentName", v.model
  from runs r join visible s on s.id = r.agent_id ${joinVersion('r')} where r.id = any (array(select id from page))
)
select total.total, listed.* from total left join listed on true order by listed."createdAt" desc, listed.id desc`;
};

const either = [false, true];
const ways = ['offset', 'deep', 'after'] as const;
const listings = new Map(
  either
    .flatMap((byAgent) => either.flatMap((byStatus) => ways.map((from) => ({ byAgent, byStatus, from }))))
    .map((terms) => [nameOf(terms), listing(terms)]),
);

/** `asked`: one array for each parameter, so that runs that are asked for at the same time share a statement. */
const findVisible = prepared('runs_find_visible')`
select asked.place, ${columnsOf(RunTable, 'r')}, a.name as "agentName", v.model, (
  select json_agg(json_build_object(
    'unit', ${jsonOf(RunUnitTable, 'u', ['runId', 'documentId'])},
    'conversation', case when c.id is not null then json_build_object('id', c.id, 'status', c.status, 'createdAt', ${millis('c.created_at')}) end,
    'document', case when d.id is not null then json_build_object('id', d.id, 'name', d.name, 'status', d.status, 'error', d.error,
      'conversationId', d.conversation_id, 'createdAt', ${millis('d.created_at')}, 'updatedAt', ${millis('d.updated_at')}) end) order by u.index)
  from run_units u left join conversations c on c.id = u.conversation_id
    left join documents d on d.id = u.document_id and d.status <> ${documentStates.after('trash')}
  where u.run_id = r.id) as parts
from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality as asked (workspace_id, user_id, id, place)
  join runs r on r.id = asked.id and r.workspace_id = asked.workspace_id
  join agents a on a.id = r.agent_id ${joinVersion('r')}
where ${visible('a', 'asked.workspace_id', 'asked.user_id')}`;

/** A unit with its conversation and its document, if it has them. */
interface Part {
  readonly unit: Omit<RunUnit, 'documentId'>;
  readonly conversation: Json<Pick<Conversation, 'id' | 'status' | 'createdAt'>> | null;
  readonly document: Json<DocumentSummary> | null;
}

type Found = Omit<RunDetail, 'units' | 'conversations' | 'documents'> & { readonly place: number; readonly parts: readonly Part[] | null };

const detailOf = ({ place: _, parts, ...run }: Found): RunDetail => ({
  ...run,
  units: (parts ?? []).map(({ unit, document }) => ({ ...unit, documentId: document?.id ?? null })),
  conversations: (parts ?? []).flatMap(({ unit: { fileIndexes }, conversation }) =>
    conversation ? [{ ...fromJson<Pick<Conversation, 'id' | 'status' | 'createdAt'>>(conversation, 'createdAt'), fileIndexes }] : [],
  ),
  documents: (parts ?? []).flatMap(({ document }) => (document ? [fromJson<DocumentSummary>(document, 'createdAt', 'updatedAt')] : [])),
});

const positionOf = (last: Position | undefined): Position | null => (last ? { createdAt: last.createdAt, id: last.id } : null);

type Listed = { readonly total: number } & RunSummary;

/** The time after the row is locked, in milliseconds like the tables. */
const context = `
select a.name as "agentName", v.model, date_trunc('milliseconds', clock_timestamp()) as now
from agents a join agent_versions v on v.agent_id = a.id and v.version = ? where a.id = ?`;
const end = `with ended as (select $1::uuid as id, $2 as status, $3 as reason, $4 as code), ${endUnfinished} select 1`;

const endUnits = async (em: EntityManager, { id, status, error, statusReason }: Run) => {
  const reason = error ?? statusReason?.message ?? `The run was ${status}.`;
  await sqlIn(em, end, [id, status, reason, statusReason?.code ?? status]);
};

const finder = ({ read }: Database) =>
  batched({ most: MOST_FOUND, lanes: LANES, isRead: true }, async (asked: readonly (Viewer & { readonly id: string })[]) => {
    const places: (RunDetail | null)[] = asked.map(() => null);
    const lists = [asked.map(({ workspaceId }) => workspaceId), asked.map(({ userId }) => userId), asked.map(({ id }) => id)];
    for (const found of await read<Found>(findVisible, lists)) places[found.place - 1] = detailOf(found);
    return places;
  });

export const runRepository = (database: Database): RunRepository => {
  const find = finder(database);
  return {
    create: runCreation(database),

    findVisible: async ({ workspaceId, userId }, id) => (isId(id) ? find({ workspaceId, userId, id }) : null),

    async listVisible(
      viewer,
      { agentId, status },
      { limit, offset, after = null },
      signal = new AbortController().signal,
    ): Promise<Page<RunSummary>> {
      if (agentId !== undefined && !isId(agentId)) return { items: [], total: 0, next: null };
      const from = after !== null ? 'after' : offset + limit >= SHALLOW ? 'deep' : 'offset';
      const statement = listings.get(nameOf({ byAgent: agentId !== undefined, byStatus: status !== undefined, from })) as Statement;
      const wanted = [agentId, status, after?.createdAt, after?.id].filter((value) => value !== undefined);
      const values = [viewer.workspaceId, viewer.userId, limit + 1, after === null ? offset : 0, ...wanted];
      // A deep page takes longer: it must not delay the short reads.
      const within = { sharer: viewer, signal };
      const rows = await (from === 'deep' ? database.search<Listed>(statement, values, within) : database.read<Listed>(statement, values));
      const found = rows.filter(({ id }) => id !== null).map(({ total, ...run }) => run);
      const items = found.slice(0, limit);
      return { items, total: rows[0]?.total ?? 0, next: found.length > limit ? positionOf(items.at(-1)) : null };
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
  };
};

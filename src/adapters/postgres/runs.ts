import { LockMode, wrap } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { DocumentSummary, RunDetail, RunRepository, Viewer } from '../../application/ports/storage.ts';
import type { Conversation } from '../../domain/conversation.ts';
import type { Run, RunUnit } from '../../domain/run.ts';
import { joinVersion } from './agent-versions.ts';
import { batched } from './batched.ts';
import { columnsOf, fromJson, type Json, jsonOf, millis } from './columns.ts';
import { type Database, prepared, sqlIn } from './database.ts';
import { RunTable, RunUnitTable } from './entities.ts';
import { runData } from './event-data.ts';
import { isId } from './ids.ts';
import { runCreation } from './run-creation.ts';
import { runList } from './run-list.ts';
import { endUnfinished } from './run-work.ts';
import { documentStates } from './states.ts';
import { visible } from './visibility.ts';

/** How many runs one statement looks up. */
const MOST_FOUND = 100;
const LANES = 2;

/**
 * `asked`: one array for each parameter, so that runs that are asked for at the same time share a statement. The planner does not see how
 * long they are, because they are subqueries: else a few runs would look cheaper than the plan for any number, and each execution would be
 * planned anew, which takes longer than it runs.
 */
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
from unnest((select $1::uuid[]), (select $2::uuid[]), (select $3::uuid[])) with ordinality as asked (workspace_id, user_id, id, place)
  join runs r on r.id = asked.id and r.workspace_id = asked.workspace_id
  join agents a on a.id = r.agent_id ${joinVersion('r')}
where ${visible('a', 'asked.workspace_id', 'asked.user_id')}`;

/** A unit with its conversation and its document, if it has them. */
interface Part {
  readonly unit: Omit<RunUnit, 'documentId'>;
  readonly conversation: Json<Pick<Conversation, 'id' | 'status' | 'createdAt'>> | null;
  readonly document: Json<DocumentSummary> | null;
}

type Found = Omit<RunDetail, 'units' | 'conversations' | 'documents'> & {
  readonly place: number;
  readonly parts: readonly Part[] | null;
};

const detailOf = ({ place: _, parts, ...run }: Found): RunDetail => ({
  ...run,
  units: (parts ?? []).map(({ unit, document }) => ({ ...unit, documentId: document?.id ?? null })),
  conversations: (parts ?? []).flatMap(({ unit: { fileIndexes }, conversation }) =>
    conversation
      ? [{ ...fromJson<Pick<Conversation, 'id' | 'status' | 'createdAt'>>(conversation, 'createdAt'), fileIndexes }]
      : [],
  ),
  documents: (parts ?? []).flatMap(({ document }) =>
    document ? [fromJson<DocumentSummary>(document, 'createdAt', 'updatedAt')] : [],
  ),
});

/** The time after the row is locked, in milliseconds like the tables. */
const context = `
select a.name as "agentName", v.model, date_trunc('milliseconds', clock_timestamp()) as now
from agents a join agent_versions v on v.agent_id = a.id and v.version = ? where a.id = ?`;
const end = `
with ended as (
  select r.id, r.workspace_id, r.agent_id, r.status, $2::text as reason, $3::text as code, ${runData('r')} as data from runs r where r.id = $1
), ${endUnfinished}
select 1`;

const endWith = async (em: EntityManager, { id, status, error, statusReason }: Run) => {
  const reason = error ?? statusReason?.message ?? `The run was ${status}.`;
  await sqlIn(em, end, [id, reason, statusReason?.code ?? status]);
};

const finder = ({ read }: Database) =>
  batched(
    { most: MOST_FOUND, lanes: LANES, isRead: true },
    async (asked: readonly (Viewer & { readonly id: string })[]) => {
      const places: (RunDetail | null)[] = asked.map(() => null);
      const lists = [
        asked.map(({ workspaceId }) => workspaceId),
        asked.map(({ userId }) => userId),
        asked.map(({ id }) => id),
      ];
      for (const found of await read<Found>(findVisible, lists)) places[found.place - 1] = detailOf(found);
      return places;
    },
  );

export const runRepository = (database: Database): RunRepository => {
  const find = finder(database);
  return {
    create: runCreation(database),

    findVisible: async ({ workspaceId, userId }, id) => (isId(id) ? find({ workspaceId, userId, id }) : null),

    listVisible: runList(database),

    async update(id, change) {
      if (!isId(id)) return null;
      return database.transaction(async (em) => {
        const row = await em.findOne(RunTable, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
        if (!row) return null;
        const [found] = await em.execute<{ agentName: string; model: string; now: Date }[]>(context, [
          row.agentVersion,
          row.agentId,
        ]);
        if (!found) throw new Error(`The agent of run ${id} is not there.`);
        const before = row.status;
        const next = change(wrap(row).toPOJO() as Run, found.now);
        em.assign(row, next);
        await em.flush();
        if (next.status !== before) await endWith(em, next);
        const { files, userMessage, ...summary } = next;
        return { ...summary, agentName: found.agentName, model: found.model };
      });
    },
  };
};

import { LockMode, wrap } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { DocumentSummary, RunDetail, RunRepository, Viewer } from '../../../application/ports/storage.ts';
import type { Conversation } from '../../../domain/conversation.ts';
import type { Run, RunUnit } from '../../../domain/run.ts';
import { batched } from '../connection/batched.ts';
import { type Database, sqlIn } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import * as sql from '../statements/run-statements.ts';
import { fromJson, type Json } from '../tables/columns.ts';
import { RunTable } from '../tables/entities.ts';
import { runCreation } from './run-creation.ts';
import { runList } from './run-list.ts';

/** How many runs one statement looks up. */
const MOST_FOUND = 100;
const LANES = 2;

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

const endWith = async (em: EntityManager, { id, status, error, statusReason }: Run) => {
  const reason = error ?? statusReason?.message ?? `The run was ${status}.`;
  await sqlIn(em, sql.end, [id, reason, statusReason?.code ?? status]);
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
      for (const found of await read<Found>(sql.findVisible, lists)) places[found.place - 1] = detailOf(found);
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
        const [found] = await em.execute<{ agentName: string; model: string; now: Date }[]>(sql.context, [
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

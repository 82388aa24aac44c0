import { LockMode, wrap } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { DocumentSource } from '../../../application/ports/run-parts.ts';
import type {
  DocumentSummary,
  Position,
  RunDetail,
  RunRepository,
  RunSummary,
  Viewer,
} from '../../../application/ports/storage.ts';
import type { Conversation } from '../../../domain/conversation.ts';
import type { Run, RunUnit } from '../../../domain/run.ts';
import { batched } from '../connection/batched.ts';
import { type Database, type Statement, sqlIn } from '../connection/database.ts';
import { isId } from '../connection/ids.ts';
import type { Reads } from '../connection/replica.ts';
import { findSource } from '../statements/routing-statements.ts';
import * as sql from '../statements/run-statements.ts';
import { fromJson, type Json } from '../tables/columns.ts';
import { RunTable } from '../tables/entities.ts';
import { runCreation } from './run-creation.ts';
import { runParts } from './run-parts.ts';

/** How many runs one statement looks up. */
const MOST_FOUND = 100;
/** Statements under way at a time. With fewer, ten clients wait for each other; with more, most statements look up a single run. */
const LANES = 5;

/** A unit with its conversation and its document, if it has them and the viewer sees them. */
interface Part {
  readonly unit: Omit<RunUnit, 'conversationId' | 'documentId'>;
  readonly conversation: Json<Pick<Conversation, 'id' | 'status' | 'createdAt'>> | null;
  readonly document: Json<DocumentSummary> | null;
}

type Found = Omit<RunDetail, 'units' | 'conversations' | 'documents' | 'sheets' | 'parts'> & {
  readonly place: number;
  readonly units: readonly Part[] | null;
  readonly sheets: RunDetail['sheets'] | null;
  readonly storedParts: RunDetail['parts'] | null;
};

/** Units that read parts again are of another run: together they are counted from 0. */
const detailOf = ({ place: _, units: parts, sheets, storedParts, ...run }: Found): RunDetail => ({
  ...run,
  sheets: sheets ?? [],
  parts: storedParts ?? [],
  units: (parts ?? []).map(({ unit, conversation, document }, index) => ({
    ...unit,
    index,
    conversationId: conversation?.id ?? null,
    documentId: document?.id ?? null,
  })),
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
    async (lookups: readonly (Viewer & { readonly id: string })[]) => {
      const places: (RunDetail | null)[] = lookups.map(() => null);
      const lists = [
        lookups.map(({ workspaceId }) => workspaceId),
        lookups.map(({ userId }) => userId),
        lookups.map(({ id }) => id),
      ];
      for (const row of await read<Found>(sql.findVisible, lists)) places[row.place - 1] = detailOf(row);
      return places;
    },
  );

const positionOf = (last: Position | undefined): Position | null =>
  last ? { createdAt: last.createdAt, id: last.id } : null;

type Listed = { readonly total: number } & RunSummary;

const runList =
  (lists: Pick<Reads, 'read' | 'search'>): RunRepository['listVisible'] =>
  async (viewer, { agentId, status }, { limit, offset, after = null }, signal = new AbortController().signal) => {
    if (agentId !== undefined && !isId(agentId)) return { items: [], total: 0, next: null };
    const fromOffset = offset + limit >= sql.SHALLOW ? 'deep' : 'offset';
    const from = after === null ? fromOffset : 'after';
    const statement = sql.listings.get(
      sql.nameOf({ byAgent: agentId !== undefined, byStatus: status !== undefined, from }),
    ) as Statement;
    const conditions = [agentId, status, after?.createdAt, after?.id].filter((value) => value !== undefined);
    const values = [viewer.workspaceId, viewer.userId, limit + 1, after === null ? offset : 0, ...conditions];
    // A deep page takes longer: it must not delay the short reads.
    const within = { sharer: viewer, signal };
    const rows = await (from === 'deep'
      ? lists.search<Listed>(statement, values, within)
      : lists.read<Listed>(statement, values));
    const visible = rows.filter(({ id }) => id !== null).map(({ total, ...run }) => run);
    const items = visible.slice(0, limit);
    return { items, total: rows[0]?.total ?? 0, next: visible.length > limit ? positionOf(items.at(-1)) : null };
  };

/** `lists`: where lists are read, if not in the database itself. */
export const runRepository = (database: Database, lists: Pick<Reads, 'read' | 'search'> = database): RunRepository => {
  const find = finder(database);
  return {
    create: runCreation(database),

    findVisible: async ({ workspaceId, userId }, id) => (isId(id) ? find({ workspaceId, userId, id }) : null),

    async findSource(documentId) {
      const [source = null] = await database.read<DocumentSource>(findSource, [documentId]);
      return source;
    },

    listVisible: runList(lists),

    repart: runParts(database),

    async update(id, change) {
      if (!isId(id)) return null;
      return database.transaction(async (em) => {
        const row = await em.findOne(RunTable, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
        if (!row) return null;
        const [context] = await em.execute<{ agentName: string; model: string; now: Date }[]>(sql.context, [
          row.agentVersion,
          row.agentId,
        ]);
        if (!context) throw new Error(`The agent of run ${id} is not there.`);
        const before = row.status;
        const next = change(wrap(row).toPOJO() as Run, context.now);
        em.assign(row, next);
        await em.flush();
        if (next.status !== before) await endWith(em, next);
        const { files, userMessage, ...summary } = next;
        return { ...summary, agentName: context.agentName, model: context.model };
      });
    },
  };
};

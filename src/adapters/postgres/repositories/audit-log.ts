import { hash as digest } from 'node:crypto';
import type { AuditFilter, AuditLog, AuditWindow, ChainState, HeldAct } from '../../../application/ports/audit.ts';
import {
  type AuditEntry,
  CHECKPOINT_ENTRIES,
  type ChainPoint,
  chained,
  type RecordedAct,
  shownEntry,
} from '../../../domain/audit-chain.ts';
import type { Database } from '../connection/database.ts';
import type { Reads } from '../connection/replica.ts';
import * as sql from '../statements/audit-statements.ts';

interface Waiting extends RecordedAct {
  readonly number: number;
}

interface Head extends ChainPoint {
  readonly isDue: boolean;
}

/** Longer than any write outside of the database takes. */
const HELD_SECONDS = 600;

type StateRow = ChainPoint & Omit<ChainState, 'head'>;

const sha256 = (text: string) => digest('sha256', text);

/** The entry whose sequence is a round one, else the last one if the log of events was not told of the end for a day. */
const checkpointOf = (entries: readonly AuditEntry[], { sequence, hash, isDue }: Head): ChainPoint | null => {
  const round = entries.find((entry) => entry.sequence % CHECKPOINT_ENTRIES === 0);
  return round ?? (isDue ? (entries.at(-1) ?? { sequence, hash }) : null);
};

const pageBy = ({ actions, subjectId }: AuditFilter, actorId: string | null, order: AuditWindow['order']) => {
  const pages = sql.pages[order];
  if (subjectId !== null) return pages.subject;
  if (actorId !== null) return pages.actor;
  return actions === null ? pages.sequence : pages.action;
};

interface Span {
  readonly after: number | null;
  readonly before: number | null;
}

/** Exclusive; the cursor is the lower end of what follows where the order is ascending, and the upper end where it is not. */
const boundsOf = ({ after: cursor, order }: AuditWindow, span: Span | undefined) => {
  const [after, before] = order === 'oldest' ? [cursor, null] : [null, cursor];
  return [
    Math.max(after ?? 0, span?.after ?? 0),
    Math.min(before ?? Number.MAX_SAFE_INTEGER, span?.before ?? Number.MAX_SAFE_INTEGER),
  ];
};

/** `lists`: where entries are read, if not in the database itself. */
export const auditLog = (
  database: Pick<Database, 'query' | 'read' | 'atomically'>,
  lists: Pick<Reads, 'query' | 'read'> = database,
): AuditLog => {
  const { query, atomically } = database;
  /** How many acts it has chained: the next ones are those of another transaction. */
  const chainSome = (workspaceId: string): Promise<number> =>
    atomically(async (run) => {
      await run(sql.beginChain, [workspaceId]);
      const [head] = (await run<Head>(sql.lockHead, [workspaceId])) as readonly [Head];
      const acts = await run<Waiting>(sql.acts, [workspaceId]);
      const entries = chained(
        acts.map(({ number: _, ...act }) => act),
        head,
        sha256,
      );
      const checkpoint = checkpointOf(entries, head);
      if (entries.length === 0 && checkpoint === null) return 0;
      const { sequence, hash } = entries.at(-1) ?? head;
      const rows = JSON.stringify(entries.map(shownEntry));
      await run(sql.chain, [workspaceId, rows]);
      await run(sql.leave, [acts.map(({ number }) => number)]);
      await run(sql.moveHead, [workspaceId, sequence, hash, checkpoint !== null]);
      if (checkpoint !== null) {
        const data = JSON.stringify({ sequence: checkpoint.sequence, hash: checkpoint.hash });
        await run(sql.logCheckpoint, [workspaceId, data]);
      }
      return acts.length;
    });

  const chain = async (workspaceId: string): Promise<number> => {
    let total = 0;
    for (let some = sql.BATCH; some === sql.BATCH; total += some) some = await chainSome(workspaceId);
    return total;
  };

  return {
    async record(act) {
      await query(sql.recordAct, sql.actValues(act));
    },

    async hold(act) {
      const [held] = await query<HeldAct>(sql.recordAct, sql.actValues(act, HELD_SECONDS));
      return held as HeldAct;
    },

    async settle({ number }, details) {
      await query(sql.settle, [number, JSON.stringify(details)]);
    },

    async drop({ number }) {
      await query(sql.drop, [number]);
    },

    async chain(workspaceId) {
      await chain(workspaceId);
    },

    async chainAll() {
      let total = 0;
      for (const { workspaceId } of await query<{ workspaceId: string }>(sql.waiting, []))
        total += await chain(workspaceId);
      return total;
    },

    async list(workspaceId, filter, window) {
      const { actor, actions, subjectId, from, to } = filter;
      const [user] = actor === null ? [] : await lists.read<{ id: string }>(sql.actorOf, [workspaceId, actor]);
      if (actor !== null && user === undefined) return [];
      const actorId = user?.id ?? null;
      const [span] = from === null && to === null ? [] : await lists.read<Span>(sql.span, [workspaceId, from, to]);
      const times = [from ?? '-infinity', to ?? 'infinity'];
      const values = [workspaceId, ...boundsOf(window, span), ...times, actions, subjectId, actorId, window.limit];
      return lists.query<AuditEntry>(pageBy(filter, actorId, window.order), values);
    },

    async *readAll(workspaceId) {
      let after = Number.MIN_SAFE_INTEGER;
      for (;;) {
        const page = await lists.query<AuditEntry>(sql.stored, [workspaceId, after]);
        if (page.length > 0) yield page;
        if (page.length < sql.BATCH) return;
        after = page.at(-1)?.sequence ?? after;
      }
    },

    workspaces: () => query<{ id: string; name: string }>(sql.workspaces, []),

    async state(workspaceId) {
      const [row] = await query<StateRow>(sql.state, [workspaceId]);
      const { sequence, hash, ...rest } = row as StateRow;
      return { head: { sequence, hash }, ...rest };
    },
  };
};

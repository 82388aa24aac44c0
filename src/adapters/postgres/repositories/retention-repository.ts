import type { RetentionRule, RetentionStore, WalkedKind } from '../../../application/ports/retention.ts';
import { intervalOf, type RemovedCounts } from '../../../domain/retention.ts';
import type { Database, RunSql } from '../connection/database.ts';
import * as sql from '../statements/retention-statements.ts';
import { removeConversations, removeFiles, removeRuns } from './removal.ts';

type Remove = (run: RunSql, ids: readonly string[]) => Promise<readonly string[]>;

const removeDocuments: Remove = async (run, ids) => {
  await run(sql.removeDocuments, [ids]);
  return [];
};

const removals: Readonly<Record<WalkedKind, Remove>> = {
  files: removeFiles,
  conversations: removeConversations,
  trash: removeDocuments,
  documents: removeDocuments,
  runs: removeRuns,
};

const durationOf = (kind: WalkedKind, { retention }: RetentionRule) => retention[kind === 'trash' ? 'documents' : kind];

export const retentionStore = ({ query, atomically }: Pick<Database, 'query' | 'atomically'>): RetentionStore => ({
  rules: () => query<RetentionRule>(sql.rules, []),
  takeTurn: async () => (await query(sql.takeTurn, [])).length > 0,
  async endTurn() {
    await query(sql.endTurn, []);
  },

  async remove(kind, rule, after) {
    const duration = durationOf(kind, rule);
    if (duration === null) return { removed: 0, objects: [], next: null };
    const keep = intervalOf(duration);
    return atomically(async (run) => {
      await run(sql.lock);
      const { at, id } = after ?? sql.BEGINNING;
      const looked = await run<{ id: string; at: Date }>(sql.walk[kind], [rule.workspaceId, keep, at, id]);
      const next = looked.length < sql.WALKED_AT_ONCE ? null : (looked.at(-1) ?? null);
      const ids = looked.map(({ id }) => id);
      const locking = sql.lockDocuments[kind];
      if (locking) await run(locking, [ids]);
      const removed = (await run<{ id: string }>(sql.over[kind], [ids, keep])).map((each) => each.id);
      return { removed: removed.length, objects: await removals[kind](run, removed), next };
    });
  },

  async count({ workspaceId, retention }) {
    const { files, conversations, documents, runs } = retention;
    const keep = [files, conversations, documents, runs].map((each) => each && intervalOf(each));
    const [counted] = await query<RemovedCounts>(sql.count, [workspaceId, ...keep]);
    if (!counted) throw new Error('The database did not count.');
    return counted;
  },
});

/** Seconds since a pass last came to its end; null where no workspace removes anything by age. */
export const retentionBehind =
  ({ query }: Pick<Database, 'query'>) =>
  async (): Promise<number | null> =>
    (await query<{ seconds: number }>(sql.behind, []))[0]?.seconds ?? null;

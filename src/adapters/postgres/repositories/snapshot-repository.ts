import type { Snapshot, SnapshotRepository } from '../../../application/ports/snapshots.ts';
import type { Database } from '../connection/database.ts';
import * as sql from '../statements/snapshot-statements.ts';

type Row = Snapshot & { readonly uploaded: boolean };

const snapshotOf = ({ uploaded: _, ...snapshot }: Row): Snapshot => snapshot;

export const snapshotRepository = ({ query }: Pick<Database, 'query'>): SnapshotRepository => ({
  async insert({ id, workspaceId, conversationId, userId, sizeBytes }) {
    const [stored] = await query<Snapshot>(sql.insert, [id, workspaceId, conversationId, userId, sizeBytes]);
    if (!stored) throw new Error(`The snapshot ${id} was not stored.`);
    return stored;
  },

  async *candidates(conversationId) {
    let last: Row | undefined;
    for (;;) {
      const page = await query<Row>(sql.candidates, [conversationId, last?.createdAt ?? null, last?.id ?? null]);
      const known = page.findIndex(({ uploaded }) => uploaded);
      yield (known === -1 ? page : page.slice(0, known + 1)).map(snapshotOf);
      last = page.at(-1);
      if (known !== -1 || page.length < sql.PAGE || !last) return;
    }
  },

  async markUploaded(id) {
    await query(sql.markUploaded, [id]);
  },

  awaited: (seconds, most) => query<Snapshot>(sql.awaited, [seconds, most]),
  superseded: (seconds, most) => query<Snapshot>(sql.superseded, [seconds, most]),

  async remove(id) {
    await query(sql.remove, [id]);
  },
});

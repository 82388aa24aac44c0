import type { Snapshot, SnapshotRepository } from '../../application/ports/snapshots.ts';
import type { Database } from './database.ts';

const columns = `id, workspace_id as "workspaceId", conversation_id as "conversationId", user_id as "userId", size_bytes as "sizeBytes",
  created_at as "createdAt"`;

const insert = {
  name: 'snapshots_insert',
  text: `insert into sandbox_snapshots (id, workspace_id, conversation_id, user_id, size_bytes) values ($1, $2, $3, $4, $5) returning ${columns}`,
};

const PAGE = 32;

const candidates = {
  name: 'snapshots_candidates',
  text: `
select ${columns}, uploaded from sandbox_snapshots
where conversation_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2::timestamptz, $3::uuid))
order by created_at desc, id desc limit ${PAGE}`,
};

const markUploaded = {
  name: 'snapshots_mark_uploaded',
  text: 'update sandbox_snapshots set uploaded = true where id = $1 and not uploaded',
};

type Row = Snapshot & { readonly uploaded: boolean };

const snapshotOf = ({ uploaded: _, ...snapshot }: Row): Snapshot => snapshot;

export const snapshotRepository = ({ query }: Pick<Database, 'query'>): SnapshotRepository => ({
  async insert({ id, workspaceId, conversationId, userId, sizeBytes }) {
    const [stored] = await query<Snapshot>(insert, [id, workspaceId, conversationId, userId, sizeBytes]);
    if (!stored) throw new Error(`The snapshot ${id} was not stored.`);
    return stored;
  },

  async *candidates(conversationId) {
    let last: Row | undefined;
    for (;;) {
      const page = await query<Row>(candidates, [conversationId, last?.createdAt ?? null, last?.id ?? null]);
      const known = page.findIndex(({ uploaded }) => uploaded);
      yield (known === -1 ? page : page.slice(0, known + 1)).map(snapshotOf);
      last = page.at(-1);
      if (known !== -1 || page.length < PAGE || !last) return;
    }
  },

  async markUploaded(id) {
    await query(markUploaded, [id]);
  },
});

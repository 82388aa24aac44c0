import type { KeyBackfills, KeyBackfillWakeups, KeyBatch } from '../../../application/ports/key-backfills.ts';
import type { Database } from '../connection/database.ts';
import type { Listener } from '../connection/listener.ts';
import { CHANNEL as AGENTS } from '../statements/agent-statements.ts';
import * as sql from '../statements/key-backfill-statements.ts';
import { type Fitting, pageOf } from '../statements/page-bytes.ts';

export const keyBackfillWakeups = (listener: Listener): KeyBackfillWakeups => ({
  subscribe: (wake) => listener.listen(AGENTS, { message: wake, gap: wake }),
});

export const keyBackfills = ({ query }: Pick<Database, 'query'>): KeyBackfills => ({
  isUnderWay: async (agentId) => (await query(sql.isUnderWay, [agentId])).length > 0,
  async next() {
    const [backfill] = await query<Pick<KeyBatch, 'agentId' | 'pointers' | 'before'>>(sql.next, []);
    if (!backfill) return null;
    const rows = await query<Fitting<KeyBatch['documents'][number]>>(sql.documents, [backfill.agentId]);
    const { rows: documents, hasMore } = pageOf<KeyBatch['documents'][number]>(rows);
    return { ...backfill, documents, isLast: !hasMore && documents.length < sql.MOST_DOCUMENTS };
  },
  async store({ agentId, pointers, before, documents, isLast }, keys) {
    const last = isLast ? null : documents.at(-1);
    const ids = documents.map(({ id }) => id);
    await query(sql.store, [agentId, pointers, before, last?.createdAt ?? null, last?.id ?? null, ids, keys]);
  },
});

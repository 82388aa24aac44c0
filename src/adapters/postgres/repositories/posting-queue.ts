import type { PostingQueue, PostingWork } from '../../../application/ports/posting.ts';
import type { Database } from '../connection/database.ts';
import * as sql from '../statements/posting-statements.ts';

interface PostingDepth {
  readonly waiting: number;
  readonly oldestSeconds: number;
}

/** The documents table is the queue: what may be posted is in it by its state alone. */
export const postingQueue = ({ query, apart }: Pick<Database, 'query' | 'apart'>): PostingQueue => ({
  lease: (most, seconds, { workspaceIds, agentIds }) =>
    query<PostingWork>(sql.lease, [most, seconds, workspaceIds, agentIds]),
  async release({ documentId, until }) {
    await query(sql.release, [documentId, until]);
  },
  async renewDeliveries(held, seconds) {
    const lists = [held.map(({ id }) => id), held.map(({ fence }) => fence)];
    return new Set((await apart<{ id: string }>(sql.renewDeliveries, [...lists, seconds])).map(({ id }) => id));
  },
});

/** How much there is to post, for all workers together. */
export const postingDepth =
  ({ query }: Pick<Database, 'query'>) =>
  async (): Promise<PostingDepth> => {
    const [depth] = await query<PostingDepth>(sql.depth, []);
    return depth ?? { waiting: 0, oldestSeconds: 0 };
  };

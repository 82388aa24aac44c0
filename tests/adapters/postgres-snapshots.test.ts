import { snapshotRepository } from '../../src/adapters/postgres/repositories/snapshot-repository.ts';
import { snapshotRepositoryContract } from '../contracts/snapshot-repository.ts';
import { aConversation } from '../support/builders.ts';
import { onEveryPostgres } from '../support/postgres.ts';

describe('snapshots in PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    snapshotRepositoryContract(() => ({
      snapshots: snapshotRepository(postgres.database),
      async arrange() {
        const { id: conversationId, user, agent } = await aConversation(postgres.database);
        return { conversationId, workspaceId: agent.workspaceId, userId: user.id };
      },
      pass: async (seconds) =>
        void (await postgres.database.pool.query(
          `update sandbox_snapshots set created_at = created_at - $1 * interval '1 second', superseded_at = superseded_at - $1 * interval '1 second'`,
          [seconds],
        )),
      clear: async () => void (await postgres.database.pool.query('delete from sandbox_snapshots')),
    }));
  });
});

import { workspaceRepository } from '../../src/adapters/postgres/repositories/workspace-repository.ts';
import { workspaceRepositoryContract } from '../contracts/workspace-repository.ts';
import { anId } from '../support/builders.ts';
import { onEveryPostgres } from '../support/postgres.ts';

describe('workspaces in PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    beforeEach(() => postgres.database.pool.query('truncate workspaces cascade'));
    workspaceRepositoryContract(() => ({
      workspaces: workspaceRepository(postgres.database),
      issueKey: async (userId) =>
        void (await postgres.database.pool.query(
          `insert into api_keys (id, user_id, name, prefix, hash) values ($1::uuid, $2, 'n', 'svc-abcd', $1::uuid::text)`,
          [anId(), userId],
        )),
      validKeys: async (userId) => {
        const { rows } = await postgres.database.pool.query<{ n: number }>(
          'select count(*)::int as n from api_keys where user_id = $1 and revoked_at is null',
          [userId],
        );
        return rows[0]?.n ?? 0;
      },
    }));
  });
});

import { userRepository } from '../../src/adapters/postgres/repositories/user-repository.ts';
import { userRepositoryContract } from '../contracts/user-repository.ts';
import { anId, storeUser } from '../support/builders.ts';
import { onEveryPostgres } from '../support/postgres.ts';

describe('users in PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    beforeEach(() => postgres.database.pool.query('truncate workspaces cascade'));
    userRepositoryContract(() => ({
      users: userRepository(postgres.database),
      async arrange(name) {
        const id = anId();
        await postgres.database.pool.query('insert into workspaces (id, name) values ($1, $2)', [id, name]);
        return id;
      },
      store: (user) => storeUser(postgres.database, user),
      disable: async (id) =>
        void (await postgres.database.pool.query('update users set disabled_at = now() where id = $1', [id])),
      remove: async (id) =>
        void (await postgres.database.pool.query('update users set removed_at = now() where id = $1', [id])),
    }));
  });
});

import { peopleRepository } from '../../src/adapters/postgres/repositories/people-repository.ts';
import { peopleRepositoryContract } from '../contracts/people-repository.ts';
import { anId, storeUser } from '../support/builders.ts';
import { onEveryPostgres } from '../support/postgres.ts';

describe('people in PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    peopleRepositoryContract(() => ({
      people: peopleRepository({ database: postgres.database, onRevoked: () => {} }),
      async arrange(name) {
        const id = anId();
        await postgres.database.pool.query('insert into workspaces (id, name) values ($1, $2)', [id, name]);
        return id;
      },
      store: (user) => storeUser(postgres.database, user),
    }));
  });
});

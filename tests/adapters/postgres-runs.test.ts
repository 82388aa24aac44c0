import { runRepositoryContract } from '../contracts/run-repository.ts';
import { onEveryPostgres } from '../support/postgres.ts';
import { postgresStage } from '../support/runs.ts';

describe('RunRepository', () => {
  onEveryPostgres((postgres) => runRepositoryContract(() => postgresStage(postgres)));
});

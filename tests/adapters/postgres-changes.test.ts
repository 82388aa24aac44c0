import { runChangesContract } from '../contracts/run-changes.ts';
import { onEveryPostgres } from '../support/postgres.ts';
import { postgresStage } from '../support/runs.ts';

describe('RunChanges', () => {
  onEveryPostgres((postgres) => runChangesContract(() => postgresStage(postgres)));
});

import { runQueueContract } from '../contracts/run-queue.ts';
import { queueTurnsContract } from '../contracts/run-queue-turns.ts';
import { onEveryPostgres } from '../support/postgres.ts';
import { postgresStage } from '../support/runs.ts';

describe('RunQueue', () => {
  onEveryPostgres((postgres) => {
    runQueueContract(() => postgresStage(postgres));
    describe('of several workspaces', () => queueTurnsContract(() => postgresStage(postgres)));
  });
});

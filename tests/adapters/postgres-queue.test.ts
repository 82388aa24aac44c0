import { runQueueContract } from '../contracts/run-queue.ts';
import { queueRotationContract } from '../contracts/run-queue-rotation.ts';
import { onEveryPostgres } from '../support/postgres.ts';
import { postgresStage } from '../support/runs.ts';

describe('RunQueue', () => {
  onEveryPostgres((postgres) => {
    runQueueContract(() => postgresStage(postgres));
    describe('of several workspaces', () => queueRotationContract(() => postgresStage(postgres)));
  });
});

import { eventLogContract } from '../contracts/event-log.ts';
import { eventStage } from '../support/events.ts';
import { onEveryPostgres } from '../support/postgres.ts';

describe('the log of events in PostgreSQL', () => {
  onEveryPostgres((postgres) => eventLogContract(() => eventStage(postgres)));
});

import { webhookStoreContract } from '../contracts/webhook-store.ts';
import { onEveryPostgres } from '../support/postgres.ts';
import { webhookStage } from '../support/webhooks.ts';

describe('webhooks in PostgreSQL', () => {
  onEveryPostgres((postgres) => webhookStoreContract(() => webhookStage(postgres)));
});

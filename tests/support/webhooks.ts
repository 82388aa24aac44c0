import { openListener } from '../../src/adapters/postgres/connection/listener.ts';
import { documentRepository } from '../../src/adapters/postgres/repositories/document-repository.ts';
import { runRepository } from '../../src/adapters/postgres/repositories/run-repository.ts';
import { webhookQueue } from '../../src/adapters/postgres/repositories/webhook-queue.ts';
import { webhookRepository, webhookWakeups } from '../../src/adapters/postgres/repositories/webhook-repository.ts';
import type { DocumentRepository } from '../../src/application/ports/storage.ts';
import type { WebhookQueue, WebhookRepository, WebhookWakeups } from '../../src/application/ports/webhooks.ts';
import type { Webhook } from '../../src/domain/webhook.ts';
import { anId } from './builders.ts';
import { quiet } from './log.ts';
import type { TestPostgres } from './postgres.ts';
import { postgresStage, type RunStage } from './runs.ts';

/** What the tests of webhooks need of a backend. */
export interface WebhookStage extends RunStage {
  readonly documents: DocumentRepository;
  readonly webhooks: WebhookQueue;
  readonly repository: WebhookRepository;
  readonly wakeups: WebhookWakeups;
  addWebhook(over: Partial<Webhook> & Pick<Webhook, 'workspaceId'>): Promise<Webhook>;
  removeWebhook(id: string): Promise<void>;
  /** As a worker leaves it that is killed before it has ended what waits. */
  disableWebhook(id: string): Promise<void>;
  /** As if all that was recorded had happened so much earlier, with all that was to happen then. */
  age(seconds: number): Promise<void>;
  /** Cancels a run, and takes that back before it is committed. */
  cancelAndRollBack(runId: string): Promise<void>;
}

const aWebhook = (over: Partial<Webhook> & Pick<Webhook, 'workspaceId'>): Webhook => ({
  id: anId(),
  address: 'https://example.com/hook',
  sealedUrl: 'sealed address',
  sealedSecret: 'sealed secret',
  events: ['*'],
  createdAt: new Date('2026-01-01T00:00:00.000Z'),
  updatedAt: new Date('2026-01-01T00:00:00.000Z'),
  disabledAt: null,
  disabledReason: null,
  ...over,
});

export const webhookStage = (postgres: TestPostgres): WebhookStage => {
  const { database } = postgres;
  const runs = postgresStage(postgres);
  const listener = openListener(database, quiet);
  const sql = (text: string, values: unknown[] = []) => database.pool.query(text, values);
  return {
    ...runs,
    documents: documentRepository(database),
    webhooks: webhookQueue(database),
    repository: webhookRepository(database),
    wakeups: webhookWakeups(listener),
    async clear() {
      await sql(
        'truncate runs, run_units, conversations, messages, documents, idempotency_keys, run_counts, run_totals, webhooks cascade',
      );
    },
    async addWebhook(over) {
      const webhook = aWebhook(over);
      const { id, workspaceId, address, sealedUrl, sealedSecret, events, createdAt, updatedAt } = webhook;
      await sql(
        `insert into webhooks (id, workspace_id, address, sealed_url, sealed_secret, events, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [id, workspaceId, address, sealedUrl, sealedSecret, events, createdAt, updatedAt],
      );
      return webhook;
    },
    async removeWebhook(id) {
      await sql('update webhooks set removed_at = now() where id = $1', [id]);
    },
    async disableWebhook(id) {
      await sql(`update webhooks set disabled_at = now(), disabled_reason = 'It is gone.' where id = $1`, [id]);
    },
    async age(seconds) {
      await sql(
        `update webhook_deliveries set occurred_at = occurred_at - s, due_at = due_at - s, expires_at = expires_at - s, ended_at = ended_at - s
         from make_interval(secs => $1) s`,
        [seconds],
      );
    },
    async cancelAndRollBack(runId) {
      const takenBack = new Error('It is taken back.');
      const { update } = runRepository({
        ...database,
        transaction: (work) =>
          database.transaction(async (em) => {
            await work(em);
            throw takenBack;
          }),
      });
      await update(runId, (run, now) => ({ ...run, status: 'cancelled', completedAt: now })).catch((error: unknown) => {
        if (error !== takenBack) throw error;
      });
    },
    async close() {
      await Promise.all([runs.close(), listener.close()]);
    },
  };
};

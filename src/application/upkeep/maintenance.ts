import type { ApprovalRepository } from '../ports/approvals.ts';
import type { EventLog } from '../ports/events.ts';
import type { KeyedRequests } from '../ports/idempotency.ts';
import type { OAuthStore } from '../ports/oauth.ts';
import type { RunQueue } from '../ports/queue.ts';
import type { Log } from '../ports/runtime.ts';
import type { DocumentRepository } from '../ports/storage.ts';
import type { WebhookQueue } from '../ports/webhooks.ts';
import type { UploadService } from '../runs/uploads.ts';
import { poller } from '../shared/poller.ts';
import type { SnapshotService } from '../snapshots/snapshots.ts';
import type { StorageService } from '../storage/storage.ts';
import type { ErasureService } from './erasures.ts';

const EVERY_MS = 5000;

interface Dependencies {
  readonly queue: RunQueue;
  readonly approvals: Pick<ApprovalRepository, 'expire'>;
  readonly documents: DocumentRepository;
  readonly webhooks: WebhookQueue;
  readonly events: EventLog;
  readonly oauth: OAuthStore;
  readonly snapshots: Pick<SnapshotService, 'removeUnused'>;
  readonly uploads: Pick<UploadService, 'removeUnused'>;
  readonly storage: Pick<StorageService, 'measure'>;
  readonly requests: Pick<KeyedRequests, 'removeOld'>;
  readonly erasures: Pick<ErasureService, 'resume'>;
  readonly log: Log;
  readonly settings: { readonly eventsDays: number };
}

/** Ends what no worker will end: runs past their deadline or out of attempts, lost deliveries. Removes what is expired, replaced or unused. */
export const maintenance = ({
  queue,
  approvals,
  documents,
  webhooks,
  events,
  oauth,
  snapshots,
  uploads,
  storage,
  requests,
  erasures,
  log,
  settings,
}: Dependencies) =>
  poller({
    everyMs: EVERY_MS,
    async look() {
      // First, because clients wait for the end of their runs.
      const endedRuns = await queue.sweep();
      await storage.measure();
      for (const { webhookId, ...lost } of await webhooks.passExpired(settings.eventsDays))
        log.warn(
          { webhook_id: webhookId, ...lost },
          'events expired before a worker read them for a webhook; it never gets them',
        );
      const done = {
        ended_runs: endedRuns,
        expired_approvals: await approvals.expire(),
        recovered_deliveries: await documents.recoverDeliveries(),
        trashed_trials: await documents.trashTried(),
        cleaned_webhook_events: await webhooks.cleanUp(),
        dropped_event_days: await events.cleanUp(settings.eventsDays),
        expired_oauth_records: await oauth.sweep(),
        removed_snapshots: await snapshots.removeUnused(),
        removed_uploads: await uploads.removeUnused(),
        removed_answers: await requests.removeOld(),
        completed_erasures: await erasures.resume(),
      };
      if (Object.values(done).some((count) => count > 0)) log.info(done, 'cleaned up what was left behind');
      return false;
    },
    failed: (err) => log.warn({ err }, 'maintenance failed; trying again'),
  });

import type { OAuthStore } from './ports/oauth.ts';
import type { RunQueue } from './ports/queue.ts';
import type { Log } from './ports/runtime.ts';
import type { DocumentRepository } from './ports/storage.ts';
import type { WebhookQueue } from './ports/webhooks.ts';
import type { UploadCleanup } from './runs/upload-cleanup.ts';
import type { SnapshotTidying } from './snapshots/snapshot-cleanup.ts';

const EVERY_MS = 5000;

interface Dependencies {
  readonly queue: RunQueue;
  readonly documents: DocumentRepository;
  readonly webhooks: WebhookQueue;
  readonly oauth: OAuthStore;
  readonly snapshots: SnapshotTidying;
  readonly uploads: UploadCleanup;
  readonly log: Log;
}

/** Ends what nobody works on any more, whatever the role of the process: runs past their deadline or out of attempts, deliveries that were lost, snapshots that were replaced, uploads that no run took. */
export const maintenance = ({ queue, documents, webhooks, oauth, snapshots, uploads, log }: Dependencies) => {
  const tidy = async () => {
    try {
      const ended = await queue.sweep();
      const recovered = await documents.recoverDeliveries();
      const tidied = await webhooks.tidy();
      const swept = await oauth.sweep();
      const removed = await snapshots.tidy();
      const unused = await uploads.removeUnused();
      const fields = {
        ...{ ended_runs: ended, recovered_deliveries: recovered, tidied_webhook_events: tidied },
        ...{ expired_oauth_records: swept, removed_snapshots: removed, removed_uploads: unused },
      };
      if (ended + recovered + tidied + swept + removed + unused > 0) log.info(fields, 'took care of work that nobody held');
    } catch (err) {
      log.warn({ err }, 'maintenance could not be done; trying again');
    }
  };
  let underWay: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  const tick = () => {
    underWay ??= tidy().finally(() => {
      underWay = null;
    });
  };
  return {
    start() {
      timer = setInterval(tick, EVERY_MS);
    },
    async stop() {
      clearInterval(timer);
      await underWay;
    },
  };
};

import type { Log } from '../ports/runtime.ts';
import type { DeliveryWork, WebhookQueue, WebhookWakeups } from '../ports/webhooks.ts';
import { leasesOf, Stopping } from '../shared/leases.ts';
import { poller } from '../shared/poller.ts';

interface WebhookWorkerSettings {
  /** Events on their way at a time. */
  readonly concurrency: number;
  readonly perWebhook: number;
  /** Longer than an event takes to be sent: after it, another worker sends it again. */
  readonly leaseSeconds: number;
  /** A wake-up that was lost costs at most this. */
  readonly pollMs: number;
}

interface Dependencies {
  readonly queue: WebhookQueue;
  readonly wakeups: WebhookWakeups;
  /** See `webhookDelivery`. */
  readonly deliver: (work: DeliveryWork, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly settings: WebhookWorkerSettings;
}

export const webhookWorker = ({ queue, wakeups, deliver, log, settings }: Dependencies) => {
  const { concurrency, perWebhook, leaseSeconds, pollMs } = settings;
  const leases = leasesOf<DeliveryWork>({ subject: 'delivery', idOf: ({ lease }) => lease.id, renewal: null, log });
  let unsubscribe = () => {};
  /** The workspaces that have webhooks. */
  let watched: ReadonlySet<string> = new Set();

  const perform = async (work: DeliveryWork, signal: AbortSignal) => {
    try {
      await deliver(work, signal);
    } catch (error) {
      if (signal.reason instanceof Stopping) await queue.release(work.lease).catch(() => {});
      // The event is sent again when the lease is over.
      else log.warn({ delivery_id: work.lease.id, err: error }, 'the outcome of a delivery could not be stored');
    }
  };

  const due = poller({
    everyMs: pollMs,
    async look() {
      const { workspaces, hasMore } = await queue.collect();
      watched = workspaces;
      const free = concurrency - leases.held().length;
      const works = free <= 0 ? [] : await queue.lease(free, perWebhook, leaseSeconds);
      for (const work of works) void leases.during(work, (signal) => perform(work, signal)).finally(due.wake);
      return hasMore;
    },
    failed: (err) => log.warn({ err }, 'the events for webhooks could not be read; trying again'),
  });

  return {
    start(): void {
      unsubscribe = wakeups.subscribe((workspaceId) => {
        if (workspaceId === null || watched.has(workspaceId)) due.wake();
      });
      due.start();
    },

    /** Leases no more; what is not answered within the grace is handed back for another worker to send again. */
    async stop(graceMs: number): Promise<void> {
      unsubscribe();
      await due.stop();
      await leases.stop(graceMs);
    },
  };
};

export type WebhookWorker = ReturnType<typeof webhookWorker>;

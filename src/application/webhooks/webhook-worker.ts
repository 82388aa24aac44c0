import type { Log } from '../ports/runtime.ts';
import type { DeliveryWork, WebhookQueue, WebhookWakeups } from '../ports/webhooks.ts';

export interface WebhookWorkerSettings {
  /** Events on their way at a time. */
  readonly concurrency: number;
  readonly perWebhook: number;
  /** Longer than an event takes to be sent: after it, another worker sends it again. */
  readonly leaseSeconds: number;
  /** A wake-up that was lost costs at most this. */
  readonly pollMs: number;
}

export interface WebhookWorker {
  start(): void;
  /** Leases no more; what is not answered within the grace is handed back for another worker to send again. */
  stop(graceMs: number): Promise<void>;
}

interface Dependencies {
  readonly queue: WebhookQueue;
  readonly wakeups: WebhookWakeups;
  /** See `webhookDelivery`. */
  readonly deliver: (work: DeliveryWork, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly settings: WebhookWorkerSettings;
}

export const webhookWorker = ({ queue, wakeups, deliver, log, settings }: Dependencies): WebhookWorker => {
  const { concurrency, perWebhook, leaseSeconds, pollMs } = settings;
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let unsubscribe = () => {};
  let pumping: Promise<void> | null = null;
  let again = false;

  const perform = async (work: DeliveryWork) => {
    try {
      await deliver(work, stopping.signal);
    } catch (error) {
      if (stopping.signal.aborted) await queue.release(work.lease).catch(() => {});
      // Nothing is noted: the event is sent again when the lease is over.
      else log.warn({ delivery_id: work.lease.id, err: error }, 'what came of an event could not be noted');
    }
  };

  const begin = (work: DeliveryWork) => {
    const done = perform(work).finally(() => {
      underWay.delete(done);
      pump();
    });
    underWay.add(done);
  };

  const lease = async () => {
    while (again && !stopped && underWay.size < concurrency) {
      again = false;
      const works = await queue.lease(concurrency - underWay.size, perWebhook, leaseSeconds);
      works.forEach(begin);
    }
  };

  const pump = () => {
    again = true;
    if (stopped) return;
    pumping ??= lease()
      .catch((err) => log.warn({ err }, 'the events for webhooks could not be read; trying again'))
      .finally(() => {
        pumping = null;
        if (again && underWay.size < concurrency) pump();
      });
  };

  return {
    start() {
      unsubscribe = wakeups.subscribe(pump);
      timer = setInterval(pump, pollMs);
      pump();
    },

    async stop(graceMs) {
      stopped = true;
      unsubscribe();
      clearInterval(timer);
      await pumping;
      const grace = setTimeout(() => stopping.abort(new Error('The worker is stopping.')), graceMs);
      await Promise.all(underWay);
      clearTimeout(grace);
    },
  };
};

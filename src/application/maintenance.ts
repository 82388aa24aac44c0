import type { RunQueue } from './ports/queue.ts';
import type { Log } from './ports/runtime.ts';
import type { DocumentRepository } from './ports/storage.ts';

const EVERY_MS = 5000;

/** Ends what nobody works on any more, whatever the role of the process: runs past their deadline or out of attempts, deliveries that were lost. */
export const maintenance = ({ queue, documents, log }: { queue: RunQueue; documents: DocumentRepository; log: Log }) => {
  const tidy = async () => {
    try {
      const ended = await queue.sweep();
      const recovered = await documents.recoverDeliveries();
      if (ended + recovered > 0) log.info({ ended_runs: ended, recovered_deliveries: recovered }, 'took care of work that nobody held');
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

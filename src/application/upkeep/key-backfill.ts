import type { DocumentFindings } from '../documents/findings.ts';
import type { KeyBackfills, KeyBackfillWakeups } from '../ports/key-backfills.ts';
import type { Log } from '../ports/runtime.ts';
import { pause } from '../shared/async.ts';
import { poller } from '../shared/poller.ts';

const EVERY_MS = 5000;

interface Dependencies {
  readonly backfills: Pick<KeyBackfills, 'next' | 'store'>;
  readonly wakeups: KeyBackfillWakeups;
  readonly findings: Pick<DocumentFindings, 'keyOf'>;
  readonly log: Log;
}

/** Gives documents that were posted before their agent had its `duplicate_key` this key, so that copies of them are found. */
export const keyBackfill = ({ backfills, wakeups, findings, log }: Dependencies) => {
  let unsubscribe = () => {};
  const due = poller({
    everyMs: EVERY_MS,
    async look() {
      const begun = performance.now();
      const batch = await backfills.next();
      if (batch === null) return false;
      const keys: (string | null)[] = [];
      for (const { documentData } of batch.documents)
        keys.push(documentData && (await findings.keyOf({ duplicateKey: batch.pointers }, documentData)));
      await backfills.store(batch, keys);
      if (batch.isLast) log.info({ agent_id: batch.agentId }, 'what the agent posted is known by its duplicate key');
      // Requests come first.
      await pause(performance.now() - begun);
      return true;
    },
    failed: (err) => log.warn({ err }, 'the duplicate keys of posted documents could not be stored; trying again'),
  });
  return {
    ...due,
    start(): void {
      unsubscribe = wakeups.subscribe(due.wake);
      due.start();
    },
    async stop(): Promise<void> {
      unsubscribe();
      await due.stop();
    },
  };
};

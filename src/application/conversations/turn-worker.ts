import type { Decisions } from '../ports/conversations.ts';
import type { Log } from '../ports/runtime.ts';
import { poller } from '../shared/poller.ts';
import type { ConversationService } from './conversations.ts';

interface Dependencies {
  readonly conversations: Pick<ConversationService, 'goOn' | 'stop'>;
  readonly decisions: Decisions;
  readonly log: Log;
}

/** A decision that was not notified of, and a lease that ran out elsewhere, cost at most this. */
const POLL_MS = 1000;
const AT_ONCE = 8;

/** Goes on with the turns of conversations in which a person has decided on a call. */
export const turnWorker = ({ conversations, decisions, log }: Dependencies) => {
  let unsubscribe = () => {};
  let underWay = 0;

  const decided = poller({
    everyMs: POLL_MS,
    async look() {
      const free = AT_ONCE - underWay;
      if (free === 0) return false;
      const ends = await conversations.goOn(free);
      underWay += ends.length;
      for (const end of ends)
        void end.finally(() => {
          underWay--;
          decided.wake();
        });
      return ends.length === free;
    },
    failed: (err) => log.warn({ err }, 'the conversations to go on with could not be read; trying again'),
  });

  return {
    start(): void {
      unsubscribe = decisions.subscribe(decided.wake);
      decided.start();
    },

    /** Takes no more; a turn that does not end within the grace is left for another process. */
    async stop(graceMs: number): Promise<void> {
      unsubscribe();
      await decided.stop();
      await conversations.stop(graceMs);
    },
  };
};

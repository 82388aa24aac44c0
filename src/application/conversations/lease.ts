import { type ConversationLease, type ConversationTurns, LeaseLost } from '../ports/conversations.ts';
import type { Log } from '../ports/runtime.ts';

/** The server is told to stop, and the time that turns had to end is up. */
export class Stopping extends Error {}

/** The conversations that this process continues at the moment. */
export interface Leases {
  /** Keeps the lease while the work goes on; the signal aborts once it is lost, or when the process must stop. */
  during<T>(lease: ConversationLease, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Lets what is under way end within the grace, then aborts it. */
  stop(graceMs: number): Promise<void>;
}

interface Running {
  readonly lease: ConversationLease;
  readonly abort: AbortController;
  readonly done: Promise<unknown>;
}

interface Dependencies {
  readonly turns: ConversationTurns;
  readonly log: Log;
  readonly leaseSeconds: number;
}

export const conversationLeases = ({ turns, log, leaseSeconds }: Dependencies): Leases => {
  const held = new Set<Running>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const renew = async () => {
    const now = [...held];
    try {
      const kept = await turns.renew(
        now.map(({ lease }) => lease),
        leaseSeconds,
      );
      for (const { lease, abort } of now) if (!kept.has(lease.conversationId)) abort.abort(new LeaseLost(lease.conversationId));
    } catch (err) {
      log.warn({ err }, 'the leases of conversations could not be renewed; trying again');
    }
  };

  const forget = (one: Running) => {
    held.delete(one);
    if (held.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    during(lease, work) {
      const abort = new AbortController();
      if (stopped) abort.abort(new Stopping());
      const done = work(abort.signal);
      const one = { lease, abort, done };
      held.add(one);
      timer ??= setInterval(() => void renew(), (leaseSeconds * 1000) / 3);
      return done.finally(() => forget(one));
    },

    async stop(graceMs) {
      const all = () => Promise.allSettled([...held].map(({ done }) => done));
      const grace = Promise.withResolvers<void>();
      const waiting = setTimeout(grace.resolve, graceMs);
      await Promise.race([all(), grace.promise]);
      clearTimeout(waiting);
      stopped = true;
      for (const { abort } of held) abort.abort(new Stopping());
      await all();
    },
  };
};

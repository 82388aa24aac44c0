import { LeaseLost } from '../ports/leases.ts';
import type { Log } from '../ports/runtime.ts';
import { inTime } from './async.ts';

/** The process is stopping, and the time that its work had to end is up. */
export class Stopping extends Error {
  constructor() {
    super('the process is stopping');
    this.name = 'Stopping';
  }
}

interface Terms<L> {
  readonly subject: ConstructorParameters<typeof LeaseLost>[0];
  idOf(lease: L): string;
  /** null: leases last longer than any work, and are not renewed. */
  readonly renewal: {
    readonly leaseSeconds: number;
    /** Extends the leases; answers the ids of those that are still held. */
    renew(leases: readonly L[]): Promise<ReadonlySet<string>>;
    /**
     * Whether a lease that was not renewed in time is lost here before another process can have it: for work that the database cannot refuse
     * to write. A process that was halted, or cut off from the database, stops before it does anything else.
     */
    readonly endsUnrenewed?: boolean;
  } | null;
  readonly log: Log;
}

interface Held<L> {
  readonly lease: L;
  readonly abort: AbortController;
  readonly done: Promise<unknown>;
  /** Ends an unrenewed lease. */
  expiry: NodeJS.Timeout | undefined;
}

/** The leases of one kind that this process holds at the moment, each with the work that it is for. */
export const leasesOf = <L>({ subject, idOf, renewal, log }: Terms<L>) => {
  const held = new Map<string, Held<L>>();
  let heartbeat: NodeJS.Timeout | undefined;
  let stopping = false;

  const loseOne = ({ lease, abort }: Held<L>) => abort.abort(new LeaseLost(subject, idOf(lease)));

  const expire = (one: Held<L>, since: number) => {
    clearTimeout(one.expiry);
    if (renewal?.endsUnrenewed !== true || held.get(idOf(one.lease)) !== one) return;
    one.expiry = setTimeout(() => loseOne(one), Math.max(0, renewal.leaseSeconds * 1000 - (performance.now() - since)));
  };

  /** Renews all of them now. */
  const renew = async (): Promise<void> => {
    const now = [...held.values()];
    if (renewal === null || now.length === 0) return;
    const since = performance.now();
    try {
      const kept = await renewal.renew(now.map(({ lease }) => lease));
      for (const one of now) {
        if (kept.has(idOf(one.lease))) expire(one, since);
        else loseOne(one);
      }
    } catch (err) {
      log.warn(
        { err, subject, ms: Math.round(performance.now() - since) },
        'the leases could not be renewed; trying again',
      );
    }
  };

  const add = (id: string, one: Held<L>, since: number) => {
    held.set(id, one);
    expire(one, since);
    if (renewal !== null) heartbeat ??= setInterval(() => void renew(), (renewal.leaseSeconds * 1000) / 3);
  };

  const remove = (id: string, abort: AbortController) => {
    const one = held.get(id);
    if (one?.abort === abort) {
      clearTimeout(one.expiry);
      held.delete(id);
    }
    if (held.size > 0) return;
    clearInterval(heartbeat);
    heartbeat = undefined;
  };

  const allDone = () => Promise.allSettled([...held.values()].map(({ done }) => done));

  return {
    held: (): readonly L[] => [...held.values()].map(({ lease }) => lease),

    /**
     * Renews the lease while the work goes on. The work's signal aborts with LeaseLost once the lease is lost, and with Stopping when the
     * process must stop. A new lease on the same subject ends the work under the one before, and waits for its end. `since`: when the lease
     * was asked for, by `performance.now()`.
     */
    during<T>(lease: L, work: (signal: AbortSignal) => Promise<T>, since = performance.now()): Promise<T> {
      const id = idOf(lease);
      const abort = new AbortController();
      if (stopping) abort.abort(new Stopping());
      const before = held.get(id);
      if (before) loseOne(before);
      const begun = before ? Promise.allSettled([before.done]).then(() => work(abort.signal)) : work(abort.signal);
      const done = begun.finally(() => remove(id, abort));
      add(id, { lease, abort, done, expiry: undefined }, since);
      return done;
    },

    renew,

    /** Ends the work on this subject, if there is any. */
    lose(id: string): void {
      const one = held.get(id);
      if (one) loseOne(one);
    },

    /** Lets the work under way end within the grace, then aborts it, and waits for its end. */
    async stop(graceMs: number): Promise<void> {
      await inTime(allDone, { seconds: graceMs / 1000, late: () => new Stopping() }).catch(() => {});
      stopping = true;
      // What was about to be leased may bring more.
      while (held.size > 0) {
        for (const { abort } of held.values()) abort.abort(new Stopping());
        await allDone();
      }
    },
  };
};

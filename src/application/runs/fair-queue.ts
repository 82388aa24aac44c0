interface Waiter {
  /** Earlier ones are smaller. */
  readonly ticket: number;
  admit(): void;
}

/** What one owner has of the places. */
interface Share {
  inside: number;
  readonly waiting: Waiter[];
  /** The time its work has taken, from the least that any owner had when it came. */
  used: number;
}

const isActive = ({ inside, waiting }: Share) => inside + waiting.length > 0;

/** The owner with fewer places goes first, then the one that has used less time, then the one that has waited longer. */
const precedes = (a: Share, b: Share): boolean => {
  if (a.inside !== b.inside) return a.inside < b.inside;
  if (a.used !== b.used) return a.used < b.used;
  return (a.waiting[0]?.ticket ?? 0) < (b.waiting[0]?.ticket ?? 0);
};

/**
 * Shares a number of places evenly between owners, however much each of them asks for: an idle owner saves up no credit, and one that goes away and comes back keeps what it has used. The work of one owner is begun in order.
 */
export const fairQueue = (places: number, now: () => number) => {
  const shares = new Map<string, Share>();
  let free = places;
  let tickets = 0;

  const shareOf = (owner: string): Share => {
    const active = [...shares.values()].filter(isActive);
    const least = active.length === 0 ? 0 : Math.min(...active.map(({ used }) => used));
    // An idle owner is remembered only as long as it has used more than the others.
    for (const [each, share] of shares) if (!isActive(share) && (active.length === 0 || share.used <= least)) shares.delete(each);
    const share = shares.get(owner) ?? { inside: 0, waiting: [], used: least };
    shares.set(owner, share);
    return share;
  };

  const grant = () => {
    for (; free > 0; free--) {
      const waiting = [...shares.values()].filter((share) => share.waiting.length > 0);
      const [first, ...others] = waiting;
      if (!first) return;
      const next = others.reduce((best, share) => (precedes(share, best) ? share : best), first);
      next.inside++;
      next.waiting.shift()?.admit();
    }
  };

  const enter = (share: Share, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        share.waiting.splice(share.waiting.indexOf(waiter), 1);
        reject(signal?.reason);
      };
      const admit = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const waiter = { ticket: tickets++, admit };
      share.waiting.push(waiter);
      signal?.addEventListener('abort', leave, { once: true });
      grant();
    });

  return {
    /** Does the work as soon as a place is free for its owner; rejects with the signal's reason if that aborts first. */
    async pass<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      signal?.throwIfAborted();
      const share = shareOf(owner);
      await enter(share, signal);
      const since = now();
      try {
        return await work();
      } finally {
        share.inside--;
        share.used += now() - since;
        free++;
        grant();
      }
    },

    /** How much work each owner has inside or waiting; owners without any are left out. */
    demand: (): ReadonlyMap<string, number> =>
      new Map([...shares].filter(([, share]) => isActive(share)).map(([owner, { inside, waiting }]) => [owner, inside + waiting.length])),

    /** How much work waits. */
    waiting: () => [...shares.values()].reduce((sum, share) => sum + share.waiting.length, 0),
  };
};

export type FairQueue = ReturnType<typeof fairQueue>;

import type { RateLimiter } from '../../application/ports/limiter.ts';
import type { Charge, Quota } from '../../domain/rate-limit.ts';

interface Window {
  count: number;
  readonly endsAt: number;
}

/** Windows of one length by charge, in the order in which they end, which is the order in which they began. */
type Windows = Map<string, Window>;

/** More expired windows than one charge can open: the store shrinks without ever stopping to sweep. */
const EXPIRED_PER_CHARGE = 4;

const soonest = (windows: Windows): readonly [string, Window] | undefined => windows.entries().next().value;

const removeExpired = (windows: Windows, now: number) => {
  for (let removed = 0; removed < EXPIRED_PER_CHARGE; removed++) {
    const first = soonest(windows);
    if (!first || first[1].endsAt > now) return;
    windows.delete(first[0]);
  }
};

/** Removes the window that would end first, which loses the least of what is counted. */
const evict = (lengths: Iterable<Windows>) => {
  let victim: { windows: Windows; id: string; endsAt: number } | undefined;
  for (const windows of lengths) {
    const first = soonest(windows);
    if (first && (!victim || first[1].endsAt < victim.endsAt))
      victim = { windows, id: first[0], endsAt: first[1].endsAt };
  }
  victim?.windows.delete(victim.id);
};

const quotaOf = ({ name, limit, windowSeconds }: Charge, window: Window | undefined, now: number): Quota => ({
  name,
  limit,
  windowSeconds,
  remaining: Math.max(0, limit - (window?.count ?? 0)),
  resetSeconds: window ? Math.ceil((window.endsAt - now) / 1000) : windowSeconds,
});

/** Counts within this process. `clock` is in milliseconds and never goes back. */
export const inProcessLimiter = (clock: { now(): number }, maxWindows = 100_000): RateLimiter => {
  const byLength = new Map<number, Windows>();

  const windowsOf = (seconds: number): Windows => {
    const known = byLength.get(seconds) ?? new Map<string, Window>();
    byLength.set(seconds, known);
    return known;
  };

  const find = (charge: Charge, now: number) => {
    const windows = windowsOf(charge.windowSeconds);
    const id = `${charge.name}\0${charge.key}`;
    removeExpired(windows, now);
    const window = windows.get(id);
    if (window === undefined || window.endsAt > now) return { charge, windows, id, window };
    windows.delete(id);
    return { charge, windows, id, window: undefined };
  };

  const open = (windows: Windows, id: string, endsAt: number): Window => {
    let count = 0;
    for (const windowsOfLength of byLength.values()) count += windowsOfLength.size;
    if (count >= maxWindows) evict(byLength.values());
    const window = { count: 0, endsAt };
    windows.set(id, window);
    return window;
  };

  return {
    async take(charges) {
      const now = clock.now();
      const places = charges.map((charge) => find(charge, now));
      const allowed = places.every(({ charge, window }) => (window?.count ?? 0) < charge.limit);
      if (!allowed) return { allowed, quotas: places.map(({ charge, window }) => quotaOf(charge, window, now)) };
      const counted = places.map(
        ({ charge, windows, id }) => windows.get(id) ?? open(windows, id, now + charge.windowSeconds * 1000),
      );
      for (const window of new Set(counted)) window.count += 1;
      return { allowed, quotas: places.map(({ charge, windows, id }) => quotaOf(charge, windows.get(id), now)) };
    },

    async giveBack(charges) {
      const now = clock.now();
      for (const window of new Set(charges.map((charge) => find(charge, now).window)))
        if (window && window.count > 0) window.count -= 1;
    },
  };
};

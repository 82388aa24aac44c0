import type { RateLimiter } from '../../application/ports/limiter.ts';
import type { Metrics } from './metrics.ts';

/** Counts refusals by the name of the limit that was spent. */
export const watchedLimiter = (limiter: RateLimiter, { count }: Metrics): RateLimiter => ({
  ...limiter,
  async take(charges) {
    const taken = await limiter.take(charges);
    if (!taken.allowed) {
      const spent = taken.quotas.findIndex(({ remaining }) => remaining === 0);
      count.refusals.inc({ limit: charges[spent]?.name ?? 'unknown' });
    }
    return taken;
  },
});

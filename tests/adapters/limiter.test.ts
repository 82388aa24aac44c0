import { expect } from 'chai';
import fc from 'fast-check';
import { inProcessLimiter } from '../../src/adapters/rate-limiter/in-process.ts';
import type { Charge } from '../../src/domain/rate-limit.ts';
import { rateLimiterContract } from '../contracts/rate-limiter.ts';

const aClock = () => {
  let at = 1000;
  return {
    now: () => at,
    pass: async (milliseconds: number) => {
      at += milliseconds;
    },
  };
};

describe('the in-process limiter', () => {
  rateLimiterContract(async () => {
    const clock = aClock();
    return { limiter: inProcessLimiter(clock), pass: clock.pass };
  });

  const one = (key: string, over: Partial<Charge> = {}): Charge => ({
    name: 'ip',
    key,
    limit: 3,
    windowSeconds: 60,
    ...over,
  });

  it('has a maximum of windows: it removes the one that would end first', async () => {
    const clock = aClock();
    const limiter = inProcessLimiter(clock, 3);
    for (const key of ['a', 'b', 'c']) {
      await limiter.take([one(key)]);
      await clock.pass(10);
    }
    await limiter.take([one('short', { windowSeconds: 1 })]);
    expect((await limiter.take([one('b')])).quotas[0]?.remaining, 'b is still counted').to.equal(1);
    await limiter.take([one('d')]);
    expect((await limiter.take([one('b')])).quotas[0]?.remaining, 'the short window went first').to.equal(0);
    expect((await limiter.take([one('a')])).quotas[0]?.remaining, 'a was removed').to.equal(2);
  });

  it('removes a few expired windows at each request', async () => {
    const clock = aClock();
    const limiter = inProcessLimiter(clock, 1000);
    for (let key = 0; key < 900; key++) await limiter.take([one(`old ${key}`)]);
    await clock.pass(61_000);
    for (let key = 0; key < 900; key++) await limiter.take([one(`new ${key}`)]);
    const again = await limiter.take([one('new 0')]);
    expect(again.quotas[0]?.remaining, 'nothing that still counted had to make room').to.equal(1);
  });

  it('agrees with a plain count of the requests it let through', async () => {
    const steps = fc.array(
      fc.record({ wait: fc.nat(900), keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }) }),
      {
        maxLength: 60,
      },
    );
    const agree = fc.asyncProperty(steps, async (requests) => {
      const clock = aClock();
      const limiter = inProcessLimiter(clock);
      const windows = new Map<string, { start: number; count: number }>();
      for (const { wait, keys } of requests) {
        await clock.pass(wait);
        const now = clock.now();
        for (const [key, { start }] of windows) if (now - start >= 2000) windows.delete(key);
        const expected = keys.every((key) => (windows.get(key)?.count ?? 0) < 3);
        const { allowed } = await limiter.take(keys.map((key) => one(key, { windowSeconds: 2 })));
        expect(allowed).to.equal(expected);
        if (!expected) continue;
        for (const key of keys) {
          const { start, count } = windows.get(key) ?? { start: now, count: 0 };
          windows.set(key, { start, count: count + 1 });
        }
      }
    });
    const seed = Math.floor(Math.random() * 2 ** 31);
    console.log(`      seed ${seed}`);
    await fc.assert(agree, { seed, numRuns: 200 });
  });
});

import { expect } from 'chai';
import type { RateLimiter } from '../../src/application/ports/limiter.ts';
import type { Charge } from '../../src/domain/rate-limit.ts';

export interface LimiterUnderTest {
  readonly limiter: RateLimiter;
  /** Lets time pass for the limiter: at least this long, and not much longer. */
  pass(milliseconds: number): Promise<void>;
}

let unique = 0;
const own = () => `contract-${process.pid}-${Date.now()}-${unique++}`;
const charge = (limit: number, key = own(), over: Partial<Charge> = {}): Charge => ({
  name: 'test',
  key,
  limit,
  windowSeconds: 2,
  ...over,
});

/** Every RateLimiter passes this, or it is not one. */
export const rateLimiterContract = (make: () => Promise<LimiterUnderTest>) =>
  describe('RateLimiter', () => {
    let limiter: RateLimiter;
    let pass: LimiterUnderTest['pass'];

    before(async () => {
      ({ limiter, pass } = await make());
    });

    const take = async (charges: readonly Charge[], times: number) => {
      for (let time = 0; time < times; time++) await limiter.take(charges);
    };

    it('counts down to nothing, then refuses', async () => {
      const charges = [charge(3)];
      const answers = [];
      for (let time = 0; time < 5; time++) answers.push(await limiter.take(charges));
      expect(answers.map(({ allowed }) => allowed)).to.deep.equal([true, true, true, false, false]);
      expect(answers.map(({ quotas }) => quotas[0]?.remaining)).to.deep.equal([2, 1, 0, 0, 0]);
      expect(answers.map(({ quotas }) => quotas[0]?.limit)).to.deep.equal([3, 3, 3, 3, 3]);
    });

    it('lets exactly the limit through when 200 come at once', async () => {
      const charges = [charge(50, own(), { windowSeconds: 60 }), charge(30, own(), { windowSeconds: 60 })];
      const answers = await Promise.all(Array.from({ length: 200 }, () => limiter.take(charges)));
      expect(answers.filter(({ allowed }) => allowed)).to.have.length(30);
      const { quotas } = await limiter.take(charges);
      expect(quotas.map(({ remaining }) => remaining)).to.deep.equal([20, 0]);
    });

    it('counts a request that one limit refuses against none of the others', async () => {
      const wide = charge(10, own(), { name: 'wide' });
      const narrow = charge(1, own(), { name: 'narrow' });
      await take([wide, narrow], 4);
      const { quotas } = await limiter.take([wide]);
      expect(quotas[0]?.remaining).to.equal(8);
    });

    it('shows every limit of a refused request, in the order of the charges', async () => {
      const spent = charge(1, own(), { name: 'spent' });
      const untouched = charge(7, own(), { name: 'untouched', windowSeconds: 33 });
      await take([spent], 1);
      const { allowed, quotas } = await limiter.take([untouched, spent]);
      expect(allowed).to.equal(false);
      expect(quotas[0]).to.include({ limit: 7, remaining: 7, resetSeconds: 33 });
      expect(quotas[1]).to.include({ limit: 1, remaining: 0 });
    });

    it('does not begin a window with a refused request', async () => {
      const spent = charge(1, own(), { name: 'spent', windowSeconds: 60 });
      const other = charge(5, own(), { windowSeconds: 3 });
      await take([spent], 1);
      await limiter.take([spent, other]);
      await pass(1500);
      const { quotas } = await limiter.take([other]);
      expect(quotas[0]).to.include({ limit: 5, remaining: 4, resetSeconds: 3 });
    });

    it('keeps limits of different names apart, and keys of one limit', async () => {
      const key = own();
      await take([charge(1, key, { name: 'one' })], 1);
      expect((await limiter.take([charge(1, key, { name: 'two' })])).allowed).to.equal(true);
      expect((await limiter.take([charge(1, own(), { name: 'one' })])).allowed).to.equal(true);
      expect((await limiter.take([charge(1, key, { name: 'one' })])).allowed).to.equal(false);
    });

    it('starts afresh when the window that began with the first request is over', async () => {
      const charges = [charge(2)];
      await take(charges, 2);
      await pass(1200);
      expect((await limiter.take(charges)).allowed, 'within the window').to.equal(false);
      await pass(1000);
      const { allowed, quotas } = await limiter.take(charges);
      expect(allowed, 'after it').to.equal(true);
      expect(quotas[0]).to.include({ limit: 2, remaining: 1, resetSeconds: 2 });
    });

    it('rounds the seconds until the reset up: never 0 while a window counts', async () => {
      const charges = [charge(1)];
      await take(charges, 1);
      await pass(1100);
      const { allowed, quotas } = await limiter.take(charges);
      expect(allowed).to.equal(false);
      expect(quotas[0]?.resetSeconds).to.equal(1);
    });

    it('refuses everything where the limit is 0, and nothing where there is no limit', async () => {
      expect((await limiter.take([charge(0)])).allowed).to.equal(false);
      expect(await limiter.take([])).to.deep.equal({ allowed: true, quotas: [] });
    });

    it('gives a counted request back, in the windows that counted it, and in no other', async () => {
      const [one, other] = [charge(3, own(), { windowSeconds: 60 }), charge(3, own(), { windowSeconds: 60 })];
      await take([one, other], 3);
      await limiter.giveBack([one, one]);
      const { quotas } = await limiter.take([one]);
      expect(quotas[0]).to.include({ limit: 3, remaining: 0 });
      expect((await limiter.take([other])).allowed).to.equal(false);
    });

    it('gives nothing back that was not counted, and nothing once the window is over', async () => {
      const [untouched, over] = [charge(2), charge(2)];
      await limiter.giveBack([]);
      await limiter.giveBack([untouched]);
      expect((await limiter.take([untouched])).quotas[0]).to.include({ limit: 2, remaining: 1, resetSeconds: 2 });
      await take([over], 2);
      await pass(2200);
      await limiter.giveBack([over]);
      expect((await limiter.take([over])).quotas[0]).to.include({ limit: 2, remaining: 1, resetSeconds: 2 });
    });

    it('counts a limit that is named twice in one request once', async () => {
      const twice = charge(5);
      const { quotas } = await limiter.take([twice, twice]);
      expect(quotas.map(({ remaining }) => remaining)).to.deep.equal([4, 4]);
    });
  });

import { setTimeout as sleep, setImmediate as tick } from 'node:timers/promises';
import { expect } from 'chai';
import { LeaseLost } from '../../src/application/ports/leases.ts';
import { leasesOf, Stopping } from '../../src/application/shared/leases.ts';
import { quiet } from '../support/log.ts';

interface Lease {
  readonly id: string;
  readonly attempt: number;
}

const a: Lease = { id: 'a', attempt: 1 };

/** Work that ends at the abort of its signal, or when it is told to. */
const someWork = () => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let given: AbortSignal | undefined;
  const work = (signal: AbortSignal) => {
    given = signal;
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    return promise;
  };
  return { work, end: () => resolve('done'), hasBegun: () => given !== undefined };
};

const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('leases', () => {
  const setUp = (renew: (leases: readonly Lease[]) => Promise<ReadonlySet<string>>, leaseSeconds = 60) =>
    leasesOf<Lease>({ subject: 'run', idOf: ({ id }) => id, renewal: { leaseSeconds, renew }, log: quiet });
  const keptAll = async (leases: readonly Lease[]) => new Set(leases.map(({ id }) => id));

  it('are held as long as their work goes on', async () => {
    const leases = setUp(keptAll);
    const { work, end } = someWork();
    const done = leases.during(a, work);
    expect(leases.held()).to.deep.equal([a]);
    end();
    expect(await done).to.equal('done');
    expect(leases.held()).to.deep.equal([]);
  });

  describe('that end unless they are renewed', () => {
    const ending = (renew: (leases: readonly Lease[]) => Promise<ReadonlySet<string>>) =>
      leasesOf<Lease>({
        subject: 'document',
        idOf: ({ id }) => id,
        renewal: { leaseSeconds: 1, renew, endsUnrenewed: true },
        log: quiet,
      });
    const secondsAgo = (seconds: number) => performance.now() - seconds * 1000;

    it('abort their work in time, also if the process was halted until after it', async () => {
      for (const since of [secondsAgo(0.98), secondsAgo(5)]) {
        const lost = await reasonOf(ending(keptAll).during(a, someWork().work, since));
        expect(lost).to.be.instanceOf(LeaseLost);
      }
    });

    it('abort it where renewing fails', async () => {
      const leases = ending(() => Promise.reject(new Error('no database')));
      const lost = reasonOf(leases.during(a, someWork().work, secondsAgo(0.9)));
      await leases.renew();
      expect(await lost).to.be.instanceOf(LeaseLost);
    });

    it('go on where it succeeds', async () => {
      const leases = ending(keptAll);
      const { work, end } = someWork();
      const done = leases.during(a, work, secondsAgo(0.9));
      await leases.renew();
      // The lease would have ended meanwhile.
      await sleep(150);
      expect(leases.held()).to.deep.equal([a]);
      end();
      expect(await done).to.equal('done');
    });
  });

  it('are renewed while they are held, and abort the work of one that is lost', async () => {
    const renewed: string[][] = [];
    const leases = setUp(async (held) => {
      renewed.push(held.map(({ id }) => id));
      return new Set(['a']);
    });
    const [kept, lost] = [someWork(), someWork()];
    const first = leases.during(a, kept.work);
    const second = reasonOf(leases.during({ id: 'b', attempt: 1 }, lost.work));
    await leases.renew();
    expect(await second)
      .to.be.instanceOf(LeaseLost)
      .and.have.property('message', 'the lease on run b is lost');
    await leases.renew();
    kept.end();
    await first;
    await leases.renew();
    expect(renewed).to.deep.equal([['a', 'b'], ['a']]);
  });

  it('are renewed without being asked to, and again after a renewal that failed', async () => {
    let renewals = 0;
    const leases = setUp(async () => {
      if (renewals++ === 0) throw new Error('the database is away');
      return new Set();
    }, 0.03);
    expect(await reasonOf(leases.during(a, someWork().work))).to.be.instanceOf(LeaseLost);
    expect(renewals).to.equal(2);
  });

  it('end the work under an earlier lease of the same subject before the work under the new one begins', async () => {
    const leases = setUp(keptAll);
    const later = someWork();
    const unwinding = Promise.withResolvers<void>();
    const earlier = reasonOf(
      leases.during(a, (signal) =>
        someWork()
          .work(signal)
          .finally(() => unwinding.promise),
      ),
    );
    const done = leases.during({ id: 'a', attempt: 2 }, later.work);
    await tick();
    expect(later.hasBegun()).to.equal(false);
    unwinding.resolve();
    expect(await earlier).to.be.instanceOf(LeaseLost);
    later.end();
    await done;
    expect(leases.held()).to.deep.equal([]);
  });

  it('let work end within the grace of a stop, and abort the rest', async () => {
    const leases = setUp(keptAll);
    const [quick, slow] = [someWork(), someWork()];
    const first = leases.during(a, quick.work);
    const second = reasonOf(leases.during({ id: 'b', attempt: 1 }, slow.work));
    const stopped = leases.stop(50);
    await sleep(5);
    quick.end();
    expect(await first).to.equal('done');
    expect(await second).to.be.instanceOf(Stopping);
    await stopped;
    expect(await reasonOf(leases.during(a, someWork().work))).to.be.instanceOf(Stopping);
  });
});

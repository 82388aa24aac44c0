import { expect } from 'chai';
import fc from 'fast-check';
import { neverPosted, type Posting, postedLater, postingFrom, TRIED_SECONDS } from '../../src/domain/posting.ts';

const MINUTE = 60_000;
const begin = new Date('2026-11-20T09:30:00.000Z');
const after = (ms: number) => new Date(begin.getTime() + ms);
const automatic: Posting = { ...neverPosted, automatic: true, postAt: begin };

/** The attempts of a system that never answers, each at the time that the one before asked for. */
const attemptsOf = (chance: number, firstSeconds = 5) => {
  const times: Date[] = [];
  for (let now: Posting = automatic; now.postAt !== null; ) {
    times.push(now.postAt);
    now = { ...now, ...postedLater(now, 'The system is away.', { firstSeconds, chance }, now.postAt) };
  }
  return times;
};

describe('posting', () => {
  it('is tried again after 5 seconds, ever later up to an hour, until the day is over and then once', () => {
    const times = attemptsOf(0.5);
    const waits = times.slice(1).map((time, index) => (time.getTime() - (times[index] as Date).getTime()) / 1000);
    expect(waits.slice(0, 8)).to.deep.equal([5, 15, 45, 135, 405, 1215, 3600, 3600]);
    expect(times.at(-1)).to.deep.equal(after(TRIED_SECONDS * 1000));
  });

  it('ends a day after it first failed, however the attempts are spread', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 600 }), (chance, first) => {
        const times = attemptsOf(chance, first);
        expect(times.at(-1)).to.deep.equal(after(TRIED_SECONDS * 1000));
        expect(times.length).to.be.within(20, 60);
      }),
    );
  });

  it('knows since when the system is away, why, and how often it was', () => {
    const once = { ...automatic, ...postedLater(automatic, 'Away.', { firstSeconds: 5, chance: 0.5 }, after(0)) };
    const twice = postedLater(once, 'Still away.', { firstSeconds: 5, chance: 0.5 }, after(MINUTE));
    expect(twice).to.deep.equal({
      postAt: after(MINUTE + 15_000),
      postFailures: 2,
      postFailingSince: after(0),
      postError: 'Still away.',
    });
  });

  it('begins anew, for the documents that workers post', () => {
    const failed = { ...automatic, ...postedLater(automatic, 'Away.', { firstSeconds: 5, chance: 0.5 }, begin) };
    const fresh = { postAt: after(MINUTE), postFailures: 0, postFailingSince: null, postError: null };
    expect(postingFrom(failed, after(MINUTE))).to.deep.equal(fresh);
    expect(postingFrom(failed, null)).to.deep.equal({ ...fresh, postAt: null });
    expect(postingFrom(neverPosted, after(MINUTE))).to.deep.equal({ ...fresh, postAt: null });
  });
});

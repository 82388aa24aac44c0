import { expect } from 'chai';
import { tightest } from '../../src/domain/rate-limit.ts';

describe('the tightest limit', () => {
  const limit = { name: 'credential', windowSeconds: 60 };
  const a = { ...limit, limit: 100, remaining: 7, resetSeconds: 20 };
  const b = { ...limit, limit: 30, remaining: 3, resetSeconds: 10 };

  it('is the one with the fewest remaining requests, wherever it stands', () => {
    expect(tightest([a, b])).to.equal(b);
    expect(tightest([b, a])).to.equal(b);
  });

  it('is, on a tie, the one that resets last', () => {
    const late = { ...a, remaining: 3, resetSeconds: 60 };
    expect(tightest([b, late])).to.equal(late);
    expect(tightest([late, b])).to.equal(late);
    expect(tightest([a, late, b])).to.equal(late);
  });

  it('is the first of two that are the same in both', () => expect(tightest([b, { ...b, limit: 5 }])).to.equal(b));

  it('is none of none', () => expect(tightest([])).to.equal(undefined));
});

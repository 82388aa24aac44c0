import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { later } from '../../src/application/shared/later.ts';

describe('what is called back later', () => {
  it('is called back once, in order, when its time is up and not before', async () => {
    const called: (readonly [name: string, after: number])[] = [];
    const begun = performance.now();
    const call = (name: string) => called.push([name, performance.now() - begun]);
    later(60, () => call('first'));
    await sleep(20);
    later(60, () => call('second'));
    later(30, () => call('shorter'));
    await sleep(400);
    expect(called.map(([name]) => name)).to.deep.equal(['shorter', 'first', 'second']);
    const [shorter, first, second] = called.map(([, after]) => after);
    expect(first).to.be.at.least(60);
    expect(shorter).to.be.at.least(50);
    expect(second).to.be.at.least(80);
  });

  it('is not called back once that is prevented, and those behind it are', async () => {
    const called: string[] = [];
    const prevent = later(30, () => called.push('prevented'));
    later(30, () => called.push('behind'));
    prevent();
    prevent();
    await sleep(200);
    expect(called).to.deep.equal(['behind']);
    prevent();
  });

  it('is called back when nothing has waited for long', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    later(30, resolve)();
    await sleep(200);
    later(30, resolve);
    await promise;
  });

  it('sets one timer at a time, also where what is called back waits again', async () => {
    const given = globalThis.setTimeout;
    let [timers, calls] = [0, 0];
    globalThis.setTimeout = Object.assign((...args: Parameters<typeof given>) => {
      timers += 1;
      return given(...args);
    }, given);
    try {
      const stops = Array.from({ length: 5 }, (_, index) => {
        const again = () => {
          calls += 1;
          stops[index] = later(25, again);
        };
        return later(25, again);
      });
      while (calls < 100) await sleep(7);
      for (const stop of stops) stop();
    } finally {
      globalThis.setTimeout = given;
    }
    expect(timers).to.be.at.most(calls);
  });

  it('may wait again when it is called back', async () => {
    let times = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const again = () => {
      times += 1;
      if (times === 3) resolve();
      else later(20, again);
    };
    later(20, again);
    await promise;
    expect(times).to.equal(3);
  });
});

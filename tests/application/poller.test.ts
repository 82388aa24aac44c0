import { setImmediate as tick } from 'node:timers/promises';
import { expect } from 'chai';
import { poller } from '../../src/application/shared/poller.ts';

/** A poller whose looks are ended by hand. */
const aPoller = (everyMs = 60_000) => {
  const looks: PromiseWithResolvers<boolean>[] = [];
  const failures: unknown[] = [];
  const look = () => {
    const pending = Promise.withResolvers<boolean>();
    looks.push(pending);
    return pending.promise;
  };
  const end = async (more = false) => {
    looks.at(-1)?.resolve(more);
    await tick();
  };
  return { ...poller({ everyMs, look, failed: (error) => failures.push(error) }), looks, failures, end };
};

describe('a poller', () => {
  it('looks once however often it is woken, and once more for what came during the look', async () => {
    const { wake, looks, end } = aPoller();
    for (let times = 0; times < 3; times++) wake();
    expect(looks).to.have.length(1);
    await end();
    expect(looks).to.have.length(2);
    await end();
    expect(looks).to.have.length(2);
  });

  it('looks again while there is more, and after a look that failed once it is woken', async () => {
    const { wake, looks, failures, end } = aPoller();
    wake();
    await end(true);
    expect(looks).to.have.length(2);
    looks[1]?.reject(new Error('the database is away'));
    await tick();
    expect([looks.length, failures.length]).to.deep.equal([2, 1]);
    wake();
    expect(looks).to.have.length(3);
  });

  it('looks as soon as it is started', async () => {
    const { start, stop, looks, end } = aPoller();
    start();
    expect(looks).to.have.length(1);
    await end();
    await stop();
  });

  it('looks every so often without a wake-up', async () => {
    const { start, stop, looks, end } = aPoller(1);
    start();
    await end();
    while (looks.length === 1) await tick();
    const stopped = stop();
    await end();
    await stopped;
  });

  it('ends its look before it has stopped, and never looks again', async () => {
    const { wake, stop, looks, end } = aPoller();
    wake();
    wake();
    let over = false;
    const stopped = stop().then(() => {
      over = true;
    });
    await tick();
    expect(over).to.equal(false);
    await end(true);
    await stopped;
    wake();
    expect(looks).to.have.length(1);
  });
});

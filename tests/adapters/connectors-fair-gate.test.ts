import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { fairGate, type Slot } from '../../src/adapters/connectors/fair-gate.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { aSharer } from '../support/builders.ts';

const never = new AbortController().signal;
/** The gate of a connection's pool, at which users ask by their names. */
const gate = (size: number, waitSeconds = 60) => {
  const { enter } = fairGate({ connectionName: 'ledger', size, waitSeconds });
  return { enter: (user: string, signal: AbortSignal) => enter(aSharer(user), signal) };
};
/** Who is still waiting at the end of a test is refused a minute later. */
const ignore = () => {};
const outcome = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

const mustBeBusy = (error: unknown) => {
  expect(error).to.be.instanceOf(DomainError);
  expect(error).to.include({ kind: 'rate_limited', code: 'rate_limited', retryAfterSeconds: 5 });
  expect((error as DomainError).message).to.include('"ledger" has no free session');
};

describe('the fair gate before a pool', () => {
  it('keeps one session for the next user, where the pool has more than one', async () => {
    const own = gate(3);
    await own.enter('a', never);
    await own.enter('a', never);
    const third = outcome(own.enter('a', AbortSignal.timeout(5)));
    await own.enter('b', never);
    expect(await third).to.include({ name: 'TimeoutError' });
  });

  it('lets one user have the only session there is', async () => {
    const own = gate(1);
    const slot = await own.enter('a', never);
    const next = own.enter('a', never);
    slot.end();
    (await next).end();
    await own.enter('b', never);
  });

  it('gives the next free session to the user who holds the fewest, and to the first of its waiters', async () => {
    const own = gate(4);
    const slots = [
      await own.enter('a', never),
      await own.enter('a', never),
      await own.enter('a', never),
      await own.enter('b', never),
    ];
    const order: string[] = [];
    const ask = (user: string, name: string) =>
      own.enter(user, never).then((slot) => order.push(name) && slots.push(slot), ignore);
    for (const name of ['a1', 'a2', 'b1', 'c1', 'c2']) void ask(name.charAt(0), name);
    for (let step = 0; step < 4; step += 1) {
      slots[step]?.end();
      await setImmediate();
    }
    expect(order[0]).to.equal('c1');
    for (const user of 'ac') {
      const own = order.filter((name) => name.startsWith(user));
      expect(own).to.deep.equal(own.toSorted());
    }
  });

  it('refuses a waiter when its time is up: as busy if sessions work, as a time-out if none has answered', async () => {
    const own = gate(1, 0.02);
    const slot = await own.enter('a', never);
    expect(await outcome(own.enter('b', never)))
      .to.include({ name: 'TimeoutError' })
      .and.not.to.be.instanceOf(DomainError);
    slot.works(true);
    mustBeBusy(await outcome(own.enter('b', never)));
    slot.works(false);
    expect(await outcome(own.enter('b', never)), 'the work is over').to.include({ name: 'TimeoutError' });
    slot.works(true);
    slot.end();
    slot.end();
    const again = await own.enter('b', never);
    expect(await outcome(own.enter('c', never)), 'the slot that worked is over').to.include({ name: 'TimeoutError' });
    again.end();
  });

  it('rejects with the reason of an abort, before and during the wait', async () => {
    const own = gate(1);
    const reason = new Error('gone');
    expect(await outcome(own.enter('a', AbortSignal.abort(reason)))).to.equal(reason);
    const slot = await own.enter('a', never);
    const controller = new AbortController();
    const waiting = outcome(own.enter('b', controller.signal));
    controller.abort(reason);
    expect(await waiting).to.equal(reason);
    slot.end();
    await own.enter('c', never);
  });

  it('bounds those who wait at the cost of the user with the most of them', async () => {
    const own = gate(1);
    const slot = await own.enter('a', never);
    const crowd = Array.from({ length: 100 }, () => own.enter('a', never));
    const [newest] = crowd.slice(-1);
    const other = own.enter('b', never);
    mustBeBusy(await outcome(newest as Promise<Slot>));
    mustBeBusy(await outcome(own.enter('a', never)));
    for (const waiting of crowd) void waiting.then((admitted) => admitted.end(), ignore);
    slot.end();
    await other;
  });

  it('never exceeds the pool, never gives one user all of it, and leaves no session idle that a waiter may have', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.record({ user: fc.constantFrom('a', 'b', 'c'), ends: fc.nat({ max: 9 }) }), { maxLength: 60 }),
        async (size, steps) => {
          const own = gate(size);
          const open: { user: string; slot: Slot }[] = [];
          const waits = { a: 0, b: 0, c: 0 };
          for (const { user, ends } of steps) {
            const asker = user as keyof typeof waits;
            waits[asker] += 1;
            void own.enter(asker, never).then((slot) => {
              waits[asker] -= 1;
              open.push({ user: asker, slot });
            }, ignore);
            await setImmediate();
            if (ends < open.length) open.splice(ends, 1)[0]?.slot.end();
            await setImmediate();
            const mostEach = Math.max(1, size - 1);
            const held = (name: string) => open.filter((each) => each.user === name).length;
            expect(open.length).to.be.at.most(size);
            for (const name of ['a', 'b', 'c'] as const) {
              expect(held(name)).to.be.at.most(mostEach);
              expect(waits[name] > 0 && open.length < size && held(name) < mostEach, 'a session is idle').to.equal(
                false,
              );
            }
          }
        },
      ),
    ));
});

import { setImmediate as nextRound } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { fairShare } from '../../src/application/shared/fair-share.ts';
import type { Sharer } from '../../src/domain/sharer.ts';
import { aSharer } from '../support/builders.ts';

const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);

/** `A` is a user of the workspace `a`, `a1` and `a2` are others. */
const sharerOf = (owner: string): Sharer => aSharer(owner, owner.charAt(0).toLowerCase());

/** Places whose work ends when it is told to, on a clock that moves when it is told to. */
const stage = (places: number, terms: Omit<Parameters<typeof fairShare>[0], 'places'> = {}) => {
  let time = 0;
  const begun: { readonly owner: string; readonly name: string; end(): void }[] = [];
  const queue = fairShare({ places, now: () => time, ...terms });
  const add = (owner: string, name = owner, signal?: AbortSignal) =>
    queue.pass(
      sharerOf(owner),
      () => {
        const { promise, resolve } = Promise.withResolvers<string>();
        begun.push({ owner, name, end: () => resolve(name) });
        return promise;
      },
      signal,
    );
  const run = async (index: number, milliseconds = 1) => {
    time += milliseconds;
    begun[index]?.end();
    await nextRound();
  };
  return { queue, begun, add, run, owners: () => begun.map(({ owner }) => owner).join('') };
};

describe('fair shares', () => {
  it('give the next place to the owner that holds the fewest, whatever the others have queued', async () => {
    const { add, run, owners } = stage(2);
    for (let each = 0; each < 10; each++) void add('A');
    await nextRound();
    void add('B');
    void add('C');
    await run(0);
    await run(1);
    expect(owners()).to.equal('AABC');
  });

  it('count the time that was used, not how often', async () => {
    const { add, run, owners } = stage(1);
    for (let each = 0; each < 4; each++) void add('A');
    for (let each = 0; each < 12; each++) void add('B');
    await nextRound();
    for (let at = 0; at < 13; at++) await run(at, owners().at(-1) === 'A' ? 10 : 1);
    expect(owners()).to.equal(`A${'B'.repeat(10)}ABB`);
  });

  it('remember what an owner used that is away for a moment, and give no credit for having been away', async () => {
    const { add, run, owners } = stage(1);
    void add('A');
    void add('B');
    void add('B');
    void add('B');
    await nextRound();
    await run(0, 50);
    void add('A');
    await run(1, 10);
    await run(2, 10);
    expect(owners()).to.equal('ABBB');
    await run(3, 1000);
    for (let each = 0; each < 3; each++) void add('C');
    await run(4, 1);
    expect(owners()).to.equal('ABBBAC');
    for (let each = 0; each < 3; each++) void add('D');
    await run(5, 5);
    expect(owners()).to.equal('ABBBACD');
  });

  it('let go of what is aborted while it waits, and reject with the reason', async () => {
    const { queue, add, run, begun } = stage(1);
    const reason = new Error('enough');
    const abort = new AbortController();
    void add('A', 'one');
    const second = add('A', 'two', abort.signal).catch((error: unknown) => error);
    void add('A', 'three');
    expect([queue.waiting(), [...queue.demand()]]).to.deep.equal([2, [['a', 3]]]);
    abort.abort(reason);
    expect(await second).to.equal(reason);
    expect(await add('A', 'four', AbortSignal.abort(reason)).catch((error: unknown) => error)).to.equal(reason);
    await run(0);
    await run(1);
    expect(begun.map(({ name }) => name)).to.deep.equal(['one', 'three']);
    expect([queue.waiting(), [...queue.demand()]]).to.deep.equal([0, []]);
  });

  it('are by user, however many requests each has, and by workspace, however many users it has', async () => {
    const { add, run, begun } = stage(2);
    for (let each = 0; each < 5; each++) void add('a1');
    for (let each = 0; each < 5; each++) void add('b1');
    for (const user of ['a2', 'a3', 'a4', 'a5']) void add(user);
    await nextRound();
    for (let at = 0; at < 13; at++) await run(at);
    const order = begun.map(({ owner }) => owner);
    expect(order.filter((owner) => /a[2-5]/.test(owner))).to.deep.equal(['a2', 'a3', 'a4', 'a5']);
    expect(
      order.slice(0, 10).filter((owner) => owner === 'b1'),
      'one of the two places',
    ).to.have.length(4);
    expect(
      order.slice(2, 10).filter((owner) => owner === 'a1'),
      'no more than its share of the other',
    ).to.have.length(0);
  });

  it('keep a place for the next user where one may not have them all', async () => {
    const { add, begun, run } = stage(3, { mostOfUser: 2 });
    for (let each = 0; each < 4; each++) void add('a1');
    await nextRound();
    expect(begun).to.have.length(2);
    void add('a2');
    await nextRound();
    expect(begun.at(-1)?.owner).to.equal('a2');
    await run(2);
    expect(begun, 'the place stays free').to.have.length(3);
  });

  it('refuse who waits too long, and beyond those who may wait the newest of the user who has the most of them', async () => {
    const refusal = (why: string) => new Error(why);
    const { add, run, begun } = stage(1, { mostWaiting: 3, refusal });
    const ofA = ['1', '2', '3', '4'].map((name) => add('A', name).catch((error: Error) => error.message));
    void add('B');
    expect(await ofA[3]).to.equal('crowded');
    for (let at = 0; at < 4; at++) await run(at);
    expect(begun.map(({ owner }) => owner).join('')).to.equal('ABAA');
    const slow = stage(1, { waitMs: 1, refusal });
    void slow.add('A');
    expect(await slow.add('B').catch((error: Error) => error.message)).to.equal('late');
    await slow.run(0);
    void slow.add('C');
    await nextRound();
    expect(slow.owners()).to.equal('AC');
  });

  it('free the place of work that fails', async () => {
    const queue = fairShare({ places: 1 });
    const failed = queue
      .pass(aSharer('A'), () => Promise.reject(new Error('broken')))
      .catch((error: Error) => error.message);
    expect(await queue.pass(aSharer('A'), async () => 'next')).to.equal('next');
    expect(await failed).to.equal('broken');
  });

  it('never leave a place empty, begin each owner’s work in order, and let none wait for more than a place of each other', async () => {
    const owner = fc.constantFrom('A', 'B', 'C', 'D');
    const step = fc.oneof(
      fc.record({ add: owner }),
      fc.record({ end: fc.nat({ max: 7 }), took: fc.integer({ min: 1, max: 50 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), async (places, steps) => {
        const { queue, begun, add, run } = stage(places);
        const ended = new Set<number>();
        const inside = () => begun.map((_, at) => at).filter((at) => !ended.has(at));
        let added = 0;
        for (const each of steps) {
          if ('add' in each) void add(each.add, String(added++));
          else {
            const before = new Map<string, number>();
            const running = inside();
            const at = running[each.end % Math.max(1, running.length)];
            if (at === undefined) continue;
            ended.add(at);
            for (const index of inside())
              before.set(begun[index]?.owner ?? '', (before.get(begun[index]?.owner ?? '') ?? 0) + 1);
            const waited = [...queue.demand()]
              .map(([workspace, count]) => [workspace.toUpperCase(), count] as const)
              .filter(([who, count]) => count > running.filter((index) => begun[index]?.owner === who).length);
            const known = begun.length;
            await run(at, each.took);
            const next = begun[known]?.owner;
            const fewest = Math.min(...waited.map(([who]) => before.get(who) ?? 0));
            if (next !== undefined)
              expect(before.get(next) ?? 0, 'the place went to one that holds more').to.equal(fewest);
          }
          await nextRound();
          expect(inside().length).to.equal(Math.min(places, inside().length + queue.waiting()));
        }
        while (inside().length > 0) {
          const [at] = inside();
          ended.add(at as number);
          await run(at as number);
        }
        expect(begun).to.have.length(added);
        for (const who of 'ABCD') {
          const names = begun.filter((each) => each.owner === who).map(({ name }) => Number(name));
          expect(names).to.deep.equal(names.toSorted((a, b) => a - b));
        }
        expect([...queue.demand()]).to.deep.equal([]);
      }),
      { seed, numRuns: 200 },
    );
  });
});

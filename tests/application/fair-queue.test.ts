import { setImmediate as nextRound } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { fairQueue } from '../../src/application/runs/fair-queue.ts';

const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);

/** A queue whose work ends when it is told to, on a clock that moves when it is told to. */
const stage = (places: number) => {
  let time = 0;
  const begun: { readonly owner: string; readonly name: string; end(): void }[] = [];
  const queue = fairQueue(places, () => time);
  const add = (owner: string, name = owner, signal?: AbortSignal) =>
    queue.pass(
      owner,
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

describe('a fair queue', () => {
  it('gives the next place to the owner that holds the fewest, whatever the others have queued', async () => {
    const { add, run, owners } = stage(2);
    for (let each = 0; each < 10; each++) void add('A');
    await nextRound();
    void add('B');
    void add('C');
    await run(0);
    await run(1);
    expect(owners()).to.equal('AABC');
  });

  it('counts the time that was used, not how often', async () => {
    const { add, run, owners } = stage(1);
    for (let each = 0; each < 4; each++) void add('A');
    for (let each = 0; each < 12; each++) void add('B');
    await nextRound();
    for (let at = 0; at < 13; at++) await run(at, owners().at(-1) === 'A' ? 10 : 1);
    expect(owners()).to.equal(`A${'B'.repeat(10)}ABB`);
  });

  it('remembers what an owner used that is away for a moment, and gives no credit for having been away', async () => {
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

  it('lets go of what is aborted while it waits, and rejects with the reason', async () => {
    const { queue, add, run, begun } = stage(1);
    const reason = new Error('enough');
    const abort = new AbortController();
    void add('A', 'one');
    const second = add('A', 'two', abort.signal).catch((error: unknown) => error);
    void add('A', 'three');
    expect([queue.waiting(), [...queue.demand()]]).to.deep.equal([2, [['A', 3]]]);
    abort.abort(reason);
    expect(await second).to.equal(reason);
    expect(await add('A', 'four', AbortSignal.abort(reason)).catch((error: unknown) => error)).to.equal(reason);
    await run(0);
    await run(1);
    expect(begun.map(({ name }) => name)).to.deep.equal(['one', 'three']);
    expect([queue.waiting(), [...queue.demand()]]).to.deep.equal([0, []]);
  });

  it('frees the place of work that fails', async () => {
    const queue = fairQueue(1, () => 0);
    const failed = queue.pass('A', () => Promise.reject(new Error('broken'))).catch((error: Error) => error.message);
    expect(await queue.pass('A', async () => 'next')).to.equal('next');
    expect(await failed).to.equal('broken');
  });

  it('never leaves a place empty, begins each owner’s work in order, and lets none wait for more than a place of each other', async () => {
    const owner = fc.constantFrom('A', 'B', 'C', 'D');
    const step = fc.oneof(fc.record({ add: owner }), fc.record({ end: fc.nat({ max: 7 }), took: fc.integer({ min: 1, max: 50 }) }));
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
            for (const index of inside()) before.set(begun[index]?.owner ?? '', (before.get(begun[index]?.owner ?? '') ?? 0) + 1);
            const waited = [...queue.demand()].filter(
              ([who, count]) => count > running.filter((index) => begun[index]?.owner === who).length,
            );
            const known = begun.length;
            await run(at, each.took);
            const next = begun[known]?.owner;
            const fewest = Math.min(...waited.map(([who]) => before.get(who) ?? 0));
            if (next !== undefined) expect(before.get(next) ?? 0, 'the place went to one that holds more').to.equal(fewest);
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

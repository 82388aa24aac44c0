import { expect } from 'chai';
import fc from 'fast-check';
import type { Work } from '../../src/application/ports/queue.ts';
import { aNewRun, aUser, type Cast } from '../support/builders.ts';
import { onStage, type RunStage } from '../support/runs.ts';

/** What the leases of a RunQueue are that serves several workspaces. */
export const queueRotationContract = (make: () => RunStage) => {
  let stage: RunStage;
  let cast: Cast;
  onStage(make, (opened) => {
    ({ stage, cast } = opened);
  });

  const queue = async ({ agent, user }: Cast, count: number) => {
    for (let n = 0; n < count; n += 1) await stage.runs.create(aNewRun(agent, user), null);
  };
  /** A worker that leases so many at a time, and what it leased: the workspaces in order. */
  const aWorker = (name: string, most = 1) => {
    const leased: Work[] = [];
    let after: string | null = null;
    const lease = async (except: readonly string[] = []) => {
      const works = await stage.queue.lease(name, most, 60, { after, except });
      after = works.at(-1)?.run.workspaceId ?? after;
      leased.push(...works);
      return works.map(({ run }) => run.workspaceId);
    };
    return { leased, lease };
  };

  it('takes them in turn, however many runs one of them has queued', async () => {
    const other = await stage.cast();
    await Promise.all(Array.from({ length: 500 }, () => queue(cast, 1)));
    await queue(other, 5);
    const { lease, leased } = aWorker('worker');
    for (let n = 0; n < 12; n += 1) await lease();
    expect(leased.slice(0, 10).filter(({ run }) => run.workspaceId === other.user.workspaceId)).to.have.length(5);
  });

  it('deals what it may take to all of them, round after round, until it has enough or nothing is left', async () => {
    const [second, third] = [await stage.cast(), await stage.cast()];
    const [a, b, c] = [cast, second, third].map(({ user }) => user.workspaceId).toSorted() as [string, string, string];
    const of = (id: string) => [cast, second, third].find(({ user }) => user.workspaceId === id) as Cast;
    await queue(of(a), 6);
    await queue(of(b), 1);
    await queue(of(c), 3);
    const { lease } = aWorker('worker', 5);
    expect(await lease()).to.deep.equal([a, b, c, a, c]);
    expect(await lease()).to.deep.equal([a, c, a, a, a]);
    expect(await lease()).to.deep.equal([]);
  });

  it('takes the users of a workspace in turn, however many runs one of them has queued', async () => {
    const { workspaceId } = cast.user;
    const [second, third] = [aUser({ workspaceId }), aUser({ workspaceId })];
    for (const user of [second, third]) await stage.addUser(user);
    await Promise.all(Array.from({ length: 30 }, () => queue(cast, 1)));
    const { lease, leased } = aWorker('worker');
    const order = () => leased.map(({ run }) => [cast.user, second, third].findIndex(({ id }) => id === run.userId));
    for (let n = 0; n < 4; n += 1) await lease();
    await queue({ ...cast, user: second }, 3);
    for (let n = 0; n < 2; n += 1) await lease();
    await queue({ ...cast, user: third }, 2);
    for (let n = 0; n < 6; n += 1) await lease();
    expect(order().slice(0, 6)).to.deep.equal([0, 0, 0, 0, 0, 1]);
    expect(order().slice(6).toSorted()).to.deep.equal([0, 0, 1, 1, 2, 2]);
    for (let n = 0; n < 30; n += 1) await lease();
    expect(leased).to.have.length(35);
    const own = leased.filter(({ run }) => run.userId === cast.user.id).map(({ run }) => run.createdAt.getTime());
    expect(own).to.deep.equal(own.toSorted((a, b) => a - b));
  });

  it('leaves out those that it is told to, their abandoned runs too', async () => {
    const other = await stage.cast();
    await queue(cast, 2);
    const { lease } = aWorker('worker', 3);
    await lease();
    await stage.expireLeases();
    await queue(cast, 2);
    expect(await lease([cast.user.workspaceId])).to.deep.equal([]);
    await queue(other, 1);
    expect(await lease([cast.user.workspaceId])).to.deep.equal([other.user.workspaceId]);
    expect(await lease([other.user.workspaceId])).to.deep.equal(Array(3).fill(cast.user.workspaceId));
  });

  it('passes over none that waits, whatever comes in between, and hands no run to two', async () => {
    const casts = [cast, await stage.cast(), await stage.cast()];
    const step = fc.oneof(
      fc.record({ workspace: fc.nat({ max: 2 }), create: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ workers: fc.uniqueArray(fc.nat({ max: 2 }), { minLength: 1 }) }),
    );
    const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        await stage.clear();
        const workers = [0, 1, 2].map((n) => aWorker(`worker ${n}`));
        const left = new Map(casts.map(({ user }) => [user.workspaceId, 0]));
        /** Per worker: how often each workspace that has waited all the time was passed over since its last turn. */
        const passed = workers.map(() => new Map<string, number>());
        for (const each of steps) {
          if ('create' in each) {
            const chosen = casts[each.workspace] as Cast;
            await queue(chosen, each.create);
            left.set(chosen.user.workspaceId, (left.get(chosen.user.workspaceId) ?? 0) + each.create);
            continue;
          }
          const leases = await Promise.all(
            each.workers.map(async (n) => ({ n, got: (await workers[n]?.lease()) ?? [] })),
          );
          for (const { got } of leases) for (const id of got) left.set(id, (left.get(id) ?? 0) - 1);
          for (const { n, got } of leases) {
            for (const [id, count] of left) {
              const times = got.length === 0 || got.includes(id) || count === 0 ? 0 : (passed[n]?.get(id) ?? 0) + 1;
              passed[n]?.set(id, times);
              expect(times, 'a workspace that waits was passed over for a whole round').to.be.lessThan(casts.length);
            }
          }
        }
        const ids = workers.flatMap(({ leased }) => leased.map(({ run }) => run.id));
        expect(new Set(ids).size).to.equal(ids.length);
        for (const { leased } of workers) {
          for (const { user } of casts) {
            const own = leased.filter(({ run }) => run.workspaceId === user.workspaceId).map(({ run }) => run.id);
            expect(own).to.deep.equal(own.toSorted());
          }
        }
      }),
      { seed, numRuns: 15 },
    );
  });

  it('hands every run to one of many workers that lease at once', async () => {
    const casts = [cast, await stage.cast(), await stage.cast(), await stage.cast()];
    await Promise.all(casts.flatMap((each) => Array.from({ length: 20 }, () => queue(each, 1))));
    const workers = Array.from({ length: 12 }, (_, n) => aWorker(`worker ${n}`, 3));
    for (let round = 0; round < 3; round += 1) await Promise.all(workers.map(({ lease }) => lease()));
    const ids = workers.flatMap(({ leased }) => leased.map(({ run }) => run.id));
    expect([ids.length, new Set(ids).size]).to.deep.equal([80, 80]);
  });
};

import { expect } from 'chai';
import fc from 'fast-check';
import type { Run } from '../../src/domain/run.ts';
import { aNewRun, anAgent, anId, aUser, type Cast, finished } from '../support/builders.ts';
import { aLeasedRun, detailOf, onStage, type RunStage, viewerOf } from '../support/runs.ts';

const cancel = (run: Run, now: Date): Run => ({
  ...run,
  status: 'cancelled',
  statusReason: { code: 'cancelled_by_user', message: 'It was cancelled.' },
  completedAt: now,
});

const aKey = (over: Partial<{ credentialId: string; key: string; requestHash: string }> = {}) => ({
  credentialId: anId(),
  key: 'order-1',
  requestHash: 'hash',
  ...over,
});

/** Every RunRepository passes this, or it is not one. */
export const runRepositoryContract = (make: () => RunStage) => {
  let stage: RunStage;
  let cast: Cast;
  onStage(make, (opened) => {
    ({ stage, cast } = opened);
  });

  const create = async (over: Parameters<typeof aNewRun>[2] = {}) => {
    const created = await stage.runs.create(aNewRun(cast.agent, cast.user, over), null);
    if (!('run' in created)) throw new Error(created.outcome);
    return created.run;
  };

  describe('create', () => {
    it('stores nothing for an agent that is not there or not visible', async () => {
      const stranger = { ...cast.user, id: anId(), workspaceId: anId() };
      for (const [agent, user] of [
        [{ ...cast.agent, id: anId() }, cast.user],
        [{ ...cast.agent, workspaceId: stranger.workspaceId }, stranger],
      ] as const) {
        const key = { credentialId: 'c', key: anId(), requestHash: 'h' };
        expect(await stage.runs.create(aNewRun(agent, user), null)).to.deep.equal({ outcome: 'no agent' });
        expect(await stage.runs.create(aNewRun(agent, user), key)).to.deep.equal({ outcome: 'no agent' });
      }
    });

    it('binds the run to the live version of its agent, or to the one that is asked for', async () => {
      const { id } = cast.agent;
      await create();
      await stage.changeAgent(id, { model: 'openai/later', instructions: 'Read it twice.' });
      await create();
      const asked = await create({ agentVersion: 1 });
      const { items } = await stage.runs.listVisible(viewerOf(cast), {}, { limit: 10, offset: 0 });
      const versions = [
        { agentVersion: 1, model: cast.agent.model },
        { agentVersion: 2, model: 'openai/later' },
        { agentVersion: 1, model: cast.agent.model },
      ];
      expect(items.map(({ agentVersion, model }) => ({ agentVersion, model })).toReversed()).to.deep.equal(versions);
      expect(await stage.runs.update(asked.id, cancel)).to.include(versions[0]);
      expect(await detailOf(stage, cast, asked.id)).to.include(versions[0]);
      expect(asked).to.include(versions[0]);
    });

    it('stores nothing for a version that the agent does not have, and says which it has', async () => {
      await stage.changeAgent(cast.agent.id, { model: 'openai/later', instructions: 'Read it twice.' });
      const once = aKey();
      for (const key of [null, once]) {
        const outcome = await stage.runs.create(aNewRun(cast.agent, cast.user, { agentVersion: 3 }), key);
        expect(outcome).to.deep.equal({ outcome: 'no version', newest: 2 });
      }
      expect((await stage.runs.listVisible(viewerOf(cast), {}, { limit: 1, offset: 0 })).total).to.equal(0);
      const created = await stage.runs.create(aNewRun(cast.agent, cast.user, { agentVersion: 2 }), once);
      expect(created, 'the key was not used').to.have.property('outcome', 'created');
    });

    it('answers the run queued, and stores it so', async () => {
      const run = await create({ files: 2, userMessage: 'read "these", please' });
      expect(run).to.include({
        status: 'queued',
        attempt: 0,
        error: null,
        startedAt: null,
        agentName: cast.agent.name,
      });
      const found = await detailOf(stage, cast, run.id);
      const { units, conversations, documents, files, userMessage, sheets, parts, partsRevision, ...stored } = found;
      expect(stored).to.deep.equal(run);
      expect(files).to.have.length(2);
      expect(userMessage).to.equal('read "these", please');
      expect(units.map(({ fileIndexes, status }) => [fileIndexes, status])).to.deep.equal([
        [[0], 'queued'],
        [[1], 'queued'],
      ]);
      expect([conversations, documents, sheets, parts, partsRevision]).to.deep.equal([[], [], [], [], 0]);
    });

    it('stores many at once, and of those only what its caller may start', async () => {
      const stranger = { ...cast.user, id: anId() };
      const asked = Array.from({ length: 60 }, (_, index) => {
        const agent = index % 7 === 3 ? { ...cast.agent, id: anId() } : cast.agent;
        return aNewRun(agent, index % 7 === 5 ? stranger : cast.user, {
          files: index % 3,
          userMessage: `message ${index}`,
        });
      });
      const created = await Promise.allSettled(asked.map((run) => stage.runs.create(run, null)));
      for (const [index, result] of created.entries()) {
        const { id } = asked[index] ?? { id: '' };
        if (index % 7 === 3) expect(result).to.deep.equal({ status: 'fulfilled', value: { outcome: 'no agent' } });
        else if (index % 7 === 5) expect(result.status, 'a user that is not there').to.equal('rejected');
        else {
          expect(result, `run ${index}`).to.have.nested.property('value.run.id', id);
          const { userMessage, units, files } = await detailOf(stage, cast, id);
          expect([userMessage, files.length, units.length]).to.deep.equal([
            `message ${index}`,
            index % 3,
            Math.max(1, index % 3),
          ]);
        }
      }
      const before = await stage.counted();
      expect(before.totals).to.deep.equal(before.rowsOfWorkspaces);
      await stage.queue.sweep();
      const { counters, rows, slots, totals, rowsOfWorkspaces } = await stage.counted();
      expect(counters).to.deep.equal(rows);
      expect(totals).to.deep.equal(rowsOfWorkspaces);
      expect(slots, 'one row for each agent and status').to.equal(rows.length);
    });

    it('keeps all files in one unit where they belong together, and a message alone in one without files', async () => {
      const together = await detailOf(stage, cast, (await create({ files: 3, processTogether: true })).id);
      expect(together.units.map(({ fileIndexes }) => fileIndexes)).to.deep.equal([[0, 1, 2]]);
      const message = await detailOf(stage, cast, (await create({ files: 0, userMessage: 'hello' })).id);
      expect(message.units.map(({ fileIndexes }) => fileIndexes)).to.deep.equal([[]]);
    });

    it('starts one run for twenty requests at once under one key', async () => {
      const once = aKey();
      const requests = Array.from({ length: 20 }, () => stage.runs.create(aNewRun(cast.agent, cast.user), once));
      const answers = await Promise.all(requests);
      const ids = new Set(answers.map((answer) => ('run' in answer ? answer.run.id : answer.outcome)));
      expect(ids.size).to.equal(1);
      expect(answers.filter(({ outcome }) => outcome === 'created')).to.have.length(1);
      expect((await stage.runs.listVisible(viewerOf(cast), {}, { limit: 100, offset: 0 })).total).to.equal(1);
    });

    it('replays the first answer, whatever became of the run', async () => {
      const once = aKey();
      const first = await stage.runs.create(aNewRun(cast.agent, cast.user), once);
      if (first.outcome !== 'created') throw new Error(first.outcome);
      await stage.runs.update(first.run.id, cancel);
      const second = await stage.runs.create(aNewRun(cast.agent, cast.user), once);
      expect(second).to.deep.equal({ outcome: 'replayed', run: first.run });
    });

    it('tells another request under the same key, and takes the key from another credential', async () => {
      const once = aKey();
      await stage.runs.create(aNewRun(cast.agent, cast.user), once);
      expect(await stage.runs.create(aNewRun(cast.agent, cast.user), { ...once, requestHash: 'other' })).to.deep.equal({
        outcome: 'mismatch',
      });
      const elsewhere = await stage.runs.create(aNewRun(cast.agent, cast.user), { ...once, credentialId: anId() });
      expect(elsewhere.outcome).to.equal('created');
    });

    it('forgets a key after a day: its use starts a new run, and sweeping removes it', async () => {
      const once = aKey();
      const before = await stage.countKeys();
      await stage.runs.create(aNewRun(cast.agent, cast.user), once);
      await stage.ageKeys(25);
      expect((await stage.runs.create(aNewRun(cast.agent, cast.user), once)).outcome).to.equal('created');
      expect((await stage.runs.create(aNewRun(cast.agent, cast.user), once)).outcome).to.equal('replayed');
      await stage.ageKeys(25);
      await stage.queue.sweep();
      expect(await stage.countKeys()).to.be.at.most(before);
    });

    it('stores nothing of a request that fails', async () => {
      const once = aKey();
      const stranger = aNewRun(cast.agent, aUser());
      const outcome = await stage.runs.create(stranger, once).catch((error: Error) => error);
      expect(outcome).to.be.instanceOf(Error);
      expect((await stage.runs.create(aNewRun(cast.agent, cast.user), once)).outcome).to.equal('created');
    });
  });

  describe('visibility', () => {
    it('hides the runs of an agent from those who do not see it, and everything from other workspaces', async () => {
      const other = aUser({ workspaceId: cast.user.workspaceId });
      await stage.addUser(other);
      const secret = anAgent({ workspaceId: cast.user.workspaceId, visibleTo: [cast.user.id] });
      await stage.addAgent(secret);
      const run = aNewRun(secret, cast.user);
      await stage.runs.create(run, null);
      const stranger = await stage.cast();
      expect(await stage.runs.findVisible(viewerOf(cast), run.id)).to.include({ id: run.id });
      for (const viewer of [viewerOf({ user: other }), viewerOf(stranger)]) {
        expect(await stage.runs.findVisible(viewer, run.id)).to.equal(null);
        expect(await stage.runs.listVisible(viewer, {}, { limit: 10, offset: 0 })).to.deep.equal({
          items: [],
          total: 0,
          next: null,
        });
        expect(await stage.runs.listVisible(viewer, { agentId: secret.id }, { limit: 10, offset: 0 })).to.deep.equal({
          items: [],
          total: 0,
          next: null,
        });
      }
    });

    it('answers null for what is no id', async () => {
      expect(await stage.runs.findVisible(viewerOf(cast), "'; drop table runs")).to.equal(null);
      expect(await stage.runs.update('nothing', (run) => run)).to.equal(null);
      expect(await stage.runs.update(anId(), (run) => run)).to.equal(null);
    });
  });

  describe('listVisible', () => {
    it('pages newest first, neither repeating nor skipping, and counts every match', async () => {
      await Promise.all(Array.from({ length: 23 }, () => create()));
      await stage.createdAtOnce();
      const late = await create();
      const pages = [];
      for (const offset of [0, 5, 10, 15, 20, 25])
        pages.push(await stage.runs.listVisible(viewerOf(cast), {}, { limit: 5, offset }));
      const items = pages.flatMap((page) => page.items);
      const order = items.map(({ createdAt, id }) => `${createdAt.toISOString()} ${id}`);
      expect(new Set(order).size).to.equal(24);
      expect(items[0]).to.deep.equal(late);
      expect(order).to.deep.equal(order.toSorted().reverse());
      expect(pages.map(({ total }) => total)).to.deep.equal(Array(6).fill(24));
    });

    it('goes on after a position, for every set of filters, whatever is created meanwhile', async () => {
      await Promise.all(Array.from({ length: 23 }, () => create()));
      await stage.createdAtOnce();
      const filters = [
        {},
        { agentId: cast.agent.id },
        { status: 'queued' },
        { agentId: cast.agent.id, status: 'queued' },
      ] as const;
      for (const filter of filters) {
        const all = (await stage.runs.listVisible(viewerOf(cast), filter, { limit: 100, offset: 0 })).items;
        const pages = [];
        let after = null;
        do {
          const page: Awaited<ReturnType<typeof stage.runs.listVisible>> = await stage.runs.listVisible(
            viewerOf(cast),
            filter,
            {
              limit: 5,
              offset: 0,
              after,
            },
          );
          pages.push(page.items);
          after = page.next;
          await create();
        } while (after);
        expect(pages.flat(), JSON.stringify(filter)).to.deep.equal(all);
      }
    });

    it('filters by agent and by status, and leaves out what did not come from the API', async () => {
      const second = anAgent({ workspaceId: cast.user.workspaceId });
      await stage.addAgent(second);
      const mine = await create();
      const cancelled = await create();
      await stage.runs.update(cancelled.id, cancel);
      await stage.runs.create(aNewRun(second, cast.user), null);
      await create({ origin: 'tool' });
      const total = async (filter: Parameters<typeof stage.runs.listVisible>[1]) =>
        (await stage.runs.listVisible(viewerOf(cast), filter, { limit: 10, offset: 0 })).items.length;
      expect(await total({})).to.equal(3);
      expect(await total({ agentId: second.id })).to.equal(1);
      expect(await total({ status: 'cancelled' })).to.equal(1);
      const page = await stage.runs.listVisible(
        viewerOf(cast),
        { agentId: cast.agent.id, status: 'queued' },
        { limit: 10, offset: 0 },
      );
      expect(page).to.deep.equal({ items: [mine], total: 1, next: null });
    });
  });

  describe('a page far down the list', () => {
    it('is what follows on the pages before it, of what the user sees, for every set of filters', async () => {
      await Promise.all(Array.from({ length: 1030 }, () => create()));
      const filters = [
        {},
        { agentId: cast.agent.id },
        { status: 'queued' },
        { agentId: cast.agent.id, status: 'queued' },
      ] as const;
      const other = aUser({ workspaceId: cast.user.workspaceId });
      await stage.addUser(other);
      const secret = anAgent({ workspaceId: cast.user.workspaceId, visibleTo: [other.id] });
      await stage.addAgent(secret);
      for (let n = 0; n < 10; n += 1) await stage.runs.create(aNewRun(secret, other), null);
      for (const filter of filters) {
        const at = (offset: number, limit: number) => stage.runs.listVisible(viewerOf(cast), filter, { limit, offset });
        const ids = async (offset: number, limit: number) => (await at(offset, limit)).items.map(({ id }) => id);
        expect(await ids(985, 60)).to.deep.equal([
          ...(await ids(985, 10)),
          ...(await ids(995, 10)),
          ...(await ids(1005, 25)),
        ]);
        expect((await ids(1005, 100)).length).to.equal(25);
        for (const offset of [1030, 100_000_000, Number.MAX_SAFE_INTEGER]) {
          expect(await at(offset, 20)).to.deep.equal({ items: [], total: 1030, next: null });
        }
      }
    });
  });

  describe('update', () => {
    it('lets exactly one of two racing transitions win', async () => {
      const run = await create();
      const move = () =>
        stage.runs.update(run.id, (current, now) => {
          if (current.status !== 'queued') throw new Error('too late');
          return cancel(current, now);
        });
      const results = await Promise.allSettled(Array.from({ length: 8 }, move));
      expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    });

    it('leaves the run alone when the change throws', async () => {
      const run = await create();
      const outcome = await stage.runs
        .update(run.id, () => {
          throw new Error('no');
        })
        .catch((error: Error) => error.message);
      expect(outcome).to.equal('no');
      expect(await detailOf(stage, cast, run.id)).to.deep.include(run);
    });

    it("gives the database's time, and answers what is stored", async () => {
      const run = await create();
      const updated = await stage.runs.update(run.id, cancel);
      const found = await detailOf(stage, cast, run.id);
      const { units, conversations, documents, files, userMessage, sheets, parts, partsRevision, ...stored } = found;
      expect(updated).to.deep.equal(stored);
      expect(stored.completedAt?.getTime()).to.be.at.least(run.createdAt.getTime());
    });

    it('ends the unfinished units of a run that it ends, their documents and their conversations', async () => {
      const { lease, run } = await aLeasedRun(stage, cast, { files: 3 });
      const ids = [0, 1].map((index) => ({
        index,
        conversationId: anId(),
        documentId: anId(),
        documentName: `${index}.txt`,
      }));
      for (const unit of ids) await stage.queue.beginUnit(lease, unit);
      await stage.queue.finishUnit(lease, 0, { status: 'completed', document: finished({ data: { a: 1 } }) });
      await stage.runs.update(run.id, cancel);
      const detail = await detailOf(stage, cast, run.id);
      expect(detail.units.map(({ status, error, errorCode }) => [status, error, errorCode])).to.deep.equal([
        ['completed', null, null],
        ['cancelled', 'It was cancelled.', 'cancelled_by_user'],
        ['cancelled', 'It was cancelled.', 'cancelled_by_user'],
      ]);
      expect(detail.documents.map(({ status, error }) => [status, error])).to.deep.equal([
        ['ready', null],
        ['error', 'It was cancelled.'],
      ]);
      expect(detail.conversations.map(({ status }) => status)).to.deep.equal(['idle', 'idle']);
    });
  });

  it('counts what a true count counts, after whatever happened', async () => {
    const operation = fc.constantFrom(
      'create',
      'createTool',
      'lease',
      'finish',
      'fail',
      'cancel',
      'sweep',
      'expire',
      'release',
    );
    const property = fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 25 }), async (operations) => {
      const held: Awaited<ReturnType<typeof stage.queue.lease>>[number][] = [];
      const created: string[] = [];
      const take = async () => void held.push(...(await stage.queue.lease('worker', 2, 60)));
      const end = { code: 'model_error', message: 'It failed.' };
      const steps: Record<(typeof operations)[number], () => Promise<unknown>> = {
        create: async () => created.push((await create()).id),
        createTool: () => create({ origin: 'tool' }),
        lease: take,
        finish: async () => held[0] && stage.queue.finish(held.shift()?.lease as never, { event: 'complete' }),
        fail: async () =>
          held[0] &&
          stage.queue.finish(held.shift()?.lease as never, { event: 'fail', reason: end, error: 'It failed.' }),
        cancel: async () =>
          created[0] &&
          stage.runs.update(created.shift() as string, (run, now) => (run.completedAt ? run : cancel(run, now))),
        sweep: () => stage.queue.sweep(),
        expire: () => stage.expireLeases(),
        release: async () => held[0] && stage.queue.release(held.shift()?.lease as never),
      };
      await Promise.allSettled(operations.map((name) => steps[name]()));
      const { counters, rows } = await stage.counted();
      expect(counters).to.deep.equal(rows);
    });
    await fc.assert(property, { numRuns: 20 });
  });
};

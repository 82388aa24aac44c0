import { expect } from 'chai';
import { LeaseLost } from '../../src/application/ports/leases.ts';
import type { RunLease, Work } from '../../src/application/ports/queue.ts';
import type { Message } from '../../src/domain/conversation.ts';
import { MAX_ATTEMPTS } from '../../src/domain/run.ts';
import { aNewRun, anAgent, anId, type Cast, finished, someEvidence } from '../support/builders.ts';
import { aLeasedRun, detailOf, only, onStage, type RunStage } from '../support/runs.ts';

const aMessage = (over: Partial<Message> = {}): Message => ({
  id: anId(),
  role: 'assistant',
  content: 'Hello',
  toolCalls: [],
  toolCallId: null,
  attachments: [],
  authorId: anId(),
  provenance: null,
  createdAt: new Date('2026-03-01T10:00:00.123Z'),
  ...over,
});

const noTokens = { inputTokens: 0, outputTokens: 0 };
const failure = {
  event: 'fail',
  reason: { code: 'model_error', message: 'The model failed.' },
  error: 'The model failed.',
} as const;
const completed = (data: { [key: string]: number | string }) =>
  ({ status: 'completed', document: finished({ data }) }) as const;

const refused = async (work: Promise<unknown>) => {
  const outcome = await work.catch((error: unknown) => error);
  expect(outcome).to.be.instanceOf(LeaseLost);
};

/** Every RunQueue passes this, or it is not one. */
export const runQueueContract = (make: () => RunStage) => {
  let stage: RunStage;
  let cast: Cast;
  onStage(make, (opened) => {
    ({ stage, cast } = opened);
  });

  const create = async (over: Parameters<typeof aNewRun>[2] = {}) => {
    const run = aNewRun(cast.agent, cast.user, over);
    await stage.runs.create(run, null);
    return run;
  };
  const claimOne = async (leaseSeconds = 60) => only(await stage.queue.lease('worker', 1, leaseSeconds));
  const begin = ({ lease }: Pick<Work, 'lease'>, index = 0, documentName: string | null = 'a.txt') =>
    stage.queue.beginUnit(lease, { index, conversationId: anId(), documentId: anId(), documentName });
  const status = async (id: string) => (await detailOf(stage, cast, id)).status;

  /** Everything that a lease lets a worker write. */
  const writes = (lease: RunLease, conversationId: string): readonly (() => Promise<unknown>)[] => [
    () => stage.queue.release(lease),
    () => begin({ lease }, 1),
    () => stage.queue.append(lease, conversationId, [aMessage()], { inputTokens: 7, outputTokens: 7 }),
    () => stage.queue.intend(lease, conversationId, ['c1']),
    () => stage.queue.finishUnit(lease, 0, completed({ a: 1 })),
    () => stage.queue.finishUnit(lease, 0, { status: 'failed', error: 'no', code: 'model_error' }),
    () => stage.queue.finish(lease, { event: 'complete' }),
    () => stage.queue.finish(lease, failure),
  ];

  describe('lease', () => {
    it('hands out the run with its agent and its units, running', async () => {
      const agent = anAgent({
        workspaceId: cast.user.workspaceId,
        documentSchema: { type: 'object', properties: { z: {}, a: {} } },
        tools: ['search_web', { database: 'sales' }],
        visibleTo: [cast.user.id],
      });
      await stage.addAgent(agent);
      const run = aNewRun(agent, cast.user, { files: 2, deadlineSeconds: 100 });
      await stage.runs.create(run, null);
      const work = await claimOne();
      expect(work.lease).to.deep.equal({ runId: run.id, attempt: 1 });
      expect(work.run).to.include({ id: run.id, status: 'running', attempt: 1 });
      expect(work.run.startedAt).to.be.instanceOf(Date);
      expect(work.agent).to.deep.equal(agent);
      expect(Object.keys((work.agent.documentSchema as { properties: object }).properties)).to.deep.equal(['z', 'a']);
      expect(work.units.map(({ index, fileIndexes }) => [index, fileIndexes])).to.deep.equal([
        [0, [0]],
        [1, [1]],
      ]);
      expect(work.remainingMs).to.be.within(1, 100_000);
    });

    it('hands out the version of the agent that the run was created with, whoever asks and however often', async () => {
      const before = await create();
      await stage.changeAgent(cast.agent.id, { model: 'openai/later', instructions: 'Read it twice.' });
      const after = await create();
      const earlier = await create({ agentVersion: 1 });
      const seen = async () =>
        (await stage.queue.lease('worker', 3, 60)).map(({ run, agent: { version, model, instructions } }) => [
          run.id,
          run.agentVersion,
          version,
          model,
          instructions,
        ]);
      const first = [cast.agent.model, cast.agent.instructions];
      const bound = [
        [before.id, 1, 1, ...first],
        [after.id, 2, 2, 'openai/later', 'Read it twice.'],
        [earlier.id, 1, 1, ...first],
      ];
      expect(await seen()).to.deep.equal(bound);
      await stage.changeAgent(cast.agent.id, { model: 'openai/latest', instructions: 'Read it again.' });
      await stage.expireLeases();
      expect(await seen(), 'after the first worker was lost').to.deep.equal(bound);
    });

    it('serves first come first served, as many as asked for', async () => {
      const ids = [];
      for (let n = 0; n < 4; n += 1) ids.push((await create()).id);
      const first = await stage.queue.lease('worker', 3, 60);
      const second = await stage.queue.lease('worker', 3, 60);
      expect([...first, ...second].map(({ run }) => run.id)).to.deep.equal(ids);
      expect(await stage.queue.lease('worker', 3, 60)).to.deep.equal([]);
    });

    it('never hands a run to two of many workers that lease at once', async () => {
      await Promise.all(Array.from({ length: 30 }, () => create()));
      const leased = await Promise.all(Array.from({ length: 40 }, (_, n) => stage.queue.lease(`worker ${n}`, 2, 60)));
      const ids = leased.flat().map(({ run }) => run.id);
      expect(ids).to.have.length(30);
      expect(new Set(ids).size).to.equal(30);
    });

    it('never hands an abandoned run to two either', async () => {
      await Promise.all(Array.from({ length: 10 }, () => create()));
      await stage.queue.lease('lost', 10, 60);
      await stage.expireLeases();
      const leased = (
        await Promise.all(Array.from({ length: 20 }, (_, n) => stage.queue.lease(`worker ${n}`, 3, 60)))
      ).flat();
      expect(new Set(leased.map(({ run }) => run.id)).size).to.equal(leased.length);
      expect(leased.map(({ lease }) => lease.attempt)).to.deep.equal(Array(10).fill(2));
    });

    it('leaves a run with its worker as long as the lease lasts', async () => {
      await create();
      const { lease } = await claimOne();
      expect(await stage.queue.lease('other', 1, 60)).to.deep.equal([]);
      expect(await stage.queue.renew([lease], 60)).to.deep.equal(new Set([lease.runId]));
    });

    it('takes over an abandoned run before newer ones, keeping when it was started', async () => {
      const { run } = await aLeasedRun(stage, cast);
      await create();
      await stage.expireLeases();
      const again = await claimOne();
      expect(again.run).to.deep.include({ id: run.id, attempt: 2, startedAt: run.startedAt });
    });

    it('leaves alone what is past its deadline', async () => {
      await stage.passDeadline((await create()).id);
      expect(await stage.queue.lease('worker', 5, 60)).to.deep.equal([]);
    });
  });

  describe('a lease that is no longer held', () => {
    const unchanged = async (work: Work, act: (lease: RunLease, conversationId: string) => Promise<void>) => {
      const { conversationId } = await begin(work);
      await stage.expireLeases();
      await act(work.lease, conversationId);
    };

    it('writes nothing once its lease is over, even before anybody took over', async () => {
      const work = await aLeasedRun(stage, cast, { files: 2 });
      await unchanged(work, async (lease, conversationId) => {
        const before = await detailOf(stage, cast, lease.runId);
        for (const write of writes(lease, conversationId)) await refused(write());
        expect(await detailOf(stage, cast, lease.runId)).to.deep.equal(before);
        expect(await stage.queue.renew([lease], 60)).to.deep.equal(new Set());
      });
    });

    it('writes nothing under its successor', async () => {
      const work = await aLeasedRun(stage, cast, { files: 2 });
      await unchanged(work, async (lease, conversationId) => {
        const successor = await claimOne();
        const before = await detailOf(stage, cast, lease.runId);
        for (const write of writes(lease, conversationId)) await refused(write());
        expect(await detailOf(stage, cast, lease.runId)).to.deep.equal(before);
        expect(await stage.queue.renew([lease, successor.lease], 60)).to.deep.equal(new Set([lease.runId]));
      });
    });

    it('writes nothing after the run was cancelled', async () => {
      const work = await aLeasedRun(stage, cast, { files: 2 });
      const { conversationId } = await begin(work);
      await stage.runs.update(work.run.id, (run, now) => ({ ...run, status: 'cancelled', completedAt: now }));
      const before = await detailOf(stage, cast, work.run.id);
      for (const write of writes(work.lease, conversationId)) await refused(write());
      expect(await detailOf(stage, cast, work.run.id)).to.deep.equal(before);
    });

    it('writes nothing of what it began to write while it was taken over', async () => {
      const work = await aLeasedRun(stage, cast, { files: 2 });
      const { conversationId } = await begin(work);
      const before = await detailOf(stage, cast, work.run.id);
      const count = writes(work.lease, conversationId).length;
      for (let n = 0; n < count; n += 1) {
        const lease = { ...work.lease, attempt: work.lease.attempt + n };
        const write = writes(lease, conversationId)[n] as () => Promise<unknown>;
        await refused(stage.duringTakeover(lease.runId, write));
      }
      expect(await detailOf(stage, cast, work.run.id)).to.deep.equal({ ...before, attempt: before.attempt + count });
    });

    it('is refused or followed, never both, when the takeover comes at the same moment', async () => {
      for (let round = 0; round < 20; round += 1) {
        const work = await aLeasedRun(stage, cast);
        const { conversationId } = await begin(work);
        await stage.expireLeases();
        const append = stage.queue.append(work.lease, conversationId, [aMessage()], noTokens).then(
          () => 'written',
          (error: Error) => error.name,
        );
        const [written, taken] = await Promise.all([append, claimOne()]);
        expect([written, taken.lease.attempt]).to.deep.equal(['LeaseLost', 2]);
        await stage.queue.finish(taken.lease, { event: 'complete' });
      }
    });
  });

  describe('release', () => {
    it('hands the run back at once, without counting the attempt', async () => {
      const { run } = await aLeasedRun(stage, cast);
      await stage.queue.release({ runId: run.id, attempt: 1 });
      for (let attempt = 2; attempt < 3 * MAX_ATTEMPTS; attempt += 1) {
        const { lease, isLastAttempt } = await claimOne();
        expect([lease, isLastAttempt]).to.deep.equal([{ runId: run.id, attempt }, false]);
        await stage.queue.release(lease);
      }
      expect(await stage.queue.sweep()).to.equal(0);
      expect(await status(run.id)).to.equal('running');
    });
  });

  describe('sweep', () => {
    it('fails a run that three workers were lost with, its units and its documents too', async () => {
      const { run } = await aLeasedRun(stage, cast, { files: 2 });
      const unit = await begin({ lease: { runId: run.id, attempt: 1 } });
      for (let attempt = 2; attempt <= MAX_ATTEMPTS; attempt += 1) {
        await stage.expireLeases();
        expect(await stage.queue.sweep()).to.equal(0);
        const { lease, isLastAttempt } = await claimOne();
        expect([lease.attempt, isLastAttempt]).to.deep.equal([attempt, attempt === MAX_ATTEMPTS]);
      }
      await stage.expireLeases();
      expect(await stage.queue.lease('worker', 1, 60)).to.deep.equal([]);
      expect(await stage.queue.sweep()).to.equal(1);
      const detail = await detailOf(stage, cast, run.id);
      expect(detail).to.include({
        status: 'failed',
        error: 'The run was given up: 3 workers that took it on were lost.',
      });
      expect(detail.statusReason?.code).to.equal('worker_lost');
      expect(detail.completedAt).to.be.instanceOf(Date);
      expect(detail.units.map(({ status: state, errorCode }) => [state, errorCode])).to.deep.equal(
        Array(2).fill(['failed', 'worker_lost']),
      );
      expect(await stage.document(unit.documentId as string)).to.include({ status: 'error', error: detail.error });
      expect(await stage.conversationStatus(unit.conversationId)).to.equal('idle');
      expect(await stage.queue.sweep()).to.equal(0);
    });

    it('fails what is past its deadline, queued or running, whoever holds it', async () => {
      const running = await aLeasedRun(stage, cast, { deadlineSeconds: 1_800 });
      const queued = await create({ deadlineSeconds: 1_800 });
      for (const id of [running.run.id, queued.id]) await stage.passDeadline(id);
      expect(await stage.queue.sweep()).to.equal(2);
      for (const id of [running.run.id, queued.id]) {
        const detail = await detailOf(stage, cast, id);
        expect(detail.status).to.equal('failed');
        expect(detail.statusReason?.code).to.equal('deadline_exceeded');
        expect(detail.error).to.match(/^The run did not end within the -?\d+ seconds it had\.$/);
      }
      await refused(stage.queue.finish(running.lease, { event: 'complete' }));
    });

    it('ends each run once, however many sweep', async () => {
      for (let n = 0; n < 10; n += 1) await stage.passDeadline((await create()).id);
      const swept = await Promise.all(Array.from({ length: 6 }, () => stage.queue.sweep()));
      expect(swept.reduce((sum, n) => sum + n)).to.equal(10);
    });
  });

  describe('beginUnit', () => {
    it('stores the conversation and the document once: whoever goes on finds them with their messages', async () => {
      const work = await aLeasedRun(stage, cast);
      const first = await begin(work);
      expect(first.messages).to.deep.equal([]);
      const message = aMessage({
        role: 'user',
        attachments: [{ fileKey: 'k', fileName: 'a.txt', contentType: 'text/plain' }],
      });
      await stage.queue.append(work.lease, first.conversationId, [message], noTokens);
      expect(await begin(work)).to.deep.equal({ ...first, messages: [message] });
      await stage.expireLeases();
      const successor = await claimOne();
      expect(await begin(successor)).to.deep.equal({ ...first, messages: [message] });
      const detail = await detailOf(stage, cast, work.run.id);
      expect(detail.documents).to.have.length(1);
      expect(detail.conversations.map(({ id, status: state }) => [id, state])).to.deep.equal([
        [first.conversationId, 'responding'],
      ]);
      expect(only(detail.units)).to.include({
        status: 'running',
        conversationId: first.conversationId,
        documentId: first.documentId,
      });
    });

    it('makes no document where none is asked for', async () => {
      const work = await aLeasedRun(stage, cast);
      expect((await begin(work, 0, null)).documentId).to.equal(null);
      expect((await detailOf(stage, cast, work.run.id)).documents).to.deep.equal([]);
    });

    it('rejects a unit that the run does not have', async () => {
      const work = await aLeasedRun(stage, cast);
      const outcome = await begin(work, 7).catch((error: Error) => error);
      expect(outcome).to.be.instanceOf(Error).and.not.instanceOf(LeaseLost);
    });
  });

  describe('append', () => {
    it('keeps messages in order and adds up the usage', async () => {
      const work = await aLeasedRun(stage, cast);
      const { conversationId } = await begin(work);
      const call = { id: 'c1', name: 'search_web', arguments: { query: 'x' } };
      const list = [
        aMessage({ role: 'user' }),
        aMessage({ content: '', toolCalls: [call] }),
        aMessage({ role: 'tool', toolCallId: 'c1' }),
        aMessage({ content: 'done' }),
      ];
      await stage.queue.append(work.lease, conversationId, list.slice(0, 2), { inputTokens: 10, outputTokens: 1 });
      await stage.queue.append(work.lease, conversationId, list.slice(2), { inputTokens: 5, outputTokens: 2 });
      expect((await begin(work)).messages).to.deep.equal(list);
      expect((await detailOf(stage, cast, work.run.id)).usage).to.deep.equal({ inputTokens: 15, outputTokens: 3 });
    });

    it('takes a NUL character wherever a model or a file has one', async () => {
      const work = await aLeasedRun(stage, cast);
      const { conversationId, documentId } = await begin(work, 0, 'a\0.txt');
      const call = { id: 'c1', name: 'x', arguments: { text: 'a\0b' } };
      await stage.queue.append(
        work.lease,
        conversationId,
        [aMessage({ content: 'a\0b', toolCalls: [call] })],
        noTokens,
      );
      const [message] = (await begin(work)).messages;
      expect(message).to.deep.include({ content: 'a\uFFFDb', toolCalls: [call] });
      await stage.queue.finishUnit(work.lease, 0, completed({ text: 'a\0b' }));
      expect(JSON.parse((await stage.document(documentId as string)).data as string)).to.deep.equal({ text: 'a\0b' });
      await stage.queue.finish(work.lease, { event: 'fail', reason: { code: 'x', message: 'a\0b' }, error: 'a\0b' });
      expect(await detailOf(stage, cast, work.run.id)).to.deep.include({ error: 'a\uFFFDb' });
    });

    it("refuses another run's conversation", async () => {
      const [one, two] = [await aLeasedRun(stage, cast), await aLeasedRun(stage, cast)];
      const { conversationId } = await begin(one);
      const outcome = await stage.queue
        .append(two.lease, conversationId, [aMessage()], noTokens)
        .catch((error: Error) => error);
      expect(outcome).to.be.instanceOf(Error);
      expect((await begin(one)).messages).to.deep.equal([]);
    });
  });

  describe('finishUnit', () => {
    it('makes the document ready with what was read, its keys in their order', async () => {
      const work = await aLeasedRun(stage, cast);
      const { documentId, conversationId } = await begin(work);
      const evidence = { '/z': someEvidence({ quote: 'Z 1', fileName: 'a.txt', page: 2 }) };
      const coverage = {
        pagesRead: 1,
        pagesTotal: 2,
        charactersRead: 3,
        charactersTotal: 9,
        complete: false,
        unread: [{ fileName: 'a.pdf', page: 2, what: 'a "stamp"' }],
        doubts: [],
      };
      await stage.queue.finishUnit(work.lease, 0, {
        status: 'completed',
        document: finished({ data: { z: 1, a: 2, m: { y: 1, b: 2 } }, evidence, coverage }),
      });
      const document = await stage.document(documentId as string);
      expect(document).to.deep.include({ status: 'ready', error: null, data: '{"z":1,"a":2,"m":{"y":1,"b":2}}' });
      expect(JSON.parse(document.evidence)).to.deep.equal(evidence);
      expect(JSON.parse(document.coverage ?? '')).to.deep.equal(coverage);
      expect(await stage.conversationStatus(conversationId)).to.equal('idle');
      expect(only((await detailOf(stage, cast, work.run.id)).units)).to.include({ status: 'completed', error: null });
    });

    it('ends unit and document with the error, in its words', async () => {
      const work = await aLeasedRun(stage, cast);
      const { documentId } = await begin(work);
      await stage.queue.finishUnit(work.lease, 0, {
        status: 'failed',
        error: 'The file is damaged.',
        code: 'unreadable_file',
      });
      expect(await stage.document(documentId as string)).to.include({
        status: 'error',
        error: 'The file is damaged.',
        data: null,
      });
      const unit = only((await detailOf(stage, cast, work.run.id)).units);
      expect(unit).to.include({ status: 'failed', error: 'The file is damaged.', errorCode: 'unreadable_file' });
    });

    it('leaves a document in the trash, and ends the unit all the same', async () => {
      const work = await aLeasedRun(stage, cast);
      const { documentId } = await begin(work);
      await stage.trashDocument(documentId as string);
      await stage.queue.finishUnit(work.lease, 0, completed({ a: 1 }));
      expect(await stage.document(documentId as string)).to.include({ status: 'trashed', data: null });
      const detail = await detailOf(stage, cast, work.run.id);
      expect(detail.documents).to.deep.equal([]);
      expect(only(detail.units).status).to.equal('completed');
    });

    it('ends a unit once: the second word is not heard', async () => {
      const work = await aLeasedRun(stage, cast);
      await begin(work);
      await stage.queue.finishUnit(work.lease, 0, completed({ a: 1 }));
      await stage.queue.finishUnit(work.lease, 0, { status: 'failed', error: 'late', code: 'model_error' });
      const detail = await detailOf(stage, cast, work.run.id);
      expect([only(detail.units).status, only(detail.documents).status]).to.deep.equal(['completed', 'ready']);
    });
  });

  describe('finish', () => {
    it('completes the run', async () => {
      const work = await aLeasedRun(stage, cast);
      await begin(work);
      await stage.queue.finishUnit(work.lease, 0, completed({ a: 1 }));
      await stage.queue.finish(work.lease, { event: 'complete' });
      const detail = await detailOf(stage, cast, work.run.id);
      expect(detail).to.include({ status: 'completed', error: null, statusReason: null });
      expect(detail.completedAt).to.be.instanceOf(Date);
      await refused(stage.queue.finish(work.lease, failure));
    });

    it('fails the run with its reason, and what was not finished with it', async () => {
      const work = await aLeasedRun(stage, cast, { files: 2 });
      await begin(work);
      await stage.queue.finish(work.lease, failure);
      const detail = await detailOf(stage, cast, work.run.id);
      expect(detail).to.deep.include({ status: 'failed', error: failure.error, statusReason: failure.reason });
      expect(detail.units.map(({ status: state, error }) => [state, error])).to.deep.equal(
        Array(2).fill(['failed', failure.error]),
      );
      expect(only(detail.documents)).to.include({ status: 'error', error: failure.error });
    });
  });
};

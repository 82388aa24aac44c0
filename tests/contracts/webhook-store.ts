import { expect } from 'chai';
import type { Attempt, DeliveryLease, DeliveryWork, EndedAttempt } from '../../src/application/ports/webhooks.ts';
import { trash } from '../../src/domain/document.ts';
import { MAX_KEPT_ATTEMPTS, MAX_WAITED_FAILURES } from '../../src/domain/webhook.ts';
import { aNewRun, anId, type Cast, finished, someEvidence } from '../support/builders.ts';
import { only } from '../support/runs.ts';
import type { WebhookStage } from '../support/webhooks.ts';

const accepted: Attempt = { status: 200, error: null, response: 'ok' };
const taken: EndedAttempt = { ...accepted, durationMs: 250 };
const refusal: Attempt = { status: 500, error: 'The receiver answered 500.', response: 'no' };
const refused: EndedAttempt = { ...refusal, durationMs: 90 };
const DAY = 86_400;
const LEASE = 60;

/** Every store of webhooks passes this, or it is not one. */
export const webhookStoreContract = (make: () => WebhookStage) => {
  let stage: WebhookStage;
  let cast: Cast;
  beforeEach(async () => {
    stage = make();
    await stage.clear();
    cast = await stage.cast();
  });
  afterEach(() => stage.close());

  const workspaceId = () => cast.agent.workspaceId;
  const create = async (over: Parameters<typeof aNewRun>[2] = {}) => {
    const run = aNewRun(cast.agent, cast.user, over);
    await stage.runs.create(run, null);
    return run;
  };
  const claimRun = async () => only(await stage.queue.lease('worker', 1, 60)).lease;
  const lease = async (most = 100, perWebhook = 100, leaseSeconds = LEASE) => {
    await stage.webhooks.collect();
    return stage.webhooks.lease(most, perWebhook, leaseSeconds);
  };
  const events = (works: readonly DeliveryWork[]) => works.map(({ event }) => event);
  /** Takes everything that can be leased, until nothing can. */
  const drain = async () => {
    const all: DeliveryWork[] = [];
    for (let works = await lease(); works.length > 0; works = await lease()) {
      all.push(...works);
      for (const work of works) expect(await stage.webhooks.succeed(work.lease, taken)).to.equal(true);
    }
    return all;
  };
  const recorded = async () => {
    await stage.webhooks.collect();
    return (await stage.repository.deliveries({ webhookId: null, status: null, limit: 1000 })).toReversed();
  };
  /** A run with one document, ready. */
  const complete = async () => {
    const run = await create();
    const held = await claimRun();
    const documentId = anId();
    await stage.queue.beginUnit(held, { index: 0, conversationId: anId(), documentId, documentName: 'a.txt' });
    const evidence = { '/total': someEvidence({ quote: 'Total 12', fileName: 'a.txt', page: null }) };
    await stage.queue.finishUnit(held, 0, { status: 'completed', document: finished({ evidence }) });
    await stage.queue.finish(held, { event: 'complete' });
    return { run, documentId, evidence };
  };

  describe('recording', () => {
    it('shows a run as it was when each event happened', async () => {
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.*'] });
      const { run } = await complete();
      const [queued, running, completed, ...more] = await drain();
      expect(more).to.deep.equal([]);
      const base = {
        id: run.id,
        workflowType: cast.agent.workflowType,
        agentId: cast.agent.id,
        agentName: cast.agent.name,
        traceId: run.traceId,
        agentVersion: 1,
        model: cast.agent.model,
        error: null,
        statusReason: null,
        processTogether: false,
        usage: { inputTokens: 0, outputTokens: 0 },
        cost: null,
        source: null,
        waitingFor: null,
      };
      const stored = await stage.runs.findVisible({ userId: cast.user.id, workspaceId: workspaceId() }, run.id);
      const { createdAt, startedAt, completedAt } = stored ?? expect.fail();
      const shown = (work: DeliveryWork | undefined) => (work?.subject.kind === 'run' ? work.subject.run : null);
      expect(shown(queued)).to.deep.equal({
        ...base,
        status: 'queued',
        attempt: 0,
        createdAt,
        startedAt: null,
        completedAt: null,
      });
      expect(shown(running)).to.deep.equal({
        ...base,
        status: 'running',
        attempt: 1,
        createdAt,
        startedAt,
        completedAt: null,
      });
      expect(shown(completed)).to.deep.equal({
        ...base,
        status: 'completed',
        attempt: 1,
        createdAt,
        startedAt,
        completedAt,
      });
      expect([queued, running, completed].map((work) => work?.event)).to.deep.equal([
        'run.queued',
        'run.running',
        'run.completed',
      ]);
    });

    it('tells how a run failed or was cancelled', async () => {
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.failed', 'run.cancelled'] });
      await create();
      const reason = { code: 'model_error', message: 'The model "failed".' };
      await stage.queue.finish(await claimRun(), { event: 'fail', reason, error: 'a.txt: The model "failed".' });
      const run = await create();
      await stage.runs.update(run.id, (current, now) => ({ ...current, status: 'cancelled', completedAt: now }));
      const late = await create();
      await stage.passDeadline(late.id);
      await stage.queue.sweep();
      const [failed, cancelled, swept] = await drain();
      expect(failed?.subject)
        .to.deep.include({ kind: 'run' })
        .and.have.nested.property('run.error', 'a.txt: The model "failed".');
      expect(failed?.subject).to.have.deep.nested.property('run.statusReason', reason);
      expect(cancelled?.event).to.equal('run.cancelled');
      expect(swept?.subject).to.have.nested.property('run.statusReason.code', 'deadline_exceeded');
    });

    it('shows a document without its data as it was when each event happened', async () => {
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['document.*'] });
      const { run, documentId, evidence } = await complete();
      await stage.documents.update(documentId, (found, now) => ({ ...found, status: 'processing', updatedAt: now }));
      await stage.documents.update(documentId, (found, now) => ({
        ...found,
        status: 'error',
        error: 'It was refused.',
        updatedAt: now,
      }));
      await stage.documents.update(documentId, (found, now) => ({
        ...found,
        status: 'processed',
        error: null,
        externalReference: 'row 7',
        processedAt: now,
      }));
      await stage.documents.update(documentId, trash);
      const works = await drain();
      expect(events(works)).to.deep.equal([
        'document.ready',
        'document.error',
        'document.processed',
        'document.trashed',
      ]);
      const documents = works.map(({ subject }) => (subject.kind === 'document' ? subject.document : expect.fail()));
      const stored = (await stage.documents.find(documentId)) ?? expect.fail();
      const { documentData, contradictions, duplicateKey, duplicates, ...listed } = stored;
      const {
        workspaceId: _,
        fence,
        leaseExpiresAt,
        trashedFrom,
        attemptedRevision,
        approvedRevision,
        approvedAs,
        reopened,
        laterKey,
        holdReason,
        heldBy,
        heldAt,
        ...shown
      } = listed;
      expect(documents.at(-1)).to.deep.equal(shown);
      expect(documents[0]).to.deep.include({
        id: documentId,
        runId: run.id,
        status: 'ready',
        evidence,
        error: null,
        processedAt: null,
      });
      expect(documents[1]).to.include({ status: 'error', error: 'It was refused.' });
      expect(documents[2]).to.include({ status: 'processed', externalReference: 'row 7' });
      for (const each of documents) expect(each).to.not.have.property('documentData');
    });

    it('tells each webhook of a workspace what it asked for, and no other workspace anything', async () => {
      const other = await stage.cast();
      const all = await stage.addWebhook({ workspaceId: workspaceId(), events: ['*'] });
      const some = await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.running', 'document.ready'] });
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.failed'] });
      await stage.addWebhook({ workspaceId: other.agent.workspaceId, events: ['*'] });
      const removed = await stage.addWebhook({ workspaceId: workspaceId(), events: ['*'] });
      await stage.removeWebhook(removed.id);
      await complete();
      const works = await drain();
      const to = (id: string) => events(works.filter(({ webhook }) => webhook.id === id));
      expect(to(all.id)).to.deep.equal(['run.queued', 'run.running', 'document.ready', 'run.completed']);
      expect(to(some.id)).to.deep.equal(['run.running', 'document.ready']);
      expect(await recorded()).to.have.length(6);
    });

    it('gives each event to each webhook an id of its own', async () => {
      for (const _ of [1, 2]) await stage.addWebhook({ workspaceId: workspaceId() });
      await complete();
      const ids = (await recorded()).map(({ id }) => id);
      expect(new Set(ids)).to.have.property('size', 8);
      for (const id of ids)
        expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    });

    it('records nothing of what was rolled back', async () => {
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.cancelled'] });
      const run = await create();
      await stage.cancelAndRollBack(run.id);
      expect(await recorded()).to.deep.equal([]);
    });

    it('records nothing where no status changes', async () => {
      await stage.addWebhook({ workspaceId: workspaceId() });
      const run = await create();
      const held = await claimRun();
      const before = (await recorded()).length;
      await stage.queue.renew([held], 60);
      await stage.queue.release(held);
      await claimRun();
      await stage.runs.update(run.id, (current) => ({ ...current, usage: { inputTokens: 1, outputTokens: 1 } }));
      expect((await recorded()).length).to.equal(before);
    });

    it('wakes whoever listens', async () => {
      const woken = Promise.withResolvers<void>();
      let ready = false;
      const heard = Promise.withResolvers<void>();
      stage.wakeups.subscribe(() => (ready ? woken.resolve() : heard.resolve()));
      await heard.promise;
      ready = true;
      await stage.addWebhook({ workspaceId: workspaceId() });
      await create();
      await claimRun();
      await woken.promise;
    });
  });

  describe('lease', () => {
    it('hands out what is needed to send', async () => {
      const webhook = await stage.addWebhook({ workspaceId: workspaceId(), sealedUrl: 'u', sealedSecret: 's' });
      await create();
      const work = only(await lease());
      const { id, address, sealedUrl, sealedSecret } = webhook;
      expect(work.webhook).to.deep.equal({ id, address, sealedUrl, sealedSecret });
      expect(work).to.include({ event: 'run.queued', attempts: 1 });
      expect(work.occurredAt).to.be.instanceOf(Date);
    });

    it('lets an event wait for the earlier ones of its run, and for no other run', async () => {
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.*'] });
      const [one, two] = [await complete(), await complete()];
      const first = await lease();
      expect(first.map(({ event, subject }) => [event, subject.kind === 'run' && subject.run.id])).to.deep.equal([
        ['run.queued', one.run.id],
        ['run.queued', two.run.id],
      ]);
      expect(await lease()).to.deep.equal([]);
      await stage.webhooks.succeed((first[0] as DeliveryWork).lease, taken);
      await stage.webhooks.fail((first[1] as DeliveryWork).lease, refused, 3600);
      expect(events(await lease())).to.deep.equal(['run.running']);
      expect(await lease()).to.deep.equal([]);
    });

    it('lets the later ones go once an event has failed so often', async () => {
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.*'] });
      await complete();
      for (let failures = 1; failures <= MAX_WAITED_FAILURES; failures++) {
        const work = only(await lease());
        expect(work).to.include({ event: 'run.queued', attempts: failures });
        await stage.webhooks.fail(work.lease, refused, failures === MAX_WAITED_FAILURES ? 3600 : 0);
      }
      expect(events(await lease())).to.deep.equal(['run.running']);
    });

    it('lets the later ones wait while the last of these failures is still being tried', async () => {
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.*'] });
      await complete();
      for (let failures = 1; failures < MAX_WAITED_FAILURES; failures++)
        await stage.webhooks.fail(only(await lease()).lease, refused, 0);
      expect(only(await lease()).attempts).to.equal(MAX_WAITED_FAILURES);
      expect(await lease()).to.deep.equal([]);
    });

    it('bounds what is under way, in all and of one webhook', async () => {
      const [slow, other] = [
        await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.queued'] }),
        await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.queued'] }),
      ];
      for (let runs = 0; runs < 5; runs++) await create();
      const of = (works: readonly DeliveryWork[], id: string) =>
        works.filter(({ webhook }) => webhook.id === id).length;
      const first = await lease(100, 2);
      expect([of(first, slow.id), of(first, other.id)]).to.deep.equal([2, 2]);
      expect(await lease(100, 2)).to.deep.equal([]);
      for (const { lease: held } of first.filter(({ webhook }) => webhook.id === other.id))
        await stage.webhooks.succeed(held, taken);
      const second = await lease(100, 2);
      expect([of(second, slow.id), of(second, other.id)]).to.deep.equal([0, 2]);
      expect(await lease(3, 100)).to.have.length(3);
    });

    it('hands out first what goes to a webhook of which less is under way, however long others wait', async () => {
      const add = () => stage.addWebhook({ workspaceId: workspaceId(), events: ['run.queued'] });
      await add();
      await add();
      for (let runs = 0; runs < 5; runs++) await create();
      const [first, ...others] = await lease(4, 2);
      expect(others).to.have.length(3);
      const late = await add();
      await create();
      await stage.webhooks.fail((first as DeliveryWork).lease, refused, 3600);
      expect(only(await lease(1, 2)).webhook.id).to.equal(late.id);
    });

    it('takes from the log, and hands out, as many events at a time as have room together, at least one', async () => {
      const completed = [await complete(), await complete(), await complete(), await complete()];
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['document.changed'] });
      for (const { documentId } of completed) {
        const evidence = { '/total': someEvidence({ quote: 'x'.repeat(1_500_000) }) };
        await stage.documents.update(documentId, (it) => ({ ...it, evidence, revision: it.revision + 1 }), {
          userId: cast.user.id,
          via: 'api_key',
          changes: [],
        });
      }
      const taken: number[] = [];
      for (let more = true; more; ) {
        more = (await stage.webhooks.collect()).hasMore;
        taken.push((await stage.repository.deliveries({ webhookId: null, status: null, limit: 100 })).length);
      }
      expect(taken).to.deep.equal([2, 4]);
      const handedOut = [await lease(), await lease(), await lease()].map((works) => works.length);
      expect(handedOut).to.deep.equal([2, 2, 0]);
    });

    it('hands nothing to two workers at once', async () => {
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.queued'] });
      for (let runs = 0; runs < 40; runs++) await create();
      const all = (await Promise.all(Array.from({ length: 8 }, () => lease(10)))).flat();
      expect(new Set(all.map(({ lease: held }) => held.id)).size).to.equal(all.length);
      for (let more = await lease(10); more.length > 0; more = await lease(10)) all.push(...more);
      expect(new Set(all.map(({ lease: held }) => held.id)).size).to.equal(40);
      expect(all).to.have.length(40);
    });

    it('hands out again what was not answered for when the lease is over, under the same id', async () => {
      await stage.addWebhook({ workspaceId: workspaceId() });
      await create();
      const lost = only(await lease());
      expect(await lease()).to.deep.equal([]);
      await stage.age(LEASE + 1);
      const again = only(await lease());
      expect(again.lease.id).to.equal(lost.lease.id);
      expect(again.attempts).to.equal(2);
      for (const late of [
        stage.webhooks.succeed(lost.lease, taken),
        stage.webhooks.fail(lost.lease, refused, 0),
        stage.webhooks.release(lost.lease),
      ]) {
        expect(await late).to.equal(false);
      }
      expect(only(await recorded())).to.deep.include({ status: 'pending', attempts: 2, lastAttempt: null });
      expect(await stage.webhooks.succeed(again.lease, taken)).to.equal(true);
    });
  });

  describe('an attempt', () => {
    const one = async () => {
      const webhook = await stage.addWebhook({ workspaceId: workspaceId() });
      const run = await create();
      return { webhook, run, work: only(await lease()) };
    };

    it('that succeeds ends the delivery', async () => {
      const { webhook, run, work } = await one();
      expect(await stage.webhooks.succeed(work.lease, taken)).to.equal(true);
      expect(await stage.webhooks.succeed(work.lease, taken)).to.equal(false);
      const delivery = only(await recorded());
      expect(delivery).to.deep.include({
        id: work.lease.id,
        webhookId: webhook.id,
        address: webhook.address,
        event: 'run.queued',
        runId: run.id,
      });
      expect(delivery).to.deep.include({
        documentId: null,
        status: 'delivered',
        attempts: 1,
        lastAttempt: accepted,
        dueAt: null,
      });
      expect(delivery.endedAt).to.be.instanceOf(Date);
      await stage.age(DAY);
      expect(await lease()).to.deep.equal([]);
    });

    it('that fails is made again when it is time', async () => {
      const { work } = await one();
      expect(
        await stage.webhooks.fail(
          work.lease,
          { status: null, error: 'nobody', response: null, durationMs: 15_000 },
          100,
        ),
      ).to.equal(true);
      expect(only(await recorded())).to.deep.include({
        status: 'pending',
        endedAt: null,
        lastAttempt: { status: null, error: 'nobody', response: null },
      });
      await stage.age(90);
      expect(await lease()).to.deep.equal([]);
      await stage.age(20);
      expect(only(await lease()).lease.id).to.equal(work.lease.id);
    });

    it('that fails for good ends the delivery', async () => {
      const { work } = await one();
      expect(await stage.webhooks.fail(work.lease, refused, null)).to.equal(true);
      expect(only(await recorded())).to.deep.include({ status: 'failed', lastAttempt: refusal, dueAt: null });
    });

    it('is the last one where the next would come after three days', async () => {
      const { work } = await one();
      await stage.age(3 * DAY - 100);
      expect(await stage.webhooks.fail(work.lease, refused, 200)).to.equal(true);
      expect(only(await recorded())).to.include({ status: 'failed', attempts: 1 });
    });

    it('that was not made is handed back and not counted', async () => {
      const { work } = await one();
      expect(await stage.webhooks.release(work.lease)).to.equal(true);
      expect(only(await lease())).to.include({ attempts: 1 });
    });
  });

  describe('disabling a webhook', () => {
    const statuses = async (webhookId: string) =>
      (await stage.repository.deliveries({ webhookId, status: null, limit: 9 })).map(({ status }) => status);
    const both = async () =>
      [
        await stage.addWebhook({ workspaceId: workspaceId() }),
        await stage.addWebhook({ workspaceId: workspaceId() }),
      ] as const;

    it('ends all that waits for it, and nothing else: what is under way ends by what its receiver answers', async () => {
      const [gone, other] = await both();
      for (let runs = 0; runs < 3; runs++) await create();
      const held = (await lease()).filter(({ webhook }) => webhook.id === gone.id);
      expect(held).to.have.length(3);
      await create();
      await stage.webhooks.collect();
      expect(await stage.webhooks.disable(gone.id, 'It is gone.')).to.equal(1);
      const [one, two, three] = held.map(({ lease: each }) => each) as [DeliveryLease, DeliveryLease, DeliveryLease];
      expect(await stage.webhooks.succeed(one, taken)).to.equal(true);
      expect(await stage.webhooks.fail(two, refused, null)).to.equal(true);
      expect(await stage.webhooks.fail(three, refused, 0), 'it is not tried again').to.equal(true);
      expect((await lease()).filter(({ webhook }) => webhook.id === gone.id)).to.deep.equal([]);
      expect(await stage.webhooks.cleanUp()).to.equal(1);
      expect((await statuses(gone.id)).toSorted()).to.deep.equal(['delivered', 'disabled', 'disabled', 'failed']);
      expect(new Set(await statuses(other.id))).to.deep.equal(new Set(['pending']));
      const listed = await stage.repository.list();
      const [off, on] = [gone, other].map(({ id }) => listed.find((each) => each.id === id));
      expect([off?.disabledReason, on?.disabledReason, on?.disabledAt]).to.deep.equal(['It is gone.', null, null]);
      expect(off?.disabledAt).to.be.instanceOf(Date);
    });

    it('happens once, and not to one that was removed', async () => {
      const [gone, removed] = await both();
      await stage.removeWebhook(removed.id);
      const outcomes = await Promise.all([
        stage.webhooks.disable(gone.id, 'One.'),
        stage.webhooks.disable(gone.id, 'Two.'),
      ]);
      expect(new Set(outcomes)).to.deep.equal(new Set([0, null]));
      for (const id of [gone.id, removed.id, anId()]) expect(await stage.webhooks.disable(id, 'Later.')).to.equal(null);
      expect(only(await stage.repository.list()).disabledReason).to.be.oneOf(['One.', 'Two.']);
    });

    it('keeps what happens from then on as missed, and hands nothing out', async () => {
      const [gone, other] = await both();
      await stage.webhooks.disable(gone.id, 'It is gone.');
      await complete();
      expect(new Set((await lease()).map(({ webhook }) => webhook.id))).to.deep.equal(new Set([other.id]));
      const missed = await stage.repository.deliveries({ webhookId: null, status: 'disabled', limit: 9 });
      expect(missed.map(({ event }) => event)).to.deep.equal([
        'run.completed',
        'document.ready',
        'run.running',
        'run.queued',
      ]);
      for (const delivery of missed)
        expect(delivery).to.deep.include({ webhookId: gone.id, attempts: 0, lastAttempt: null, dueAt: null });
      expect(await stage.repository.redeliver(missed[0]?.id ?? '')).to.equal('webhook_disabled');
      expect(await statuses(gone.id)).to.not.include('pending');
    });

    it('is finished by the cleanup, if the worker was killed', async () => {
      const [gone] = await both();
      await create();
      await stage.webhooks.collect();
      await stage.disableWebhook(gone.id);
      expect(await statuses(gone.id)).to.deep.equal(['pending']);
      expect((await lease()).filter(({ webhook }) => webhook.id === gone.id)).to.deep.equal([]);
      expect(await stage.webhooks.cleanUp()).to.equal(1);
      expect(await statuses(gone.id)).to.deep.equal(['disabled']);
    });
  });

  describe('cleanup', () => {
    it('gives up what is too late, but not what is under way', async () => {
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.queued'] });
      await create();
      await create();
      await lease(1, 1, 4 * DAY);
      await stage.age(3 * DAY + 10);
      expect(await lease()).to.deep.equal([]);
      for (const ended of [1, 0]) expect(await stage.webhooks.cleanUp()).to.equal(ended);
      expect((await recorded()).map(({ status }) => status)).to.deep.equal(['pending', 'failed']);
      await stage.age(DAY);
      expect(await stage.webhooks.cleanUp()).to.equal(1);
    });

    it('gives up what waits for a removed webhook', async () => {
      const { id } = await stage.addWebhook({ workspaceId: workspaceId() });
      await create();
      await stage.webhooks.collect();
      await stage.removeWebhook(id);
      expect(await lease()).to.deep.equal([]);
      expect(await stage.webhooks.cleanUp()).to.equal(1);
      expect(only(await recorded()))
        .to.deep.include({ status: 'failed' })
        .and.have.nested.property('lastAttempt.error', 'The webhook was removed.');
    });

    it('forgets what ended and is over thirty days old', async () => {
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.queued'] });
      await create();
      await drain();
      await stage.age(29 * DAY);
      expect(await stage.webhooks.cleanUp()).to.equal(0);
      await create();
      await drain();
      await stage.age(2 * DAY);
      expect(await stage.webhooks.cleanUp()).to.equal(1);
      expect(await recorded()).to.have.length(1);
    });
  });

  describe('the attempts of a delivery', () => {
    const one = async (deliveryId: string) => (await stage.repository.attempts(deliveryId)) ?? expect.fail();

    it('are recorded as they end, over every time it is sent again', async () => {
      const start = Date.now();
      await stage.addWebhook({ workspaceId: workspaceId() });
      await create();
      const first = only(await lease());
      const { id } = first.lease;
      expect(await stage.repository.attempts(id)).to.deep.equal([]);
      await stage.webhooks.fail(first.lease, refused, 0);
      const silence: EndedAttempt = { status: null, error: 'It did not answer.', response: null, durationMs: 15_000 };
      await stage.webhooks.fail(only(await lease()).lease, silence, null);
      await stage.repository.redeliver(id);
      await stage.webhooks.succeed(only(await lease()).lease, taken);
      const all = await one(id);
      expect(all.map(({ startedAt, ...rest }) => rest)).to.deep.equal([
        { number: 3, ...taken },
        { number: 2, ...silence },
        { number: 1, ...refused },
      ]);
      for (const { startedAt, durationMs } of all)
        expect(startedAt.getTime() + durationMs).to.be.within(start - 2000, Date.now() + 2000);
    });

    it('lack what was handed back, what was lost, and what no longer had its lease', async () => {
      await stage.addWebhook({ workspaceId: workspaceId() });
      await create();
      await stage.webhooks.release(only(await lease()).lease);
      const lost = only(await lease());
      await stage.age(LEASE + 1);
      const again = only(await lease());
      expect(await stage.webhooks.fail(lost.lease, refused, 0)).to.equal(false);
      await stage.webhooks.succeed(again.lease, taken);
      expect(await stage.webhooks.succeed(again.lease, taken)).to.equal(false);
      expect((await one(lost.lease.id)).map(({ number, status }) => [number, status])).to.deep.equal([[3, 200]]);
    });

    it('are the newest ones where there are many', async () => {
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.queued'] });
      await create();
      await create();
      const [other] = await lease(1);
      await stage.webhooks.fail(other?.lease ?? expect.fail(), refused, 3600);
      let id = '';
      for (let made = 0; made < MAX_KEPT_ATTEMPTS + 2; made++) {
        const { lease: held } = only(await stage.webhooks.lease(1, 1, LEASE));
        await stage.webhooks.fail(held, refused, 0);
        ({ id } = held);
      }
      const numbers = (await one(id)).map(({ number }) => number);
      expect(numbers).to.deep.equal(Array.from({ length: MAX_KEPT_ATTEMPTS }, (_, at) => MAX_KEPT_ATTEMPTS + 2 - at));
      expect(await one(other?.lease.id ?? '')).to.have.length(1);
    });

    it('are there in the workspace of their webhook alone, and gone with the delivery', async () => {
      const other = await stage.cast();
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.queued'] });
      await create();
      const { id } = only(await drain()).lease;
      expect(await stage.repository.attempts(id, workspaceId())).to.have.length(1);
      expect(await stage.repository.attempts(id, other.agent.workspaceId)).to.equal(null);
      for (const unknown of [anId(), 'x', '']) expect(await stage.repository.attempts(unknown)).to.equal(null);
      await stage.age(31 * DAY);
      expect(await stage.webhooks.cleanUp()).to.equal(1);
      expect(await stage.repository.attempts(id)).to.equal(null);
    });
  });

  describe('redelivering', () => {
    it('sends once more what ended, under the same id and with time and attempts anew', async () => {
      await stage.addWebhook({ workspaceId: workspaceId() });
      await create();
      const work = only(await lease());
      await stage.webhooks.fail(work.lease, refused, null);
      await stage.age(5 * DAY);
      expect(await stage.repository.redeliver(work.lease.id)).to.equal('due');
      const again = only(await lease());
      expect(again.lease.id).to.equal(work.lease.id);
      expect(again.attempts).to.equal(1);
      expect(await stage.webhooks.succeed(work.lease, taken), 'the old lease').to.equal(false);
      expect(await stage.webhooks.fail(again.lease, refused, 100)).to.equal(true);
      expect(only(await recorded())).to.include({ status: 'pending' });
    });

    it('leaves alone what is being sent', async () => {
      await stage.addWebhook({ workspaceId: workspaceId() });
      await create();
      const work = only(await lease());
      expect(await stage.repository.redeliver(work.lease.id)).to.equal('due');
      expect(await lease()).to.deep.equal([]);
      expect(await stage.webhooks.succeed(work.lease, taken)).to.equal(true);
    });

    it('says what cannot be sent', async () => {
      const { id } = await stage.addWebhook({ workspaceId: workspaceId() });
      await create();
      for (const unknown of [anId(), 'x', '']) expect(await stage.repository.redeliver(unknown)).to.equal('unknown');
      await stage.webhooks.collect();
      await stage.removeWebhook(id);
      expect(await stage.repository.redeliver(only(await recorded()).id)).to.equal('webhook_removed');
    });
  });

  it('lists webhooks with what waits and what failed, without their secrets', async () => {
    const webhook = await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.*'] });
    const removed = await stage.addWebhook({ workspaceId: workspaceId() });
    await complete();
    await stage.removeWebhook(removed.id);
    await stage.webhooks.fail(only(await lease()).lease, refused, null);
    const { sealedUrl, sealedSecret, ...shown } = webhook;
    const listed = only(await stage.repository.list());
    expect(listed).to.deep.equal({ ...shown, workspace: listed.workspace, pending: 2, failed: 1 });
    expect(await stage.repository.listOf(workspaceId())).to.deep.equal([shown]);
    expect(await stage.repository.listOf((await stage.cast()).agent.workspaceId)).to.deep.equal([]);
  });

  it('lists deliveries newest first, by webhook and by status', async () => {
    const [one, two] = [
      await stage.addWebhook({ workspaceId: workspaceId(), events: ['run.*'] }),
      await stage.addWebhook({ workspaceId: workspaceId() }),
    ];
    await complete();
    await stage.webhooks.collect();
    const list = async (webhookId: string | null, status: 'pending' | 'delivered' | 'failed' | null, limit = 100) =>
      (await stage.repository.deliveries({ webhookId, status, limit })).map(({ event }) => event);
    expect(await list(one.id, null)).to.deep.equal(['run.completed', 'run.running', 'run.queued']);
    expect(await list(two.id, null, 1)).to.deep.equal(['run.completed']);
    expect(await list(null, 'failed')).to.deep.equal([]);
    expect(await list(null, 'pending')).to.have.length(7);
    expect(await list('x', null)).to.deep.equal([]);
  });
};

import { expect } from 'chai';
import type { EventLog, EventPage, LoggedEvent } from '../../src/application/ports/events.ts';
import type { Viewer } from '../../src/application/ports/storage.ts';
import { trash } from '../../src/domain/document.ts';
import { type EventType, eventTypes } from '../../src/domain/event.ts';
import { webhookEvents } from '../../src/domain/webhook.ts';
import { aNewRun, anId, type Cast, finished, someEvidence } from '../support/builders.ts';
import { only, viewerOf } from '../support/runs.ts';
import type { WebhookStage } from '../support/webhooks.ts';

export interface EventStage extends WebhookStage {
  readonly events: EventLog;
  /** Draws a number as a transaction that writes an event does, and keeps it open until it is ended. */
  holdOpen(cast: Cast): Promise<{ commit(): Promise<void>; rollback(): Promise<void> }>;
  /** Keeps a transaction open that has written something else. */
  holdForeign(): Promise<{ end(): Promise<void> }>;
  /** Takes numbers that no event gets. */
  waste(): Promise<void>;
  /** As if the log had been begun, and written until now, so many days earlier. */
  ageEvents(days: number): Promise<void>;
}

/** Every log of events passes this, or it is not one. */
export const eventLogContract = (make: () => EventStage) => {
  let stage: EventStage;
  let cast: Cast;
  let viewer: Viewer;
  let start: number;
  beforeEach(async () => {
    stage = make();
    await stage.clear();
    cast = await stage.cast();
    viewer = viewerOf(cast);
    start = await stage.events.end(viewer);
  });
  afterEach(() => stage.close());

  const create = async (over: Parameters<typeof aNewRun>[2] = {}) => {
    const run = aNewRun(cast.agent, cast.user, over);
    await stage.runs.create(run, null);
    return run.id;
  };
  const complete = async () => {
    const runId = await create();
    const { lease } = only(await stage.queue.lease('worker', 1, 60));
    const documentId = anId();
    await stage.queue.beginUnit(lease, { index: 0, conversationId: anId(), documentId, documentName: 'a.txt' });
    await stage.queue.finishUnit(lease, 0, { status: 'completed', document: finished() });
    await stage.queue.finish(lease, { event: 'complete' });
    return { runId, documentId };
  };
  const read = async (
    after: number | null = start,
    {
      runId = null,
      types = webhookEvents,
      limit = 100,
    }: { runId?: string | null; types?: readonly EventType[]; limit?: number } = {},
    of = viewer,
  ): Promise<EventPage> =>
    (await stage.events.read(of, { runId, types }, after, limit)) ?? expect.fail('the position has expired');
  const types = ({ events }: EventPage) => events.map(({ type }) => type);

  it('has every event of a run and its documents, whether anything listens or not', async () => {
    const { runId, documentId } = await complete();
    await stage.documents.update(documentId, trash);
    const page = await read();
    expect(types(page)).to.deep.equal([
      'run.queued',
      'run.running',
      'document.ready',
      'run.completed',
      'document.trashed',
    ]);
    expect(page).to.include({ hasMore: false, isUnsettled: false, position: page.events.at(-1)?.sequence });
    expect(page.events.map((event) => [event.runId, event.documentId])).to.deep.equal(
      [null, null, documentId, null, documentId].map((id) => [runId, id]),
    );
    const stored = (await stage.runs.findVisible(viewer, runId)) ?? expect.fail();
    const { subject, createdAt, id } = page.events[3] as LoggedEvent;
    expect(subject).to.have.deep.nested.property('run.completedAt', stored.completedAt);
    expect(page.events[2]?.subject).to.have.nested.property('document.einvoice', null);
    expect(createdAt.getTime()).to.be.within((stored.completedAt?.getTime() ?? 0) - 1, Date.now() + 1000);
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(page.events.map((event) => event.id))).to.have.property('size', 5);
  });

  it('writes runs that are created at once as one event each', async () => {
    const runs = await Promise.all(Array.from({ length: 30 }, () => create()));
    const { events } = await read();
    expect(events.map(({ runId }) => runId).toSorted()).to.deep.equal(runs.toSorted());
  });

  it('goes on where the page before ended, and repeats nothing', async () => {
    for (let runs = 0; runs < 3; runs++) await complete();
    const whole = await read();
    const seen: LoggedEvent[] = [];
    for (let page = await read(start, { limit: 5 }); ; page = await read(page.position, { limit: 5 })) {
      seen.push(...page.events);
      if (!page.hasMore) break;
      expect(page.events).to.have.length(5);
    }
    expect(seen).to.deep.equal(whole.events);
    expect(await read(whole.position)).to.deep.equal({
      events: [],
      position: whole.position,
      hasMore: false,
      isUnsettled: false,
    });
  });

  it('reads back from the newest, page after page, by type and run, and stops at what is being written', async () => {
    for (let runs = 0; runs < 3; runs++) await complete();
    const { events } = await read();
    const back = (before: number | null, filter: Parameters<EventLog['readBack']>[1], limit: number) =>
      stage.events.readBack(viewer, filter, before, limit);
    const all = { runId: null, types: webhookEvents };
    const seen: LoggedEvent[] = [];
    for (let before: number | null = null; ; ) {
      const page = await back(before, all, 5);
      seen.push(...page.events);
      if (!page.hasMore) break;
      before = page.position;
    }
    expect(seen).to.deep.equal(events.toReversed());
    const runId = events[0]?.runId ?? expect.fail();
    expect(types(await back(null, { runId, types: ['run.completed', 'run.queued'] }, 5))).to.deep.equal([
      'run.completed',
      'run.queued',
    ]);
    expect((await back(events[0]?.sequence ?? 0, all, 5)).events).to.deep.equal([]);
    expect((await back(null, { ...all, runId: 'x' }, 5)).events).to.deep.equal([]);
    const writing = await stage.holdOpen(cast);
    const later = await create();
    expect((await back(null, all, 1)).events).to.deep.equal(events.slice(-1));
    await writing.commit();
    expect((await back(null, all, 1)).events.map((event) => event.runId)).to.deep.equal([later]);
  });

  it('reads as many events as have room in a page, at least one, and goes on with the others', async () => {
    const { runId, documentId } = await complete();
    const sizes = [1, 1_500_000, 1_500_000, 5_000_000, 1, 3_000_000];
    for (const size of sizes) {
      const evidence = { '/total': someEvidence({ quote: 'x'.repeat(size) }) };
      await stage.documents.update(documentId, (it) => ({ ...it, evidence, revision: it.revision + 1 }), {
        userId: cast.user.id,
        via: 'api_key',
        changes: [],
      });
    }
    const sizeOf = ({ subject }: LoggedEvent) =>
      subject.kind === 'document' ? subject.document.evidence['/total']?.quote.length : null;
    const pagesBy = async (readFrom: (position: number | null) => Promise<EventPage>) => {
      const pages: unknown[][] = [];
      for (let page = await readFrom(null); ; page = await readFrom(page.position)) {
        pages.push(page.events.map(sizeOf));
        if (!page.hasMore) return pages;
      }
    };
    for (const ofRun of [null, runId]) {
      const filter = { runId: ofRun, types: ['document.changed'] as const };
      expect(await pagesBy((after) => read(after ?? start, filter))).to.deep.equal([
        [1, 1_500_000, 1_500_000],
        [5_000_000],
        [1, 3_000_000],
      ]);
      expect(await pagesBy((before) => stage.events.readBack(viewer, filter, before, 100))).to.deep.equal([
        [3_000_000, 1],
        [5_000_000],
        [1_500_000, 1_500_000, 1],
      ]);
    }
  });

  it('begins with what is kept', async () => {
    const runId = await create();
    expect((await read(null)).events.map((event) => event.runId)).to.deep.equal([runId]);
  });

  it('shows the types that are asked for, and one run alone', async () => {
    const one = await complete();
    await complete();
    expect(types(await read(start, { types: ['run.completed', 'document.ready'] }))).to.deep.equal([
      'document.ready',
      'run.completed',
      'document.ready',
      'run.completed',
    ]);
    const page = await read(start, { runId: one.runId, types: eventTypes });
    expect(new Set(page.events.map(({ runId }) => runId))).to.deep.equal(new Set([one.runId]));
    expect(types(page).filter((type) => !type.startsWith('unit.'))).to.deep.equal([
      'run.queued',
      'run.running',
      'document.ready',
      'run.completed',
    ]);
    for (const unknown of [anId(), 'x']) expect((await read(start, { runId: unknown })).events).to.deep.equal([]);
  });

  it('has the steps of units, each with what is known of it and in the order of what they led to', async () => {
    const runId = await create();
    const { lease } = only(await stage.queue.lease('worker', 1, 60));
    const conversationId = anId();
    await stage.queue.beginUnit(lease, { index: 0, conversationId, documentId: anId(), documentName: 'a.txt' });
    const step = { unit: 0, name: 'a.txt', durationMs: 12, usage: null, error: null };
    const usage = { inputTokens: 7, outputTokens: 3 };
    await stage.queue.append(lease, conversationId, [], usage, [
      { type: 'unit.file_read', ...step },
      { type: 'unit.model_called', ...step, usage },
    ]);
    await stage.queue.beginUnit(lease, { index: 0, conversationId, documentId: anId(), documentName: 'a.txt' });
    const outcome = { status: 'completed', document: finished({ data: {} }) } as const;
    await stage.queue.finishUnit(lease, 0, outcome, [{ type: 'unit.completed', ...step, name: null }]);
    await stage.queue.finish(lease, { event: 'complete' });
    const { events } = await read(start, { runId, types: eventTypes });
    expect(events.map(({ type }) => type)).to.deep.equal([
      'run.queued',
      'run.running',
      'unit.started',
      'unit.file_read',
      'unit.model_called',
      'unit.retried',
      'unit.completed',
      'document.ready',
      'run.completed',
    ]);
    expect(events[4]?.subject).to.deep.equal({ kind: 'step', step: { ...step, usage } });
    expect(events[5]?.subject).to.deep.equal({
      kind: 'step',
      step: { ...step, name: 'interrupted', durationMs: null },
    });
    expect(types(await read(start, { types: ['unit.started'] }))).to.deep.equal(['unit.started']);
  });

  it('has a failure of each unit that its run takes with it', async () => {
    const runId = await create({ files: 2 });
    const { lease } = only(await stage.queue.lease('worker', 1, 60));
    await stage.queue.beginUnit(lease, { index: 0, conversationId: anId(), documentId: anId(), documentName: 'a.txt' });
    await stage.passDeadline(runId);
    await stage.queue.sweep();
    const { events } = await read(start, { types: ['unit.failed', 'run.failed'] });
    expect(
      events.map(({ type, subject }) => [type, subject.kind === 'step' && [subject.step.unit, subject.step.error]]),
    ).to.deep.equal([
      ['unit.failed', [0, 'deadline_exceeded']],
      ['unit.failed', [1, 'deadline_exceeded']],
      ['run.failed', false],
    ]);
  });

  it('goes past what it does not show', async () => {
    await complete();
    const page = await read(start, { types: ['run.failed'] });
    expect(page.events).to.deep.equal([]);
    expect(page.position).to.equal((await read()).position);
  });

  it('shows nothing of other workspaces, and nothing of an agent that the viewer does not see', async () => {
    const other = await stage.cast();
    const hidden = await stage.cast({ agent: { visibleTo: [anId()] } });
    const runId = await create();
    for (const { agent, user } of [other, hidden]) await stage.runs.create(aNewRun(agent, user), null);
    await stage.addAgent({ ...hidden.agent, id: anId(), name: 'hidden', workspaceId: viewer.workspaceId });
    expect((await read()).events.map((event) => event.runId)).to.deep.equal([runId]);
    expect((await read(start, { runId }, viewerOf(other))).events).to.deep.equal([]);
    expect((await read(start, {}, viewerOf(hidden))).events).to.deep.equal([]);
    const all = { runId: null, types: webhookEvents };
    expect((await stage.events.readBack(viewer, all, null, 10)).events.map((event) => event.runId)).to.deep.equal([
      runId,
    ]);
    expect((await stage.events.readBack(viewerOf(hidden), all, null, 10)).events).to.deep.equal([]);
  });

  it('records nothing of what was rolled back', async () => {
    const runId = await create();
    await stage.cancelAndRollBack(runId);
    expect(types(await read())).to.deep.equal(['run.queued']);
  });

  it('shows no event before one that is still being written, and then both in order', async () => {
    const writing = await stage.holdOpen(cast);
    await create();
    const before = await read();
    expect(before).to.deep.include({ events: [], position: start, isUnsettled: true });
    await writing.commit();
    const page = await read(before.position);
    expect(types(page)).to.deep.equal(['run.running', 'run.queued']);
    expect(page.isUnsettled).to.equal(false);
  });

  it('goes on once what was being written is taken back', async () => {
    const writing = await stage.holdOpen(cast);
    await create();
    await writing.rollback();
    expect(types(await read())).to.deep.equal(['run.queued']);
  });

  it('waits for no transaction that writes no events', async () => {
    const foreign = await stage.holdForeign();
    await complete();
    expect(types(await read())).to.deep.equal(['run.queued', 'run.running', 'document.ready', 'run.completed']);
    await foreign.end();
  });

  it('leads to no position that a crash of the database could give out again', async () => {
    await create();
    const { position } = await read();
    await stage.waste();
    expect((await read()).position).to.equal(position);
    expect((await read(position)).position).to.equal(position);
    expect(await stage.events.end(viewer)).to.equal(position);
  });

  it('refuses a position that it never had', async () => {
    await create();
    expect(await stage.events.read(viewer, { runId: null, types: webhookEvents }, start + 2 ** 40, 10)).to.equal(null);
  });

  it('drops whole days, refuses positions in them, and begins each day with numbers of its own', async () => {
    await create();
    const { position } = await read();
    await stage.ageEvents(31);
    expect(await stage.events.cleanUp(30)).to.equal(0);
    const runId = await create();
    const aged = position - 31 * 2 ** 32;
    expect((await read(aged)).events.map((event) => event.runId)).to.deep.equal([runId]);
    expect(await stage.events.cleanUp(29)).to.equal(1);
    expect(await stage.events.read(viewer, { runId: null, types: webhookEvents }, aged, 10)).to.equal(null);
    const kept = await read(null);
    expect(kept.events.map((event) => event.runId)).to.deep.equal([runId]);
    expect(Math.floor(kept.position / 2 ** 32)).to.equal(Math.floor(Date.now() / 86_400_000));
    expect(await stage.events.cleanUp(29)).to.equal(0);
  });

  it('is read for webhooks by several workers at once, each event for each webhook once', async () => {
    const { workspaceId } = viewer;
    for (const events of [['run.queued'], ['run.*']]) await stage.addWebhook({ workspaceId, events });
    const times = (count: number, work: () => Promise<unknown>) => async () => {
      for (let time = 0; time < count; time++) await work();
    };
    const workers = [...Array(6).fill(times(200, () => stage.webhooks.collect())), ...Array(2).fill(times(60, create))];
    await Promise.all(workers.map((work) => work()));
    await stage.webhooks.collect();
    const leased = await stage.webhooks.lease(1000, 1000, 60);
    expect(new Set(leased.map(({ webhook, sequence }) => `${webhook.id} ${sequence}`)).size).to.equal(240);
    expect(leased).to.have.length(240);
  });

  it('says once what expired before it was read for a webhook', async () => {
    const { workspaceId } = viewer;
    const { id: webhookId, address } = await stage.addWebhook({ workspaceId, events: ['run.*'] });
    await stage.addWebhook({ workspaceId, events: ['document.*'] });
    await create();
    await create();
    const [{ createdAt: first }] = (await read()).events as [LoggedEvent];
    await stage.ageEvents(31);
    expect(await stage.webhooks.passExpired(30)).to.deep.equal([]);
    const since = new Date(first.getTime() - 31 * 86_400_000);
    const passed = await Promise.all(Array.from({ length: 3 }, () => stage.webhooks.passExpired(29)));
    expect(passed.flat()).to.deep.equal([{ webhookId, address, events: 2, since }]);
    expect(await stage.webhooks.passExpired(29)).to.deep.equal([]);
    await stage.events.cleanUp(29);
    await create();
    await stage.webhooks.collect();
    expect(await stage.webhooks.lease(10, 10, 60)).to.have.length(1);
  });

  it('leads a reader to whom nothing happens from day to day', async () => {
    await create();
    const { position } = await read();
    await stage.ageEvents(3);
    await stage.events.cleanUp(30);
    const quiet = await read(position - 3 * 2 ** 32);
    expect(Math.floor(quiet.position / 2 ** 32)).to.equal(Math.floor(Date.now() / 86_400_000));
  });
};

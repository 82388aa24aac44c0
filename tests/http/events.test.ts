import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { startServer } from '../../src/adapters/http/server.ts';
import { api } from '../../src/composition/api.ts';
import { KeyService } from '../../src/composition/modules/access.ts';
import { EventLog, EventSignals, RunQueue } from '../../src/composition/modules/postgres.ts';
import { EventService } from '../../src/composition/modules/runs.ts';
import { Maintenance } from '../../src/composition/modules/worker.ts';
import { anId } from '../support/builders.ts';
import { eventSource, type Frame, type Source } from '../support/event-source.ts';
import { eventStage } from '../support/events.ts';
import { serveHere } from '../support/here.ts';
import { freePort } from '../support/listen.ts';
import { quiet } from '../support/log.ts';
import { usePostgres } from '../support/postgres.ts';
import { only } from '../support/runs.ts';

const workspace = `
workspace: events
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: eve@example.com, name: Eve, role: admin }
agents:
  - { name: Helper, workflow_type: assistant, model: offline, instructions: Help., visible_to: [ada@example.com] }
`;

interface Event {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  readonly created_at: string;
  readonly run_id: string;
  readonly document_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}
interface Page {
  readonly events: readonly Event[];
  readonly next: string;
  readonly has_more: boolean;
}

describe('events over HTTP, from two servers of one database', () => {
  const postgres = usePostgres();
  const servers: Awaited<ReturnType<typeof launch>>[] = [];
  const open: Source[] = [];
  let dataDir: string;
  let key: string;
  let stranger: string;
  let agentId: string;

  const lines: object[] = [];
  const log = { ...quiet, warn: (fields: object, message: string) => void lines.push({ ...fields, message }) };

  const launch = async () => {
    const env = { DATABASE_URL: postgres.url, DATA_DIR: dataDir, RATE_LIMIT_RUNS: '1000000' };
    const { container, url, stop, ...started } = await serveHere(env, { log });
    const events = container.get(EventService);
    return {
      ...started,
      events,
      url: `${url}/api/v1`,
      async stop() {
        events.stop();
        await stop(1000);
      },
    };
  };
  const on = (index: number) => servers[index] ?? expect.fail();

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'portico-events-'));
    servers.push(await launch(), await launch());
    const idOf = await on(0).apply(workspace);
    agentId = idOf('agents');
    [key, stranger] = [await on(0).key('ada@example.com'), await on(0).key('eve@example.com')];
  });
  afterEach(async () => {
    for (const source of open.splice(0)) {
      source.close();
      await source.ended;
    }
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await rm(dataDir, { recursive: true, force: true });
  });

  const call = async (address: string, { server = 0, as = key }: { server?: number; as?: string } = {}) => {
    const answer = await fetch(on(server).url + address, { headers: { 'x-api-key': as } });
    return { status: answer.status, body: (await answer.json()) as { data: Page; code: string } };
  };
  const page = async (address: string, terms?: Parameters<typeof call>[1]): Promise<Page> => {
    const { status, body } = await call(address, terms);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data;
  };
  const create = async () => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const body = JSON.stringify({ user_message: 'Hello' });
    const answer = await fetch(`${on(0).url}/agents/${agentId}/run`, { method: 'POST', headers, body });
    return ((await answer.json()) as { data: { id: string } }).data.id;
  };
  const queue = () => on(0).composition.container.get(RunQueue);
  const lease = async () => only(await queue().lease('worker', 1, 60)).lease;
  const finish = async () => queue().finish(await lease(), { event: 'complete' });
  const now = async () => (await page('/events?after=now')).next;
  const types = (list: readonly { readonly type: string }[]) => list.map(({ type }) => type);
  const follow = async (
    runId: string,
    { server = 0, headers = {} }: { server?: number; headers?: Record<string, string> } = {},
  ) => {
    const source = await eventSource(`${on(server).url}/runs/${runId}/events`, { 'x-api-key': key, ...headers });
    open.push(source);
    return source;
  };
  const ofRun = (frames: readonly Frame[]) =>
    frames.map(({ event }) => event).filter((type) => type.startsWith('run.'));

  describe('GET /events', () => {
    it('shows what happened, whatever server is asked', async () => {
      const start = await now();
      const runId = await create();
      await finish();
      for (const server of [0, 1]) {
        const { events, next, has_more } = await page(`/events?after=${start}`, { server });
        expect(types(events)).to.deep.equal(['run.queued', 'run.running', 'run.completed']);
        expect(events[0]).to.include({ run_id: runId, document_id: null });
        expect(events[0]?.data).to.include({ id: runId, status: 'queued', started_at: null });
        expect(has_more).to.equal(false);
        expect(await page(`/events?after=${next}`, { server })).to.deep.equal({ events: [], next, has_more: false });
      }
    });

    it('pages without a gap and by type', async () => {
      const start = await now();
      for (let runs = 0; runs < 3; runs++) {
        await create();
        await finish();
      }
      const seen: string[] = [];
      let after = start;
      for (let more = true; more; ) {
        const { events, next, has_more } = await page(`/events?after=${after}&types=run.completed,run.queued&limit=4`);
        seen.push(...types(events));
        [after, more] = [next, has_more];
      }
      expect(seen).to.deep.equal([
        'run.queued',
        'run.completed',
        'run.queued',
        'run.completed',
        'run.queued',
        'run.completed',
      ]);
    });

    it('answers at most some megabytes at a time, so that every reader can go on', async () => {
      const start = await now();
      const runId = await create();
      await finish();
      await postgres.database.pool.query(
        `update events set data = jsonb_set(data::jsonb, '{error}', to_jsonb(repeat('x', 3000000)))::json where run_id = $1`,
        [runId],
      );
      const seen: string[][] = [];
      let after = start;
      for (let more = true; more; ) {
        const { events, next, has_more } = await page(`/events?after=${after}&limit=1000`);
        seen.push(types(events));
        [after, more] = [next, has_more];
      }
      expect(seen).to.deep.equal([['run.queued'], ['run.running'], ['run.completed']]);
      const { events, has_more } = await page(`/runs/${runId}/events`);
      expect([types(events), has_more]).to.deep.equal([['run.queued'], true]);
      const source = await follow(runId);
      expect(await source.ended).to.equal(true);
      expect(ofRun(source.frames)).to.deep.equal(seen.flat());
    });

    it('shows the newest first to who asks for it, and leads to older ones', async () => {
      const start = await now();
      const runId = await create();
      await finish();
      const { events } = await page(`/events?after=${start}`);
      const first = await page('/events?order=newest&limit=2', { server: 1 });
      expect(first.events).to.deep.equal(events.slice(1).toReversed());
      expect(first.has_more).to.equal(true);
      expect((await page(`/events?order=newest&limit=1&after=${first.next}`)).events).to.deep.equal(events.slice(0, 1));
      expect(types((await page(`/events?order=newest&after=now&wait=25&run_id=${runId}`)).events)).to.deep.equal([
        'run.completed',
        'run.running',
        'run.queued',
      ]);
      expect((await page('/events?order=newest', { as: stranger })).events).to.deep.equal([]);
    });

    it('goes on after an event that is named by its id, which webhooks have too', async () => {
      const start = await now();
      await create();
      await finish();
      const { events } = await page(`/events?after=${start}`);
      for (const [at, { id }] of events.entries())
        expect((await page(`/events?after=${id}`)).events).to.deep.equal(events.slice(at + 1));
      expect((await call(`/events?after=${events[0]?.id.toUpperCase()}`)).status).to.equal(400);
    });

    it('waits for an event, and for no longer than it was asked to', async () => {
      const start = await now();
      const waiting = page(`/events?after=${start}&wait=25&types=run.running`, { server: 1 });
      await create();
      const held = await lease();
      expect(types((await waiting).events)).to.deep.equal(['run.running']);
      expect((await page(`/events?after=${await now()}&wait=1`)).events).to.deep.equal([]);
      await queue().finish(held, { event: 'complete' });
    });

    it('shows the steps of units where their types are named, and among the events of their run', async () => {
      const start = await now();
      const runId = await create();
      const held = await lease();
      const step = { unit: 0, name: null, durationMs: 7, usage: null, error: null };
      await queue().beginUnit(held, { index: 0, conversationId: anId(), documentId: anId(), documentName: null });
      await queue().finishUnit(held, 0, { status: 'completed', document: null }, [{ type: 'unit.completed', ...step }]);
      await queue().finish(held, { event: 'complete' });
      expect(types((await page(`/events?after=${start}`)).events)).to.deep.equal([
        'run.queued',
        'run.running',
        'run.completed',
      ]);
      const { events } = await page(`/events?after=${start}&types=unit.*`);
      expect(types(events)).to.deep.equal(['unit.started', 'unit.completed']);
      expect(events[1]?.data).to.deep.equal({ unit: 0, name: null, duration_ms: 7, usage: null, error: null });
      expect(types((await page(`/runs/${runId}/events`)).events)).to.deep.equal([
        'run.queued',
        'run.running',
        'unit.started',
        'unit.completed',
        'run.completed',
      ]);
    });

    it('shows nothing that the caller may not see', async () => {
      const runId = await create();
      await finish();
      expect((await page('/events', { as: stranger })).events).to.deep.equal([]);
      for (const order of ['oldest', 'newest']) {
        const ofUnseen = await page(`/events?run_id=${runId}&order=${order}`, { as: stranger });
        expect(ofUnseen, 'as of no run').to.deep.equal(
          await page(`/events?run_id=${anId()}&order=${order}`, { as: stranger }),
        );
        expect(ofUnseen.events).to.deep.equal([]);
      }
      expect((await call(`/runs/${runId}/events`, { as: stranger })).status).to.equal(404);
      expect((await call(`/runs/${anId()}/events`)).status).to.equal(404);
    });

    it('refuses a cursor that the log has nothing for any more', async () => {
      for (const address of ['/events?after=AAAAAAAB', '/events?after=________']) {
        const { status, body } = await call(address);
        expect([status, body.code]).to.deep.equal([410, 'cursor_expired']);
      }
    });
  });

  describe('a stream', () => {
    it('shows a run from its beginning to its end, as it happens, and ends', async () => {
      const runId = await create();
      const source = await follow(runId, { server: 1 });
      expect(source.status).to.equal(200);
      expect(source.headers).to.include({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
      await source.until((frames) => frames.length === 1);
      const held = await lease();
      await source.until((frames) => frames.length === 2);
      await queue().finish(held, { event: 'complete' });
      expect(await source.ended).to.equal(true);
      expect(ofRun(source.frames)).to.deep.equal(['run.queued', 'run.running', 'run.completed']);
      const listed = await page(`/runs/${runId}/events`);
      expect(source.frames.map(({ data }) => data)).to.deep.equal(listed.events);
      expect(source.frames.at(-1)?.id).to.equal(listed.next);
    });

    it('goes on after the last event that was received, on the other server', async () => {
      const runId = await create();
      const first = await follow(runId);
      await first.until((frames) => frames.length === 1);
      first.close();
      await finish();
      const second = await follow(runId, { server: 1, headers: { 'last-event-id': first.frames[0]?.id ?? '' } });
      expect(await second.ended).to.equal(true);
      expect(ofRun(second.frames)).to.deep.equal(['run.running', 'run.completed']);
      // An EventSource would ask again and again, were it not for 204.
      const third = await follow(runId, { headers: { 'last-event-id': second.frames.at(-1)?.id ?? '' } });
      expect(await third.ended).to.equal(true);
      expect([third.status, third.text()]).to.deep.equal([204, '']);
    });

    it('is refused with an expired cursor, an unknown run, and as the eleventh of a credential', async () => {
      const runId = await create();
      expect((await follow(runId, { headers: { 'last-event-id': 'AAAAAAAB' } })).status).to.equal(410);
      expect((await follow(anId())).status).to.equal(404);
      // Of another key, whose streams are not counted where a test behind this one opens some.
      const headers = { 'x-api-key': await on(0).key('ada@example.com') };
      for (let streams = 0; streams < 10; streams++) expect((await follow(runId, { headers })).status).to.equal(200);
      const refused = await follow(runId, { headers });
      expect(refused.status).to.equal(429);
      expect(refused.headers).to.have.property('retry-after');
      const [one] = open.filter(({ status }) => status === 200);
      one?.close();
      await one?.ended;
      const again = async (): Promise<number> => {
        const { status } = await follow(runId, { headers });
        return status === 429 ? sleep(10).then(again) : status;
      };
      expect(await again()).to.equal(200);
      await finish();
    });

    it('ends with the run also for those who no longer see its agent, without the event', async () => {
      const runId = await create();
      const source = await follow(runId);
      await source.until((frames) => frames.length === 1);
      await on(0).apply(workspace.replace('visible_to: [ada@', 'visible_to: [eve@'));
      try {
        await finish();
        expect(await source.ended).to.equal(true);
        expect(ofRun(source.frames)).to.deep.equal(['run.queued']);
        expect((await follow(runId, { headers: { 'last-event-id': source.frames[0]?.id ?? '' } })).status).to.equal(
          404,
        );
      } finally {
        await on(0).apply(workspace);
      }
    });

    it('ends when its server stops, and goes on on another one', async () => {
      const runId = await create();
      const leaving = servers.push(await launch()) - 1;
      const source = await follow(runId, { server: leaving });
      await source.until((frames) => frames.length === 1);
      await (servers.pop() ?? expect.fail()).stop();
      expect(await source.ended).to.equal(true);
      const next = await follow(runId, { headers: { 'last-event-id': source.frames[0]?.id ?? '' } });
      await finish();
      expect(await next.ended).to.equal(true);
      expect(ofRun(next.frames)).to.deep.equal(['run.running', 'run.completed']);
    });

    it('has a comment now and then in silence, until its credential may no longer read', async () => {
      const { composition, config } = on(0);
      const quickly = api(config, composition, false, { keepAliveMs: 20, perCredential: 1, checkMs: 20 });
      const server = await startServer(quickly, { ...config, port: await freePort() });
      const { container } = composition;
      const signals = container.get(EventSignals);
      const { subscribe } = signals;
      let subscriptions = 0;
      const counted: typeof subscribe = (subscriber) => {
        const unsubscribe = subscribe(subscriber);
        subscriptions++;
        return () => {
          subscriptions--;
          unsubscribe();
        };
      };
      Object.assign(signals, { subscribe: counted });
      try {
        const made = await container
          .get(KeyService)
          .create({ email: 'ada@example.com', name: 'brief', lifetimeDays: null, scopes: null });
        const runId = await create();
        const source = await eventSource(`http://127.0.0.1:${server.port}/api/v1/runs/${runId}/events`, {
          'x-api-key': made.key,
        });
        open.push(source);
        const twice = /^: open\n(: keepalive\n)*id: .*\nevent: run\.queued\ndata: .*\n\n(: keepalive\n){2,}$/;
        while (!twice.test(source.text())) await sleep(10);
        expect(subscriptions).to.equal(1);
        await container.get(KeyService).revoke(made.id);
        expect(await source.ended).to.equal(true);
        // Nothing happens to the run: its end is what the subscription does not wait for.
        while (subscriptions > 0) await sleep(10);
        await finish();
      } finally {
        Object.assign(signals, { subscribe });
        await server.stop(0);
      }
    });

    it('keeps what a slow client does not take in the log, and sends all of it once it is taken', async () => {
      const runId = await create();
      const source = await follow(runId);
      await source.until((frames) => frames.length === 1);
      source.pause();
      const large = JSON.stringify('x'.repeat(100_000));
      await postgres.database.pool.query(
        `insert into events (workspace_id, agent_id, run_id, type, data)
         select e.workspace_id, e.agent_id, e.run_id, e.type, (e.data::jsonb || jsonb_build_object('error', $2::jsonb))::json
         from events e, generate_series(1, 400) where e.run_id = $1`,
        [runId, large],
      );
      const log = on(0).composition.container.get(EventLog);
      const { read } = log;
      let pages = 0;
      Object.assign(log, { read: (...asked: Parameters<typeof read>) => ++pages && read(...asked) });
      await postgres.database.pool.query(`select pg_notify('portico_runs', $1 || ' running')`, [runId]);
      await sleep(500);
      // 40 MB wait in the log, in eight pages: the sockets buffer two of them, and one is held.
      expect(pages).to.be.within(1, 5);
      Object.assign(log, { read });
      source.resume();
      await source.until((frames) => frames.length === 401);
      await finish();
      expect(await source.ended).to.equal(true);
      expect(source.frames).to.have.length(403);
    });
  });

  it('are missed by a webhook that did not read them in time, and the log says which and how many', async () => {
    const stage = eventStage(postgres);
    const { container } = on(0).composition;
    const [{ workspace_id: workspaceId }] = (
      await postgres.database.pool.query('select workspace_id from agents where id = $1', [agentId])
    ).rows as [{ workspace_id: string }];
    const { id, address } = await stage.addWebhook({ workspaceId, events: ['run.queued'] });
    const start = await now();
    await create();
    await finish();
    const since = new Date((await page(`/events?after=${start}`)).events[0]?.created_at ?? '');
    await stage.ageEvents(40);
    since.setUTCDate(since.getUTCDate() - 40);
    lines.length = 0;
    const maintenance = container.get(Maintenance);
    maintenance.wake();
    while (lines.length === 0) await sleep(10);
    await maintenance.stop();
    const message = 'events expired before a worker read them for a webhook; it never gets them';
    expect(lines).to.deep.equal([{ webhook_id: id, address, events: 1, since, message }]);
    expect((await page('/events?types=*')).events, 'what expired is gone').to.deep.equal([]);
  });
});

import { expect } from 'chai';
import { RunQueue } from '../../src/composition/modules/postgres.ts';
import { EventService } from '../../src/composition/modules/runs.ts';
import { callApi } from '../support/api.ts';
import { eventSource } from '../support/event-source.ts';
import { aPlace, serveHere } from '../support/here.ts';
import { installedPgbouncer, type Pooler } from '../support/pgbouncer.ts';
import { only } from '../support/runs.ts';

const workspace = `
workspace: pooled
users:
  - { email: ada@example.com, name: Ada, role: admin }
agents:
  - { name: Helper, workflow_type: assistant, model: offline, instructions: Help. }
`;

describe('events behind a pooler through which no notification arrives', () => {
  let place: Awaited<ReturnType<typeof aPlace>>;
  let pooler: Pooler;
  let server: Awaited<ReturnType<typeof serveHere>>;
  let key: string;
  let agentId: string;

  before(async function () {
    place = await aPlace();
    const { DATABASE_URL } = place.settings;
    const started = await installedPgbouncer.start(DATABASE_URL, 'transaction');
    if (started === null) return this.skip();
    pooler = started;
    server = await serveHere({
      ...place.settings,
      DATABASE_URL: pooler.url(new URL(DATABASE_URL).pathname.slice(1)),
    });
    agentId = (await server.apply(workspace))('agents');
    key = await server.key('ada@example.com');
  });
  after(async () => {
    server?.container.get(EventService).stop();
    await server?.stop();
    await pooler?.stop();
    await place.remove();
  });

  it('are seen by a stream and by a request that waits', async () => {
    const { body } = await callApi<{ data: { id: string } }>(server.url, key, `/agents/${agentId}/run`, {
      body: { user_message: 'Hello' },
    });
    const runId = body.data.id;
    const stream = await eventSource(`${server.url}/api/v1/runs/${runId}/events`, { 'x-api-key': key });
    await stream.until((frames) => frames.length === 1);
    const queue = server.container.get(RunQueue);
    const { lease } = only(await queue.lease('worker', 1, 60));
    await stream.until((frames) => frames.length === 2);
    const { next } = (await callApi<{ data: { next: string } }>(server.url, key, '/events?after=now')).body.data;
    const waiting = callApi<{ data: { events: readonly { type: string }[] } }>(
      server.url,
      key,
      `/events?after=${next}&wait=25`,
    );
    await queue.finish(lease, { event: 'complete' });
    expect(await stream.ended).to.equal(true);
    expect(stream.frames.map(({ event }) => event)).to.deep.equal(['run.queued', 'run.running', 'run.completed']);
    expect((await waiting).body.data.events.map(({ type }) => type)).to.deep.equal(['run.completed']);
  });
});

import { expect } from 'chai';
import { KeyService } from '../../src/composition/modules/access.ts';
import { callApi, sendToApi } from '../support/api.ts';
import { until } from '../support/until.ts';
import { calling } from './client.ts';
import { openWorld, type World } from './world.ts';

const SSE = { accept: 'text/event-stream' };

/** With the settings that every server has: each of these would go on for longer by itself. */
describe('what is open when its credential ends', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.stop());

  it('ends with it: streams of runs and tools, with events and without, and requests that wait', async () => {
    const { container } = world.composition;
    const { id, key } = await container
      .get(KeyService)
      .create({ email: 'ada@example.com', name: 'brief', lifetimeDays: null, scopes: null });
    const started = await sendToApi(world.baseUrl, key, `/agents/${world.agentId('Clerk')}/run`, {
      body: { user_message: 'Wait' },
    });
    const run = ((await started.json()) as { data: { id: string } }).data.id;
    const asked = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${world.baseUrl}/api/v1${path}`, { headers: { 'x-api-key': key, ...headers } });
    /** The status, and what came until it was over. */
    const all = async (answering: Promise<Response>, begun?: () => void) => {
      try {
        const answer = await answering;
        let text = '';
        const decoder = new TextDecoder();
        try {
          for await (const chunk of answer.body ?? []) {
            text += decoder.decode(chunk);
            begun?.();
          }
        } catch {
          text += '(broken off)';
        }
        return { status: answer.status, text };
      } catch {
        return { status: 0, text: '(broken off)' };
      }
    };
    const mcp = world.mcpUrl();
    const call = (name: string, input: object) =>
      fetch(mcp, {
        method: 'POST',
        headers: {
          'x-api-key': key,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(calling(name, input, { _meta: { progressToken: 1 } })),
      });
    const page = await (await asked('/events')).json();
    const { next } = (page as { data: { next: string } }).data;
    const silent = {
      call: all(call('lab_wait', { ms: 50_000 })),
      status: all(asked(`/runs/${run}?wait=25`)),
      events: all(asked(`/events?wait=25&after=${next}`)),
    };
    // Those that say something from the start were sent after those that do not.
    const begun = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const open = {
      ...silent,
      run: all(asked(`/runs/${run}/events`, SSE), begun[0]?.resolve),
      idle: all(fetch(mcp, { headers: { 'x-api-key': key, ...SSE } }), begun[1]?.resolve),
      busy: all(call('lab_tick', {}), begun[2]?.resolve),
    };
    await Promise.all(begun.map(({ promise }) => promise));
    await container.get(KeyService).revoke(id);
    const ended = Object.fromEntries(
      await Promise.all(Object.entries(open).map(async ([name, each]) => [name, await each] as const)),
    );
    expect(ended.run?.text).to.match(/^: open\n.*event: run\.queued/s);
    expect(ended.idle?.text).to.match(/^: open\n\(broken off\)$/);
    expect(ended.call?.text, 'it may have become a stream by then').to.match(/^(: open\n)?\(broken off\)$/);
    expect(ended.busy?.text)
      .to.match(/notifications\/progress.*\(broken off\)$/s)
      .and.not.include('"result"');
    for (const each of [ended.status, ended.events]) {
      expect(each?.status).to.equal(401);
      expect(JSON.parse(each?.text ?? '')).to.include({ code: 'unauthenticated' });
    }
  });

  it('ends with it: what only reads another system, which is told to stop; a write goes on', async () => {
    const { container, database } = world.composition;
    const { id, key } = await container
      .get(KeyService)
      .create({ email: 'ada@example.com', name: 'reading', lifetimeDays: null, scopes: null });
    const ask = (path: string, body?: object) =>
      callApi<{ code: string }>(world.baseUrl, key, path, { ...(body && { body }) });
    const { text } = await ask('/connections');
    const records = `/connections/${(JSON.parse(text) as { id: string }[])[0]?.id}/records`;
    const waiting = async () => {
      const { rows } = await database.pool.query<{ query: string }>(
        `select query from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return rows.map(({ query }) => query);
    };
    const blocking = await database.pool.connect();
    try {
      await blocking.query('begin; lock table public.entries in access exclusive mode');
      const sql = 'select total from public.entries';
      const mcp = `/agents/${world.agentId('Clerk')}/mcp`;
      const reads = [
        ask('/query', { database_id: 'books', query: sql }),
        ask('/tables/books.public.entries'),
        ask(`${records}?entity_id=public.entries`),
        ask(mcp, calling('books_query', { query: sql })),
      ];
      const write = ask(records, { entity: 'public.entries', values: { id: 1, total: 2 } });
      await until('all of them wait', async () => (await waiting()).length === reads.length + 1);
      await container.get(KeyService).revoke(id);
      for (const each of await Promise.all(reads)) {
        expect(each.status, each.text).to.equal(401);
        expect(each.body).to.include({ code: 'unauthenticated' });
      }
      await until('the reads are stopped', async () => (await waiting()).length === 1);
      expect((await waiting())[0]).to.match(/^insert into/);
      await blocking.query('rollback');
      expect((await write).status).to.equal(201);
    } finally {
      blocking.release(true);
    }
  });
});

import { expect } from 'chai';
import type pg from 'pg';
import { calling, rawClient } from '../mcp/client.ts';
import { openWorld, type World } from '../mcp/world.ts';
import { sendToApi } from '../support/api.ts';
import { eventually } from '../support/until.ts';

/** The default size of the pools of a connection. */
const SESSIONS = 4;

const limitHeaders = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].concat(
  ['limit', 'remaining', 'reset'].map((name) => `x-ratelimit-${name}`),
);

describe('fair shares of the sessions of a connection', () => {
  let world: World;
  let admin: pg.PoolClient;
  let connectionId: string;

  before(async () => {
    // Waits for a session are as long as the time-out of the connection where that is below ten seconds.
    world = await openWorld({ env: { CONNECTION_TIMEOUT_SECONDS: '2', QUERY_TIMEOUT_SECONDS: '30' } });
    admin = await world.composition.database.pool.connect();
    await admin.query('insert into public.entries values (1)');
    const { rows } = await admin.query<{ id: string }>('select id from connections');
    connectionId = rows[0]?.id ?? '';
  });
  after(async () => {
    admin?.release();
    await world?.stop();
  });

  /** Keeps every read of the table waiting until it is released. */
  const block = async () => {
    await admin.query('begin; lock table public.entries');
    return () => admin.query('rollback');
  };

  const waiting = `select count(*)::int as n from pg_stat_activity
    where datname = current_database() and application_name = 'portico' and wait_event_type = 'Lock'`;

  /** Resolves when so many sessions wait for the table. */
  const busy = (count: number) =>
    eventually(async () => (await world.composition.database.pool.query<{ n: number }>(waiting)).rows[0]?.n === count);

  /** As many keys of one user as there are requests, and one of another user. */
  const greedyAndModest = async (count: number) => {
    const keys: string[] = [];
    for (let each = 0; each < count; each += 1) keys.push(await world.key());
    return [keys, await world.key({ email: 'vic@example.com' })] as const;
  };

  const send = (key: string, path: string, body?: object) => sendToApi(world.baseUrl, key, path, { body });
  const query = (key: string, text: string) => send(key, '/query', { database_id: 'books', query: text });
  const records = (key: string, table: string) => send(key, `/connections/${connectionId}/records?entity_id=${table}`);

  /** The answers that come first. */
  const firstOf = async <T>(coming: readonly Promise<T>[], count: number): Promise<readonly T[]> => {
    const first: T[] = [];
    for (const each of coming) void each.then((answer) => first.push(answer));
    await eventually(async () => first.length >= count);
    return first.slice(0, count);
  };

  const mustBeRefused = async (answer: Response) => {
    expect(answer.status).to.equal(429);
    const body = (await answer.json()) as { readonly code: string; readonly detail: string };
    expect(body.code).to.equal('rate_limited');
    expect(body.detail).to.match(/no free session/);
    for (const name of limitHeaders) expect(answer.headers.get(name), name).to.match(/^\d+$/);
    expect(answer.headers.get('retry-after')).to.equal('5');
  };

  it('a user who asks for more queries than there are sessions, with a key for each, leaves one to the next user, and is refused with 429', async () => {
    const [greedy, modest] = await greedyAndModest(SESSIONS + 1);
    const release = await block();
    const slow = greedy.map((key) => query(key, 'select id from public.entries'));
    await busy(SESSIONS - 1);
    const answer = await query(modest, 'select 1 as one');
    expect([answer.status, ((await answer.json()) as { data: { records: unknown } }).data.records]).to.deep.equal([
      200,
      [{ one: 1 }],
    ]);
    for (const refused of await firstOf(slow, 2)) await mustBeRefused(refused);
    await release();
    expect((await Promise.all(slow)).map(({ status }) => status).sort()).to.deep.equal([200, 200, 200, 429, 429]);
    expect((await query(greedy[0] ?? '', 'select id from public.entries')).status).to.equal(200);
  });

  it('a user who reads more records than there are sessions leaves one to the next user', async () => {
    const [greedy, modest] = await greedyAndModest(SESSIONS + 1);
    const release = await block();
    const slow = greedy.map((key) => records(key, 'public.entries'));
    await busy(SESSIONS - 1);
    expect((await records(modest, 'public.agents')).status).to.equal(200);
    for (const refused of (await Promise.all(slow)).filter(({ status }) => status === 429))
      await mustBeRefused(refused);
    await release();
    expect((await records(greedy[0] ?? '', 'public.entries')).status).to.equal(200);
  });

  it('a tool answers in words that there is no free session', async () => {
    const [greedy, modest] = await greedyAndModest(SESSIONS);
    const release = await block();
    const call = async (key: string, text: string) => {
      const { body } = await rawClient(world.mcpUrl(), key)(calling('books_query', { query: text }));
      return { isError: body.result.isError === true, text: body.result.content[0]?.text };
    };
    const slow = greedy.map((key) => call(key, 'select id from public.entries'));
    await busy(SESSIONS - 1);
    expect((await call(modest, 'select 1 as one')).text).to.include('{"one":1}');
    expect(await firstOf(slow, 1)).to.deep.equal([
      {
        isError: true,
        text: 'The connection "ledger" has no free session for you at present: try again in 5 seconds.',
      },
    ]);
    await release();
    expect((await Promise.all(slow)).filter(({ text }) => text?.includes('{"id":1}'))).to.have.length(SESSIONS - 1);
  });
});

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { limitsOf } from '../support/http.ts';
import { calling, rawClient, request } from './client.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';

const SSE = { accept: 'text/event-stream' };

describe('the limits of the tool endpoint', () => {
  let world: World | null = null;
  const open = async (options: WorldOptions = {}) => {
    world = await openWorld(options);
    return { world, key: await world.key() };
  };
  afterEach(async () => {
    await world?.stop();
    world = null;
  });

  /** An open stream, read as it comes. */
  const listen = async (at: World, key: string) => {
    const leaving = new AbortController();
    const answer = await fetch(at.mcpUrl(), { headers: { 'x-api-key': key, ...SSE }, signal: leaving.signal });
    const text = async () => {
      let all = '';
      for await (const chunk of answer.body ?? []) all += new TextDecoder().decode(chunk);
      return all;
    };
    return { answer, text, leave: () => leaving.abort() };
  };

  it('are those of the API: every request counts, and one too many gets the time to try again', async () => {
    const { world, key } = await open({ env: { RATE_LIMIT_REQUESTS: '5' } });
    const send = rawClient(world.mcpUrl(), key);
    for (const method of ['POST', 'DELETE', 'GET', 'POST', 'PUT']) {
      const { headers } = await send(method === 'GET' ? undefined : request('ping'), { method });
      expect(headers.get('ratelimit-limit')).to.equal('5');
    }
    for (const method of ['POST', 'GET', 'DELETE']) {
      const { status, headers, body } = await send(method === 'GET' ? undefined : request('ping'), {
        method,
        headers: SSE,
      });
      expect(status).to.equal(429);
      expect(body).to.include({ status: 429, code: 'rate_limited' }).and.to.include.keys('detail', 'request_id');
      expect(headers.get('retry-after')).to.match(/^\d+$/);
      expect(headers.get('x-ratelimit-remaining')).to.equal('0');
    }
  });

  it('count a batch by its messages', async () => {
    const { world, key } = await open({ env: { RATE_LIMIT_REQUESTS: '10' } });
    const send = rawClient(world.mcpUrl(), key);
    const batch = (length: number) => Array.from({ length }, (_, id) => request('ping', undefined, id));
    expect((await send(batch(6))).headers.get('ratelimit-remaining')).to.equal('4');
    expect((await send(batch(5))).status).to.equal(429);
  });

  it('have the limit of runs of an agent, by every door, and say in plain words when it is over', async () => {
    const { world, key } = await open({ env: { RATE_LIMIT_RUNS: '3' } });
    const send = rawClient(world.mcpUrl(), key);
    const calls = await Promise.all(Array.from({ length: 5 }, () => send(calling('run_reader', { message: 'Go' }))));
    const refused = calls.map(({ body }) => body.result).filter(({ isError }) => isError === true);
    expect(refused).to.have.length(2);
    const words =
      /^The run was not started: the limit of 3 runs of this agent in 60 seconds is spent\. Try again in (1 second|[1-6]?\d seconds)\.$/;
    for (const { content } of refused) expect(content[0]?.text).to.match(words);

    const api = (path: string, body: object) =>
      fetch(`${world.baseUrl}/api/v1${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
      });
    const created = await api(`/agents/${world.agentId('Reader')}/run`, { user_message: 'Go' });
    expect([
      created.status,
      created.headers.get('ratelimit-limit'),
      created.headers.get('ratelimit-remaining'),
    ]).to.deep.equal([429, '3', '0']);
    expect(
      (await api(`/agents/${world.agentId('Idle')}/run`, { user_message: 'Go' })).headers.get('ratelimit-remaining'),
    ).to.equal('2');

    const conversation = randomUUID();
    await world.query(
      `insert into conversations (id, workspace_id, agent_id, user_id, status)
       select $1, a.workspace_id, a.id, u.id, 'idle' from agents a, users u where a.id = $2 and u.email = 'ada@example.com'`,
      [conversation, world.agentId('Clerk')],
    );
    const sent = await api(`/threads/${conversation}/messages`, { message: '/run_reader {"message":"Go"}' });
    const { data } = (await sent.json()) as { data: { messages: { role: string; content: string }[] } };
    const answer = data.messages.find(({ role }) => role === 'tool')?.content ?? '';
    expect(answer.replace(/^Error: /, '')).to.match(words);
  });

  it('show every limit that counted the request, and the tightest apart', async () => {
    const { world, key } = await open({ env: { RATE_LIMIT_RUNS: '2', RATE_LIMIT_REQUESTS: '50' } });
    const send = rawClient(world.mcpUrl(), key);
    const shown = async (body: object) => {
      const answer = await send(body);
      const all = limitsOf(answer).map(({ name, remaining }) => `${name} ${remaining}`);
      return [answer.status, ...['limit', 'remaining'].map((name) => answer.headers.get(`ratelimit-${name}`)), ...all];
    };
    const run = calling('run_reader', { message: 'Go' });
    expect(await shown(run)).to.deep.equal([200, '2', '1', 'credential 49', 'agent-runs 1']);
    expect(await shown(run)).to.deep.equal([200, '2', '0', 'credential 48', 'agent-runs 0']);
    expect(await shown(run)).to.deep.equal([200, '2', '0', 'credential 47', 'agent-runs 0']);
    expect(await shown(request('ping'))).to.deep.equal([200, '50', '46', 'credential 46']);
  });

  it('let a credential have eight streams, and open another when one is closed', async () => {
    const { world, key } = await open();
    const all = [];
    for (let each = 0; each < 8; each += 1) all.push(await listen(world, key));
    expect(all.map(({ answer }) => answer.status)).to.deep.equal(Array(8).fill(200));
    const refused = await rawClient(world.mcpUrl(), key)(undefined, { method: 'GET', headers: SSE });
    expect([refused.status, refused.headers.get('allow')]).to.deep.equal([405, 'POST, DELETE, OPTIONS']);
    expect(refused.body.error.code).to.equal(-32000);
    const other = await listen(world, await world.key());
    expect(other.answer.status).to.equal(200);
    all.pop()?.leave();
    for (;;) {
      const again = await listen(world, key);
      if (again.answer.status === 200) {
        all.push(again);
        break;
      }
    }
    for (const { leave } of [...all, other]) leave();
  });

  it('end a stream after a while, and keep it alive until then', async () => {
    const { world, key } = await open({ timing: { streams: { lifeMs: 200, keepAliveMs: 20 } } });
    const { text } = await listen(world, key);
    expect(await text()).to.match(/^: open\n(: keepalive\n)+$/);
  });

  it('open no stream if a setting forbids it', async () => {
    const { world, key } = await open({ env: { MCP_GET_STREAM: 'false' } });
    const { answer } = await listen(world, key);
    expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'POST, DELETE, OPTIONS']);
  });

  it('let a server that stops end its streams at once, and finish its calls', async () => {
    const { world, key } = await open();
    const { answer, text } = await listen(world, key);
    expect(answer.status).to.equal(200);
    const call = rawClient(world.mcpUrl(), key)(calling('lab_wait', { ms: 300 }));
    const call2 = rawClient(world.mcpUrl(), key)(calling('lab_steps', {}, { _meta: { progressToken: 1 } }), {
      headers: { accept: 'application/json, text/event-stream' },
    });
    // The call that streams has begun by then, and so has the other, which was sent before it.
    await call2;
    const left = world.leave(10_000);
    expect(await text()).to.equal(': open\n');
    expect((await call).body.result.content[0]?.text).to.equal('waited');
    await left;
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { portico, type TurnEvent } from '../../src/client/portico.ts';
import { eventSource } from '../support/event-source.ts';
import { listen } from '../support/listen.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { applyTo, keyOn } from '../support/operator.ts';
import { embeddedDatabase, type OwnDatabase } from '../support/postgres.ts';
import { aServer, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';
import { endLease, sql } from './stage.ts';

const TOKEN = 'tool-token-4Hq9sW';
const LEASE_SECONDS = 3;
const MB = 1024 * 1024;

const workspace = (port: number) => `
workspace: talk
users:
  - { email: talk@example.com, name: Talk, role: admin }
agents:
  - name: Clerk
    workflow_type: assistant
    model: openai/stub
    instructions: Help.
    tools:
      - http: { name: book, method: POST, url: "http://127.0.0.1:${port}/book", headers: { authorization: "Bearer \${TOKEN}" }, allow_hosts: ["127.0.0.1:${port}"] }
      - http: { name: look, url: "http://127.0.0.1:${port}/look", allow_hosts: ["127.0.0.1:${port}"] }
      - http: { name: private, url: "http://127.0.0.1:${port}/private" }
`;

/** A system behind the tools. Whoever asks waits until a test answers. */
const shop = async () => {
  const asked: { readonly what: string; readonly authorization: string | undefined; answer(text: string): void }[] = [];
  const { port, stop } = await listen((request, response) => {
    request.resume();
    const answer = (text: string) => void response.writeHead(200, { 'content-type': 'text/plain' }).end(text);
    asked.push({ what: (request.url ?? '').slice(1), authorization: request.headers.authorization, answer });
  });
  return { asked, port, close: stop };
};

interface WireMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls: readonly { readonly id: string }[];
  readonly tool_call_id: string | null;
}

interface Body {
  readonly code?: string;
  readonly data: { readonly messages: readonly WireMessage[]; readonly error: string | null; readonly status: string };
}

describe('conversations', () => {
  let model: ModelServer;
  let store: Awaited<ReturnType<typeof shop>>;
  let server: Server;
  let postgres: OwnDatabase;
  let database: string;
  let key: string;
  let agentId: string;

  before(async () => {
    [postgres, model, store] = await Promise.all([embeddedDatabase(), modelServer('model-key'), shop()]);
    database = postgres.url;
    const env = {
      DATABASE_URL: database,
      DEMO: 'false',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'model-key',
      LOG_LEVEL: 'debug',
    };
    server = await aServer({
      env: { ...env, CONVERSATION_LEASE_SECONDS: String(LEASE_SECONDS), SHUTDOWN_SECONDS: '2' },
    });
    await server.start();
    await applyTo(server, database, workspace(store.port), { TOKEN });
    key = await keyOn(server, database, 'talk@example.com');
    const { data } = (await (await call('GET', '/agents')).json()) as { data: { agents: { id: string }[] } };
    agentId = data.agents[0]?.id ?? '';
  });

  after(async () => {
    await server?.close();
    await Promise.all([model?.close(), store?.close()]);
    await postgres?.drop();
  });

  beforeEach(() => {
    store.asked.length = 0;
  });

  const call = (method: string, path: string, body?: object, signal?: AbortSignal) =>
    fetch(`${server.baseUrl}/api/v1${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });

  const bodyOf = async (answer: Response) => (await answer.json()) as Body;
  const thread = async (id: string) => (await bodyOf(await call('GET', `/threads/${id}`))).data;
  const say = (id: string, message: string, signal?: AbortSignal) =>
    call('POST', `/threads/${id}/messages`, { message }, signal);

  const startRun = async (): Promise<string> => {
    const created = (await (await call('POST', `/agents/${agentId}/run`, { user_message: 'Begin' })).json()) as {
      data: { id: string };
    };
    return created.data.id;
  };

  const ended = async (id: string) => {
    for (;;) {
      const { data } = (await (await call('GET', `/runs/${id}?wait=20`)).json()) as {
        data: { status: string; attempt: number; conversations: { id: string }[] };
      };
      if (['completed', 'failed'].includes(data.status)) return data;
    }
  };

  /** An idle conversation: the user's message and the assistant's answer to it. */
  const aThread = async (): Promise<string> => {
    model.answer({ text: 'Begun.' });
    const { status, conversations } = await ended(await startRun());
    expect(status).to.equal('completed');
    return conversations[0]?.id ?? '';
  };

  const toolCalls = (...names: readonly string[]) => ({
    toolCalls: names.map((name) => ({ id: `call_${name}`, name, arguments: {} })),
  });
  const askedFor = (what: string, times = 1) =>
    until(`${what} is asked for`, () => store.asked.filter((each) => each.what === what).length === times);
  const kinds = (messages: readonly WireMessage[]) => messages.map(({ role, tool_call_id: id }) => id ?? role);

  it('are free within the lease when the server is killed, hold nothing half-written, and repeat nothing', async () => {
    const id = await aThread();
    model.answer(toolCalls('book', 'look'));
    const lost = say(id, 'Book it').catch(() => null);
    await Promise.all([askedFor('book'), askedFor('look')]);
    store.asked.find(({ what }) => what === 'look')?.answer('It is there.');
    await until('the answer is stored', async () => (await thread(id)).messages.length === 5);
    await server.kill();
    const killed = Date.now();
    await lost;
    await server.start();
    model.answer({ text: 'I do not know whether it is booked.' });
    let answer = await say(id, 'And?');
    let refusals = 0;
    for (; answer.status === 409; refusals++) {
      expect((await bodyOf(answer)).code).to.equal('conversation_busy');
      await sleep(100);
      answer = await say(id, 'And?');
    }
    console.log(
      `      free ${Date.now() - killed} ms after the kill, after ${refusals} refusals; the lease is ${LEASE_SECONDS} s`,
    );
    expect((await bodyOf(answer)).data.messages.map(({ content }) => content)).to.deep.equal([
      'I do not know whether it is booked.',
    ]);
    const { messages, status } = await thread(id);
    expect(status).to.equal('idle');
    expect(kinds(messages)).to.deep.equal([
      'user',
      'assistant',
      'user',
      'assistant',
      'call_look',
      'call_book',
      'user',
      'assistant',
    ]);
    expect(messages[5]?.content).to.match(/not known whether the call took effect/);
    expect(store.asked.filter(({ what }) => what === 'book')).to.have.length(1);
    const told = model.asked[0]?.body.messages as readonly { role: string; tool_call_id?: string }[];
    expect(told.filter(({ role }) => role === 'tool').map((each) => each.tool_call_id)).to.deep.equal([
      'call_book',
      'call_look',
    ]);
  });

  it('of runs that are taken over: what was begun is told as unknown, what only reads is asked again', async () => {
    model.answer(toolCalls('book', 'look'), { text: 'Done.' });
    const run = await startRun();
    await Promise.all([askedFor('book'), askedFor('look')]);
    await server.kill();
    await endLease(database, run);
    await server.start();
    await askedFor('look', 2);
    store.asked.at(-1)?.answer('It is there.');
    const { status, attempt, conversations } = await ended(run);
    expect({ status, attempt }).to.deep.equal({ status: 'completed', attempt: 2 });
    const { messages } = await thread(conversations[0]?.id ?? '');
    expect(kinds(messages)).to.deep.equal(['user', 'assistant', 'call_book', 'call_look', 'assistant']);
    expect(messages[2]?.content).to.match(/not known whether/);
    expect(store.asked.filter(({ what }) => what === 'book')).to.have.length(1);
  });

  it('go on when their client hangs up', async () => {
    const id = await aThread();
    model.answer(toolCalls('look'), { text: 'I have looked.' });
    const client = new AbortController();
    const gone = say(id, 'Look', client.signal).catch(() => 'gone');
    await askedFor('look');
    client.abort();
    expect(await gone).to.equal('gone');
    await sleep(100);
    store.asked[0]?.answer('Here.');
    await until(
      'the turn has ended',
      async () => (await thread(id)).status === 'idle' && (await thread(id)).messages.length === 6,
    );
    expect((await thread(id)).messages.at(-1)?.content).to.equal('I have looked.');
  });

  it('end as they are when the server stops, and tell their client', async () => {
    const id = await aThread();
    model.answer(toolCalls('book'));
    const answer = say(id, 'Book it');
    await askedFor('book');
    expect(await server.stop()).to.equal(0);
    const { data } = await bodyOf(await answer);
    expect(data.error).to.match(/server stopped before/);
    expect(kinds(data.messages)).to.deep.equal(['assistant', 'call_book']);
    await server.start();
    model.answer({ text: 'Back again.' });
    const next = await say(id, 'Still there?');
    expect([next.status, (await bodyOf(next)).data.error]).to.deep.equal([200, null]);
    expect(store.asked.filter(({ what }) => what === 'book')).to.have.length(1);
  });

  /** An event of a turn that is followed. */
  type TurnData = Partial<WireMessage> & { readonly text?: string; readonly error?: string | null };
  const follow = (id: string, message: string) =>
    eventSource<TurnData>(`${server.baseUrl}/api/v1/threads/${id}/messages`, { 'x-api-key': key }, { message });

  it('that are followed show what they store, calls before their results', async () => {
    const id = await aThread();
    model.answer({ text: 'I look.', ...toolCalls('look') }, { text: 'I have looked at all of it.' });
    const source = await follow(id, 'Look');
    await askedFor('look');
    await source.until((frames) =>
      frames.some(({ event, data }) => event === 'message' && data.tool_calls?.length === 1),
    );
    expect(source.frames.some(({ data }) => data.role === 'tool')).to.equal(false);
    store.asked[0]?.answer('Here.');
    expect(await source.ended).to.equal(true);
    const shown = source.frames.filter(({ event }) => event === 'message').map(({ data }) => data);
    expect(shown).to.deep.equal((await thread(id)).messages.slice(-3));
    const text = source.frames.filter(({ event }) => event === 'message.delta').map((each) => each.data.text);
    expect(text.length).to.be.greaterThan(2);
    expect(source.frames.at(-1)).to.deep.include({ event: 'done', data: { conversation_id: id, error: null } });
  });

  it('that the typed client follows show an answer that begins again under another id', async () => {
    const id = await aThread();
    model.answer({ text: 'This is how it began.', midway: 'reset' }, { text: 'This is how it ended.' });
    const events: TurnEvent[] = [];
    for await (const event of portico({ baseUrl: server.baseUrl, apiKey: key }).continueThread(id, 'Tell me'))
      events.push(event);
    const texts = Map.groupBy(
      events.filter(({ type }) => type === 'message.delta').map(({ data }) => data as { id: string; text: string }),
      (delta) => delta.id,
    );
    const [began = '', ended] = [...texts.values()].map((deltas) => deltas.map(({ text }) => text).join(''));
    expect(began).to.not.equal('');
    expect('This is how it began.'.startsWith(began)).to.equal(true);
    expect(ended).to.equal('This is how it ended.');
    const { messages } = await thread(id);
    expect(events.slice(-2)).to.deep.equal([
      { type: 'message', data: messages.at(-1) },
      { type: 'done', data: { conversation_id: id, error: null } },
    ]);
    expect([...texts.keys()][1]).to.equal((messages.at(-1) as { id?: string }).id);
    expect(messages).to.have.length(4);
  });

  it('that are followed go on when their client hangs up in the middle of a message', async () => {
    const id = await aThread();
    const text = 'This answer has a beginning, a middle and an end.';
    model.answer({ text, midway: 'pause' });
    const source = await follow(id, 'Tell me');
    await source.until((frames) => frames.length > 0);
    source.close();
    await source.ended;
    await sleep(100);
    expect((await thread(id)).status).to.equal('responding');
    model.resume();
    await until('the turn has ended', async () => (await thread(id)).status === 'idle');
    expect((await thread(id)).messages.at(-1)?.content).to.equal(text);
  });

  it('that are followed end with a reason when the server is told to stop', async () => {
    const id = await aThread();
    model.answer({ text: 'This answer has a beginning.', midway: 'stall' });
    const source = await follow(id, 'Tell me');
    await source.until((frames) => frames.length > 0);
    expect(await server.stop()).to.equal(0);
    expect(await source.ended).to.equal(true);
    const last = source.frames.at(-1);
    expect(last?.event).to.equal('done');
    expect(last?.data.error).to.match(/server stopped before the answer was complete/);
    await server.start();
    const { messages, status } = await thread(id);
    expect({ status, kinds: kinds(messages) }).to.deep.equal({ status: 'idle', kinds: ['user', 'assistant', 'user'] });
  });

  it('reach private addresses only where the workspace file says so, with secrets that are nowhere to be read', async () => {
    const id = await aThread();
    model.answer(toolCalls('book', 'private'), { text: 'Fine.' });
    const sending = say(id, 'Go');
    await askedFor('book');
    expect(store.asked[0]?.authorization).to.equal(`Bearer ${TOKEN}`);
    store.asked[0]?.answer('Booked.');
    const { data } = await bodyOf(await sending);
    expect(data.messages.find(({ tool_call_id: each }) => each === 'call_private')?.content).to.match(
      /loopback address/,
    );
    expect(store.asked).to.have.length(1);
    const [stored] = await sql<{ tools: string }>(database, 'select tools::text as tools from agents where id = $1', [
      agentId,
    ]);
    expect(stored?.tools).to.include('sealed');
    expect(stored?.tools).to.not.include(TOKEN);
    expect(await server.logs()).to.not.include(TOKEN);
    const doctor = await server.command(['doctor'], {});
    expect(doctor.stdout).to.match(/tools of talk\/Clerk\s+3 tools/);
    const again = await server.command(['apply', '-f', '-', '--json'], { TOKEN }, workspace(store.port));
    expect(again.stdout).to.match(/"keep"/);
    expect(again.stdout).to.not.match(/"change"/);
  });

  it('of ten thousand messages are read in bounded memory, in the order they were stored', async () => {
    const id = await aThread();
    await sql(
      database,
      `insert into messages (conversation_id, seq, id, role, content)
       select $1, 10 + n, gen_random_uuid(), 'user', n || ' ' || repeat(md5(n::text), 640) from generate_series(1, 9998) n`,
      [id],
    );
    const before = await server.memory();
    let [most, bytes] = [before, 0];
    const read = async () => {
      const answer = await call('GET', `/threads/${id}`);
      const numbers: number[] = [];
      const decoder = new TextDecoder();
      let rest = '';
      for await (const chunk of answer.body ?? []) {
        bytes += chunk.length;
        const text = rest + decoder.decode(chunk, { stream: true });
        numbers.push(...[...text.matchAll(/"content":"(\d+) /g)].map(([, n]) => Number(n)));
        rest = text.slice(-40).replace(/^.*"content":"\d+ /s, '');
      }
      return numbers;
    };
    const watching = setInterval(async () => {
      most = Math.max(most, await server.memory().catch(() => 0));
    }, 50);
    const lists = await Promise.all([read(), read(), read()]);
    clearInterval(watching);
    console.log(
      `      read ${Math.round(bytes / MB)} MB; resident ${Math.round(before / MB)} MB before, at most ${Math.round(most / MB)} MB`,
    );
    for (const numbers of lists) {
      const distinct = [...new Set(numbers)];
      expect(distinct).to.have.length(9998);
      expect(distinct).to.deep.equal(distinct.toSorted((one, other) => one - other));
    }
    expect(bytes).to.be.greaterThan(580 * MB);
    // What is collected late is part of it; held whole, they would take three times as much.
    expect(most - before).to.be.lessThan(500 * MB);
  });
});

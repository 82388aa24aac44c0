import { Readable } from 'node:stream';
import { expect } from 'chai';
import { type FakeApi, fakeApi, runId as id, KEY } from './fake-api.ts';
import { cli } from './run-cli.ts';

const call = { id: 'c1', name: 'ledger_query', arguments: { query: 'select 1' } };
const message = (role: string, content: string, more: object = {}) => ({
  ...{ id, role, content, tool_calls: [], tool_call_id: null, author: { id, name: 'Ada' }, created_at: '2026-11-20T09:30:00.000Z' },
  ...more,
});
const hostile = 'gone\u001b[2J\u202eslap\u0007';

const answers = [
  message('assistant', '', { tool_calls: [call] }),
  message('tool', '{"records":[]}', { tool_call_id: 'c1' }),
  message('assistant', 'None.\nReally.'),
];

describe('portico threads', () => {
  let api: FakeApi;
  const env = () => ({ PORTICO_URL: api.url, PORTICO_API_KEY: KEY });
  const exchange = (fields: object = {}) => ({ body: { data: { conversation_id: id, messages: answers, error: null, ...fields } } });
  const sent = () =>
    api.requests.filter(({ method }) => method === 'POST').map(({ body }) => (JSON.parse(body.toString()) as { message: string }).message);

  beforeEach(async () => {
    api = await fakeApi();
    const messages = [message('user', hostile), ...answers, message('user', 'Thanks.', { author: null })];
    api.routes.set(`GET /api/v1/threads/${id}`, () => ({
      body: {
        data: {
          id,
          agent_id: id,
          status: 'idle',
          messages,
          created_at: '2026-11-20T09:30:00.000Z',
          updated_at: '2026-11-20T09:30:00.000Z',
        },
      },
    }));
    api.routes.set(`POST /api/v1/threads/${id}/messages`, () => exchange());
  });
  afterEach(() => api.close());

  it('shows who wrote what, the calls of tools and their answers, and no control characters', async () => {
    const { code, out } = await cli(['threads', 'show', id], { env: env() });
    expect(code).to.equal(0);
    expect(out).to.equal(
      [
        `conversation ${id}  idle`,
        ...['Ada:', '  gone\\u001b[2J\\u202eslap\\u0007'],
        '→ ledger_query {"query":"select 1"}',
        '← {"records":[]}',
        ...['agent:', '  None.', '  Really.'],
        ...['user:', '  Thanks.', ''],
      ].join('\n'),
    );
    expect(JSON.parse((await cli(['threads', 'show', id, '--json'], { env: env() })).out)).to.have.nested.property(
      'messages[0].content',
      hostile,
    );
  });

  it('shortens long answers of tools, and says so', async () => {
    const long = message('tool', Array.from({ length: 100 }, (_, n) => `line ${n}`).join('\n'), { tool_call_id: 'c1' });
    api.routes.set(`POST /api/v1/threads/${id}/messages`, () => exchange({ messages: [long, message('tool', 'x'.repeat(5000))] }));
    const { out } = await cli(['threads', 'send', id, 'Hello'], { env: env() });
    expect(out.split('\n').length).to.be.lessThan(25);
    expect(out.match(/--json shows all of it/g)).to.have.length(2);
  });

  it('sends a message and prints the answer', async () => {
    const { code, out } = await cli(['threads', 'send', id, 'What is there?'], { env: env() });
    expect({ code, sent: sent() }).to.deep.equal({ code: 0, sent: ['What is there?'] });
    expect(out).to.equal('→ ledger_query {"query":"select 1"}\n← {"records":[]}\nagent:\n  None.\n  Really.\n');
    const json = await cli(['threads', 'send', id, 'x', '--json'], { env: env() });
    expect(JSON.parse(json.out)).to.deep.equal(exchange().body.data);
  });

  it('takes the message from standard input where there is none', async () => {
    const stdin = Readable.from(['From a ', 'pipe.\n']);
    expect(await cli(['threads', 'send', id], { env: env(), stdin })).to.include({ code: 0 });
    expect(sent()).to.deep.equal(['From a pipe.']);
    expect(await cli(['threads', 'send', id], { env: env(), stdin: Readable.from([]) })).to.include({ code: 2 });
  });

  it('ends with 1 where there is no answer, and says why', async () => {
    api.routes.set(`POST /api/v1/threads/${id}/messages`, () => exchange({ messages: [], error: `The model ${hostile}.` }));
    const { code, err } = await cli(['threads', 'send', id, 'Hello'], { env: env() });
    expect(code).to.equal(1);
    expect(err).to.equal('portico: there is no answer: The model gone\\u001b[2J\\u202eslap\\u0007.\n');
    expect(await cli(['threads', 'send', id, 'Hello', '--json'], { env: env() })).to.include({ code: 1 });
  });

  it('sends a message once, whatever the server answers', async () => {
    for (const [status, code] of [
      [500, 'internal'],
      [409, 'conversation_busy'],
    ] as const) {
      api.requests.length = 0;
      const body = { detail: 'The conversation is responding.', status, code, request_id: 'r' };
      api.next(`POST /api/v1/threads/${id}/messages`, { status, headers: { 'retry-after': '1' }, body });
      const ended = await cli(['threads', 'send', id, 'Hello'], { env: env() });
      expect(ended.code).to.equal(1);
      expect(ended.err).to.include(`(${status} ${code})`);
      expect(sent()).to.have.length(1);
    }
  });

  it('is a conversation line by line on a terminal, which a failure does not end', async () => {
    const body = { detail: 'The conversation is responding.', status: 409, code: 'conversation_busy', request_id: 'r' };
    api.next(`POST /api/v1/threads/${id}/messages`, exchange(), { status: 409, body });
    const stdin = Object.assign(Readable.from(['First\n', '\n', 'Second\n', 'Third\n']), { isTTY: true });
    const { code, out, err } = await cli(['threads', 'send', id], { env: env(), stdin });
    expect({ code, sent: sent() }).to.deep.equal({ code: 0, sent: ['First', 'Second', 'Third'] });
    expect(out.match(/agent:/g)).to.have.length(2);
    expect(err).to.include('conversation_busy').and.include('Ctrl-D');
  });
});

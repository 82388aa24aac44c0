import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { type FakeApi, fakeApi, runId as id, KEY } from './fake-api.ts';
import { cli } from './run-cli.ts';

const call = { id: 'c1', name: 'ledger_query', arguments: { query: 'select 1' } };
const message = (role: string, content: string, more: object = {}) => ({
  id,
  role,
  content,
  tool_calls: [],
  tool_call_id: null,
  author: { id, name: 'Ada' },
  created_at: '2026-11-20T09:30:00.000Z',
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
  const exchange = (fields: object = {}) => ({
    body: { data: { conversation_id: id, messages: answers, error: null, ...fields } },
  });
  const sent = () =>
    api.requests
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => (JSON.parse(body.toString()) as { message: string }).message);

  beforeEach(async () => {
    api = await fakeApi();
    const messages = [message('user', hostile), ...answers, message('user', 'Thanks.', { author: null })];
    api.routes.set(`GET /api/v1/threads/${id}`, () => ({
      body: {
        data: {
          id,
          agent_id: id,
          status: 'idle',
          waiting_for: null,
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
        'Ada:',
        '  gone\\u001b[2J\\u202eslap\\u0007',
        '→ ledger_query {"query":"select 1"}',
        '← {"records":[]}',
        'agent:',
        '  None.',
        '  Really.',
        'user:',
        '  Thanks.',
        '',
      ].join('\n'),
    );
    expect(JSON.parse((await cli(['threads', 'show', id, '--json'], { env: env() })).out)).to.have.nested.property(
      'messages[0].content',
      hostile,
    );
  });

  it('shortens long answers of tools, and says so', async () => {
    const long = message('tool', Array.from({ length: 100 }, (_, n) => `line ${n}`).join('\n'), { tool_call_id: 'c1' });
    api.routes.set(`POST /api/v1/threads/${id}/messages`, () =>
      exchange({ messages: [long, message('tool', 'x'.repeat(5000))] }),
    );
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
    api.routes.set(`POST /api/v1/threads/${id}/messages`, () =>
      exchange({ messages: [], error: `The model ${hostile}.` }),
    );
    const { code, err } = await cli(['threads', 'send', id, 'Hello'], { env: env() });
    expect(code).to.equal(1);
    expect(err).to.equal('portico: there is no answer: The model gone\\u001b[2J\\u202eslap\\u0007.\n');
    expect(await cli(['threads', 'send', id, 'Hello', '--json'], { env: env() })).to.include({ code: 1 });
  });

  it('sends a message again under the same key where the server failed, and not where it said no', async () => {
    const answer = (status: number, code: string) => {
      const body = { detail: 'The conversation is responding.', status, code, request_id: 'r' };
      api.next(`POST /api/v1/threads/${id}/messages`, { status, headers: { 'retry-after': '1' }, body });
    };
    answer(500, 'internal');
    expect(await cli(['threads', 'send', id, 'Hello'], { env: env() })).to.include({ code: 0 });
    const keys = api.requests.flatMap(({ method, headers }) => (method === 'POST' ? [headers['idempotency-key']] : []));
    expect(keys).to.have.length(2);
    expect(keys[0]).to.be.a('string').and.to.equal(keys[1]);
    api.requests.length = 0;
    answer(409, 'conversation_busy');
    const ended = await cli(['threads', 'send', id, 'Hello'], { env: env() });
    expect(ended.code).to.equal(1);
    expect(ended.err).to.include('(409 conversation_busy)');
    expect(sent()).to.have.length(1);
  });

  describe('on a terminal', () => {
    const other = '0197a3f0-5a5e-7c3e-9d0a-3f5b8c1d2e09';
    const frame = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    const delta = (text: string, of = id) => frame('message.delta', { id: of, text });
    const done = (error: string | null = null) => frame('done', { conversation_id: id, error });
    const streamed = (...stream: readonly string[]) => api.next(`POST /api/v1/threads/${id}/messages`, { stream });
    const whole = 'None.\nReally. \u001b[2J';

    it('prints the answer while it is written, and all of it where the end of it was left out', async () => {
      streamed(
        frame('message', message('assistant', '', { tool_calls: [call] })),
        frame('message', message('tool', '{"records":[]}', { tool_call_id: 'c1' })),
        delta('No'),
        delta('ne.\nRea'),
        frame('message', message('assistant', whole)),
        done(),
      );
      const { code, out } = await cli(['threads', 'send', id, 'Hello'], { env: env(), tty: true });
      expect(code).to.equal(0);
      expect(stripVTControlCharacters(out)).to.equal(
        [
          '→ ledger_query {"query":"select 1"}',
          '← {"records":[]}',
          'agent:',
          '  None.',
          '  Really. \\u001b[2J',
          '',
        ].join('\n'),
      );
      expect(api.requests.at(-1)?.headers.accept).to.equal('text/event-stream');
    });

    it('says that an answer begins again, and why there is none', async () => {
      streamed(delta('Lost', other), delta('Kept'), done(`The model ${hostile}.`));
      const { code, out, err } = await cli(['threads', 'send', id, 'Hello'], { env: env(), tty: true });
      expect(code).to.equal(1);
      expect(stripVTControlCharacters(out)).to.equal('agent:\n  Lost (broke off; once more:)\nagent:\n  Kept\n');
      expect(stripVTControlCharacters(err)).to.equal(
        'portico: there is no answer: The model gone\\u001b[2J\\u202eslap\\u0007.\n',
      );
    });

    it('ends with 1 where the stream breaks off, and sends nothing again', async () => {
      streamed(delta('Lost'));
      const { code, err } = await cli(['threads', 'send', id, 'Hello'], { env: env(), tty: true });
      expect(code).to.equal(1);
      expect(err).to.include('the stream broke off before the turn ended');
      expect(sent()).to.have.length(1);
    });

    it('prints JSON all the same with --json', async () => {
      const { out } = await cli(['threads', 'send', id, 'Hello', '--json'], { env: env(), tty: true });
      expect(JSON.parse(out)).to.deep.equal(exchange().body.data);
    });
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

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { type FakeApi, fakeApi, KEY } from './fake-api.ts';
import { cli, lines } from './run-cli.ts';

const AGENTS = 'GET /api/v1/agents';
const failure = (status: number, code: string, detail: string, more: object = {}) => ({
  status,
  body: { detail, status, code, ...more },
});

describe('portico over HTTP', () => {
  let api: FakeApi;
  const list = (env: Record<string, string> = {}) =>
    cli(['agents', 'list'], { env: { PORTICO_URL: api.url, PORTICO_API_KEY: KEY, ...env } });
  const asked = () => api.requests.length;

  beforeEach(async () => {
    api = await fakeApi();
  });
  afterEach(() => api.close());

  it('lists the agents', async () => {
    const { code, out, err } = await list();
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(lines(out)[0]).to.match(/^ID +NAME +DESCRIPTION$/);
    expect(lines(out)[1]).to.match(/^0197a3f0-\S+ {2}Invoice reader {2}Reads invoices$/);
  });

  it('finds the server under a path too', async () => {
    expect(await list({ PORTICO_URL: `${api.url}/` })).to.include({ code: 0 });
    await list({ PORTICO_URL: `${api.url}/portico/` });
    expect(api.requests.at(-1)?.url).to.equal('/portico/api/v1/agents');
  });

  it('says how to get a key where there is none', async () => {
    for (const PORTICO_API_KEY of ['', '   ']) {
      const { code, err } = await list({ PORTICO_API_KEY });
      expect({ code, err: lines(err) }).to.deep.equal({
        code: 1,
        err: [
          'portico: PORTICO_API_KEY is not set: this command needs an API key',
          '  make one with: portico keys create --user EMAIL',
        ],
      });
    }
    expect(asked()).to.equal(0);
  });

  it('never prints the key, whatever is wrong with it', async () => {
    for (const PORTICO_API_KEY of ['svc-hush', 'svc-hush\nhush', 'svc-höush', `svc-hush${'x'.repeat(500)}`]) {
      const { code, out, err } = await list({ PORTICO_API_KEY });
      expect(code).to.equal(1);
      expect(out + err)
        .to.include('PORTICO_API_KEY')
        .and.not.include('ush');
    }
  });

  it('says that the key was refused, with the request id', async () => {
    expect((await list({ PORTICO_API_KEY: 'svc-wrong' })).err).to.equal(
      'portico: the server refused PORTICO_API_KEY: The credential is not valid.\n  make one with: portico keys create --user EMAIL\n  request id: req-401\n',
    );
  });

  it('refuses an address that is none', async () => {
    for (const PORTICO_URL of ['localhost:3000', 'ftp://x', 'nonsense', 'http://u:hush@localhost:1']) {
      const { code, err } = await list({ PORTICO_URL });
      expect(code).to.equal(1);
      expect(err)
        .to.match(/^portico: PORTICO_URL must /)
        .and.not.include('hush');
    }
  });

  it('tries again where there were too many requests, or the server failed', async () => {
    api.next(
      AGENTS,
      { ...failure(429, 'rate_limited', 'Slow down.'), headers: { 'retry-after': '0' } },
      failure(500, 'internal', 'Oh.'),
    );
    expect(await list()).to.include({ code: 0 });
    expect(asked()).to.equal(3);
  });

  it('waits as long as Retry-After says, and tells so', async () => {
    api.next(AGENTS, { ...failure(429, 'rate_limited', 'Slow down.'), headers: { 'retry-after': '1' } });
    const { code, err } = await list();
    expect({ code, err }).to.deep.equal({ code: 0, err: 'too many requests; trying again in 1 s\n' });
  });

  it('does not wait for hours', async () => {
    api.next(AGENTS, { ...failure(429, 'rate_limited', 'Slow down.'), headers: { 'retry-after': '3600' } });
    const { code, err } = await list();
    expect({ code, err }).to.deep.equal({
      code: 1,
      err: 'portico: the server asks to wait 3600 seconds; try again then\n',
    });
  });

  it('gives up after a few failures', async () => {
    const fails = { ...failure(500, 'internal', 'Something failed on our side.'), headers: { 'retry-after': '0' } };
    api.next(AGENTS, fails, fails, fails, fails, fails);
    expect((await list()).err).to.equal(
      'portico: Something failed on our side. (500 internal)\n  request id: req-500\n',
    );
    expect(asked()).to.equal(4);
  });

  it('does not repeat what was refused, and lists every error', async () => {
    const errors = [
      { path: 'query.limit', message: 'must be an integer' },
      { path: 'query.status', message: 'must be a status' },
    ];
    api.next(AGENTS, failure(400, 'invalid_request', 'Two things.', { errors }));
    const { code, err } = await list();
    expect(code).to.equal(1);
    expect(lines(err)).to.deep.equal([
      'portico: the request was not accepted (400 invalid_request):',
      '  query.limit must be an integer',
      '  query.status must be a status',
      '  request id: req-400',
    ]);
    expect(asked()).to.equal(1);
  });

  it('says where nobody answers', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { code, err } = await list({ PORTICO_URL: `http://127.0.0.1:${port}` });
    expect(code).to.equal(1);
    expect(err).to.equal(
      `portico: no answer from http://127.0.0.1:${port}: the connection was refused\n  start a server with: portico serve, or set PORTICO_URL\n`,
    );
  });

  it('says where the connection breaks off', async () => {
    api.next(AGENTS, { hangUp: true });
    expect((await list()).err).to.include('the connection was closed before the answer came');
  });

  it('does not carry the key along with a redirect', async () => {
    const other = await fakeApi();
    try {
      api.next(AGENTS, { status: 308, headers: { location: `${other.url}/api/v1/agents?secret=1` } });
      const { code, err } = await list();
      expect({ code, err }).to.deep.equal({
        code: 1,
        err: `portico: ${api.url} redirects to ${other.url}: set PORTICO_URL to where the server is\n`,
      });
      expect(other.requests).to.have.length(0);
    } finally {
      await other.close();
    }
  });

  it('tells an answer that is not of Portico', async () => {
    for (const answer of [{ body: { data: { agents: [{ id: 1 }] } } }, { body: [] }, {}, { body: { data: null } }]) {
      api.next(AGENTS, answer);
      expect((await list()).err).to.include('is not what Portico answers: is PORTICO_URL right?');
    }
    api.next(AGENTS, { status: 404, body: { nothing: true } });
    expect((await list()).err).to.include('answered 404, and not as Portico');
  });

  it('lets no control character through to the terminal', async () => {
    const hostile = 'a\u001b]0;owned\u0007\u009b31m\u202eb\r\nc';
    const agent = { id: 'x', name: hostile, workflow_type: 'assistant', posts: false, mcp_url: hostile };
    api.next(AGENTS, { body: { data: { agents: [{ ...agent, description: hostile }] } } });
    const { out } = await list();
    expect(out).to.include('a\\u001b]0;owned\\u0007\\u009b31m\\u202eb\\r\\nc');
    expect(out.replaceAll('\n', '')).to.match(/^[^\p{Cc}\p{Bidi_Control}]*$/u);
    api.next(AGENTS, failure(404, hostile, hostile));
    expect((await list()).err.replaceAll('\n', '')).to.match(/^[^\p{Cc}\p{Bidi_Control}]*$/u);
    api.next(AGENTS, { body: { data: { agents: [{ ...agent, description: '' }] } } });
    const json = (await cli(['agents', 'list', '--json'], { env: { PORTICO_URL: api.url, PORTICO_API_KEY: KEY } })).out;
    expect(json.replaceAll('\n', '')).to.match(/^[^\p{Cc}\p{Bidi_Control}]*$/u);
    expect((JSON.parse(json) as { agents: { name: string }[] }).agents[0]?.name).to.equal(hostile);
  });

  it('paints on a terminal only, and not against NO_COLOR', async () => {
    const run = (tty: boolean, more: object = {}) =>
      cli(['agents', 'list'], { env: { PORTICO_URL: api.url, PORTICO_API_KEY: KEY, ...more }, tty }).then(({ out }) =>
        out.includes('\x1b['),
      );
    expect([
      await run(true),
      await run(true, { NO_COLOR: '1' }),
      await run(true, { TERM: 'dumb' }),
      await run(false),
    ]).to.deep.equal([true, false, false, false]);
  });
});

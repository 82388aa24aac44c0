import { execFile } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PorticoError, portico, type Retry } from '../../src/client/portico.ts';
import { parseJson } from '../../src/domain/json-number.ts';
import { agentId, detail, type FakeApi, fakeApi, item, KEY, runId } from '../cli/fake-api.ts';

/** ECMAScript's own, which the library of TypeScript does not list yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): object };

const AGENTS = 'GET /api/v1/agents';
const RUN = `GET /api/v1/runs/${runId}`;
const CREATE = `POST /api/v1/agents/${agentId}/run`;
const soon = { headers: { 'retry-after': '0' } };
const failure = (status: number, code: string, detail: string, more: object = {}) => ({
  status,
  ...soon,
  body: { detail, status, code, ...more },
});

const failureOf = async (work: Promise<unknown>): Promise<PorticoError> => {
  const outcome = await work.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
  if (outcome instanceof PorticoError) return outcome;
  throw outcome;
};

describe('the types of the client', () => {
  it('are those of the stored description', async () => {
    await promisify(execFile)(process.execPath, [
      path.resolve(import.meta.dirname, '../../tools/client.mjs'),
      '--check',
    ]);
  });
});

describe('the client', () => {
  let api: FakeApi;
  let retries: Retry[];
  const client = (more: object = {}) =>
    portico({ baseUrl: api.url, apiKey: KEY, onRetry: (retry) => retries.push(retry), ...more });
  const createRun = (header: object = {}) =>
    client().post('/api/v1/agents/{agent_id}/run', {
      params: { path: { agent_id: agentId }, header },
      body: { user_message: 'Hello' },
    });
  const sent = (route: string) => api.requests.filter(({ method, url }) => `${method} ${url.split('?')[0]}` === route);

  beforeEach(async () => {
    api = await fakeApi();
    retries = [];
  });
  afterEach(() => api.close());

  it('answers what stands under data', async () => {
    const { agents } = await client({ baseUrl: `${api.url}/` }).get('/api/v1/agents');
    expect(agents.map(({ name }) => name)).to.deep.equal(['Invoice reader']);
    expect(sent(AGENTS)[0]?.headers).to.include({ 'x-api-key': KEY, accept: 'application/json' });
  });

  it('takes the address of the API, which the server prints, for that of the server', async () => {
    for (const baseUrl of [`${api.url}/api/v1`, `${api.url}/api/v1/`]) {
      const { agents } = await client({ baseUrl }).get('/api/v1/agents');
      expect(agents.map(({ name }) => name)).to.deep.equal(['Invoice reader']);
    }
  });

  it('answers what has no envelope as it is', async () => {
    api.routes.set('GET /api/v1/connections/books/records', () => ({ body: [{ total: 1 }] }));
    const query = { entity_id: 'invoices' };
    const options = { params: { path: { connection_id: 'books' }, query } };
    expect(await client().get('/api/v1/connections/{connection_id}/records', options)).to.deep.equal([{ total: 1 }]);
  });

  it('fails with all that the server says', async () => {
    const errors = [{ path: 'body.files', message: 'must not be empty' }];
    api.next(CREATE, failure(400, 'invalid_request', 'One error.', { errors }));
    const error = await failureOf(createRun());
    expect(error).to.deep.include({
      status: 400,
      code: 'invalid_request',
      detail: 'One error.',
      errors,
      requestId: 'req-400',
    });
    expect(error.message).to.equal(`${CREATE} answered 400 invalid_request: One error.`);
  });

  it('says why there is no answer, and that an answer is not one of Portico', async () => {
    api.next(
      AGENTS,
      { hangUp: true },
      { status: 404, body: { nothing: true } },
      { status: 308, headers: { location: 'http://elsewhere/x?y' } },
    );
    const codes = [];
    for (let time = 0; time < 3; time++) codes.push((await failureOf(client().get('/api/v1/agents'))).code);
    expect(codes).to.deep.equal(['no_answer', 'not_portico', 'redirected']);
    api.routes.set(AGENTS, () => new Promise(() => {}));
    const late = await failureOf(client().get('/api/v1/agents', { timeoutSeconds: 0.05 }));
    expect(late).to.include({ status: null, code: 'timed_out' });
  });

  it('says that there was no access token, and waits for one no longer than for an answer', async () => {
    const by = (accessToken: () => Promise<string>, more: object = {}) =>
      portico({ baseUrl: api.url, accessToken, ...more }).get('/api/v1/agents');
    const error = await failureOf(by(() => Promise.reject(new Error('the grant is over'))));
    expect(error).to.deep.include({
      status: null,
      code: 'no_answer',
      detail: 'accessToken gave no token: the grant is over',
    });
    const never = () => new Promise<string>(() => {});
    expect(await failureOf(by(never, { timeoutSeconds: 0.05 }))).to.include({ code: 'timed_out' });
    const abort = new AbortController();
    const asked = by(() => [abort.abort(new Error('enough')), never()][1] as Promise<string>, { signal: abort.signal });
    expect(await asked.catch((reason: unknown) => reason)).to.have.property('message', 'enough');
    expect(api.requests).to.deep.equal([]);
  });

  it('goes on with a new access token where the one before ended meanwhile, and asks nothing twice with one', async () => {
    const over = failure(401, 'unauthenticated', 'The credential is not valid.');
    const by = (...tokens: readonly string[]) => {
      const left = [...tokens];
      return portico({ baseUrl: api.url, accessToken: () => (left.length > 1 ? left.shift() : left[0]) as string });
    };
    api.next(AGENTS, over, { body: { data: { agents: [] } } });
    expect(await by('old', 'new').get('/api/v1/agents')).to.deep.equal({ agents: [] });
    api.next(AGENTS, over);
    expect(await failureOf(by('same').get('/api/v1/agents'))).to.include({ status: 401 });
    api.next(CREATE, over);
    const options = { params: { path: { agent_id: agentId } }, body: { user_message: 'Hello' } };
    const create = by('old', 'new').post('/api/v1/agents/{agent_id}/run', options);
    expect(await failureOf(create)).to.include({ status: 401 });
    const tokens = api.requests.map(({ headers }) => headers.authorization);
    expect(tokens).to.deep.equal(['Bearer old', 'Bearer new', 'Bearer same', 'Bearer old']);
  });

  it('waits for an answer and for a stream without an end where it may', async () => {
    const unhurried = client({ timeoutSeconds: Number.POSITIVE_INFINITY });
    api.routes.set(
      AGENTS,
      () => new Promise((resolve) => setTimeout(resolve, 100, { body: { data: { agents: [] } } })),
    );
    expect(await unhurried.get('/api/v1/agents')).to.deep.equal({ agents: [] });
    api.course = [detail(), detail({ status: 'completed' })];
    const types: string[] = [];
    for await (const { type } of unhurried.runEvents(runId)) types.push(type);
    expect(types).to.deep.equal(['run.completed']);
    expect(retries).to.deep.equal([]);
  });

  it('gives a request the time that it is given, and not that of fetch', async () => {
    const bounds: unknown[] = [];
    const keepBound = (message: unknown) =>
      bounds.push((message as { request: Record<string, unknown> }).request.headersTimeout);
    subscribe('undici:request:create', keepBound);
    try {
      await client().get('/api/v1/agents');
      await client().upload(agentId, [{ name: 'a.pdf', content: new Blob(['%PDF-1.7']) }]);
    } finally {
      unsubscribe('undici:request:create', keepBound);
    }
    expect(bounds, 'the list, the upload URL and the file').to.deep.equal([0, 0, 0]);
  });

  it('never shows the key', async () => {
    api.next(AGENTS, { hangUp: true });
    const error = await failureOf(client().get('/api/v1/agents'));
    expect(JSON.stringify(error) + error.message + error.stack).not.to.include(KEY);
  });

  it('waits as long as Retry-After says, and says so', async () => {
    api.next(AGENTS, { ...failure(429, 'rate_limited', 'Slow down.'), headers: { 'retry-after': '1' } });
    await client().get('/api/v1/agents');
    expect(retries).to.deep.equal([{ status: 429, code: 'rate_limited', seconds: 1 }]);
  });

  it('leaves a wait of more than five minutes to its caller', async () => {
    api.next(AGENTS, { ...failure(429, 'rate_limited', 'Slow down.'), headers: { 'retry-after': '3600' } });
    expect(await failureOf(client().get('/api/v1/agents'))).to.include({ status: 429, retryAfterSeconds: 3600 });
  });

  it('starts one run however often the request is repeated', async () => {
    api.next(CREATE, failure(500, 'internal', 'Oh.'), failure(429, 'rate_limited', 'Slow down.'));
    expect((await createRun()).id).to.equal(runId);
    const keys = sent(CREATE).map(({ headers }) => headers['idempotency-key']);
    expect(keys).to.have.length(3);
    expect(new Set(keys).size).to.equal(1);
    expect(keys[0]).to.match(/^[0-9a-f-]{36}$/);
    await createRun({ 'Idempotency-Key': 'mine' });
    expect(sent(CREATE).at(-1)?.headers['idempotency-key']).to.equal('mine');
  });

  it('repeats under one key whatever takes one', async () => {
    const route = `POST /api/v1/threads/${runId}/messages`;
    api.routes.set(route, () => ({ body: { data: { conversation_id: runId, messages: [], error: null } } }));
    const say = () =>
      client().post('/api/v1/threads/{id}/messages', { params: { path: { id: runId } }, body: { message: 'Hello' } });
    api.next(route, failure(500, 'internal', 'Oh.'));
    await say();
    await say();
    const keys = sent(route).map(({ headers }) => headers['idempotency-key']);
    expect(keys).to.have.length(3);
    expect(keys[0]).to.equal(keys[1]);
    expect(keys[2])
      .to.match(/^[0-9a-f-]{36}$/)
      .and.to.not.equal(keys[0]);
  });

  it('does not repeat what would be done twice, unless the server has not begun it', async () => {
    const route = `POST /api/v1/users/${runId}/invite`;
    const invite = () => client().post('/api/v1/users/{id}/invite', { params: { path: { id: runId } } });
    api.next(route, failure(500, 'internal', 'Oh.'));
    expect(await failureOf(invite())).to.include({ status: 500 });
    expect(sent(route)).to.have.length(1);
    api.routes.set(route, () => ({
      body: { data: { url: 'https://x.example', expires_at: '2026-01-01T00:00:00.000Z' } },
    }));
    api.next(route, failure(429, 'rate_limited', 'Slow down.'));
    expect((await invite()).url).to.equal('https://x.example');
  });

  it('ends at once when its signal is aborted, a pause included', async () => {
    const abort = new AbortController();
    api.next(AGENTS, { ...failure(429, 'rate_limited', 'Slow down.'), headers: { 'retry-after': '60' } });
    const asked = client({ onRetry: () => abort.abort(new Error('enough')) }).get('/api/v1/agents', {
      signal: abort.signal,
    });
    expect(await asked.catch((error: unknown) => error)).to.have.property('message', 'enough');
  });

  it('keeps every digit with a parser of one’s own, and gives the text as it came', async () => {
    const big = '12345678901234567890';
    const text = '{"data":{"columns":[],"records":[{"big":12345678901234567890}],"row_count":1,"truncated":false}}';
    api.routes.set('POST /api/v1/query', () => ({
      body: { data: { columns: [], records: [{ big: rawJSON(big) }], row_count: 1, truncated: false } },
    }));
    const query = { body: { database_id: 'books', query: 'select 1' } };
    const { records } = await client({ parseJson }).post('/api/v1/query', query);
    expect(String(records[0]?.big)).to.equal(big);
    const answer = await client().exchange('post', '/api/v1/query', query);
    expect(answer.text).to.equal(text);
    expect(answer.response.headers.get('x-request-id')).to.equal('req-200');
  });

  describe('upload', () => {
    const files = [
      { name: 'a.pdf', content: new Blob(['%PDF-1.7']) },
      { name: 'mail', content: new TextEncoder().encode('From: ada@example.com\r\n\r\nHi') },
      { name: 'b', content: new Blob(['1;2'], { type: 'text/csv' }) },
      { name: 'c.txt', content: new Blob(['<a/>']), contentType: 'application/xml' },
    ];

    it('sends every file with its type to its signed URL, and answers the entries of a run', async () => {
      const uploaded: number[] = [];
      const entries = await client().upload(agentId, files, { onUploaded: (index) => uploaded.push(index) });
      expect(entries.map(({ file_name }) => file_name)).to.deep.equal(['a.pdf', 'mail', 'b', 'c.txt']);
      expect(uploaded.toSorted()).to.deep.equal([0, 1, 2, 3]);
      const received = entries.map(({ file_key }) => api.uploads.get(file_key));
      const types = ['application/pdf', 'message/rfc822', 'text/csv', 'application/xml'];
      expect(received.map((request) => request?.headers['content-type'])).to.deep.equal(types);
      expect(received[0]?.body.toString()).to.equal('%PDF-1.7');
      expect(received.some((request) => request?.headers['x-api-key'] !== undefined)).to.equal(false);
    });

    it('sends a file again where the store was busy or gone', async () => {
      api.next(`PUT /blobs/uploads/w/${agentId}/0`, { status: 503, ...soon }, { hangUp: true });
      await client().upload(agentId, files.slice(0, 1));
      expect([...api.uploads.values()].map(({ body }) => body.toString())).to.deep.equal(['%PDF-1.7']);
    });

    it('names the file that was refused and keeps the signature to itself', async () => {
      api.next(`PUT /blobs/uploads/w/${agentId}/0`, { status: 413, body: '<Error/>' });
      const error = await failureOf(client().upload(agentId, files.slice(0, 1)));
      expect(error).to.include({ status: 413, code: 'upload_refused', request: 'PUT a.pdf' });
      expect(error.message + error.stack).not.to.include('SECRET');
    });
  });

  describe('waitForRun', () => {
    const course = [
      detail({ items: [item(0, 'queued')] }),
      detail({ status: 'running', items: [item(0, 'running')] }),
      detail({ status: 'completed', items: [item(0, 'completed')] }),
    ];

    it('asks the server to wait, shows each state once, and ends with the run', async () => {
      api.course = course;
      const seen: string[] = [];
      const run = await client().waitForRun(runId, { onChange: ({ status }) => seen.push(status) });
      expect([run.status, seen]).to.deep.equal(['completed', ['queued', 'running', 'completed']]);
      expect(sent(RUN).map(({ url, headers }) => [url.split('?')[1], headers['if-none-match']])).to.deep.equal([
        ['wait=25', undefined],
        ['wait=25', '"0"'],
        ['wait=25', '"1"'],
      ]);
    });

    it('asks the server to wait for half of the time that a request has', async () => {
      api.course = course;
      await client({ timeoutSeconds: 20 }).waitForRun(runId);
      await client().waitForRun(runId, { timeoutSeconds: 4 });
      expect(new Set(sent(RUN).map(({ url }) => url.split('?')[1]))).to.deep.equal(new Set(['wait=10', 'wait=2']));
    });

    it('goes on after a server that restarts, once the run is known', async () => {
      api.course = course;
      const handler = api.routes.get(RUN);
      let polls = 0;
      api.routes.set(RUN, (request, match) => {
        polls++;
        if (polls === 2) return { hangUp: true };
        if (polls === 3) return { status: 304 };
        if (polls === 4) return failure(500, 'stopping', 'The server stops.');
        return handler?.(request, match) ?? {};
      });
      expect((await client().waitForRun(runId)).status).to.equal('completed');
      expect(polls).to.equal(6);
    });

    it('waits no longer than it should', async () => {
      api.course = [detail({ status: 'running' })];
      const error = await failureOf(client().waitForRun(runId, { waitSeconds: 0.2 }));
      expect(error).to.include({ code: 'wait_timed_out', status: null });
    });

    it('ends with its signal', async () => {
      const abort = new AbortController();
      api.course = [detail({ status: 'running' })];
      const waits = client().waitForRun(runId, {
        signal: abort.signal,
        onChange: () => abort.abort(new Error('enough')),
      });
      expect(await waits.catch((error: unknown) => error)).to.have.property('message', 'enough');
    });
  });
});

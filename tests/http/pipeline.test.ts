import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import * as t from 'io-ts';
import { BodyText, type Operation, operation, WithHeaders } from '../../src/adapters/http/operation.ts';
import { operations } from '../../src/adapters/http/operations.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { document, exampleDocument } from '../../src/wire/document.ts';
import { closed, list, wire } from '../../src/wire/kit/structures.ts';
import { integer, uuid } from '../../src/wire/kit/values.ts';
import { api, type Call, filled } from '../support/http.ts';
import { type Overrides, type StandIn, startStandIn } from './stand-in.ts';

const shared = { tag: 'Test', description: 'For a test.' } as const;
const none = { id: '01989c0e-65f2-7a1b-8c3d-444444444444' };
let released = 0;

/** Rows between so many spaces; long ones are sent before the next are there. */
async function* rows(failsAt: number | null, spaces: number) {
  try {
    for (let row = 0; row < 3; row++) {
      if (row === failsAt) throw new Error('the database went away');
      yield `${row === 0 ? '[' : ','}${' '.repeat(spaces)}${row}`;
    }
    yield ']';
  } finally {
    released++;
  }
}

/** Rows as long as somebody reads. */
async function* endlessRows() {
  try {
    yield '[0';
    for (;;) {
      yield `,${' '.repeat(40_000)}1`;
      await sleep(50);
    }
  } finally {
    released++;
  }
}

const numbers = list(integer({ min: 0 }));

const streaming = (failsAt: number | null, id: string, spaces = 0, chunks = () => rows(failsAt, spaces)): Operation =>
  operation({
    ...shared,
    id,
    resource: id,
    summary: id,
    method: 'get',
    path: `/${id}`,
    access: 'api-key',
    success: { description: 'Rows.', data: numbers, envelope: false, example: [0, 1, 2] },
    handle: async () => new BodyText(chunks()),
  });

/** Operations of the kinds that the list does not have yet. */
const more: readonly Operation[] = [
  streaming(null, 'rows'),
  streaming(0, 'no_rows'),
  streaming(2, 'broken_rows'),
  streaming(null, 'long_rows', 40_000),
  streaming(2, 'broken_long_rows', 40_000),
  streaming(null, 'endless_rows', 0, endlessRows),
  { ...streaming(null, 'endless_admin_rows', 0, endlessRows), adminOnly: true },
  operation({
    ...shared,
    id: 'insertRow',
    resource: 'row_insert',
    summary: 'Insert',
    method: 'post',
    path: '/things/{thing_id}/records',
    alsoAt: '/v1/things/{thing_id}/records',
    access: 'api-key',
    writes: true,
    params: wire({ thingId: uuid }),
    body: closed({ entity: t.string }),
    example: { params: { thingId: none.id }, body: { entity: 'public.a' } },
    success: {
      status: 201,
      description: 'Inserted.',
      data: wire({ rowsAffected: integer({ min: 0 }) }),
      envelope: false,
      example: { rowsAffected: 1 },
    },
    handle: async () => ({ rowsAffected: 1 }),
  }),
  operation({
    ...shared,
    id: 'old',
    resource: 'old',
    summary: 'Old',
    method: 'get',
    path: '/old',
    access: 'public',
    success: { description: 'Old.', data: wire({ id: uuid }), headers: { 'X-Extra': 'Extra.' }, example: none },
    deprecation: { since: new Date('2026-01-01T00:00:00Z'), sunset: new Date('2026-07-01T00:00:00Z') },
    handle: async () => new WithHeaders(none, { 'X-Extra': 'yes' }),
  }),
  operation({
    ...shared,
    id: 'broken',
    resource: 'broken',
    summary: 'Broken',
    method: 'get',
    path: '/broken',
    access: 'api-key',
    success: { description: 'Never.', data: wire({ id: uuid }), example: none },
    handle: async () => Promise.reject(new Error('connection to 10.0.0.7 refused: password "hunter2"')),
  }),
  operation({
    ...shared,
    id: 'upstream',
    resource: 'upstream',
    summary: 'Upstream',
    method: 'get',
    path: '/upstream',
    access: 'api-key',
    success: { description: 'Never.', data: wire({ id: uuid }), example: none },
    refuses: ['upstream_unavailable', 'conflict'],
    handle: async () =>
      Promise.reject(new DomainError('unavailable', 'The ledger cannot be reached.', { retryAfterSeconds: 7 })),
  }),
];

const logged = () => {
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...fields }, message });
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
};

describe('the pipeline', () => {
  let server: StandIn;
  let call: Call;
  let key: string;
  const { lines, log } = logged();
  const overrides: Overrides = { operations: [...operations, ...more], log };
  before(async () => {
    server = await startStandIn(overrides);
    ({ call } = await api(server.baseUrl));
    key = await server.key();
  });
  after(() => server.stop());

  const createRun = async (options: Parameters<Call>[1] = {}) => {
    const { params, body } = await server.request('createRun');
    return call(filled('/api/v1/agents/{agent_id}/run', params), { method: 'POST', key, body, ...options });
  };

  describe('request ids', () => {
    it('are the caller’s where they are 1 to 128 visible ASCII characters', async () => {
      for (const id of ['a', 'x'.repeat(128), '!~{}"']) {
        expect((await call('/api/v1', { headers: { 'x-request-id': id } })).headers.get('x-request-id')).to.equal(id);
      }
    });

    it('are new ones otherwise, and in the body of an error', async () => {
      for (const id of ['x'.repeat(129), 'a b', 'é']) {
        const answer = await call('/api/v1/agents', { headers: { 'x-request-id': id } });
        expect(answer.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
      }
    });
  });

  describe('the order of checks', () => {
    it('is route, credential, limit, scope and role, request, existence', async () => {
      const viewer = await server.key({ role: 'viewer' });
      const scoped = await server.key({ scopes: ['agents:read'] });
      const bad = { method: 'POST', raw: '{', headers: { 'content-type': 'application/json' } };
      expect((await call('/api/v1/nowhere', bad)).status).to.equal(404);
      expect((await call('/api/v1/agents/x/run', bad)).status).to.equal(401);
      expect((await call('/api/v1/agents/x/run', { ...bad, key: scoped })).body).to.include({ code: 'missing_scope' });
      expect((await call('/api/v1/agents/x/run', { ...bad, key: viewer })).body).to.include({ code: 'viewer' });
      expect((await call(`/api/v1/agents/${none.id}/run`, { ...bad, key })).status).to.equal(400);
      expect(
        (await call(`/api/v1/agents/${none.id}/run`, { method: 'POST', key, body: { user_message: 'a' } })).status,
      ).to.equal(404);
    });

    it('refuses a spent limit before it looks at scopes', async () => {
      const small = await startStandIn({ limits: { requests: 1 } });
      try {
        const scoped = await small.key({ scopes: ['agents:read'] });
        const client = await api(small.baseUrl);
        expect((await client.call('/api/v1/runs', { key: scoped })).status).to.equal(403);
        expect((await client.call('/api/v1/runs', { key: scoped })).status).to.equal(429);
      } finally {
        await small.stop();
      }
    });
  });

  it('does not let another workspace spend the window of an agent', async () => {
    const small = await startStandIn({ limits: { runs: 1 } });
    try {
      const client = await api(small.baseUrl);
      const { params, body } = await small.request('createRun');
      const create = (of: string) =>
        client.call(filled('/api/v1/agents/{agent_id}/run', params), { method: 'POST', key: of, body });
      const stranger = small.world.newKey({ workspaceId: none.id });
      expect([(await create(stranger)).status, (await create(stranger)).status]).to.deep.equal([200, 429]);
      expect((await create(await small.key())).status).to.equal(200);
    } finally {
      await small.stop();
    }
  });

  describe('credentials', () => {
    it('that are access tokens open what names a scope and nothing else', async () => {
      const token = server.world.newKey({ kind: 'access_token', scopes: ['agents:read'] });
      const headers = { authorization: `bearer ${token}` };
      expect((await call('/api/v1/agents', { headers })).status).to.equal(200);
      expect((await call('/api/v1/rows', { headers })).status).to.equal(401);
    });

    it('that are bound to an agent open nothing here', async () => {
      const headers = {
        authorization: `Bearer ${server.world.newKey({ kind: 'access_token', boundToAgent: none.id })}`,
      };
      expect((await call('/api/v1/agents', { headers })).status).to.equal(401);
    });

    it('with scopes open nothing that no scope names', async () => {
      const scoped = await server.key({ scopes: ['agents:read', 'runs:read', 'runs:write'] });
      expect((await call('/api/v1/rows', { key: scoped })).body).to.include({ code: 'missing_scope' });
    });

    it('may be sent twice where both are the same', async () => {
      expect((await call('/api/v1/agents', { key, headers: { authorization: `Bearer ${key}` } })).status).to.equal(200);
    });
  });

  describe('input', () => {
    it('is refused with every error at once, wherever it is', async () => {
      const answer = await call('/api/v1/agents/x/run', {
        method: 'POST',
        key,
        headers: { 'idempotency-key': 'a b' },
        body: { files: [{ file_name: 'a/b', content_type: 'pdf' }, 7], process_together: 'yes' },
      });
      expect((answer.body as { errors: unknown }).errors).to.deep.equal([
        { path: 'path.agent_id', message: 'must be a UUID, not "x"' },
        { path: 'headers.idempotency-key', message: 'must be 1 to 255 visible ASCII characters, not "a b"' },
        {
          path: 'body.files[0].file_key',
          message: 'is required: it must be a string of 1 to 1024 characters, without NUL',
        },
        {
          path: 'body.files[0].file_name',
          message:
            'must be a file name of 1 to 255 characters without slashes, backslashes and control characters, not "a/b"',
        },
        { path: 'body.files[0].content_type', message: 'must be a media type such as application/pdf, not "pdf"' },
        { path: 'body.files[1]', message: 'must be an object, not 7' },
        { path: 'body.process_together', message: 'must be true or false, not "yes"' },
      ]);
    });

    it('with an error in the JSON still names the errors elsewhere', async () => {
      const answer = await call('/api/v1/agents/x/run', {
        method: 'POST',
        key,
        raw: '{',
        headers: { 'content-type': 'application/json' },
      });
      expect((answer.body as { errors: { path: string }[] }).errors.map(({ path }) => path)).to.deep.equal([
        'path.agent_id',
        'body',
      ]);
    });

    it('may not hide NUL or half a surrogate pair anywhere, in keys neither', async () => {
      for (const raw of [
        '{"user_message":"a\\u0000"}',
        '{"x\\u0000":1,"user_message":"a"}',
        '{"deep":[{"a":"\\u0000"}],"user_message":"a"}',
        '{"deep":[{"a":["\\ud800"]}],"user_message":"a"}',
        '{"\\udfff":1,"user_message":"a"}',
      ]) {
        expect(
          (await createRun({ raw, body: undefined, headers: { 'content-type': 'application/json' } })).status,
          raw,
        ).to.equal(400);
      }
    });

    it('may be nested 64 levels deep and no deeper', async () => {
      const nested = (depth: number) => `{"user_message":"a","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
      const send = (depth: number) =>
        createRun({ raw: nested(depth), body: undefined, headers: { 'content-type': 'application/json' } });
      expect((await send(64)).status).to.equal(200);
      expect((await send(65)).status).to.equal(400);
      expect((await send(400_000)).status).to.equal(400);
    });

    it('may be as long as 100,000 characters, also outside the basic plane', async () => {
      expect((await createRun({ body: { user_message: '😀'.repeat(100_000) } })).status).to.equal(200);
      expect((await createRun({ body: { user_message: '😀'.repeat(100_001) } })).status).to.equal(400);
    });

    it('is refused with a hundred errors at most', async () => {
      const answer = await call(`/api/v1/things/${none.id}/records`, {
        method: 'POST',
        key,
        body: Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key${index}`, 1])),
      });
      expect((answer.body as { errors: unknown[] }).errors).to.have.length(100);
    });

    it('names a property that a closed body does not have', async () => {
      const answer = await call(`/api/v1/things/${none.id}/records`, {
        method: 'POST',
        key,
        body: { entity: 'a', 'odd key': 1 },
      });
      expect((answer.body as { errors: unknown }).errors).to.deep.equal([
        { path: 'body["odd key"]', message: 'is not a property here: there is only entity' },
      ]);
    });

    it('takes an id in capitals for the same id', async () => {
      const { id } = server.world.newRun();
      expect((await call(`/api/v1/runs/${id.toUpperCase()}`, { key })).status).to.equal(200);
    });

    it('of ten thousand query parameters is read in no time', async () => {
      expect((await call(`/api/v1/runs?${'a=&'.repeat(3_500)}`, { key })).status).to.equal(200);
    });
  });

  describe('creating a run', () => {
    it('names the address to poll', async () => {
      const answer = await createRun();
      const { id } = (answer.body as { data: { id: string } }).data;
      expect(answer.headers.get('location')).to.equal(`https://portico.example.com/api/v1/runs/${id}`);
      expect(answer.headers.has('idempotency-replayed')).to.equal(false);
    });

    it('answers the same Idempotency-Key with the same run, however the body is written', async () => {
      const headers = { 'idempotency-key': `once-${Math.random()}` };
      const first = await createRun({ headers, body: { user_message: 'a', files: [] } });
      const again = await createRun({ headers, body: { files: [], user_message: 'a', process_together: false } });
      expect([again.status, again.headers.get('idempotency-replayed')]).to.deep.equal([200, 'true']);
      expect(again.body).to.deep.equal(first.body);
      expect((await createRun({ headers, body: { user_message: 'b' } })).body).to.include({
        code: 'idempotency_key_reused',
        status: 400,
      });
    });

    it('continues a valid traceparent and ignores any other', async () => {
      const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
      const trace = async (traceparent: string) =>
        ((await createRun({ headers: { traceparent } })).body as { data: { trace_id: string } }).data.trace_id;
      expect(await trace(`00-${traceId}-00f067aa0ba902b7-01`)).to.equal(traceId);
      expect(await trace(`cc-${traceId}-00f067aa0ba902b7-01-more`)).to.equal(traceId);
      for (const bad of [
        `00-${traceId}-00f067aa0ba902b7-01-more`,
        `ff-${traceId}-00f067aa0ba902b7-01`,
        `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`,
        `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
        `00-${traceId}-${'0'.repeat(16)}-01`,
        'nonsense',
      ]) {
        expect(await trace(bad), bad).not.to.equal(traceId);
      }
    });
  });

  describe('a document', () => {
    /** Longer than what is sent in one piece; the halves of its characters come to lie at every place. */
    const long = (length: number) => ({
      ...exampleDocument.documentData,
      text: 'x'.repeat(length) + '😀'.repeat(60_000),
    });
    const store = (documentData: JsonObject) => {
      const { id } = server.world.newDocument();
      const stored = { ...exampleDocument, id, documentData };
      server.world.documents.set(id, stored);
      return { id, payload: JSON.parse(JSON.stringify(document.encode(stored))) };
    };

    it('is answered as its codec has it, however long it is', async () => {
      for (const data of [exampleDocument.documentData, long(0), long(1)]) {
        const { id, payload } = store(data);
        const { body } = await call(`/api/v1/documents/${id}`, { key });
        expect(body).to.deep.equal({ data: payload });
      }
    });

    it('is answered the same to who asks again with a key', async () => {
      const { id, payload } = store(long(0));
      const headers = { 'idempotency-key': id };
      const first = await call(`/api/v1/documents/${id}`, { key, method: 'POST', headers });
      const again = await call(`/api/v1/documents/${id}`, { key, method: 'POST', headers });
      expect([first.status, again.headers.get('idempotency-replayed')]).to.deep.equal([200, 'true']);
      expect(again.body).to.deep.equal(first.body);
      expect((first.body as { readonly data: object }).data).to.include.keys(Object.keys(payload));
    });

    it('is read without its data for who has it', async () => {
      const { id } = store(long(0));
      const etag = (await call(`/api/v1/documents/${id}`, { key })).headers.get('etag') ?? '';
      const unread = { get: () => expect.fail('it is read') };
      const head = { ...exampleDocument, id };
      server.world.documents.set(id, Object.defineProperties(head, { documentData: unread, evidence: unread }));
      const answer = await call(`/api/v1/documents/${id}`, { key, headers: { 'if-none-match': etag } });
      expect([answer.status, answer.text]).to.deep.equal([304, '']);
    });
  });

  describe('polling a run', () => {
    const poll = (id: string, query: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
      call(`/api/v1/runs/${id}${query}`, { key, headers, ...(signal && { signal }) });

    it('answers 304 to the ETag it gave, and 200 to any other', async () => {
      const { id } = server.world.newRun();
      const etag = (await poll(id, '')).headers.get('etag') ?? '';
      expect(etag).to.match(/^"[\w-]{20,}"$/);
      for (const known of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
        const answer = await poll(id, '', { 'if-none-match': known });
        expect([answer.status, answer.text, answer.headers.get('etag')], known).to.deep.equal([304, '', etag]);
      }
      expect((await poll(id, '', { 'if-none-match': '"another"' })).status).to.equal(200);
    });

    it('with wait answers as soon as the status changes', async () => {
      const { id } = server.world.newRun();
      const etag = (await poll(id, '')).headers.get('etag') ?? '';
      for (const headers of [{}, { 'if-none-match': etag }]) {
        const run = server.world.newRun();
        const own = 'if-none-match' in headers ? (await poll(run.id, '')).headers.get('etag') : null;
        const waiting = poll(run.id, '?wait=25', own === null ? {} : { 'if-none-match': own });
        while (server.world.watchers.size === 0) await new Promise(setImmediate);
        server.world.cancelRun(run.id);
        const answer = await waiting;
        expect([answer.status, (answer.body as { data: { status: string } }).data.status]).to.deep.equal([
          200,
          'cancelled',
        ]);
      }
    });

    it('with wait answers 304 when nothing has changed in time', async () => {
      const { id } = server.world.newRun();
      const etag = (await poll(id, '')).headers.get('etag') ?? '';
      expect((await poll(id, '?wait=1', { 'if-none-match': etag })).status).to.equal(304);
    });

    it('with wait answers at once where the representation is news to the client', async () => {
      const { id } = server.world.newRun();
      expect((await poll(id, '?wait=25', { 'if-none-match': '"an older one"' })).status).to.equal(200);
    });

    it('stops waiting when the client hangs up', async () => {
      const { id } = server.world.newRun();
      const hangUp = new AbortController();
      const waiting = poll(id, '?wait=25', {}, hangUp.signal).catch((error: Error) => error.name);
      while (server.world.watchers.size === 0) await new Promise(setImmediate);
      hangUp.abort();
      expect(await waiting).to.equal('AbortError');
      while (server.world.watchers.size > 0) await new Promise(setImmediate);
    });
  });

  describe('other kinds of operation', () => {
    it('answer 201 without an envelope, at the first address alone', async () => {
      const path = `/things/${none.id}/records`;
      const body = { entity: 'public.a' };
      const answer = await call(`/api/v1${path}`, { method: 'POST', key, body });
      expect([answer.status, answer.body]).to.deep.equal([201, { rows_affected: 1 }]);
      const viewer = await server.key({ role: 'viewer' });
      expect((await call(`/api/v1${path}`, { method: 'POST', key: viewer, body })).status).to.equal(403);
      expect((await call(`/v1${path}`, { method: 'POST', key, body })).status).to.equal(404);
    });

    for (const [path, length] of [
      ['rows', '7'],
      ['long_rows', null],
    ] as const) {
      it(`answer JSON text, as a whole where it is short, and release it also for HEAD: ${path}`, async () => {
        const { body, headers } = await call(`/api/v1/${path}`, { key });
        expect([body, headers.get('content-length')]).to.deep.equal([[0, 1, 2], length]);
        const before = released;
        expect((await call(`/api/v1/${path}`, { key, method: 'HEAD' })).status).to.equal(200);
        while (released === before) await new Promise(setImmediate);
      });
    }

    it('answer an ordinary error where the stream fails before anything of it is sent', async () => {
      for (const path of ['no_rows', 'broken_rows'])
        expect((await call(`/api/v1/${path}`, { key })).body).to.include({ status: 500, code: 'internal' });
    });

    it('break the connection where the stream fails half-way, and say so in the log', async () => {
      const failure = await call('/api/v1/broken_long_rows', { key }).then(
        () => null,
        (error: unknown) => error,
      );
      expect(failure).to.be.an('error');
      expect(lines.some(({ level, message }) => level === 'error' && message === 'an answer broke off')).to.equal(true);
    });

    it('break the connection once the credential has ended, or what only administrators read once its user is none', async () => {
      const { keys } = server.world;
      const demote = (ending: string) => {
        const caller = keys.get(ending) ?? expect.fail();
        keys.set(ending, { ...caller, role: 'member' });
      };
      for (const [path, end] of [
        ['endless_rows', (ending: string) => void keys.delete(ending)],
        ['endless_admin_rows', demote],
      ] as const) {
        const ending = await server.key();
        const answer = await fetch(`${server.baseUrl}/api/v1/${path}`, { headers: { 'x-api-key': ending } });
        const [before, reader] = [released, answer.body?.getReader() ?? expect.fail()];
        await reader.read();
        end(ending);
        const failure = await (async () => {
          while (!(await reader.read()).done);
        })().then(
          () => null,
          (error: unknown) => error,
        );
        expect(failure, path).to.be.an('error');
        while (released === before) await new Promise(setImmediate);
      }
    });

    it('end with their credential where they only read, and never half-way through a write', () => {
      const ended = operations.filter(({ longRead }) => longRead);
      expect(ended.map(({ id }) => id)).to.include.members(['runQuery', 'readTable', 'listRecords', 'searchWeb']);
      expect(ended.filter(({ writes }) => writes)).to.deep.equal([]);
    });

    it('announce their deprecation in two headers, and add headers of their own', async () => {
      const { headers } = await call('/api/v1/old');
      expect([headers.get('deprecation'), headers.get('sunset'), headers.get('x-extra')]).to.deep.equal([
        '@1767225600',
        'Wed, 01 Jul 2026 00:00:00 GMT',
        'yes',
      ]);
    });
  });

  describe('failures', () => {
    it('that are unknown say nothing to the client and everything to the log', async () => {
      const answer = await call('/api/v1/broken', { key, headers: { 'x-request-id': 'find-me' } });
      expect(answer.text).not.to.match(/hunter2|10\.0/);
      expect(answer.body).to.deep.equal({
        type: 'https://portico.example.com/developers#error-internal',
        title: 'Internal',
        detail: 'Something went wrong on our side. Please try again.',
        status: 500,
        code: 'internal',
        request_id: 'find-me',
      });
      const line = lines.find(({ level, fields }) => level === 'error' && fields.request_id === 'find-me');
      expect(line?.fields.route).to.equal('broken');
      expect(String(line?.fields.err)).to.contain('hunter2');
    });

    it('of a connected system are 500 in its own words', async () => {
      const answer = await call('/api/v1/upstream', { key });
      expect(answer.body).to.include({
        status: 500,
        code: 'upstream_unavailable',
        detail: 'The ledger cannot be reached.',
      });
      expect(answer.headers.get('retry-after')).to.equal('7');
    });

    it('before the request is counted still show a limit', async () => {
      const failing = await startStandIn({
        use: {
          ...server.world.use,
          authentication: { authenticate: async () => Promise.reject(new Error('the database is down')) },
        },
      });
      try {
        const client = await api(failing.baseUrl);
        for (const path of ['/api/v1/agents', '/nowhere']) {
          const answer = await client.call(path, { key });
          expect([answer.status, answer.headers.get('ratelimit-limit')]).to.deep.equal([500, '1000000']);
        }
      } finally {
        await failing.stop();
      }
    });
  });

  describe('the log', () => {
    it('has one line for each request, without credentials and query values', async () => {
      lines.length = 0;
      await call('/api/v1/runs?limit=1&offset=77', { key, headers: { 'x-request-id': 'logged' } });
      while (lines.length === 0) await new Promise(setImmediate);
      expect(
        lines.map(({ level, message, fields: { ms, ...rest } }) => ({ level, message, ...rest, timed: typeof ms })),
      ).to.deep.equal([
        {
          level: 'info',
          message: 'request',
          request_id: 'logged',
          method: 'GET',
          route: 'listRuns',
          status: 200,
          timed: 'number',
        },
      ]);
      expect(JSON.stringify(lines)).not.to.match(/svc-|77/);
    });
  });

  describe('strange targets', () => {
    const raw = (head: string) =>
      new Promise<string>((resolve, reject) => {
        const url = new URL(server.baseUrl);
        const socket = connect(Number(url.port), url.hostname, () =>
          socket.end(`${head}\r\nHost: x\r\nConnection: close\r\n\r\n`),
        );
        let answer = '';
        socket.on('data', (chunk) => {
          answer += chunk;
        });
        socket.on('end', () => resolve(answer)).on('error', reject);
      });

    it('are answered in the form of every other error', async () => {
      for (const [head, status] of [
        ['GET http://[::1 HTTP/1.1', 400],
        ['GET http://x/api/v1/nowhere HTTP/1.1', 404],
        ['GET //api/v1/agents HTTP/1.1', 404],
        ['GET /api/v1/../agents HTTP/1.1', 404],
        ['GET /api/v1/agents/ HTTP/1.1', 404],
        ['GET /API/v1/agents HTTP/1.1', 404],
        ['OPTIONS * HTTP/1.1', 404],
        ['GET /api/v1/runs/%ff HTTP/1.1', 401],
        ['GET /%00%ZZ HTTP/1.1', 404],
        ['PROPFIND /api/v1/agents HTTP/1.1', 405],
        ['OPTIONS /api/v1/agents HTTP/1.1', 405],
      ] as const) {
        const answer = await raw(head);
        expect(answer, head).to.match(new RegExp(`^HTTP/1.1 ${status} `));
        expect(answer, head)
          .to.match(/x-request-id: /i)
          .and.to.match(/ratelimit-remaining: \d/i);
        expect(answer, head).to.contain(`"status":${status}`);
      }
      expect(await raw('GET http://x/api/v1 HTTP/1.1')).to.match(/^HTTP\/1.1 200 /);
    });

    it('answers 400 to a path with a broken escape once the caller is known', async () => {
      const answer = await call('/api/v1/runs/%ZZ', { key });
      expect([answer.status, (answer.body as { errors: { path: string }[] }).errors[0]?.path]).to.deep.equal([
        400,
        'path.id',
      ]);
    });
  });

  it('does not wait for a body that it does not read', async () => {
    const url = new URL(`${server.baseUrl}/api/v1/agents/${none.id}/run`);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(
        url,
        { method: 'POST', headers: { 'content-length': '900000', 'content-type': 'application/json' } },
        (response) => {
          resolve(response.statusCode);
          request.destroy();
        },
      );
      request.on('error', reject);
      request.write('{');
    });
    expect(status).to.equal(401);
  });

  it('takes no notice of a client that hangs up in the middle of its body', async () => {
    lines.length = 0;
    const { params } = await server.request('createRun');
    const url = new URL(`${server.baseUrl}${filled('/api/v1/agents/{agent_id}/run', params)}`);
    const headers = { 'content-length': '900', 'content-type': 'application/json', 'x-api-key': key };
    const request = httpRequest(url, { method: 'POST', headers });
    request.on('error', () => {});
    request.write('{"user_message":');
    setTimeout(() => request.destroy(), 50);
    while (lines.length === 0) await new Promise(setImmediate);
    expect(lines.map(({ level, fields }) => [level, fields.aborted, fields.status])).to.deep.equal([
      ['info', true, null],
    ]);
  });
});

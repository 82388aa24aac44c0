import { expect } from 'chai';
import { type OpenApiDocument, toolEndpointDescribedBy } from '../support/http.ts';
import { calling, MODERN, modern, type Reply, rawClient, request, type Send, type Sent } from './client.ts';
import { openWorld, type World } from './world.ts';

const UNKNOWN = '0198c0de-0000-7000-8000-00000000000f';
const SSE = { accept: 'text/event-stream' };
const BOTH = { accept: 'application/json, text/event-stream' };

/** The decision table of the tool endpoint, row by row, over HTTP. */
describe('the tool endpoint, row by row', () => {
  let world: World;
  let key: string;
  let send: Send;
  let check: ReturnType<typeof toolEndpointDescribedBy>;
  before(async () => {
    world = await openWorld({ env: { CORS_ORIGINS: 'https://app.example' } });
    key = await world.key();
    const ask = rawClient(world.mcpUrl(), key);
    check = toolEndpointDescribedBy((await (await fetch(`${world.baseUrl}/openapi.json`)).json()) as OpenApiDocument);
    send = async (message, sent) => {
      const answer = await ask(message, sent);
      check(sent?.method ?? 'POST', answer);
      return answer;
    };
  });
  after(() => world.stop());

  const mustRefuse = async (status: number, code: number, message: unknown, sent: Sent = {}, id: unknown = null) => {
    const { status: got, body, text, headers } = await send(message, sent);
    expect([got, body?.error?.code], text).to.deep.equal([status, code]);
    expect(Object.keys(body).toSorted(), 'a message of the protocol and nothing else').to.deep.equal([
      'error',
      'id',
      'jsonrpc',
    ]);
    expect(body.id).to.equal(id);
    expect(headers.get('content-type')).to.equal('application/json');
    expect(headers.get('ratelimit-limit')).to.equal('1000000');
    expect(headers.get('x-request-id')).to.match(/^[!-~]+$/);
    return body.error;
  };

  describe('before the protocol', () => {
    it('refuses another origin with 403 on every method, without CORS headers, and before it looks for a credential', async () => {
      for (const method of ['OPTIONS', 'GET', 'POST', 'DELETE', 'PUT'])
        for (const origin of ['https://evil.example', 'null', 'https://app.example.evil.example']) {
          const { status, body, headers } = await rawClient(world.mcpUrl())(undefined, { method, headers: { origin } });
          expect(status, method).to.equal(403);
          expect(body).to.deep.equal({
            jsonrpc: '2.0',
            id: null,
            error: { code: -32600, message: 'Forbidden: the Origin is not allowed' },
          });
          expect(headers.get('access-control-allow-origin')).to.equal(null);
          expect(headers.get('vary')).to.equal('Origin');
        }
    });

    it('answers a preflight without a credential', async () => {
      const asked = 'authorization,content-type,mcp-protocol-version,mcp-param-region,x-evil';
      const headers = {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': asked,
      };
      const answer = await rawClient(world.mcpUrl())(undefined, { method: 'OPTIONS', headers });
      expect(answer.status).to.equal(204);
      expect(answer.headers.get('access-control-allow-origin')).to.equal('https://app.example');
      expect(answer.headers.get('access-control-allow-methods')).to.equal('GET, POST, DELETE, OPTIONS');
      const allowed = answer.headers.get('access-control-allow-headers')?.split(', ') ?? [];
      expect(allowed).to.include.members([
        'Authorization',
        'X-API-Key',
        'Content-Type',
        'MCP-Protocol-Version',
        'Mcp-Method',
        'Mcp-Name',
      ]);
      expect(allowed).to.include('mcp-param-region').and.not.to.include('x-evil');
      expect(answer.headers.get('access-control-allow-credentials')).to.equal(null);
    });

    it('lets pages of allowed origins and of its own read what they need', async () => {
      for (const origin of ['https://app.example', world.baseUrl]) {
        const { status, headers } = await send(request('ping'), { headers: { origin } });
        expect([status, headers.get('access-control-allow-origin')]).to.deep.equal([200, origin]);
        const exposed = headers.get('access-control-expose-headers');
        for (const name of ['WWW-Authenticate', 'RateLimit-Limit', 'Retry-After']) expect(exposed).to.include(name);
      }
    });

    it('asks for a credential, and names where to get one', async () => {
      for (const method of ['GET', 'POST', 'DELETE', 'PUT']) {
        const { status, body, headers } = await rawClient(world.mcpUrl())(method === 'GET' ? undefined : {}, {
          method,
        });
        expect(status).to.equal(401);
        expect(body).to.include({ status: 401, code: 'unauthenticated' }).and.to.include.keys('detail', 'request_id');
        const metadata = `${world.baseUrl}/.well-known/oauth-protected-resource/api/v1/agents/${world.agentId('Clerk')}/mcp`;
        expect(headers.get('www-authenticate')).to.equal(`Bearer resource_metadata="${metadata}", scope="agent:tools"`);
        const described = await (await fetch(metadata)).json();
        expect(described).to.include({ resource: world.mcpUrl() });
      }
    });

    it('names the error of a credential that is not good', async () => {
      for (const [name, value] of [
        ['x-api-key', 'svc-nobody'],
        ['authorization', 'Bearer svcpt_nobody'],
        ['authorization', 'Basic YTpi'],
      ] as const) {
        const answer = await rawClient(world.mcpUrl())(request('ping'), { headers: { [name]: value } });
        expect(answer.status).to.equal(401);
        expect(answer.headers.get('www-authenticate')).to.match(/^Bearer error="invalid_token", .*resource_metadata="/);
      }
    });

    it('asks for a credential before it shows whether there is such an agent', async () => {
      for (const id of [UNKNOWN, 'nonsense', '%22%0d%0a']) {
        const answer = await rawClient(`${world.baseUrl}/api/v1/agents/${id}/mcp`)(request('ping'));
        expect(answer.status).to.equal(401);
        expect(answer.headers.get('www-authenticate')?.includes('resource_metadata')).to.equal(id === UNKNOWN);
      }
    });

    it('answers 404 where there is no such agent, or none that this user sees', async () => {
      const vic = await world.key({ email: 'vic@example.com' });
      for (const [url, who] of [
        [`${world.baseUrl}/api/v1/agents/${UNKNOWN}/mcp`, key],
        [`${world.baseUrl}/api/v1/agents/nonsense/mcp`, key],
        [world.mcpUrl('Reader'), vic],
      ] as const)
        for (const method of ['GET', 'POST', 'DELETE', 'PUT']) {
          const { status, body } = await rawClient(url, who)(method === 'GET' ? undefined : {}, {
            method,
            headers: SSE,
          });
          expect(status, `${method} ${url}`).to.equal(404);
          expect(body).to.include({ status: 404, code: 'not_found' });
        }
    });

    it('takes a key in either header, and none that is limited to scopes', async () => {
      const bearer = { authorization: `Bearer ${key}` };
      expect((await rawClient(world.mcpUrl())(request('ping'), { headers: bearer })).status).to.equal(200);
      const limited = await rawClient(world.mcpUrl(), await world.key({ scopes: ['runs:read'] }))(request('ping'));
      expect(limited.status).to.equal(403);
      expect(limited.body).to.include({ code: 'missing_scope' });
      expect(limited.headers.get('www-authenticate')).to.equal('Bearer realm="portico", error="insufficient_scope"');
    });

    it('answers errors of the API as problems to those who prefer them, which its description says', async () => {
      const limited = await world.key({ scopes: ['runs:read'] });
      const nowhere = `${world.baseUrl}/api/v1/agents/${UNKNOWN}/mcp`;
      for (const [status, url, who] of [
        [401, world.mcpUrl(), undefined],
        [403, world.mcpUrl(), limited],
        [404, nowhere, key],
      ] as const)
        for (const accept of ['application/json', 'application/problem+json'])
          for (const method of ['GET', 'POST', 'DELETE']) {
            const answer = await rawClient(url, who)(method === 'POST' ? request('ping') : undefined, {
              method,
              headers: { accept },
            });
            expect([answer.status, answer.headers.get('content-type')], method).to.deep.equal([status, accept]);
            check(method, answer);
          }
    });

    it('has its exact address, and no other', async () => {
      for (const path of ['/mcp/', '/MCP', '/mcp/x']) {
        const answer = await rawClient(world.mcpUrl().replace(/\/mcp$/, path), key)(request('ping'));
        expect(answer.status, path).to.equal(404);
      }
    });
  });

  describe('GET, DELETE and the rest', () => {
    it('opens a stream for a client that listens', async () => {
      const leaving = new AbortController();
      const { status, headers, body } = await fetch(world.mcpUrl(), {
        headers: { 'x-api-key': key, ...SSE },
        signal: leaving.signal,
      });
      expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/event-stream']);
      expect(headers.get('ratelimit-limit')).to.equal('1000000');
      const first = await body?.getReader().read();
      expect(new TextDecoder().decode(first?.value)).to.equal(': open\n');
      leaving.abort();
    });

    it('answers any other GET with 400: there is nothing to be had', async () => {
      for (const accept of ['*/*', 'application/json', 'application/json, text/event-stream', 'text/html'])
        await mustRefuse(400, -32600, undefined, { method: 'GET', headers: { accept } });
      await mustRefuse(400, -32600, undefined, { method: 'GET', headers: { ...SSE, 'mcp-protocol-version': MODERN } });
      await mustRefuse(400, -32600, undefined, { method: 'GET', headers: { ...SSE, 'mcp-protocol-version': 'x' } });
      const head = await send(undefined, { method: 'HEAD', headers: SSE });
      expect([head.status, head.text]).to.deep.equal([400, '']);
    });

    it('acknowledges DELETE, whatever session it is for', async () => {
      for (const headers of [{}, { 'mcp-session-id': 'x', 'mcp-protocol-version': 'y' }] as Record<string, string>[]) {
        const { status, body } = await send(undefined, { method: 'DELETE', headers });
        expect([status, body]).to.deep.equal([200, {}]);
      }
    });

    it('answers 405 to any other method, naming those that there are', async () => {
      for (const method of ['PUT', 'PATCH']) {
        await mustRefuse(405, -32000, {}, { method });
        expect((await send({}, { method })).headers.get('allow')).to.equal('GET, POST, DELETE, OPTIONS');
      }
    });

    it('names no session, ever', async () => {
      const started = await send(
        request('initialize', {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'x', version: '1' },
        }),
      );
      expect(started.headers.get('mcp-session-id')).to.equal(null);
      expect((await send(request('tools/list'), { headers: { 'mcp-session-id': 'unknown' } })).status).to.equal(200);
    });
  });

  describe('POST', () => {
    it('takes JSON only, so that no form of another site can post here', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])
        await mustRefuse(400, -32600, undefined, { raw: '{}', headers: { 'content-type': type } });
      for (const type of ['application/json; charset=utf-8', 'Application/JSON'])
        expect((await send(request('ping'), { headers: { 'content-type': type } })).status).to.equal(200);
    });

    it('refuses a body over 4 MiB, announced or not', async () => {
      const large = 'x'.repeat(4 * 1024 * 1024 + 1);
      const error = await mustRefuse(413, -32600, undefined, { raw: large });
      expect(error.message).to.include('4194304 bytes');
      const chunks = new ReadableStream({
        start(controller) {
          for (let each = 0; each < 5; each += 1)
            controller.enqueue(new TextEncoder().encode(large.slice(0, 1024 * 1024)));
          controller.close();
        },
      });
      const init = {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: chunks,
        duplex: 'half',
      };
      expect((await fetch(world.mcpUrl(), init as RequestInit)).status).to.equal(413);
    });

    it('takes a message of just under 4 MiB', async () => {
      const { body } = await send(calling('lab_echo', { message: 'x'.repeat(4_000_000) }));
      expect(body.result.content[0]?.text).to.match(/^x+\n\[\d+ more characters are left out\]$/);
    });

    it('refuses what it cannot parse', async () => {
      for (const raw of ['', '{', 'no json', '{"jsonrpc":"2.0",}', new Uint8Array([0x22, 0xff, 0x22])])
        await mustRefuse(400, -32700, undefined, { raw, headers: { 'content-type': 'application/json' } });
    });

    it('refuses what is no message, with its id if that is readable', async () => {
      const not = [
        null,
        1,
        'x',
        {},
        { jsonrpc: '1.0', method: 'ping' },
        { jsonrpc: '2.0', method: 1 },
        { jsonrpc: '2.0', method: 'ping', params: [] },
      ];
      for (const message of not) await mustRefuse(400, -32600, message);
      for (const id of [null, 1.5, {}, [], true]) await mustRefuse(400, -32600, request('ping', undefined, id));
      await mustRefuse(400, -32600, { jsonrpc: '1.0', id: 'a', method: 'ping' }, {}, 'a');
      await mustRefuse(400, -32600, { jsonrpc: '2.0', id: 7, method: 'ping', params: 'x' }, {}, 7);
    });

    it('refuses text that no system could keep, and what is nested without end', async () => {
      await mustRefuse(400, -32600, calling('lab_echo', { message: 'a\0b' }));
      await mustRefuse(400, -32600, undefined, {
        raw: '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
        headers: { 'content-type': 'application/json' },
      });
      const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
      await mustRefuse(400, -32600, undefined, { raw: deep });
    });

    it('takes batches of the one revision that has them, up to twenty', async () => {
      const batch = [
        request('ping', undefined, 'a'),
        { jsonrpc: '2.0', method: 'notifications/x' },
        request('nope', undefined, 2),
      ];
      for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }] as Record<string, string>[]) {
        const { status, body } = await send(batch, { headers });
        expect(status).to.equal(200);
        expect((body as unknown as Reply[]).map(({ id }) => id)).to.deep.equal(['a', 2]);
      }
      expect((await send([{ jsonrpc: '2.0', method: 'notifications/x' }])).status).to.equal(202);
      await mustRefuse(400, -32600, batch, { headers: { 'mcp-protocol-version': '2025-06-18' } });
      await mustRefuse(400, -32600, []);
      await mustRefuse(
        400,
        -32600,
        Array.from({ length: 21 }, () => request('ping')),
      );
      await mustRefuse(400, -32600, [request('initialize')]);
      await mustRefuse(400, -32600, [modern('tools/list').message]);
    });

    it('accepts notifications and replies, which are not answered', async () => {
      const replies = [
        { jsonrpc: '2.0', id: 1, result: {} },
        { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } },
      ];
      for (const message of [
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
        ...replies,
      ]) {
        const { status, text } = await send(message);
        expect([status, text]).to.deep.equal([202, '']);
      }
      await mustRefuse(
        400,
        -32600,
        { jsonrpc: '2.0', method: 'notifications/x' },
        { headers: { 'mcp-protocol-version': 'x' } },
      );
    });

    it('refuses revisions that it does not know, but for the handshake', async () => {
      const error = await mustRefuse(
        400,
        -32600,
        request('tools/list'),
        { headers: { 'mcp-protocol-version': '2025-01-01' } },
        1,
      );
      expect(error.message).to.include('2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07');
      for (const asked of ['2025-01-01', '2099-01-01', 'tomorrow'])
        for (const header of ['2025-01-01', '2099-01-01', 'x', MODERN]) {
          const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
          const { status, body } = await send(request('initialize', params), {
            headers: { 'mcp-protocol-version': header },
          });
          expect([status, body.result.protocolVersion], `${asked} ${header}`).to.deep.equal([200, '2025-11-25']);
        }
    });

    it('tells a client of a newer revision which ones there are, whatever its header and its fields are called', async () => {
      const { message, headers } = modern('server/discover');
      const newer = (meta: object) => ({ ...message, params: { _meta: meta } });
      const version = 'io.modelcontextprotocol/protocolVersion';
      const claims: readonly (readonly [object, Record<string, string>])[] = [
        [newer({ [version]: '2099-01-01' }), { ...headers, 'mcp-protocol-version': '2099-01-01' }],
        [newer({ [version]: '2099-01-01' }), headers],
        [newer({ [version]: '2099-01-01' }), {}],
        [newer({ newName: 'x' }), { ...headers, 'mcp-protocol-version': '2099-01-01' }],
        [request('server/discover'), { 'mcp-protocol-version': '2099-01-01' }],
      ];
      for (const [sent, named] of claims) {
        const error = await mustRefuse(400, -32022, sent, { headers: named }, 1);
        expect(error.data, JSON.stringify(sent)).to.deep.include({ requested: '2099-01-01' });
        expect(error.data).to.have.property('supported').that.includes(MODERN);
      }
    });

    it('takes null for what is optional as if it were absent', async () => {
      const tools = (await send({ ...request('tools/list'), params: null })).body.result.tools.length;
      expect(tools).to.be.greaterThan(0);
      expect((await send(request('tools/list', { cursor: null, _meta: null }))).body.result.tools).to.have.length(
        tools,
      );
      expect((await send({ ...request('ping'), params: null })).body.result).to.deep.equal({});
      for (const input of [null, { x: null, y: null }, { inner: null }, { inner: { flag: null } }]) {
        const { body } = await send(request('tools/call', { name: 'lab_mirrored', arguments: input }));
        expect(body.result, JSON.stringify(input)).to.deep.equal({ content: [{ type: 'text', text: 'ok' }] });
      }
      const { body } = await send(calling('lab_echo', { message: null }));
      expect(body.result.content[0]?.text).to.include('/message must be a string, not null');
    });

    it('reads text that is JSON where an object is wanted, once', async () => {
      const text = (input: unknown) =>
        send(request('tools/call', { name: 'lab_echo', arguments: input })).then(({ body }) => body);
      expect((await text('{"message":"hi"}')).result.content[0]?.text).to.equal('hi');
      expect((await text(JSON.stringify('{"message":"hi"}'))).error.code).to.equal(-32602);
      const nested = calling('lab_mirrored', { inner: '{"flag":true}' });
      expect((await send(nested)).body.result.content[0]?.text).to.equal('ok');
      const twice = await send(calling('lab_mirrored', { inner: JSON.stringify('{"flag":true}') }));
      expect(twice.body.result.content[0]?.text).to.include('/inner must be an object, not a string');
    });

    it('answers a handshake in the revision that was asked for', async () => {
      for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']) {
        const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
        const { body } = await send(request('initialize', params));
        expect(body.result).to.deep.equal({
          protocolVersion: version,
          capabilities: { tools: {} },
          instructions: 'Looks things up in the ledger.',
          serverInfo: { name: 'clerk', title: 'Clerk', version: body.result.serverInfo.version },
        });
      }
      await mustRefuse(200, -32602, request('initialize', {}), {}, 1);
    });

    it('checks what a request of the newest revision names, in the order of the table', async () => {
      const { message, headers } = modern('tools/list');
      const without = (name: string) => Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
      const metaOf = (change: object) => ({
        ...message,
        params: { _meta: { ...(message.params as { _meta: object })._meta, ...change } },
      });
      const version = 'io.modelcontextprotocol/protocolVersion';
      await mustRefuse(400, -32602, request('tools/list'), { headers }, 1);
      await mustRefuse(
        400,
        -32602,
        metaOf({ 'io.modelcontextprotocol/clientCapabilities': undefined }),
        { headers },
        1,
      );
      await mustRefuse(400, -32602, metaOf({ [version]: 7 }), { headers }, 1);
      await mustRefuse(400, -32020, metaOf({ [version]: '2025-11-25' }), { headers }, 1);
      const unknown = { ...headers, 'mcp-protocol-version': '2099-01-01' };
      const error = await mustRefuse(400, -32022, metaOf({ [version]: '2099-01-01' }), { headers: unknown }, 1);
      expect(error.data)
        .to.deep.include({ requested: '2099-01-01' })
        .and.to.have.property('supported')
        .that.includes(MODERN);
      await mustRefuse(400, -32020, message, { headers: without('mcp-protocol-version') }, 1);
      await mustRefuse(400, -32020, message, { headers: without('mcp-method') }, 1);
      await mustRefuse(400, -32020, message, { headers: { ...headers, 'mcp-method': 'tools/call' } }, 1);
      const call = modern('tools/call', { name: 'lab_echo', arguments: { message: 'x' } });
      await mustRefuse(400, -32020, call.message, { headers: { ...call.headers, 'mcp-name': 'lab_add' } }, 1);
      const encoded = `=?base64?${Buffer.from('lab_echo').toString('base64')}?=`;
      expect((await send(call.message, { headers: { ...call.headers, 'mcp-name': encoded } })).status).to.equal(200);
      for (const wrong of ['=?base64?bGFi?=', '=?base64?!?=', '=?base64?/w==?='])
        await mustRefuse(400, -32020, call.message, { headers: { ...call.headers, 'mcp-name': wrong } }, 1);
    });

    it('compares arguments that headers repeat with what the headers say', async () => {
      const input = { region: 'Zürich', priority: 3, inner: { flag: true } };
      const { message, headers } = modern('tools/call', { name: 'lab_mirrored', arguments: input });
      const region = `=?base64?${Buffer.from('Zürich').toString('base64')}?=`;
      const agreeing = {
        ...headers,
        'mcp-param-region': region,
        'mcp-param-priority': '3.0',
        'mcp-param-flag': 'true',
      };
      expect((await send(message, { headers: agreeing })).body.result.content).to.deep.equal([
        { type: 'text', text: 'ok' },
      ]);
      for (const change of [
        { 'mcp-param-region': 'Bern' },
        { 'mcp-param-priority': '' },
        { 'mcp-param-priority': '4' },
        { 'mcp-param-flag': '1' },
      ])
        await mustRefuse(400, -32020, message, { headers: { ...agreeing, ...change } as Record<string, string> }, 1);
      await mustRefuse(400, -32020, message, { headers }, 1);
      const none = modern('tools/call', { name: 'lab_mirrored', arguments: {} });
      expect((await send(none.message, { headers: none.headers })).status).to.equal(200);
      await mustRefuse(400, -32020, none.message, { headers: { ...none.headers, 'mcp-param-region': 'x' } }, 1);
      expect((await send(calling('lab_mirrored', input))).status, 'older revisions have no such headers').to.equal(200);
    });

    it('knows no method that it has no use for: 404 in the newest revision, 200 before', async () => {
      for (const method of ['nope', 'logging/setLevel', 'toString', 'server/discover'])
        await mustRefuse(200, -32601, request(method), {}, 1);
      for (const method of ['nope', 'initialize', 'ping', 'resources/list']) {
        const { message, headers } = modern(method);
        await mustRefuse(404, -32601, message, { headers }, 1);
      }
      for (const method of ['resources/list', 'resources/templates/list', 'prompts/list'])
        expect(Object.values((await send(request(method))).body.result)).to.deep.equal([[]]);
    });

    it('names what is wrong with parameters', async () => {
      for (const params of [
        {},
        { name: 7 },
        { name: 'nope' },
        { name: 'lab_echo', arguments: [] },
        { name: '__proto__' },
      ])
        await mustRefuse(200, -32602, request('tools/call', params), {}, 1);
      await mustRefuse(200, -32602, request('tools/list', { cursor: 'x' }), {}, 1);
    });

    it('never answers 406: without an Accept that it knows, with JSON', async () => {
      for (const accept of ['text/html', 'application/json', '*/*', ''])
        expect((await send(request('tools/list'), { headers: { accept } })).headers.get('content-type')).to.equal(
          'application/json',
        );
      const both = await send(calling('lab_echo', { message: 'x' }), { headers: BOTH });
      expect(both.headers.get('content-type'), 'no notification came before the result').to.equal('application/json');
    });
  });
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import { mcpTools } from '../../src/adapters/tools/mcp.ts';
import { readableBody } from '../../src/adapters/tools/protocol-messages.ts';
import { OutboundFailure } from '../../src/application/ports/outbound.ts';
import type { Progress } from '../../src/application/ports/tools.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { listen } from '../support/listen.ts';

const TOKEN = 'mcp-token-8Rk2vB';

type Handle = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const look = {
  name: 'look',
  title: 'Look',
  description: 'Looks.',
  inputSchema: { type: 'object' as const, properties: { n: { type: 'integer' } } },
  outputSchema: { type: 'object' as const, required: ['nothing', 'that', 'is', 'there'] },
  annotations: { readOnlyHint: true },
};
const book = { name: 'book', inputSchema: { type: 'object' as const } };

/** A server of the official SDK, stateless: a new one for each request. */
const official =
  (enableJsonResponse: boolean): Handle =>
  async (request, response) => {
    const server = new Server({ name: 'shop', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, async ({ params }) =>
      params?.cursor === undefined ? { tools: [look], nextCursor: 'next' } : { tools: [book] },
    );
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      if (params.name === 'book')
        return { isError: true, content: [{ type: 'text', text: `Sold out: ${JSON.stringify(params.arguments)}` }] };
      const content = [
        { type: 'text' as const, text: 'It is there.' },
        { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource' as const, resource: { uri: 'shop://1', text: 'A thing' } },
      ];
      return { content, structuredContent: { odd: true } };
    });
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse });
    response.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  };

/** A message of a request, as JSON or as the only event of a stream. */
const written = (message: object, asEvents: boolean) => {
  const text = JSON.stringify(message);
  return asEvents ? `event: message\r\ndata: ${text}\r\n\r\n` : text;
};

/** A server that is not made with the official SDK: `resultOf` answers each method. */
const handmade =
  (asEvents: boolean, resultOf: (method: string, params: Readonly<Record<string, unknown>>) => object): Handle =>
  async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    if (id === undefined) return void response.writeHead(202).end();
    const message = { jsonrpc: '2.0', id, result: resultOf(method, params ?? {}), error: null };
    const type = asEvents ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { 'content-type': type }).end(written(message, asEvents));
  };

const nothing = { title: null, icons: null, websiteUrl: null };

/** What a server says of itself that writes null for all that it leaves out. */
const introduction = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: { listChanged: null }, prompts: null, resources: null, logging: null, experimental: null },
  serverInfo: { name: 'shop', version: '1', ...nothing },
  instructions: null,
  _meta: null,
};

describe('tools of other MCP servers', () => {
  const running: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of running.splice(0)) await stop();
  });

  /** A server on this machine, and how to ask it: private addresses are refused unless they are allowed. */
  const at = async (handle: Handle, allowed = true) => {
    const seen: { method: string | undefined; token: string | undefined }[] = [];
    const { port, stop } = await listen((request, response) => {
      seen.push({ method: request.method, token: request.headers['x-token']?.toString() });
      Promise.resolve(handle(request, response)).catch(() => response.destroy());
    });
    running.push(stop);
    const host = `127.0.0.1:${port}`;
    const remote = mcpTools({ outbound: safeOutbound({ allowedHosts: [] }), version: '1.0.0' });
    const place = {
      name: null,
      url: `http://${host}/mcp`,
      headers: { 'x-token': TOKEN },
      allowedHosts: allowed ? [host] : [],
    };
    const terms = { timeoutSeconds: 2, maxBytes: 10_000 };
    const signal = new AbortController().signal;
    return {
      seen,
      list: (given = signal) => remote.list(place, terms, given),
      call: (name: string, input = {}, report?: (progress: Progress) => void) =>
        remote.call(place, { name, input, report }, terms, signal),
    };
  };

  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.fail('it should have failed'),
      (error: unknown) => error as Error,
    );

  it('are known to the last page, and a list without an end is an error', async () => {
    const listing = (pages: number, onEach = 1) =>
      at(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
        if (id === undefined) return void response.writeHead(202).end();
        const info = { protocolVersion: '2025-06-18', capabilities: { tools: {} } };
        const page = Number(params?.cursor ?? 0);
        const tools = Array(onEach).fill({ name: `tool_${page}`, inputSchema: { type: 'object' } });
        const listed = { tools, ...(page + 1 < pages && { nextCursor: String(page + 1) }) };
        const result = method === 'initialize' ? { ...info, serverInfo: { name: 'shop', version: '1' } } : listed;
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    const tools = await (await listing(120)).list();
    expect([tools.length, tools.at(-1)?.name]).to.deep.equal([120, 'tool_119']);
    expect((await failure((await listing(1000)).list())).message).to.include('more than 200 pages');
    expect((await failure((await listing(120, 90)).list())).message).to.include('more than 10000 tools');
  });

  it('are called with every digit of a number', async () => {
    const sent: string[] = [];
    const { call } = await at(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      sent.push(body);
      const { id, method } = JSON.parse(body || '{}');
      if (id === undefined) return void response.writeHead(202).end();
      const info = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'shop', version: '1' },
      };
      const result = method === 'initialize' ? info : { content: [] };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    await call('book', { n: jsonNumber('9007199254740993'), list: [jsonNumber('123456789012345678.25')] });
    expect(sent.find((body) => body.includes('tools/call'))).to.include(
      '"arguments":{"n":9007199254740993,"list":[123456789012345678.25]}',
    );
  });

  it('are called in time, whether or not their server answers the end of its session', async () => {
    const waiting = Promise.withResolvers<ServerResponse>();
    const { call } = await at(async (request, response) => {
      if (request.method === 'DELETE') return waiting.resolve(response);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
      if (id === undefined) return void response.writeHead(202).end();
      const info = { protocolVersion: '2025-06-18', capabilities: { tools: {} } };
      const answered = { content: [{ type: 'text', text: 'Booked.' }] };
      const result = method === 'initialize' ? { ...info, serverInfo: { name: 'shop', version: '1' } } : answered;
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'session-1' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    expect(await call('book')).to.include({ text: 'Booked.' });
    const unanswered = await waiting.promise;
    expect(unanswered.destroyed, 'the end of the session is still under way').to.equal(false);
    unanswered.end();
  });

  it('are called whatever their results leave null or call otherwise: what came of the call is known', async () => {
    const said = { type: 'text', text: 'Booked.' };
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const results: Readonly<Record<string, readonly [answered: object, told: object]>> = {
      nothing_more: [
        { content: [said], structuredContent: null, isError: null },
        { text: 'Booked.', isError: false },
      ],
      no_annotations: [
        {
          content: [
            { ...said, annotations: null },
            { ...image, annotations: null },
          ],
        },
        { text: 'Booked.\n[image, image/png]', isError: false, content: [said, image] },
      ],
      no_content: [
        { content: null, structuredContent: { seat: 7 } },
        { text: '{"seat":7}', isError: false, structured: { seat: 7 } },
      ],
      a_list: [
        { content: [], structuredContent: [7, 8] },
        { text: '[7,8]', isError: false },
      ],
      another_kind: [
        { content: [said, { type: 'video', data: 'AAAA' }, image] },
        {
          text: 'Booked.\n[video]\n[image, image/png]',
          isError: false,
          content: [said, { type: 'text', text: '[video]' }, image],
        },
      ],
    };
    const { call } = await at(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
      if (id === undefined) return void response.writeHead(202).end();
      const info = { protocolVersion: '2025-06-18', capabilities: { tools: {} } };
      const result =
        method === 'initialize' ? { ...info, serverInfo: { name: 'shop', version: '1' } } : results[params.name]?.[0];
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    for (const [name, [, told]] of Object.entries(results)) expect(await call(name), name).to.deep.equal(told);
  });

  for (const [how, asEvents] of [
    ['as JSON', false],
    ['as a stream of events', true],
  ] as const)
    it(`are listed and called where their server writes null for what it leaves out, ${how}`, async () => {
      const input = { type: 'object', properties: { when: { type: ['string', 'null'], default: null } } };
      const listed = {
        name: 'book',
        title: null,
        inputSchema: input,
        outputSchema: null,
        annotations: null,
        _meta: null,
      };
      const answered = { content: [{ type: 'text', text: 'Booked.' }], structuredContent: { seat: null }, _meta: null };
      const results: Readonly<Record<string, object>> = {
        initialize: introduction,
        'tools/list': { tools: [listed], nextCursor: null, _meta: null },
        'tools/call': answered,
      };
      const { list, call } = await at(handmade(asEvents, (method) => results[method] ?? {}));
      expect((await list()).map(({ name, inputSchema }) => ({ name, inputSchema }))).to.deep.equal([
        { name: 'book', inputSchema: input },
      ]);
      expect(await call('book')).to.deep.equal({ text: 'Booked.', isError: false, structured: { seat: null } });
    });

  it('are called where their server ends a stream of events before its result, which is in the next one', async () => {
    let called: unknown;
    const { call } = await at(async (request, response) => {
      const events = { 'content-type': 'text/event-stream' };
      if (request.method === 'GET') {
        const result = { content: [{ type: 'text', text: `Booked after ${request.headers['last-event-id']}.` }] };
        return void response.writeHead(200, events).end(written({ jsonrpc: '2.0', id: called, result }, true));
      }
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
      if (id === undefined) return void response.writeHead(202).end();
      called = id;
      if (method === 'tools/call') return void response.writeHead(200, events).end('id: 7\nretry: 10\ndata:\n\n');
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result: introduction }));
    });
    expect(await call('book')).to.deep.equal({ text: 'Booked after 7.', isError: false });
  });

  it('are read in time where their server sends an event in very many pieces', async () => {
    const text = `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(480_000) } })}\r\n\r\ndata: `;
    const bytes = new TextEncoder().encode(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, n) => bytes.subarray(n * 16, n * 16 + 16));
    const read: number[] = [];
    const body = readableBody(ReadableStream.from(pieces), 'text/event-stream', (word) => word);
    for await (const { length } of body) read.push(length);
    expect(read).to.deep.equal([text.length - 8, 6]);
  });

  it('are listed and called where their server says too little of itself', async () => {
    const { protocolVersion } = introduction;
    for (const said of [{}, { serverInfo: null }, { serverInfo: { name: 'shop' }, capabilities: {} }])
      for (const asEvents of [false, true]) {
        const results: Readonly<Record<string, object>> = {
          initialize: { protocolVersion, ...said },
          'tools/list': { tools: [book] },
          'tools/call': { content: [{ type: 'text', text: 'Booked.' }] },
        };
        const { list, call } = await at(handmade(asEvents, (method) => results[method] ?? {}));
        expect((await list()).map(({ name }) => name)).to.deep.equal(['book']);
        expect(await call('book')).to.deep.equal({ text: 'Booked.', isError: false });
      }
  });

  for (const asEvents of [false, true])
    it(`show no credential that their server repeats, ${asEvents ? 'as a stream of events' : 'as JSON'}`, async () => {
      const repeated = { content: [{ type: 'text', text: `x-token: ${TOKEN}` }], structuredContent: { saw: TOKEN } };
      const results: Readonly<Record<string, object>> = {
        initialize: introduction,
        'tools/list': { tools: [{ ...book, description: `For ${TOKEN}.` }] },
        'tools/call': repeated,
      };
      const { list, call } = await at(handmade(asEvents, (method) => results[method] ?? {}));
      expect((await list())[0]?.description).to.equal('For [hidden].');
      expect(await call('book')).to.deep.equal({
        text: 'x-token: [hidden]',
        isError: false,
        structured: { saw: '[hidden]' },
      });
      const refusing = await at(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
        if (id === undefined) return void response.writeHead(202).end();
        const refusal = { jsonrpc: '2.0', id, error: { code: -32000, message: `${TOKEN} is not known` } };
        const answer = method === 'initialize' ? { jsonrpc: '2.0', id, result: introduction } : refusal;
        const type = asEvents ? 'text/event-stream' : 'application/json';
        response.writeHead(200, { 'content-type': type }).end(written(answer, asEvents));
      });
      expect((await failure(refusing.call('book'))).message)
        .to.include('[hidden] is not known')
        .and.not.include(TOKEN);
    });

  it('are listed once where an empty cursor ends the list', async () => {
    const { list } = await at(
      handmade(false, (method) =>
        method === 'initialize' ? introduction : { tools: [book, { ...book, name: 'look' }], nextCursor: '' },
      ),
    );
    expect((await list()).map(({ name }) => name)).to.deep.equal(['book', 'look']);
  });

  it('that break off in the middle of a call leave its outcome unknown', async () => {
    const { call, list } = await at(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
      if (method !== 'initialize') return void response.writeHead(method?.startsWith('tools/') ? 502 : 202).end();
      const result = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'shop', version: '1' },
      };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    expect(await failure(call('book'))).to.include({ kind: 'outcome_unknown' });
    expect(await failure(list())).to.include({ kind: 'unavailable' });
  });

  it('have not been run where their server answers that it refuses the call', async () => {
    const refusals: Readonly<Record<string, readonly [status: number, code: number]>> = {
      invalid: [200, -32600],
      renamed: [200, -32601],
      forbidden: [403, -32000],
      session: [404, -32001],
    };
    const afterTheCall: Readonly<Record<string, readonly [status: number, code: number]>> = {
      broken: [200, -32603],
      timed_out: [408, -32000],
      result_not_as_said: [200, -32602],
    };
    const { call } = await at(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
      if (id === undefined) return void response.writeHead(202).end();
      const [status, code] = { ...refusals, ...afterTheCall }[params?.name] ?? [200, 0];
      const answer = method === 'initialize' ? { result: introduction } : { error: { code, message: 'No such tool' } };
      response
        .writeHead(method === 'initialize' ? 200 : status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
    for (const name of Object.keys(refusals))
      expect(await failure(call(name)), name).to.include({ kind: 'unavailable' });
    for (const name of Object.keys(afterTheCall))
      expect(await failure(call(name)), name).to.include({ kind: 'outcome_unknown' });
  });

  for (const [how, json] of [
    ['as JSON', true],
    ['as a stream of events', false],
  ] as const) {
    describe(`that answer ${how}`, () => {
      it('are listed over all pages, with what they say of themselves', async () => {
        const { list, seen } = await at(official(json));
        expect(await list()).to.deep.equal([
          {
            name: 'look',
            description: 'Looks.',
            inputSchema: look.inputSchema,
            outputSchema: look.outputSchema,
            annotations: { title: 'Look', readOnly: true, destructive: false, idempotent: false, openWorld: true },
          },
          {
            name: 'book',
            description: '',
            inputSchema: book.inputSchema,
            outputSchema: null,
            annotations: { title: 'book', readOnly: false, destructive: true, idempotent: false, openWorld: true },
          },
        ]);
        expect(seen.every(({ token }) => token === TOKEN)).to.equal(true);
        expect(seen.some(({ method }) => method === 'GET')).to.equal(false);
      });

      it('are called, and their errors are results', async () => {
        const { call } = await at(official(json));
        expect(await call('look', { n: 1 })).to.deep.equal({
          text: 'It is there.\n[image, image/png]\nA thing',
          isError: false,
          content: [
            { type: 'text', text: 'It is there.' },
            { type: 'image', data: 'AAAA', mimeType: 'image/png' },
            { type: 'resource', resource: { uri: 'shop://1', text: 'A thing' } },
          ],
          structured: { odd: true },
        });
        expect(await call('book', { n: 2 })).to.deep.equal({ text: 'Sold out: {"n":2}', isError: true });
      });
    });
  }

  it('tell how far they are while they are at it', async () => {
    const reported = Promise.withResolvers<void>();
    const reports: Progress[] = [];
    const { call } = await at(async (request, response) => {
      const server = new Server({ name: 'shop', version: '1.0.0' }, { capabilities: { tools: {} } });
      server.setRequestHandler(CallToolRequestSchema, async (_call, { _meta, sendNotification }) => {
        const progressToken = _meta?.progressToken ?? expect.fail('no progress token');
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 2, message: 'half' },
        });
        await reported.promise;
        return { content: [{ type: 'text', text: 'done' }] };
      });
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
      response.once('close', () => void server.close());
      await server.connect(transport);
      await transport.handleRequest(request, response);
    });
    const report = (progress: Progress) => {
      reports.push(progress);
      reported.resolve();
    };
    expect(await call('slow', {}, report)).to.deep.equal({ text: 'done', isError: false });
    expect(reports).to.deep.equal([{ progress: 1, total: 2, message: 'half' }]);
  });

  it('are not reached at private addresses that are not allowed', async () => {
    const { list, seen } = await at(official(true), false);
    const error = await failure(list());
    expect(error).to.be.instanceOf(OutboundFailure).and.to.include({ reason: 'refused' });
    expect(seen).to.deep.equal([]);
  });

  const troubles: Readonly<Record<string, readonly [Handle, RegExp]>> = {
    'refuses the credential': [
      (_request, response) => void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(TOKEN),
      /it answered 401/,
    ],
    'redirects elsewhere': [
      (_request, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      /could not be used/,
    ],
    'is no MCP server': [
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /could not be used/,
    ],
    'answers nonsense': [
      (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":'),
      /could not be used/,
    ],
    'answers without an end': [
      (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
      /did not answer within/,
    ],
    'sends events without an end': [
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const more = () => response.write(`data: ${'x'.repeat(1000)}\n`, () => setImmediate(next));
        // What is written to a connection that is closed is over at once: this would go on for as long as the process lives.
        const next = () => !response.destroyed && more();
        more();
      },
      /over 10000 bytes/,
    ],
    'answers too much': [
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(20_000)),
      /over 10000 bytes/,
    ],
  };
  for (const [trouble, [handle, expected]] of Object.entries(troubles)) {
    it(`fail in words that may be shown where the server ${trouble}`, async () => {
      const { list } = await at(handle);
      const error = await failure(list());
      expect(error instanceof OutboundFailure || error instanceof DomainError, String(error)).to.equal(true);
      expect(error.message).to.match(expected);
      expect(error.message).to.not.include(TOKEN);
    });
  }

  it('are aborted with the signal of the caller', async () => {
    const stop = new AbortController();
    const { list } = await at(() => stop.abort(new Error('no longer wanted')));
    expect(await failure(list(stop.signal))).to.have.property('message', 'no longer wanted');
  });
});

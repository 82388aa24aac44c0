import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import { mcpTools } from '../../src/adapters/tools/mcp.ts';
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
    const listing = (pages: number) =>
      at(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
        if (id === undefined) return void response.writeHead(202).end();
        const info = { protocolVersion: '2025-06-18', capabilities: { tools: {} } };
        const page = Number(params?.cursor ?? 0);
        const tools = [{ name: `tool_${page}`, inputSchema: { type: 'object' } }];
        const listed = { tools, ...(page + 1 < pages && { nextCursor: String(page + 1) }) };
        const result = method === 'initialize' ? { ...info, serverInfo: { name: 'shop', version: '1' } } : listed;
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    const tools = await (await listing(120)).list();
    expect([tools.length, tools.at(-1)?.name]).to.deep.equal([120, 'tool_119']);
    expect((await failure((await listing(1000)).list())).message).to.include('more than 200 pages');
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

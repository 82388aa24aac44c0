import { request as forward } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as next from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import type { Log } from '../../src/application/ports/runtime.ts';
import { listen } from '../support/listen.ts';
import { slowCalls } from './remote-tools.ts';
import { openWorld, type World } from './world.ts';

type Progressed = (report: { progress: number }) => void;

/** An official client, whichever it is. */
interface Connected {
  readonly errors: readonly unknown[];
  list(): Promise<readonly string[]>;
  call(
    name: string,
    input: object,
    options?: { signal?: AbortSignal; onprogress?: Progressed },
  ): Promise<{ content: unknown; isError?: boolean }>;
  about(): { instructions: string | undefined; name: string | undefined };
  close(): Promise<void>;
}

type Connect = (url: string, key: string) => Promise<Connected>;

const first: Connect = async (url, key) => {
  const errors: unknown[] = [];
  const client = new Client({ name: 'first', version: '1' });
  client.onerror = (error) => errors.push(error);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { 'x-api-key': key } } }),
  );
  return {
    errors,
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, input, options) {
      const result = await client.callTool({ name, arguments: { ...input } }, CallToolResultSchema, options);
      return result as { content: unknown; isError?: boolean };
    },
    about: () => ({ instructions: client.getInstructions(), name: client.getServerVersion()?.name }),
    close: () => client.close(),
  };
};

const second =
  (mode: 'legacy' | 'auto' | { pin: string }): Connect =>
  async (url, key) => {
    const errors: unknown[] = [];
    const client = new next.Client({ name: 'second', version: '2' }, { versionNegotiation: { mode } });
    client.onerror = (error) => errors.push(error);
    const headers = { authorization: `Bearer ${key}` };
    await client.connect(new next.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    return {
      errors,
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      async call(name, input, options) {
        const result = await client.callTool({ name, arguments: { ...input } }, options);
        return result as { content: unknown; isError?: boolean };
      },
      about: () => ({ instructions: client.getInstructions(), name: client.getServerVersion()?.name }),
      close: () => client.close(),
    };
  };

const clients: readonly (readonly [name: string, connect: Connect, gets: number])[] = [
  ['SDK 1.x', first, 1],
  ['client 2.x in its older way', second('legacy'), 1],
  ['client 2.x that finds out', second('auto'), 0],
  ['client 2.x of the newest revision', second({ pin: '2026-07-28' }), 0],
];

const until = async (isSo: () => boolean) => {
  while (!isSo()) await sleep(5);
};

describe('official clients at the tool endpoint', () => {
  const requests: { method: string; status: number }[] = [];
  const noted = (fields: object, message: string) => {
    if (message === 'request') requests.push(fields as { method: string; status: number });
  };
  const log: Log = { debug() {}, info: noted, warn() {}, error() {} };
  let world: World;
  let key: string;
  before(async () => {
    world = await openWorld({ log });
    key = await world.key();
  });
  after(() => world.stop());

  for (const [name, connect, gets] of clients)
    describe(name, () => {
      it('connects, lists, calls, gets progress and hangs up without an error', async () => {
        requests.length = 0;
        const client = await connect(world.mcpUrl(), key);
        expect(client.about()).to.deep.equal({ instructions: 'Looks things up in the ledger.', name: 'clerk' });
        expect(await client.list()).to.include.members(['books_query', 'lab_echo', 'run_reader']);
        expect((await client.call('lab_echo', { message: 'hi' })).content).to.deep.equal([
          { type: 'text', text: 'hi' },
        ]);
        expect(await client.call('lab_add', { a: 1, b: 2 })).to.deep.include({ structuredContent: { sum: 3 } });
        expect(await client.call('lab_echo', {})).to.include({ isError: true });
        const heard: number[] = [];
        await client.call('lab_steps', {}, { onprogress: ({ progress }) => heard.push(progress) });
        expect(heard).to.deep.equal([1, 2, 3]);
        // An error of its own hang-up is none of the server's.
        expect(client.errors).to.deep.equal([]);
        await client.close();
        await until(() => requests.filter(({ method }) => method === 'GET').length >= gets);
        expect(requests.filter(({ method }) => method === 'GET')).to.have.length(gets);
        expect(
          requests.every(({ status }) => status === 200 || status === 202),
          JSON.stringify(requests),
        ).to.equal(true);
      });

      it('gets the refusals of the endpoint', async () => {
        const client = await connect(world.mcpUrl(), key);
        const refused = await client.call('nope', {}).catch((error: Error & { code?: number }) => error.code);
        expect(refused).to.equal(-32602);
        await client.close();
        expect(await connect(world.mcpUrl(), 'svc-nobody').catch((error: Error) => error.message)).to.be.a('string');
      });

      it('does not notice that the server was started again', async () => {
        const client = await connect(world.mcpUrl(), key);
        await client.list();
        await world.restart();
        expect((await client.call('lab_echo', { message: 'still here' })).content).to.deep.equal([
          { type: 'text', text: 'still here' },
        ]);
        await client.close();
      });
    });

  it('stop the work by hanging up in the newest revision', async () => {
    slowCalls.length = 0;
    const client = await second({ pin: '2026-07-28' })(world.mcpUrl(), key);
    const leaving = new AbortController();
    const asked = client.call('lab_slow', {}, { signal: leaving.signal }).catch(() => 'gave up');
    await until(() => slowCalls.length === 1);
    leaving.abort();
    expect(await asked).to.equal('gave up');
    await until(() => slowCalls.length === 2);
    expect(slowCalls).to.deep.equal(['began', 'cancelled']);
    await client.close();
  });

  it('are served by two servers behind one address, which take turns', async () => {
    const targets = [new URL(world.baseUrl), new URL(await world.second())];
    const used = new Set<string>();
    let turn = 0;
    const { baseUrl: address, stop } = await listen((req, res) => {
      const { hostname, port } = targets[turn++ % targets.length] as URL;
      used.add(port);
      const passed = forward(
        { hostname, port, path: req.url, method: req.method, headers: req.headers, agent: false },
        (answer) => {
          res.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(res);
        },
      );
      passed.on('error', () => res.destroy());
      res.on('close', () => passed.destroy());
      req.pipe(passed);
    });
    try {
      for (const [name, connect] of clients) {
        const client = await connect(world.mcpUrl('Clerk', address), key);
        for (let each = 0; each < 4; each += 1) {
          expect((await client.call('lab_echo', { message: 'x' })).content, name).to.deep.equal([
            { type: 'text', text: 'x' },
          ]);
          expect(await client.list()).to.include('lab_echo');
        }
        expect(client.errors).to.deep.equal([]);
        await client.close();
      }
      expect(used.size).to.equal(2);
    } finally {
      await stop();
    }
  });
});

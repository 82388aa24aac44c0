import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { aPlace, serveHere } from '../support/here.ts';

setFlagsFromString('--expose-gc');
const gc: (options?: { readonly type: 'minor' }) => void = runInNewContext('gc');

const workspace = `
workspace: garbage
users:
  - { email: admin@example.com, name: Admin, role: admin }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
databases:
  - { id: books, name: Books, connection: ledger }
agents:
  - { name: Teller, workflow_type: assistant, model: offline, instructions: Answer., tools: [{ database: books }] }
`;

interface Asked {
  readonly path: string;
  readonly body?: object;
}

const agent = new Agent({ keepAlive: true });
const send = (url: string, { path, body }: Asked, headers: Record<string, string>) =>
  new Promise<string>((resolve, reject) => {
    const options: RequestOptions = { agent, method: body ? 'POST' : 'GET', headers: { ...headers, 'content-type': 'application/json' } };
    request(url + path, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => ((answer.statusCode ?? 500) < 300 ? resolve(text) : reject(new Error(text))));
    })
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });

const AT_ONCE = 12;
const REQUESTS = 720;

/** The part of the requests that young collections have collected, when there was one after every twelfth request. */
const collectedOf = async (ask: () => Promise<unknown>): Promise<number> => {
  for (let n = 0; n < 20; n += 1) await ask();
  gc();
  let [begun, collected, left] = [0, 0, REQUESTS];
  const registry = new FinalizationRegistry(() => {
    collected += 1;
  });
  const seen = (message: unknown) => {
    begun += 1;
    registry.register((message as { readonly request: IncomingMessage }).request, null);
  };
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      if (left % AT_ONCE === 0) gc({ type: 'minor' });
      await ask();
    }
  };
  subscribe('http.server.request.start', seen);
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  unsubscribe('http.server.request.start', seen);
  for (let n = 0; n < 10; n += 1) {
    gc({ type: 'minor' });
    await turn();
  }
  expect(begun).to.equal(REQUESTS);
  return collected / begun;
};

// What a long-lived object refers to survives young collections, and costs a full one: sets and functions written into objects do so.
describe('finished requests are collected by young collections', () => {
  let place: Awaited<ReturnType<typeof aPlace>>;
  let server: Awaited<ReturnType<typeof serveHere>>;
  let headers: Record<string, string>;
  const asked: Record<string, Asked> = {};

  before(async () => {
    place = await aPlace();
    server = await serveHere({ ...place.settings, RATE_LIMIT_RUNS: '100000', CONNECTION_POOL_SIZE: '4' });
    const { DATABASE_URL: LEDGER_URL } = place.settings;
    const find = await server.apply(workspace, { LEDGER_URL });
    headers = { 'x-api-key': await server.key('admin@example.com'), accept: 'application/json, text/event-stream' };
    const agentId = find('agents');
    const create = { path: `/api/v1/agents/${agentId}/run`, body: { user_message: 'Hello' } };
    const { data } = JSON.parse(await send(server.url, create, headers)) as { data: { id: string } };
    const query = 'select 1 as one';
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'books_query', arguments: { query } } };
    Object.assign(asked, {
      create,
      run: { path: `/api/v1/runs/${data.id}` },
      list: { path: '/api/v1/runs' },
      query: { path: '/api/v1/query', body: { database_id: 'books', query } },
      call: { path: `/api/v1/agents/${agentId}/mcp`, body: call },
    });
  });

  after(async () => {
    agent.destroy();
    await server.stop();
    await place.remove();
  });

  for (const [name, what] of Object.entries({
    run: 'one run',
    list: 'the list of runs',
    create: 'the creation of a run',
    query: 'a query',
    call: 'a tool call',
  })) {
    it(what, async () => {
      expect(await collectedOf(() => send(server.url, asked[name] as Asked, headers))).to.be.above(0.9);
    });
  }
});

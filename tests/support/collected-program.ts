import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { serveHere } from './here.ts';

/**
 * Serves requests from itself, each kind many times, and prints for each the part of them that young collections have collected. Needs
 * `--expose-gc`, a migrated database and a folder in its environment, and a process of its own: what V8 has seen survive in one that has
 * served other requests before it allocates among the old from then on.
 */
const { DATABASE_URL = '', DATA_DIR = '' } = process.env;
const collect = gc as (options?: { readonly type: 'minor' }) => void;

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
    const options: RequestOptions = {
      agent,
      method: body ? 'POST' : 'GET',
      headers: { ...headers, 'content-type': 'application/json' },
    };
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
  collect();
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
      if (left % AT_ONCE === 0) collect({ type: 'minor' });
      await ask();
    }
  };
  subscribe('http.server.request.start', seen);
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  unsubscribe('http.server.request.start', seen);
  for (let n = 0; n < 10; n += 1) {
    collect({ type: 'minor' });
    await turn();
  }
  if (begun !== REQUESTS) throw new Error(`${begun} requests were served instead of ${REQUESTS}`);
  return collected / begun;
};

const server = await serveHere({ DATABASE_URL, DATA_DIR, RATE_LIMIT_RUNS: '100000', CONNECTION_POOL_SIZE: '4' });
const find = await server.apply(workspace, { LEDGER_URL: DATABASE_URL });
const headers = { 'x-api-key': await server.key('admin@example.com'), accept: 'application/json, text/event-stream' };
const agentId = find('agents');
const create = { path: `/api/v1/agents/${agentId}/run`, body: { user_message: 'Hello' } };
const { data } = JSON.parse(await send(server.url, create, headers)) as { data: { id: string } };
const query = 'select 1 as one';
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'books_query', arguments: { query } } };
const asked: Readonly<Record<string, Asked>> = {
  'one run': { path: `/api/v1/runs/${data.id}` },
  'the list of runs': { path: '/api/v1/runs' },
  'the creation of a run': create,
  'a query': { path: '/api/v1/query', body: { database_id: 'books', query } },
  'a tool call': { path: `/api/v1/agents/${agentId}/mcp`, body: call },
};
const collected: Record<string, number> = {};
for (const [what, request] of Object.entries(asked))
  collected[what] = await collectedOf(() => send(server.url, request, headers));
process.stdout.write(JSON.stringify(collected));
agent.destroy();
await server.stop();

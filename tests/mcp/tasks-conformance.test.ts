import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { RunWorker } from '../../src/composition/modules/worker.ts';
import { openWorld, type World } from '../oauth/world.ts';
import { listen } from '../support/listen.ts';
import { conformance } from './conformance-suite.ts';
import { fixtureAgent, fixtureServer } from './fixture-server.ts';

type Listening = Awaited<ReturnType<typeof fixtureServer>>;

/** What the suite calls tools that begin a task. */
const SUITE: readonly string[] = ['slow_compute', 'confirm_delete', 'failing_job'];
const isTask = (name: unknown) => typeof name === 'string' && SUITE.includes(name);
const OWN = 'run_slow';
const baseline = fileURLToPath(new URL('./baselines/tasks.yml', import.meta.url));

interface Call {
  readonly method?: string;
  readonly params?: { name?: string; arguments?: { seconds?: number } };
}

/** The call as the agent has it: a run that waits so long. */
const renamed = (body: string): string => {
  const call = JSON.parse(body) as Call;
  if (call.method !== 'tools/call' || !isTask(call.params?.name)) return body;
  const message = `/wait ${JSON.stringify({ seconds: call.params?.arguments?.seconds ?? 0 })}`;
  return JSON.stringify({ ...call, params: { ...call.params, name: OWN, arguments: { message } } });
};

/** Adds a key, and gives the tool that starts a run the name and the arguments that the suite knows. */
const proxyTo = (server: () => { readonly baseUrl: string; readonly key: string }) =>
  listen(async (asked, answer) => {
    const { baseUrl, key } = server();
    const { hostname, port } = new URL(baseUrl);
    const body = await text(asked);
    const sent = body === '' ? '' : renamed(body);
    const { 'content-length': _, 'transfer-encoding': __, ...kept } = asked.headers;
    const headers = {
      ...kept,
      ...(isTask(kept['mcp-name']) && { 'mcp-name': OWN }),
      'x-api-key': key,
      'content-length': String(Buffer.byteLength(sent)),
    };
    const passed = request({ hostname, port, path: asked.url, method: asked.method, headers }, async (got) => {
      const { 'content-length': ___, ...rest } = got.headers;
      answer.writeHead(got.statusCode ?? 502, rest);
      answer.end((await text(got)).replaceAll(`"${OWN}"`, `"${SUITE[0]}"`));
    });
    passed.once('error', () => answer.destroy());
    passed.end(sent);
  });

describe('MCP conformance: runs as tasks', () => {
  let tools: Listening;
  let world: World;
  let proxy: Listening;
  let url: string;
  before(async () => {
    tools = await fixtureServer();
    let server = { baseUrl: '', key: '' };
    proxy = await proxyTo(() => server);
    const slow = fixtureAgent(tools.baseUrl).replace('Toolbox', 'Slow');
    const agents = fixtureAgent(tools.baseUrl).replace('tools: [', 'tools: [{ agent: Slow }, ') + slow;
    world = await openWorld({ agents, env: { BASE_URL: proxy.baseUrl, RATE_LIMIT_RUNS: '1000000' } });
    server = { baseUrl: world.baseUrl, key: await world.key('ada@example.com') };
    url = `${proxy.baseUrl}${new URL(world.mcpUrl(world.agent('Toolbox'))).pathname}`;
    world.composition.container.get(RunWorker).start();
  });
  after(async () => {
    await world?.composition.container.get(RunWorker).stop(0);
    await proxy?.stop();
    await world?.stop();
    await tools?.stop();
  });

  for (const scenario of [
    'tasks-lifecycle',
    'tasks-capability-negotiation',
    'tasks-wire-fields',
    'tasks-request-state-removal',
    'tasks-request-headers',
    'tasks-dispatch-and-envelope',
    'tasks-status-notifications',
  ])
    it(`does what ${scenario} asks`, async () => {
      const { code, output } = await conformance('next', [
        'server',
        '--url',
        url,
        '--scenario',
        scenario,
        '--expected-failures',
        baseline,
      ]);
      expect(code, output).to.equal(0);
    });
});

import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openWorld, type World } from '../oauth/world.ts';
import { conformance, withKey } from './conformance-suite.ts';
import { fixtureAgent, fixtureServer } from './fixture-server.ts';

type Listening = Awaited<ReturnType<typeof fixtureServer>>;

const baseline = (name: string) => fileURLToPath(new URL(`./baselines/${name}.yml`, import.meta.url));

/** What the baselines excuse is what an agent does not offer; whatever is excused and passes fails here. */
describe('MCP conformance: the tool endpoint', () => {
  let tools: Listening;
  let world: World;
  let proxy: Listening;
  let url: string;
  before(async () => {
    tools = await fixtureServer();
    let server = { baseUrl: '', key: '' };
    proxy = await withKey(() => server);
    world = await openWorld({ agents: fixtureAgent(tools.baseUrl), env: { BASE_URL: proxy.baseUrl } });
    server = { baseUrl: world.baseUrl, key: await world.key('ada@example.com') };
    url = `${proxy.baseUrl}${new URL(world.mcpUrl(world.agent('Toolbox'))).pathname}`;
  });
  after(async () => {
    await proxy?.stop();
    await world?.stop();
    await tools?.stop();
  });

  const passes = async (release: 'stable' | 'next', expected: string, ...which: readonly string[]) => {
    const { code, output } = await conformance(release, [
      'server',
      '--url',
      url,
      ...which,
      '--expected-failures',
      baseline(expected),
    ]);
    expect(code, output).to.equal(0);
  };

  it('passes every scenario of the stable suite', () => passes('stable', '0.1.16', '--suite', 'all'));

  for (const revision of ['2025-11-25', '2026-07-28'])
    it(`does what revision ${revision} requires`, () => passes('next', revision, '--requirements', revision));
});

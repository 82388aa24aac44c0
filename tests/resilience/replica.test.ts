import { expect } from 'chai';
import { readExposition, sampled } from '../support/exposition.ts';
import { freePort } from '../support/listen.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type Pair, startPair } from '../support/replica.ts';
import { aServer, type Server } from '../support/server.ts';
import { type Stage, setUp } from './stage.ts';

describe('two api processes with a replica for lists', () => {
  let pair: Pair;
  let servers: readonly Server[] = [];
  let stage: Stage;
  let ports: readonly number[] = [];

  before(async () => {
    pair = await startPair();
    const { url } = await freshDatabase(pair.primaryUrl);
    const readUrl = Object.assign(new URL(pair.replicaUrl), { pathname: new URL(url).pathname }).href;
    await pair.caughtUp();
    const env = { DATABASE_URL: url, DATABASE_READ_URL: readUrl, DEMO: 'false' };
    ports = [await freePort(), await freePort()];
    const watched = (at: number) => ({ ...env, MANAGEMENT_PORT: String(ports[at]) });
    const first = await aServer({ role: 'api', env: watched(0) });
    servers = [first, await aServer({ role: 'api', env: watched(1), dataDir: first.dataDir })];
    await Promise.all(servers.map((each) => each.start()));
    stage = await setUp(first, url);
  });
  after(async () => {
    for (const each of [...servers].reverse()) await each.close();
    await pair?.stop();
  });

  const ask = async (at: number, path: string, init: RequestInit = {}) => {
    const headers = { 'x-api-key': stage.key, 'content-type': 'application/json' };
    const answer = await fetch(`${servers[at]?.baseUrl}/api/v1${path}`, { ...init, headers });
    expect(answer.ok, `${answer.status} of ${path}`).to.equal(true);
    return ((await answer.json()) as { data: { id: string; runs: { id: string }[]; total: number } }).data;
  };
  const create = (at: number) =>
    ask(at, `/agents/${stage.agentId}/run`, { method: 'POST', body: JSON.stringify({ user_message: 'hello' }) });
  const reads = async (at: number, server: string) =>
    sampled(
      readExposition(await (await fetch(`http://127.0.0.1:${ports[at]}/metrics`)).text()),
      'portico_database_list_reads_total',
      { server },
    ) ?? 0;

  it('lists at one what was created at the other, also when the replica dies in between', async () => {
    for (let count = 1; count <= 20; count += 1) {
      if (count === 10) {
        expect((await reads(0, 'replica')) + (await reads(1, 'replica'))).to.be.greaterThan(5);
        await pair.kill();
      }
      await create(count % 2);
      const { total, runs } = await ask((count + 1) % 2, '/runs?limit=100');
      expect([total, runs.length]).to.deep.equal([count, count]);
    }
    expect(await reads(0, 'primary')).to.be.greaterThan(2);
    for (const each of servers) expect(await each.logs()).to.include('lists and exports are read from the primary');
  });

  it('starts without the replica, and the doctor says that it is away', async () => {
    const [first] = servers as [Server];
    await first.stop();
    await first.start();
    expect((await ask(0, '/runs')).total).to.equal(20);
    const { stdout } = await first.command(['doctor']);
    expect(stdout).to.match(/replica.*ECONNREFUSED.*read from the primary/);
    await pair.start();
    await pair.caughtUp();
    expect((await first.command(['doctor'])).stdout).to.match(/replica.*answers lists, searches and exports/);
  });
});

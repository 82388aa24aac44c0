import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { StartedTestContainer } from 'testcontainers';
import { controlOf, embeddedPostgres, startRedis } from '../support/backends.ts';
import { freePort } from '../support/listen.ts';
import { freshDatabase } from '../support/postgres.ts';
import { aServer, type Server } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type Stage, setUp } from './stage.ts';

const LIMIT = 1_000_000;

describe('a server whose Redis goes away', () => {
  let redis: StartedTestContainer;
  let docker: Awaited<ReturnType<typeof controlOf>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let server: Server;
  let strict: Server;
  let stage: Stage;

  before(async function () {
    const port = await freePort();
    const [started, postgres] = await Promise.all([
      startRedis([], [{ container: 6379, host: port }]),
      embeddedPostgres.url(),
    ]);
    if (!started || postgres === null) return this.skip();
    redis = started;
    docker = await controlOf(redis);
    database = await freshDatabase(postgres);
    const env = { DATABASE_URL: database.url, REDIS_URL: `redis://127.0.0.1:${port}`, DEMO: 'false' };
    server = await aServer({ role: 'api', env: { ...env, RATE_LIMIT_REQUESTS: String(LIMIT) } });
    strict = await aServer({ role: 'api', env: { ...env, RATE_LIMIT_REQUESTS: '5' }, dataDir: server.dataDir });
    await Promise.all([server.start(), strict.start()]);
    stage = await setUp(server, database.url);
  });
  afterEach(async () => {
    await docker?.unpause();
    await docker?.start().catch(() => {});
  });
  after(async () => {
    await strict?.close();
    await server?.close();
    await redis?.stop();
    await database?.drop();
  });

  const remainders: number[] = [];
  const statuses = new Set<number>();

  const ask = async (from: Server) => {
    const answer = await fetch(`${from.baseUrl}/api/v1/agents`, { headers: { 'x-api-key': stage.key } });
    await answer.body?.cancel();
    return { status: answer.status, remaining: Number(answer.headers.get('ratelimit-remaining')) };
  };

  /** A client that asks one request after the other, all the time. */
  const flow = () => {
    remainders.length = 0;
    statuses.clear();
    let over = false;
    const done = (async () => {
      while (!over) {
        const { status, remaining } = await ask(server);
        statuses.add(status);
        remainders.push(remaining);
        await sleep(2);
      }
    })();
    const more = async (count: number) => {
      const enough = remainders.length + count;
      await until('requests are answered', () => remainders.length >= enough);
    };
    const stop = async () => {
      over = true;
      await done;
    };
    return { more, stop };
  };

  const said = async (words: string, by = server) => (await by.logs()).split(words).length - 1;
  const AWAY = 'Redis is away: until it is back';
  const BACK = 'Redis is back: requests';

  const throughAnOutage = async (begin: () => Promise<unknown>, end: () => Promise<unknown>) => {
    const [aways, backs] = await Promise.all([said(AWAY), said(BACK)]);
    const requests = flow();
    await requests.more(50);
    await begin();
    await until('it is noticed', async () => (await said(AWAY)) > aways);
    await requests.more(50);
    const { checks } = (await (await fetch(`${server.baseUrl}/readyz`)).json()) as {
      checks?: Record<string, { status: string }>;
    };
    await end();
    await until('it is back', async () => (await said(BACK)) > backs);
    await requests.more(50);
    await requests.stop();
    expect(checks?.limits?.status, 'the server is ready all the same').to.equal('degraded');
    expect([...statuses]).to.deep.equal([200]);
    expect([await said(AWAY), await said(BACK)], 'one line each').to.deep.equal([aways + 1, backs + 1]);
    // Each request costs one: there is more left than before only where another counter begins.
    const rises = remainders.filter((left, index) => index > 0 && left >= (remainders[index - 1] as number));
    expect(rises.length, `of ${remainders.length} requests`).to.be.at.most(2);
  };

  it('refuses nothing and leaves nothing uncounted while Redis is paused', () =>
    throughAnOutage(docker.pause, docker.unpause));

  it('refuses nothing and leaves nothing uncounted when Redis is killed and started again', () =>
    throughAnOutage(docker.kill, docker.start));

  it('keeps to the limits by its own count meanwhile', async () => {
    await docker.pause();
    await ask(strict);
    await until('it is noticed', async () => (await said(AWAY, strict)) > 0);
    const seen: number[] = [];
    for (let time = 0; time < 10; time++) seen.push((await ask(strict)).status);
    expect(seen.filter((status) => status === 200).length).to.be.within(1, 5);
    expect(seen.at(-1)).to.equal(429);
  });
});

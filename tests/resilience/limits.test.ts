import { expect } from 'chai';
import { containerRedis, embeddedPostgres } from '../support/backends.ts';
import { keyOn } from '../support/operator.ts';
import { freshDatabase } from '../support/postgres.ts';
import { aServer, type Server } from '../support/server.ts';
import { type Stage, setUp } from './stage.ts';

const LIMIT = 100;
const WINDOW_SECONDS = 60;

describe(`limits over two api processes that count in ${containerRedis.name}`, () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let servers: readonly Server[] = [];
  let stage: Stage;

  before(async function () {
    const [redis, postgres] = await Promise.all([containerRedis.url(), embeddedPostgres.url()]);
    if (redis === null || postgres === null) return this.skip();
    database = await freshDatabase(postgres);
    // An empty variable is one that is unset: the limits are those that a server has by itself.
    const limits = { RATE_LIMIT_REQUESTS: '', RATE_LIMIT_RUNS: '' };
    const env = {
      ...limits,
      DATABASE_URL: database.url,
      REDIS_URL: redis,
      REDIS_PREFIX: `errors-${process.pid}`,
      DEMO: 'false',
    };
    const first = await aServer({ role: 'api', env });
    servers = [first, await aServer({ role: 'api', env, dataDir: first.dataDir })];
    await Promise.all(servers.map((each) => each.start()));
    stage = await setUp(first, database.url);
  });
  after(async () => {
    for (const each of [...servers].reverse()) await each.close();
    await database?.drop();
  });

  const newKey = () => keyOn(servers[0] as Server, database.url, 'errors@example.com');

  /** So many requests at once, every other one to the other process: how each was answered. */
  const ask = (count: number, path: string, init: (index: number) => RequestInit) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const answer = await fetch(`${servers[index % 2]?.baseUrl}/api/v1${path}`, init(index));
        await answer.body?.cancel();
        return {
          status: answer.status,
          remaining: Number(answer.headers.get('ratelimit-remaining')),
          reset: Number(answer.headers.get('ratelimit-reset')),
          server: index % 2,
        };
      }),
    );

  it('are exact: of 120 requests at once 100 are answered, counted one by one, and the 101st is 429 at either process', async () => {
    const headers = { 'x-api-key': await newKey() };
    const answers = await ask(LIMIT + 20, '/agents', () => ({ headers }));
    const answered = answers.filter(({ status }) => status === 200);
    expect(answered.map(({ remaining }) => remaining).sort((a, b) => a - b)).to.deep.equal(
      Array.from({ length: LIMIT }, (_, n) => n),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status }) => status))).to.deep.equal(new Set([429]));
    for (const { reset } of refused) expect(reset).to.be.within(1, WINDOW_SECONDS);
    const after = await ask(4, '/agents', () => ({ headers }));
    expect(after.map(({ status, remaining }) => [status, remaining])).to.deep.equal(Array(4).fill([429, 0]));
  });

  it('are an agent’s, whichever process and whichever credential', async () => {
    const keys = [await newKey(), await newKey()];
    const run = (index: number) => ({
      method: 'POST',
      headers: { 'x-api-key': keys[index % 2] as string, 'content-type': 'application/json' },
      body: JSON.stringify({ user_message: 'Hello' }),
    });
    const statuses = (await ask(40, `/agents/${stage.agentId}/run`, run)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).to.have.length(10);
    expect(statuses.filter((status) => status === 200)).to.have.length(30);
  });

  it('are a client’s address without a credential', async () => {
    const statuses = (await ask(LIMIT + 10, '', () => ({}))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).to.be.at.most(LIMIT);
    expect(statuses).to.include(429);
  });
});

import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { createClient } from 'redis';
import { getContainerRuntimeClient, type StartedTestContainer } from 'testcontainers';
import { inProcessLimiter } from '../../src/adapters/rate-limiter/in-process.ts';
import { redisLimiter } from '../../src/adapters/rate-limiter/redis.ts';
import type { Charge } from '../../src/domain/rate-limit.ts';
import { startRedis } from '../support/backends.ts';
import { freePort } from '../support/listen.ts';

const openRedis = async (url: string) => {
  const redis = createClient({ url });
  redis.on('error', () => {});
  return redis.connect();
};

const PREFIX = 'outage';
const WINDOW_SECONDS = 600;
const plenty: Charge = { name: 'plenty', key: 'all', limit: 1_000_000_000, windowSeconds: WINDOW_SECONDS };

/** A limiter with its log lines, and the number of requests that were counted in the process. */
const aLimiter = async (url: string) => {
  const lines: string[] = [];
  const waiting: { pattern: RegExp; resolve: () => void }[] = [];
  const note = (level: string) => (fields: object, message: string) => {
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    for (const { pattern, resolve } of waiting) if (pattern.test(lines.at(-1) ?? '')) resolve();
  };
  const log = { debug() {}, info: note('info'), warn: note('warn'), error: note('error') };
  const uncounted = inProcessLimiter({ now: () => performance.now() });
  let inProcess = 0;
  const fallback = {
    giveBack: uncounted.giveBack,
    take: (charges: readonly Charge[]) => {
      inProcess += 1;
      return uncounted.take(charges);
    },
  };
  const limiter = await redisLimiter({ url, prefix: PREFIX, fallback, log });
  const logged = (pattern: RegExp) =>
    lines.some((line) => pattern.test(line))
      ? Promise.resolve()
      : new Promise<void>((resolve) => waiting.push({ pattern, resolve }));
  return { limiter, lines, logged, inProcess: () => inProcess };
};

type Limiter = Awaited<ReturnType<typeof aLimiter>>['limiter'];

/** Ten callers, each with one request at a time, until they are stopped. */
const load = (limiter: Limiter) => {
  const seen = { allowed: 0, refused: 0 };
  const progress: (() => void)[] = [];
  let stopped = false;
  const ask = async () => {
    while (!stopped) {
      const { allowed } = await limiter.take([plenty]);
      seen[allowed ? 'allowed' : 'refused'] += 1;
      for (const tell of progress.splice(0)) tell();
      await setImmediate();
    }
  };
  const callers = Array.from({ length: 10 }, ask);
  return {
    seen,
    /** Until so many more requests were answered. */
    async more(count: number) {
      for (const until = seen.allowed + seen.refused + count; seen.allowed + seen.refused < until; )
        await new Promise<void>((resolve) => progress.push(resolve));
    },
    async stop() {
      stopped = true;
      await Promise.all(callers);
    },
  };
};

describe('the limiter while Redis is away', () => {
  let container: StartedTestContainer;
  let url: string;
  let docker: {
    pause(): Promise<unknown>;
    unpause(): Promise<unknown>;
    kill(): Promise<unknown>;
    start(): Promise<unknown>;
  };

  before(async function () {
    const port = await freePort();
    const started = await startRedis([], [{ container: 6379, host: port }]);
    if (!started) return this.skip();
    container = started;
    url = `redis://127.0.0.1:${port}`;
    docker = (await getContainerRuntimeClient()).container.dockerode.getContainer(container.getId());
  });
  after(() => container?.stop());

  let under: Awaited<ReturnType<typeof aLimiter>>;
  beforeEach(async () => {
    under = await aLimiter(url);
    await inRedis((redis) => redis.flushAll());
  });
  afterEach(async () => {
    await docker.unpause().catch(() => {});
    await docker.start().catch(() => {});
    await inRedis((redis) => redis.configSet('maxmemory', '0'));
    await under.limiter.close();
  });

  const inRedis = async <T>(work: (redis: Awaited<ReturnType<typeof openRedis>>) => Promise<T>): Promise<T> => {
    const redis = await openRedis(url);
    return work(redis).finally(() => redis.destroy());
  };

  const countedInRedis = async () =>
    Number(await inRedis((redis) => redis.get(`{${PREFIX}}:${WINDOW_SECONDS}:plenty:all`)));

  const away = () => under.logged(/^warn Redis is away/);
  const back = () => under.logged(/^info Redis is back/);

  it('counts every request and refuses none when Redis is paused under load, and goes back to it', async () => {
    const callers = load(under.limiter);
    await callers.more(200);
    await docker.pause();
    await away();
    await callers.more(200);
    expect(under.limiter.available()).to.equal(false);
    await docker.unpause();
    await back();
    const during = under.inProcess();
    await callers.more(200);
    await callers.stop();
    expect(callers.seen.refused).to.equal(0);
    expect(under.inProcess(), 'once it is back nothing is counted in the process').to.equal(during);
    const counted = (await countedInRedis()) + under.inProcess();
    expect(counted, 'every request was counted').to.be.at.least(callers.seen.allowed);
    expect(counted, 'only those under way were counted twice').to.be.at.most(callers.seen.allowed + 10);
    expect(under.lines.map((line) => line.split(' ')[0])).to.deep.equal(['warn', 'info']);
  });

  it('goes on counting over a kill and a new start of Redis', async () => {
    const callers = load(under.limiter);
    await callers.more(200);
    await docker.kill();
    await away();
    await callers.more(200);
    await docker.start();
    await back();
    await callers.more(200);
    await callers.stop();
    expect(callers.seen.refused).to.equal(0);
    expect(await countedInRedis(), 'the new Redis counts').to.be.above(0);
    expect(under.inProcess(), 'and this process counted while there was none').to.be.at.least(200);
    expect(under.lines.map((line) => line.split(' ')[0])).to.deep.equal(['warn', 'info']);
  });

  it('notices without any request that Redis ends and comes back', async () => {
    await docker.kill();
    await away();
    await docker.start();
    await back();
    expect((await under.limiter.take([plenty])).allowed).to.equal(true);
    expect(under.inProcess()).to.equal(0);
  });

  it('does not wait for a Redis that is known to be away', async () => {
    await docker.pause();
    await under.limiter.take([plenty]);
    expect(under.limiter.available()).to.equal(false);
    let answered = 0;
    for (let time = 0; time < 50; time++) void under.limiter.take([plenty]).then(() => answered++);
    await setImmediate();
    expect(answered).to.equal(50);
  });

  it('still refuses what is over the limit while Redis is away', async () => {
    await docker.pause();
    const few: Charge = { name: 'few', key: 'one', limit: 5, windowSeconds: 60 };
    const answers = await Promise.all(Array.from({ length: 12 }, () => under.limiter.take([few])));
    expect(answers.filter(({ allowed }) => allowed)).to.have.length(5);
    expect((await under.limiter.take([few])).quotas[0]).to.deep.include({ limit: 5, remaining: 0 });
  });

  it('treats a Redis that cannot write as away, and logs the reason once', async () => {
    await inRedis((redis) => redis.configSet('maxmemory', '1'));
    expect((await under.limiter.take([plenty])).allowed).to.equal(true);
    expect(under.inProcess()).to.equal(1);
    await inRedis((redis) => redis.configSet('maxmemory', '0'));
    await back();
    expect(under.lines).to.have.length(2);
    expect(under.lines[0]).to.contain('its memory is full');
  });

  it('says once that the login is refused, where the password has changed meanwhile', async () => {
    const before = await openRedis(url);
    try {
      await before.configSet('requirepass', 'another');
      await before.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
      await under.logged(/^warn Redis is still away .*it refuses the user name or the password/);
      await before.configSet('requirepass', '');
      await back();
    } finally {
      await before.configSet('requirepass', '');
      before.destroy();
    }
    expect(under.lines.map((line) => line.split(' ')[0])).to.deep.equal(['warn', 'warn', 'info']);
  });

  it('ends quietly, also while Redis is away', async () => {
    await docker.pause();
    await under.limiter.take([plenty]);
    await under.limiter.close();
    await docker.unpause();
    expect((await under.limiter.take([plenty])).allowed, 'what comes late is counted here').to.equal(true);
    expect(under.lines).to.have.length(1);
  });
});

import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { createClient } from 'redis';
import { inProcessLimiter } from '../../src/adapters/rate-limiter/in-process.ts';
import { redisLimiter } from '../../src/adapters/rate-limiter/redis.ts';
import type { RateLimiter } from '../../src/application/ports/limiter.ts';
import type { Charge } from '../../src/domain/rate-limit.ts';
import { rateLimiterContract } from '../contracts/rate-limiter.ts';
import { containerRedis, startRedis } from '../support/backends.ts';
import { listening } from '../support/listen.ts';
import { quiet } from '../support/log.ts';

const away = () => Promise.reject(new Error('Redis was away'));
const noFallback: RateLimiter = { take: away, giveBack: away };

let unique = 0;
const own = () => `redis-test-${process.pid}-${Date.now()}-${unique++}`;
const charge = (limit: number, over: Partial<Charge> = {}): Charge => ({
  name: 'test',
  key: own(),
  limit,
  windowSeconds: 60,
  ...over,
});

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const connect = async (url: string, prefix = 'test') => {
  const limiter = await redisLimiter({ url, prefix, fallback: noFallback, log: quiet });
  closers.push(() => limiter.close());
  return limiter;
};

const client = async (url: string) => {
  const opened = createClient({ url });
  opened.on('error', () => {});
  await opened.connect();
  closers.push(() => opened.destroy());
  return opened;
};

describe(`the limiter in Redis, on ${containerRedis.name}`, () => {
  let url: string;

  before(async function () {
    const server = await containerRedis.url();
    if (server === null) return this.skip();
    url = server;
  });

  describe('as a port', () => {
    let limiter: Awaited<ReturnType<typeof redisLimiter>>;
    after(() => limiter?.close());
    rateLimiterContract(async () => {
      limiter = await redisLimiter({ url, prefix: 'contract', fallback: noFallback, log: quiet });
      return { limiter, pass: (milliseconds) => setTimeout(milliseconds) };
    });
  });

  it('agrees with the in-process limiter, whatever is asked for in whatever order', async () => {
    const limiter = await connect(url, own());
    const step = fc.array(
      fc.record({
        name: fc.constantFrom('a', 'b:', 'ä{}'),
        key: fc.constantFrom('1', '2', '}{:3'),
        limit: fc.nat(4),
        windowSeconds: fc.constantFrom(600, 700),
      }),
      { maxLength: 4 },
    );
    const agree = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (requests) => {
      const run = own();
      const inProcess = inProcessLimiter({ now: () => 0 });
      for (const each of requests) {
        const charges = each.map((one) => ({ ...one, key: `${one.key}${run}` }));
        const [counted, expected] = [await limiter.take(charges), await inProcess.take(charges)];
        const plain = ({ allowed, quotas }: typeof counted) => ({
          allowed,
          remaining: quotas.map(({ limit, remaining }) => [limit, remaining]),
        });
        expect(plain(counted)).to.deep.equal(plain(expected));
      }
    });
    const seed = Math.floor(Math.random() * 2 ** 31);
    console.log(`      seed ${seed}`);
    await fc.assert(agree, { seed, numRuns: 40 });
  });

  it('counts what two limiters take at once as one: 100 of 140 requests', async () => {
    const [one, two] = [await connect(url), await connect(url)];
    const charges = [charge(100)];
    const answers = await Promise.all(Array.from({ length: 140 }, (_, index) => (index % 2 ? one : two).take(charges)));
    expect(answers.filter(({ allowed }) => allowed)).to.have.length(100);
    expect((await two.take(charges)).quotas[0]).to.include({ limit: 100, remaining: 0 });
  });

  it('counts exactly across processes: 100 requests are let through, the 101st is refused', async () => {
    const key = own();
    const children = [50, 51].map((times) => {
      const child = spawn(
        process.execPath,
        [path.join(import.meta.dirname, 'redis-child.ts'), url, key, '100', String(times)],
        {
          stdio: ['pipe', 'pipe', 'inherit'],
        },
      );
      closers.push(() => child.kill());
      return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
    });
    for (const { lines } of children) expect((await lines.next()).value).to.equal('ready');
    for (const { child } of children) child.stdin.write('go\n');
    const counts = await Promise.all(
      children.map(async ({ lines }) => JSON.parse((await lines.next()).value ?? '{}').allowed),
    );
    expect(counts.reduce((sum, allowed) => sum + allowed, 0)).to.equal(100);
  });

  it('leaves nothing in Redis that does not end with its window', async () => {
    const prefix = own();
    const limiter = await connect(url, prefix);
    const redis = await client(url);
    const charges = [charge(2), charge(5, { windowSeconds: 30 })];
    for (let time = 0; time < 4; time++) await limiter.take(charges);
    const keys = await redis.keys(`{${prefix}}*`);
    expect(keys.length).to.be.within(2, 3);
    for (const key of keys) {
      const left = await redis.pTTL(key);
      // The connection's own trial has a window of a second, which may be over by now.
      if (!(left === -2 && key.includes(':trial:'))) expect(left, key).to.be.within(0, 60_000);
    }
  });

  it('counts afresh in a window that never ends, as one would be without its expiry', async () => {
    const prefix = own();
    const limiter = await connect(url, prefix);
    const redis = await client(url);
    const spent = charge(1);
    await limiter.take([spent]);
    for (const key of await redis.keys(`{${prefix}}:60*`)) await redis.persist(key);
    expect((await limiter.take([spent])).quotas[0]).to.include({ limit: 1, remaining: 0, resetSeconds: 60 });
    expect((await limiter.take([spent])).allowed).to.equal(false);
  });

  it('keeps deployments apart that share a server', async () => {
    const [one, two] = [await connect(url, own()), await connect(url, own())];
    const charges = [charge(1)];
    expect((await one.take(charges)).allowed).to.equal(true);
    expect((await two.take(charges)).allowed).to.equal(true);
    expect((await one.take(charges)).allowed).to.equal(false);
  });

  it('goes on after the server has lost the script', async () => {
    const limiter = await connect(url);
    const charges = [charge(2)];
    await limiter.take(charges);
    await (await client(url)).scriptFlush();
    expect((await limiter.take(charges)).quotas[0]?.remaining).to.equal(0);
  });

  it('does not take a busy event loop for a silent server', async () => {
    const limiter = await connect(url);
    const taking = limiter.take([charge(2)]);
    await setTimeout(20);
    const again = limiter.take([charge(2)]);
    const until = performance.now() + 1300;
    while (performance.now() < until);
    expect((await taking).allowed && (await again).allowed).to.equal(true);
    expect(limiter.available()).to.equal(true);
  });

  it('counts in the database that the address names', async () => {
    const prefix = own();
    const address = new URL(url);
    address.pathname = '/3';
    const limiter = await connect(address.href, prefix);
    await limiter.take([charge(2)]);
    expect(await (await client(address.href)).keys(`{${prefix}}*`)).to.have.length.above(0);
    address.pathname = '/4';
    expect(await (await client(address.href)).keys(`{${prefix}}*`)).to.have.length(0);
  });
});

describe('starting with REDIS_URL', () => {
  const failure = async (url: string): Promise<string> => {
    const error: unknown = await redisLimiter({ url, prefix: 'test', fallback: noFallback, log: quiet }).then(
      (limiter) => limiter.close(),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof Error)) throw new Error(`it started with ${url}`);
    expect(error.message).to.match(/^REDIS_URL[^\n]+$/);
    expect(JSON.stringify([error.message, error.stack, String(error.cause)])).not.to.contain('s3cret');
    return error.message;
  };

  const answering = async (answer: (text: string) => string | null) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => {
        const reply = answer(String(data));
        if (reply !== null) socket.write(reply);
      });
    });
    closers.push(() => server.close());
    return listening(server);
  };

  it('refuses what is no address of a Redis, without repeating it', async () => {
    const wrong = [
      'nonsense',
      'http://:s3cret@host',
      'redis://',
      'redis://:s3cret@h:6379/x',
      'redis://:s3cret%@h',
      'redis://:s3cret@h:99999',
    ];
    for (const url of wrong)
      expect(await failure(url), url).to.match(/^REDIS_URL must be an address such as redis:\/\//);
  });

  it('reports that there is no server', async () => {
    expect(await failure('redis://user:s3cret@127.0.0.1:9/0')).to.equal(
      'REDIS_URL: Redis at 127.0.0.1:9 cannot be used: ECONNREFUSED.',
    );
    expect(await failure('rediss://user:s3cret@no-such-host.invalid')).to.match(
      /at no-such-host.invalid:6379 cannot be used: E[A-Z_]+\.$/,
    );
  });

  it('gives up on a server that is silent', async () => {
    const port = await answering(() => null);
    expect(await failure(`redis://:s3cret@127.0.0.1:${port}`)).to.match(/cannot be used: no answer within \d+ ms\.$/);
  });

  it('does not repeat what a server answers: some answer with the password they were sent', async () => {
    for (const words of [
      'ERR unknown command `AUTH`, with args beginning with: `s3cret`',
      'ERR what is s3cret?',
      'S3CRET s3cret',
    ]) {
      const port = await answering((text) => `-${words}\r\n`.repeat(text.match(/^\*/gm)?.length ?? 0));
      expect(await failure(`redis://:s3cret@127.0.0.1:${port}`)).to.contain(`127.0.0.1:${port} cannot be used`);
    }
  });

  it('gives up on a server that speaks something else', async () => {
    const port = await answering(() => 'HTTP/1.1 400 Bad Request\r\n\r\n');
    expect(await failure(`redis://127.0.0.1:${port}`)).to.match(
      /cannot be used: the connection broke \(redis:\/\/ is for a Redis without TLS: .*\?\)\.$/,
    );
  });
});

describe('a Redis that asks for a password', () => {
  let place: string;
  before(async function () {
    const container = await startRedis([
      '--requirepass',
      'p@ss:w/rd',
      '--user',
      ...'counter on >other%25 ~{acl}* +@all'.split(' '),
      '--databases',
      '2',
    ]);
    if (!container) return this.skip();
    after(() => container.stop());
    place = `${container.getHost()}:${container.getMappedPort(6379)}`;
  });

  it('takes the password, and a user’s', async () => {
    const addresses = [
      `redis://:p%40ss%3Aw%2Frd@${place}`,
      `redis://default:p%40ss%3Aw%2Frd@${place}/1`,
      `redis://counter:other%2525@${place}`,
    ];
    for (const url of addresses) {
      const limiter = await connect(url, 'acl');
      expect((await limiter.take([charge(1)])).allowed).to.equal(true);
    }
  });

  it('reports in one line what is wrong with the address, and never the password', async () => {
    const wrong: Readonly<Record<string, RegExp>> = {
      [`redis://${place}`]: /refuses the user name or the password\.$/,
      [`redis://:wr0ng@${place}`]: /refuses the user name or the password\.$/,
      [`redis://nobody:wr0ng@${place}`]: /refuses the user name or the password\.$/,
      [`redis://:p%40ss%3Aw%2Frd@${place}/7`]: /has no database of that number\.$/,
      [`redis://counter:other%2525@${place}`]: /may not do what counting takes/,
    };
    for (const [url, expected] of Object.entries(wrong)) {
      const error = await redisLimiter({ url, prefix: 'elsewhere', fallback: noFallback, log: quiet }).catch(
        (thrown: unknown) => thrown,
      );
      expect(String(error), url)
        .to.match(expected)
        .and.to.match(/^Error: REDIS_URL: Redis at /);
      expect(String(error)).not.to.match(/wr0ng|p@ss|other/);
    }
  });
});

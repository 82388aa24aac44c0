import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { createClient } from 'redis';
import type { StartedTestContainer } from 'testcontainers';
import { redisLimiter } from '../../src/adapters/rate-limiter/redis.ts';
import type { RateLimiter } from '../../src/application/ports/limiter.ts';
import type { Charge } from '../../src/domain/rate-limit.ts';
import { startRedis } from '../support/backends.ts';
import { freePort } from '../support/listen.ts';
import { quiet } from '../support/log.ts';

const away = () => Promise.reject(new Error('Redis was away'));
const noFallback: RateLimiter = { take: away, giveBack: away };

const open = (port: number) => createClient({ url: `redis://127.0.0.1:${port}` }).connect();

/** The bus of a node is 10,000 above its port within the container; clients get the port of this machine. */
const nodeOptions = (port: number) => [
  '--cluster-enabled',
  'yes',
  '--cluster-announce-ip',
  '127.0.0.1',
  '--cluster-announce-port',
  String(port),
];

describe('the limiter in a Redis Cluster of two nodes', () => {
  let container: StartedTestContainer;
  let ports: readonly [number, number];
  const clients: Awaited<ReturnType<typeof open>>[] = [];

  const joined = async (node: Awaited<ReturnType<typeof open>>) => {
    while (!String(await node.sendCommand(['CLUSTER', 'INFO'])).includes('cluster_state:ok')) await setTimeout(50);
  };

  before(async function () {
    ports = [await freePort(), await freePort()];
    const published = ports.map((host, index) => ({ container: 6379 + index, host }));
    const started = await startRedis([...nodeOptions(ports[0]), '--cluster-announce-bus-port', '16379'], published);
    if (!started) return this.skip();
    container = started;
    const second = [
      '--port',
      '6380',
      '--cluster-config-file',
      'second.conf',
      '--cluster-announce-bus-port',
      '16380',
      '--save',
      '',
    ];
    await container.exec([
      'redis-server',
      ...nodeOptions(ports[1]),
      ...second,
      '--protected-mode',
      'no',
      '--daemonize',
      'yes',
      '--dir',
      '/tmp',
    ]);
    for (const port of ports) clients.push(await open(port));
    const [one, two] = clients;
    await one?.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '8191']);
    await two?.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '8192', '16383']);
    await one?.sendCommand(['CLUSTER', 'MEET', '127.0.0.1', '6380', '16380']);
    for (const client of clients) await joined(client);
  });

  after(async () => {
    for (const client of clients) client.destroy();
    await container?.stop();
  });

  /** A prefix whose keys are on that node. */
  const prefixOn = async (node: 0 | 1) => {
    for (let number = 0; ; number++) {
      const slot = Number(await clients[0]?.sendCommand(['CLUSTER', 'KEYSLOT', `{p${number}}`]));
      if (Math.floor(slot / 8192) === node) return `p${number}`;
    }
  };

  const charge = (name: string, key: string, limit: number): Charge => ({ name, key, limit, windowSeconds: 60 });

  for (const node of [0, 1] as const) {
    it(`counts all limits of a request on the node that has them: ${node === 0 ? 'the one asked first' : 'the other one'}`, async () => {
      const prefix = await prefixOn(node);
      const limiters = await Promise.all(
        ports.map((port) =>
          redisLimiter({ url: `redis://127.0.0.1:${port}`, prefix, fallback: noFallback, log: quiet }),
        ),
      );
      try {
        const answers = [];
        for (let time = 0; time < 12; time++) {
          const credential = charge('credential', `c${time % 4}`, 100);
          answers.push(await limiters[time % 2]?.take([credential, charge('agent-runs', 'shared {by} all', 10)]));
        }
        expect(answers.map((answer) => answer?.allowed)).to.deep.equal([
          ...Array<boolean>(10).fill(true),
          false,
          false,
        ]);
        expect(
          answers.at(-1)?.quotas.map(({ remaining }) => remaining),
          'a refused request is counted nowhere',
        ).to.deep.equal([98, 0]);
        expect(await clients[node]?.keys(`{${prefix}}*`)).to.have.length.within(5, 6);
        expect(await clients[1 - node]?.keys(`{${prefix}}*`)).to.have.length(0);
      } finally {
        await Promise.all(limiters.map((limiter) => limiter.close()));
      }
    });
  }
});

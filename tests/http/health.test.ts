import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { healthPages, management } from '../../src/adapters/http/management.ts';
import type { Log, Probe } from '../../src/application/ports/runtime.ts';
import { type HealthService, healthService } from '../../src/application/upkeep/health.ts';
import { readConfig } from '../../src/composition/config.ts';
import { serve } from '../../src/composition/serve.ts';
import { embeddedPostgres } from '../support/backends.ts';
import { composed } from '../support/composed.ts';
import { freePort, listen } from '../support/listen.ts';
import { quiet } from '../support/log.ts';
import { freshDatabase } from '../support/postgres.ts';
import { aFolder } from '../support/server.ts';
import { wayTo } from '../support/way.ts';

const fine: Probe = { name: 'fine', required: true, check: async () => {} };

const failing = (name: string, required: boolean): Probe => ({
  name,
  required,
  check: () => Promise.reject(new Error('connect ECONNREFUSED db.internal:5432 password=hunter2')),
});

const statuses = async (health: HealthService) => {
  const { status, checks } = await health.readiness();
  return [status, Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, check.status]))];
};

const recorded = () => {
  const lines: string[] = [];
  const note = (fields: object, message: string) => void lines.push(`${message}: ${JSON.stringify(fields)}`);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  return { log, lines };
};

describe('readiness', () => {
  const of = (...probes: readonly Probe[]) => healthService({ probes, log: quiet });

  it('is what the dependencies are: what is required counts most', async () => {
    expect(await statuses(of())).to.deep.equal(['ok', {}]);
    expect(await statuses(of(fine))).to.deep.equal(['ok', { fine: 'ok' }]);
    expect(await statuses(of(fine, failing('files', false)))).to.deep.equal([
      'degraded',
      { fine: 'ok', files: 'degraded' },
    ]);
    const all = of(failing('files', false), fine, failing('database', true));
    expect(await statuses(all)).to.deep.equal(['down', { files: 'degraded', fine: 'ok', database: 'down' }]);
  });

  it('is refused once the process is stopping', async () => {
    const health = of(fine);
    expect((await health.readiness()).status).to.equal('ok');
    health.stop();
    expect(await statuses(health)).to.deep.equal(['stopping', { fine: 'ok' }]);
  });

  it('is found out once, however many ask at a time', async () => {
    let checks = 0;
    const check = async () => {
      checks += 1;
      await sleep(20);
    };
    const health = of({ name: 'counted', required: true, check });
    await Promise.all(Array.from({ length: 50 }, () => health.readiness()));
    for (let asked = 0; asked < 50; asked++) await health.readiness();
    expect(checks).to.equal(1);
  });

  it('gives a check that hangs up, and begins no other while it does', async () => {
    let checks = 0;
    const hanging = Promise.withResolvers<void>();
    const check = () => {
      checks += 1;
      return hanging.promise;
    };
    const health = of({ name: 'hanging', required: true, check });
    expect(await statuses(health)).to.deep.equal(['down', { hanging: 'down' }]);
    await sleep(1100);
    expect(await statuses(health)).to.deep.equal(['down', { hanging: 'down' }]);
    expect(checks).to.equal(1);
    hanging.resolve();
    await sleep(1100);
    expect(await statuses(health)).to.deep.equal(['ok', { hanging: 'ok' }]);
    expect(checks).to.equal(2);
  });

  it('is logged when it changes, and only then', async () => {
    const { log, lines } = recorded();
    let isAway = true;
    const check = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve());
    const health = healthService({ probes: [{ name: 'redis', required: false, check }], log });
    await health.readiness();
    await sleep(1100);
    await health.readiness();
    isAway = false;
    await sleep(1100);
    await health.readiness();
    expect(lines.map((line) => line.split(':')[0])).to.deep.equal([
      'a dependency cannot be used',
      'a dependency is back',
    ]);
  });
});

describe('the pages for the operator', () => {
  it('tell nothing of where a dependency is, nor why it cannot be used', async () => {
    const health = healthService({ probes: [fine, failing('database', true)], log: quiet });
    const { baseUrl, stop } = await listen(management(healthPages(health)));
    try {
      const answer = await fetch(`${baseUrl}/readyz`);
      const text = await answer.text();
      expect(answer.status).to.equal(503);
      expect(text).to.match(
        /^\{"status":"down","checks":\{"fine":\{"status":"ok","ms":[\d.]+\},"database":\{"status":"down","ms":[\d.]+\}\}\}$/,
      );
      const alive = await fetch(`${baseUrl}/healthz?probe=1`);
      expect([alive.status, await alive.json()]).to.deep.equal([200, { status: 'ok' }]);
      const other = await fetch(`${baseUrl}/api/v1`);
      expect([other.status, other.headers.get('content-type')]).to.deep.equal([404, 'application/json']);
      expect(await other.json()).to.include({ status: 404, code: 'not_found' });
    } finally {
      await stop();
    }
  });

  it('answer at the API’s own port: without a credential, counted by no limit, and never from a cache', async () => {
    const server = await composed({ requests: 2 });
    try {
      for (let asked = 0; asked < 10; asked++) {
        const answer = await fetch(`${server.baseUrl}/readyz`);
        expect(answer.status).to.equal(200);
        expect(answer.headers.get('cache-control')).to.equal('no-store');
        const { status, checks } = (await answer.json()) as { status: string; checks: object };
        expect(status).to.equal('ok');
        expect(checks).to.have.all.keys('database', 'migrations', 'files');
      }
      expect((await fetch(`${server.baseUrl}/api/v1`)).status).to.equal(200);
      const head = await fetch(`${server.baseUrl}/healthz`, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length'), await head.text()]).to.deep.equal([200, '15', '']);
      const post = await fetch(`${server.baseUrl}/healthz`, { method: 'POST', body: 'x' });
      expect([post.status, post.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    } finally {
      await server.stop();
    }
  });
});

describe('a worker', () => {
  it('answers on the management port alone, and shows when its database is away and when it is back', async () => {
    const url = await embeddedPostgres.url();
    if (url === null) throw new Error('no PostgreSQL can be started');
    const database = await freshDatabase(url);
    const way = await wayTo(database.url);
    const [port, managementPort] = [await freePort(), await freePort()];
    const env = {
      DATABASE_URL: way.url,
      DATA_DIR: await aFolder(),
      PORT: String(port),
      MANAGEMENT_PORT: String(managementPort),
    };
    const serving = await serve(readConfig({ ...env, SHUTDOWN_SECONDS: '1' }), 'worker', quiet);
    const ask = async (page: string) => {
      const answer = await fetch(`http://127.0.0.1:${managementPort}${page}`, { headers: { connection: 'close' } });
      const { status } = (await answer.json()) as { status: string };
      return [answer.status, status];
    };
    const until = async (wanted: unknown) => {
      for (let looks = 0; looks < 200 && JSON.stringify(await ask('/readyz')) !== JSON.stringify(wanted); looks++)
        await sleep(50);
      expect(await ask('/readyz')).to.deep.equal(wanted);
    };
    try {
      expect(await ask('/readyz')).to.deep.equal([200, 'ok']);
      expect(await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null)).to.equal(null);
      way.cut();
      await until([503, 'down']);
      expect(await ask('/healthz')).to.deep.equal([200, 'ok']);
      way.goOn();
      await until([200, 'ok']);
    } finally {
      await serving.stop();
      way.close();
      await database.drop();
    }
    expect(await ask('/healthz').catch(() => null)).to.equal(null);
  });
});

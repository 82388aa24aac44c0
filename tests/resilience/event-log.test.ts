import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/adapters/postgres/connection/embedded.ts';
import { quiet } from '../support/log.ts';
import { aFolder, aServer, postmasterOf, type Server, shortLease } from '../support/server.ts';
import { until } from '../support/until.ts';
import { client } from './client.ts';
import { type Stage, setUp, sql } from './stage.ts';
import { randomOf } from './traffic.ts';

/** How many events, and how long a transaction is held open: 100,000 and 30 take about a quarter of an hour. */
const EVENTS = Number(process.env.TEST_EVENTS ?? 1_000);
const HOLD_SECONDS = Number(process.env.TEST_HOLD_SECONDS ?? 1);
const WRITERS = 50;
const READERS = 10;
const LEAST_KILLS = 2;
const PATIENCE_MS = 600_000;
const PAUSE_MS = 150;
const ALL_TYPES = 'run.*,document.*,unit.*';

interface Page {
  readonly events: readonly { readonly sequence: number }[];
  readonly next: string;
  readonly has_more: boolean;
}

describe('the log of events, while servers and PostgreSQL are killed', function () {
  this.timeout(3_600_000);
  const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31));
  const servers: Server[] = [];
  let folder: string;
  let postgres: EmbeddedPostgres;
  let stages: readonly Stage[];

  before(async () => {
    console.log(`    seed: TEST_SEED=${seed}`);
    folder = await aFolder();
    postgres = await startEmbeddedPostgres({
      dir: path.join(folder, 'postgres'),
      log: quiet,
      settings: { fsync: 'off' },
    });
    const env = {
      ...shortLease,
      DATABASE_URL: postgres.url,
      DEMO: 'false',
      LOG_LEVEL: 'error',
      RATE_LIMIT_TABLE_READS: '1000000',
    };
    for (let n = 0; n < 2; n++) servers.push(await aServer({ dataDir: path.join(folder, 'data'), env }));
    await Promise.all(servers.map((server) => server.start()));
    const [first] = servers as [Server];
    const stage = await setUp(first, postgres.url, 'offline');
    stages = servers.map(({ baseUrl }) => ({ ...stage, baseUrl }));
  });

  after(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const drawn = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T;

  /** A page from some server; null where there is no answer, or an outage is. */
  const page = async (query: string, random: () => number): Promise<Page | null> => {
    const { baseUrl, key } = drawn(stages, random);
    const address = `${baseUrl}/api/v1/events?types=${ALL_TYPES}&${query}`;
    const signal = AbortSignal.timeout(20_000);
    const answer = await fetch(address, { headers: { 'x-api-key': key }, signal }).catch(() => null);
    const text = await answer?.text().catch(() => null);
    if (!answer || typeof text !== 'string' || answer.status >= 500) return null;
    if (!answer.ok) throw new Error(`${address} was answered ${answer.status}: ${text}`);
    return (JSON.parse(text) as { data: Page }).data;
  };

  /** Goes from page to page by the cursor, each from a server that happens to be asked, until it is all there. */
  const reader = (random: () => number, begin: string, isLast: () => boolean) => {
    const seen: number[] = [];
    const done = async () => {
      for (let cursor = begin; ; ) {
        const last = isLast();
        const found = await page(`after=${cursor}&limit=${1 + Math.floor(random() * 1000)}&wait=1`, random);
        if (found === null) await sleep(PAUSE_MS);
        else {
          cursor = found.next;
          seen.push(...found.events.map(({ sequence }) => sequence));
          if (last && found.events.length === 0 && !found.has_more) return seen;
        }
      }
    };
    return { seen, done: done() };
  };

  /** Creates a run on one server and waits for its end on another, again and again; answers how many. */
  const writer = async (random: () => number, isOver: () => boolean): Promise<number> => {
    let runs = 0;
    for (; !isOver(); runs++) {
      const id = await client(drawn(stages, random)).createRun({ units: [`UNIT-${runs}`] });
      await client(drawn(stages, random)).ended(id);
    }
    return runs;
  };

  const position = async (random: () => number): Promise<string> =>
    (await page('after=now', random))?.next ?? position(random);

  /** Writers and readers at work while `disturb` does what it does; then everything that was written was read, once and in order. */
  const holds = async (
    first: number,
    disturb: (readers: readonly { readonly seen: readonly number[] }[]) => Promise<unknown>,
  ) => {
    const numbers = (n: number) => randomOf(seed + first + n);
    const begin = await position(numbers(0));
    const before = await sql<{ sequence: string }>(
      postgres.url,
      'select coalesce(max(sequence), 0) as sequence from events',
    );
    let [isOver, areWritten] = [false, false];
    const readers = Array.from({ length: READERS }, (_, n) => reader(numbers(1 + n), begin, () => areWritten));
    const writing = Array.from({ length: WRITERS }, (_, n) => writer(numbers(100 + n), () => isOver));
    const writers = Promise.all(writing).finally(() => {
      areWritten = true;
    });
    const began = performance.now();
    await Promise.race([disturb(readers), writers, ...readers.map(({ done }) => done)]).finally(() => {
      isOver = true;
    });
    const runs = (await writers).reduce((sum, one) => sum + one, 0);
    const seen = await Promise.all(readers.map(({ done }) => done));
    const stored = await sql<{ sequence: string }>(
      postgres.url,
      'select sequence from events where sequence > $1 order by sequence',
      [before[0]?.sequence],
    );
    const written = stored.map(({ sequence }) => Number(sequence));
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`      ${written.length} events of ${runs} runs, read ${READERS} times in ${seconds} s`);
    for (const each of seen) {
      expect(
        each.findIndex((sequence, index) => sequence !== written[index]),
        'where a reader leaves the order',
      ).to.equal(-1);
      expect(each.length, 'events that a reader saw').to.equal(written.length);
    }
    const [queued] = await sql<{ runs: number }>(
      postgres.url,
      'select count(*)::int as runs from events where sequence > $1 and type = $2',
      [before[0]?.sequence, 'run.queued'],
    );
    expect(queued?.runs, 'runs that the log knows').to.be.at.least(runs);
  };

  const restart = async (server: Server) => {
    await server.kill();
    await server.start();
  };

  const killPostgres = async () => {
    let pid: number | null = null;
    await until('PostgreSQL runs', async () => {
      pid = await postmasterOf(folder);
      return pid !== null;
    });
    process.kill(pid as unknown as number, 'SIGKILL');
    await until('another PostgreSQL runs', async () => {
      const next = await postmasterOf(folder);
      return next !== null && next !== pid;
    });
  };

  it(`shows ${EVENTS} events of ${WRITERS} writers to each of ${READERS} readers exactly once and in one order`, async () => {
    const random = randomOf(seed);
    await holds(1000, async (readers) => {
      for (let kills = 0; kills < LEAST_KILLS || (readers[0]?.seen.length ?? 0) < EVENTS; kills++) {
        const enough = (readers[0]?.seen.length ?? 0) + 50 + random() * (EVENTS / 10);
        await until('events are read again', () => (readers[0]?.seen.length ?? 0) >= enough, PATIENCE_MS);
        await sleep(random() * 500);
        await (kills % 2 === 0 ? killPostgres() : restart(drawn(servers, random)));
      }
    });
  });

  it(`shows them so while transactions are held open for ${HOLD_SECONDS} s, one that writes an event among them`, async () => {
    const random = randomOf(seed + 1);
    const transactions = [0, 1].map(() => new pg.Client({ connectionString: postgres.url }).on('error', () => {}));
    const [foreign, writing] = transactions as [pg.Client, pg.Client];
    await Promise.all(transactions.map((each) => each.connect()));
    try {
      await foreign.query('begin; create table held_open ()');
      await holds(2000, async (readers) => {
        const enough = (readers[0]?.seen.length ?? 0) + 200;
        await until('events are read beside the one that writes none', () => (readers[0]?.seen.length ?? 0) >= enough);
        await writing.query('begin');
        const { rows } = await writing.query<{ sequence: string }>(
          `insert into events (workspace_id, agent_id, run_id, type, data)
           select workspace_id, agent_id, run_id, type, data from events where type = 'run.queued' limit 1 returning sequence`,
        );
        const restarting = sleep(random() * 500).then(() => restart(drawn(servers, random)));
        await Promise.all([restarting, sleep(HOLD_SECONDS * 1000)]);
        for (const { seen } of readers) expect(seen.at(-1)).to.be.below(Number(rows[0]?.sequence));
        await writing.query('commit');
      });
    } finally {
      await Promise.all(transactions.map((each) => each.end()));
    }
  });
});

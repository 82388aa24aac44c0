import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { runData } from '../src/adapters/postgres/statements/event-data.ts';
import { freePort } from '../tests/support/listen.ts';
import { compare, printRows } from './compare.ts';
import { connected, memoryMib, type Program, start } from './processes.ts';
import { newKeys, type Seeded } from './seed.ts';
import { sized } from './size.ts';

const MINUTES = Number(process.env.BENCH_STREAM_MINUTES ?? sized(10, 0.05));
const STREAMS = sized(1000, 40);
const PER_KEY = 10;
const RUNS = sized(100, 10);
/** How many of the runs something happens to at a time, and how often. */
const BUSY_RUNS = 10;
const EVERY_MS = 500;
const SAMPLES = 10;
/** Garbage may wait in a heap of this size, so that memory is flat once it is reached. */
const HEAP_MIB = 256;

/** Runs that nothing works on: their streams stay open. */
const newRuns = async (client: pg.Client, { workspaceId, agentId, userId }: Seeded): Promise<readonly string[]> => {
  const { rows } = await client.query<{ id: string }>(
    `with run as (
       insert into runs (id, workspace_id, agent_id, agent_version, user_id, origin, workflow_type, status, process_together, user_message, files, trace_id, attempt, deadline_at)
       select gen_random_uuid(), $1, $2, 1, $3, 'api', 'assistant', 'queued', false, 'hello', '[]', md5(n::text), 0, now() + interval '1 day'
       from generate_series(1, ${RUNS}) n returning *
     ), logged as (
       insert into events (workspace_id, agent_id, run_id, type, data)
       select run.workspace_id, run.agent_id, run.id, 'run.' || run.status, ${runData('run')} from run
     )
     select id from run`,
    [workspaceId, agentId, userId],
  );
  return rows.map(({ id }) => id);
};

/** The event of each of these runs once more. */
const happen = `
with logged as (
  insert into events (workspace_id, agent_id, run_id, type, data)
  select distinct on (e.run_id) e.workspace_id, e.agent_id, e.run_id, e.type, e.data from events e
  where e.run_id = any ($1) order by e.run_id, e.sequence returning run_id, workspace_id
)
select pg_notify('portico_runs', run_id || ' queued ' || workspace_id) from logged`;

interface Streams {
  readonly received: () => number;
  close(): void;
}

const openStreams = async (
  { baseUrl }: Program,
  keys: readonly string[],
  runs: readonly string[],
): Promise<Streams> => {
  let received = 0;
  const open = (n: number) =>
    new Promise<() => void>((resolve, reject) => {
      const headers = { accept: 'text/event-stream', 'x-api-key': keys[n % keys.length] };
      const request = get(
        `${baseUrl}/api/v1/runs/${runs[n % runs.length]}/events`,
        { headers, agent: false },
        (answer) => {
          if (answer.statusCode !== 200) reject(new Error(`a stream was answered ${answer.statusCode}`));
          answer.setEncoding('utf8').on('data', (text: string) => {
            received += text.split('\nevent: ').length - 1;
          });
          answer.on('error', () => {});
          resolve(() => request.destroy());
        },
      ).on('error', reject);
    });
  const closes: (() => void)[] = [];
  for (let n = 0; n < STREAMS; n += PER_KEY)
    closes.push(...(await Promise.all(Array.from({ length: PER_KEY }, (_, more) => open(n + more)))));
  return {
    received: () => received,
    close() {
      for (const close of closes) close();
    },
  };
};

/** 1,000 streams of one process, while things happen: its memory, and how fast other requests are answered beside them. */
export const openStreamsBench = (url: string, seeded: Seeded, env: Record<string, string>) =>
  connected(url, async (client) => {
    const serve = async () => {
      const port = await freePort();
      const more = { PORT: String(port), NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` };
      return start('src/composition/main.ts', ['serve', '--role', 'api'], port, { ...env, ...more });
    };
    const server = await serve();
    const quiet = await serve();
    const headers = { 'x-api-key': seeded.apiKey };
    const keys = await newKeys(client, seeded.userId, STREAMS / PER_KEY);
    const runs = await newRuns(client, seeded);
    const streams = await openStreams(server, keys, runs);
    let events = 0;
    let over = false;
    const happening = (async () => {
      for (let n = 0; !over; n += BUSY_RUNS, await sleep(EVERY_MS)) {
        await client.query(happen, [Array.from({ length: BUSY_RUNS }, (_, more) => runs[(n + more) % RUNS])]);
        events += BUSY_RUNS;
      }
    })();
    const rows = await compare(
      server,
      quiet,
      { name: 'agents beside streams / without', path: '/api/v1/agents', goal: 0.5 },
      headers,
    );
    const memory = [await memoryMib(server.pid)];
    for (let sample = 0; sample < SAMPLES; sample++) {
      await sleep((MINUTES * 60_000) / SAMPLES);
      memory.push(await memoryMib(server.pid));
    }
    over = true;
    await happening;
    await sleep(1000);
    const received = streams.received();
    streams.close();
    await Promise.all([server.stop(), quiet.stop()]);
    const expected = (events + RUNS) * (STREAMS / RUNS);
    console.log(
      `${STREAMS} streams of one process over ${MINUTES} minutes: ${received} of ${expected} events received`,
    );
    console.log(`memory in MiB, at even distances: ${memory.join(', ')}\n`);
    printRows(rows);
  });

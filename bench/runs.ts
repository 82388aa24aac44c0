import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { connected, memoryMib, type Program } from './processes.ts';
import { sized } from './size.ts';

const create = async ({ baseUrl }: Program, agentId: string, headers: Record<string, string>): Promise<string> => {
  const answer = await fetch(`${baseUrl}/api/v1/agents/${agentId}/run`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ user_message: 'hello' }),
  });
  const { data } = (await answer.json()) as { data: { id: string } };
  return data.id;
};

const unfinished = `select count(*)::int as n from runs where status in ('queued', 'running')`;

const drained = async (client: pg.Client) => {
  for (;;) {
    const { rows } = await client.query<{ n: number }>(unfinished);
    if (rows[0]?.n === 0) return;
    await sleep(50);
  }
};

/** After the first 20 runs. */
const MEASURED = sized(200, 20);
const AT_ONCE = sized(500, 50);

/** From the stored run to the leased one, by the database's clock. */
export const startLatency = (server: Program, url: string, agentId: string, headers: Record<string, string>) =>
  connected(url, async (client) => {
    await drained(client);
    const ids: string[] = [];
    for (let n = 0; n < 20 + MEASURED; n += 1) {
      ids.push(await create(server, agentId, headers));
      await sleep(10);
    }
    await drained(client);
    const { rows } = await client.query<{ p50: number; p95: number }>(
      `select percentile_cont(0.5) within group (order by ms) as p50, percentile_cont(0.95) within group (order by ms) as p95
       from (select extract(epoch from started_at - created_at)::float8 * 1000 as ms from runs where id = any ($1)) waits`,
      [ids.slice(20)],
    );
    const { p50 = Number.NaN, p95 = Number.NaN } = rows[0] ?? {};
    console.log(
      `\ncreate → running: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (goal: p50 < 5 ms${p50 < 5 ? '' : ', missed'})`,
    );
  });

/** Many runs at once, three times over: the memory after each. */
export const runsDrain = (server: Program, url: string, agentId: string, headers: Record<string, string>) =>
  connected(url, async (client) => {
    const memory = [await memoryMib(server.pid)];
    for (let lap = 0; lap < 3; lap += 1) {
      const began = performance.now();
      await Promise.all(Array.from({ length: AT_ONCE }, () => create(server, agentId, headers)));
      await drained(client);
      const seconds = (performance.now() - began) / 1000;
      memory.push(await memoryMib(server.pid));
      console.log(
        `${AT_ONCE} runs at once: created and finished in ${seconds.toFixed(1)} s, ${Math.round(AT_ONCE / seconds)} a second`,
      );
    }
    console.log(`memory in MiB before and after each: ${memory.join(', ')}`);
  });

import { type ClientRequest, get } from 'node:http';
import autocannon from 'autocannon';
import { connected, memoryMib, type Program } from './processes.ts';
import { newKeys, type Seeded } from './seed.ts';
import { sized } from './size.ts';

const REQUESTS = sized(100_000, 500);
const KEYS = sized(100, 2);
/** As many as one credential may hold. */
const STREAMS_PER_KEY = 8;

const listen = (url: string, key: string) =>
  new Promise<ClientRequest>((resolve, reject) => {
    const asking = get(url, { agent: false, headers: { accept: 'text/event-stream', 'x-api-key': key } }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`a stream was answered ${answer.statusCode}`));
      answer.once('data', () => resolve(asking)).on('error', () => {});
    });
    asking.on('error', reject);
  });

/** What many requests leave in memory, and what an idle stream costs. */
export const toolEndpointMemory = async (program: Program, url: string, seeded: Seeded) => {
  const address = `${program.baseUrl}/api/v1/agents/${seeded.agentId}/mcp`;
  const memory = [await memoryMib(program.pid)];
  for (let lap = 0; lap < 2; lap += 1) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const headers = { 'x-api-key': seeded.apiKey, 'content-type': 'application/json' };
    await autocannon({ url: address, method: 'POST', body, headers, connections: 32, amount: REQUESTS });
    memory.push(await memoryMib(program.pid));
  }
  console.log(
    `\n${REQUESTS.toLocaleString('en')} requests to the tool endpoint, memory in MiB before and after each of two laps: ${memory.join(', ')}`,
  );

  // The streams of one credential are bounded.
  const keys = await connected(url, (client) => newKeys(client, seeded.userId, KEYS));
  const before = await memoryMib(program.pid);
  const streams: ClientRequest[] = [];
  for (const key of keys)
    streams.push(...(await Promise.all(Array.from({ length: STREAMS_PER_KEY }, () => listen(address, key)))));
  const after = await memoryMib(program.pid);
  for (const stream of streams) stream.destroy();
  if (before === null || after === null) return;
  const each = (((after - before) * 1024) / streams.length).toFixed(0);
  console.log(`${streams.length} idle streams: ${before} to ${after} MiB, ${each} KiB each (goal: ≤ 25)`);
};

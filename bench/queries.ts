import { freePort } from '../tests/support/listen.ts';
import { compare, type Load, printRows } from './compare.ts';
import { connected, start } from './processes.ts';
import type { Seeded } from './seed.ts';

const SQL = 'select 1 as one';

/** The smallest query there is, by both doors; each beside a program that has as many sessions. */
export const smallQueries = async (url: string, env: Record<string, string>, { agentId, apiKey }: Seeded) => {
  const tools = JSON.stringify([{ database: 'bench' }]);
  await connected(url, (client) =>
    client.query('update agents set tools = $1, updated_at = now() where id = $2', [tools, agentId]),
  );
  const port = await freePort();
  const barePort = await freePort();
  const unguardedPort = await freePort();
  const sdkPort = await freePort();
  const pools = { CONNECTION_POOL_SIZE: '10' };
  const portico = await start('src/composition/main.ts', ['serve', '--role', 'api'], port, {
    ...env,
    ...pools,
    PORT: String(port),
  });
  const bare = await start('bench/queries-bare.ts', [url, String(barePort)], barePort);
  const unguarded = await start('bench/queries-bare.ts', [url, String(unguardedPort), 'unguarded'], unguardedPort);
  const sdk = await start('bench/queries-sdk.ts', [url, String(sdkPort)], sdkPort);

  const query: Load = {
    name: '/query, beside bare Koa + pg, read-only',
    path: '/api/v1/query',
    method: 'POST',
    body: JSON.stringify({ database_id: 'bench', query: SQL }),
    goal: 0.5,
  };
  const called = { name: 'bench_query', arguments: { query: SQL } };
  const call: Load = {
    name: 'tools/call, beside bare Koa + pg, read-only',
    path: `/api/v1/agents/${agentId}/mcp`,
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: called }),
    goal: 0.75,
  };
  const plainQuery: Load = { ...query, name: '/query, beside the same that may write', goal: null };
  const plainCall: Load = { ...call, name: 'tools/call, beside the same that may write', goal: null };
  const besideSdk: Load = { ...call, name: "tools/call, beside the MCP SDK's example, read-only", goal: 2 };
  const headers = { 'x-api-key': apiKey, accept: 'application/json, text/event-stream' };

  console.log(`\n\`${SQL}\`, side by side, 10 sessions, in turn:\n`);
  printRows([
    ...(await compare(portico, bare, query, headers)),
    ...(await compare(portico, bare, call, headers)),
    ...(await compare(portico, unguarded, plainQuery, headers)),
    ...(await compare(portico, unguarded, plainCall, headers)),
    ...(await compare(portico, sdk, besideSdk, headers)),
  ]);
  await Promise.all([portico, bare, unguarded, sdk].map((program) => program.stop()));
};

import { freePort } from '../tests/support/listen.ts';
import { spreadRuns } from './bare-tables.ts';
import { compare, type Load, printRows } from './compare.ts';
import { start } from './processes.ts';
import type { Seeded } from './seed.ts';
import { tableMemory, tableRows } from './tables.ts';

/** What a request costs, beside a program that does nothing but its SQL. */
export const requests = async (url: string, seeded: Seeded, env: Record<string, string>) => {
  const { workspaceId, userId, agentId, runId, apiKey } = seeded;
  const headers = { 'x-api-key': apiKey };
  const apiPort = await freePort();
  const barePort = await freePort();
  const portico = await start('src/composition/main.ts', ['serve', '--role', 'api'], apiPort, {
    ...env,
    PORT: String(apiPort),
  });
  const bare = await start('bench/bare.ts', [url, String(barePort), workspaceId, userId, agentId], barePort);

  console.log('Side by side with bare Koa + pg (rows as objects, no contract), in turn:\n');
  const list = { name: 'runs (20 of 10,000 and the total), 20 agents', path: '/api/v1/runs', goal: 2 };
  const body = '{"user_message":"hello"}';
  const rows = [
    ...(await compare(portico, bare, { name: 'agents (20)', path: '/api/v1/agents', goal: 1 }, headers)),
    ...(await compare(portico, bare, { name: 'one run', path: `/api/v1/runs/${runId}`, goal: 1 }, headers)),
    ...(await compare(portico, bare, list, headers)),
  ];
  await spreadRuns(url, seeded, 2000);
  const create: Load = { name: 'create a run', path: `/api/v1/agents/${agentId}/run`, method: 'POST', body, goal: 1 };
  rows.push(
    ...(await compare(portico, bare, { ...list, name: 'the same, 2,000 agents' }, headers)),
    ...(await compare(portico, bare, create, headers)),
    ...(await tableRows(portico, bare, runId, headers)),
  );
  printRows(rows);
  await tableMemory(portico, headers);
  await Promise.all([portico.stop(), bare.stop()]);
};

import { freePort } from '../tests/support/listen.ts';
import { compare, type Load, printRows, type Row } from './compare.ts';
import { toolEndpointMemory } from './mcp-memory.ts';
import { connected, start } from './processes.ts';
import type { Seeded } from './seed.ts';

const version = '2026-07-28';
const _meta = { 'io.modelcontextprotocol/protocolVersion': version, 'io.modelcontextprotocol/clientCapabilities': {} };
const call = { name: 'bench_echo', arguments: { message: 'hello' } };

const message = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

interface Asked {
  readonly name: string;
  readonly body: string;
  readonly headers?: Record<string, string>;
  readonly goal: number;
}

const modernly = (method: string, params: { readonly name?: string }): Pick<Asked, 'body' | 'headers'> => ({
  body: message(method, { ...params, _meta }),
  headers: {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(params.name !== undefined && { 'mcp-name': params.name }),
  },
});

/**
 * The bare handler calls no tool: a call beside it shows all that the endpoint adds to one. `queries` has calls beside a program that does
 * the same work, and their goal.
 */
const asked: readonly Asked[] = [
  { name: 'tools/list', body: message('tools/list', {}), goal: 0.75 },
  { name: 'tools/list, newest revision', ...modernly('tools/list', {}), goal: 0.75 },
  { name: 'tools/call', body: message('tools/call', call), goal: 0.4 },
  { name: 'the same, newest revision', ...modernly('tools/call', call), goal: 0.4 },
];

/** What Portico answers, by the method of the message: so much text the bare handler has to send as well. */
const resultsOf = async (address: string, headers: Record<string, string>) => {
  const results: Record<string, object> = {};
  for (const { name, body } of asked.filter((one) => one.headers === undefined)) {
    const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
    const { result } = (await (await fetch(address, sent)).json()) as { readonly result: object };
    results[name] = result;
  }
  return results;
};

/** The tool endpoint without any work behind it, beside a handler that answers the same; both on one core. */
export const toolEndpoint = async (url: string, env: Record<string, string>, seeded: Seeded) => {
  const { agentId, apiKey } = seeded;
  const tools = JSON.stringify([{ mcp: { name: 'bench', url: 'https://bench.example/mcp' } }]);
  await connected(url, (client) =>
    client.query('update agents set tools = $1, updated_at = now() where id = $2', [tools, agentId]),
  );
  const port = await freePort();
  const barePort = await freePort();
  const portico = await start('bench/mcp-server.ts', [], port, { ...env, PORT: String(port) });
  const path = `/api/v1/agents/${agentId}/mcp`;
  const results = await resultsOf(portico.baseUrl + path, { 'x-api-key': apiKey });
  const bare = await start('bench/mcp-bare.ts', [String(barePort), JSON.stringify(results)], barePort);
  console.log('\nThe tool endpoint, side by side with bare Koa that answers a constant, in turn:\n');
  const rows: Row[] = [];
  for (const { name, body, headers, goal } of asked) {
    const load: Load = { name, path, method: 'POST', body, goal };
    rows.push(...(await compare(portico, bare, load, { 'x-api-key': apiKey, ...headers })));
  }
  printRows(rows);
  await toolEndpointMemory(portico, url, seeded);
  await Promise.all([portico.stop(), bare.stop()]);
};

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startServer } from '../../src/adapters/http/server.ts';
import { toolEndpoint } from '../../src/adapters/mcp/endpoint.ts';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import type { Log } from '../../src/application/ports/runtime.ts';
import type { RemoteTools } from '../../src/application/ports/tools.ts';
import { api } from '../../src/composition/api.ts';
import { readConfig } from '../../src/composition/config.ts';
import { type Composition, compose } from '../../src/composition/container.ts';
import { port, service } from '../../src/composition/tokens.ts';
import { embeddedPostgres } from '../support/backends.ts';
import { freePort } from '../support/listen.ts';
import { quiet } from '../support/log.ts';
import { freshDatabase } from '../support/postgres.ts';
import { remoteTools } from './remote-tools.ts';

/** Answers the tools of remote servers in this process. */
const usual = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada, role: admin }
  - { email: vic@example.com, name: Vic, role: viewer }
connections:
  - { name: ledger, type: postgresql, url: "\${LEDGER_URL}" }
databases:
  - { id: books, name: Books, connection: ledger, schemas: [public] }
agents:
  - name: Clerk
    description: Looks things up in the ledger.
    workflow_type: assistant
    model: offline
    instructions: Help.
    tools:
      - { database: books }
      - { mcp: { name: lab, url: "https://lab.example/mcp" } }
      - { mcp: { name: guarded, url: "https://lab.example/mcp" }, requires_approval: true }
      - { agent: Reader }
  - { name: Reader, description: Reads., workflow_type: assistant, model: offline, instructions: Read., visible_to: [ada@example.com] }
  - { name: Idle, workflow_type: assistant, model: offline, instructions: Idle. }
`;

export interface World {
  readonly baseUrl: string;
  readonly composition: Composition;
  /** The address of the tool endpoint of an agent, on this server or another one. */
  mcpUrl(agent?: string, baseUrl?: string): string;
  agentId(name: string): string;
  key(terms?: { readonly email?: string; readonly scopes?: readonly string[] }): Promise<string>;
  /** The same server as another process runs it, on the same database; its address. */
  second(): Promise<string>;
  /** Stops the first server and starts it anew at its address. */
  restart(): Promise<void>;
  /** Ends the idle streams, then the server, as a stop of the program does. */
  leave(graceMs: number): Promise<void>;
  query(sql: string, values?: readonly unknown[]): Promise<void>;
  stop(): Promise<void>;
}

export interface WorldOptions {
  /** A workspace file instead of the usual one, and what it takes from the environment besides `LEDGER_URL`. */
  readonly workspace?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly log?: Log;
  readonly remote?: RemoteTools;
  /** Of the tool endpoint, which no setting gives. */
  readonly timing?: Pick<Parameters<typeof toolEndpoint>[0], 'patienceMs' | 'streams'>;
}

export const openWorld = async ({
  workspace = usual,
  variables = {},
  env = {},
  log = quiet,
  remote = remoteTools(),
  timing,
}: WorldOptions = {}): Promise<World> => {
  const url = await embeddedPostgres.url();
  if (url === null) throw new Error('no PostgreSQL can be started');
  const database = await freshDatabase(url);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'portico-mcp-'));
  const firstPort = await freePort();
  const baseUrl = `http://127.0.0.1:${firstPort}`;
  const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir, BASE_URL: baseUrl, RATE_LIMIT_REQUESTS: '1000000', ...env };

  const start = async (at: number) => {
    const config = readConfig({ ...settings, PORT: String(at) });
    const composition = await compose(config, log);
    const { container } = composition;
    await container.unbind(port.remoteTools);
    container.bind(port.remoteTools).toConstantValue(remote);
    if (timing) {
      const { mcpGetStream: getStream } = config;
      const use = { agents: container.get(service.agents), tools: container.get(service.tools), schemas: container.get(port.schemas), log };
      await container.unbind(service.toolEndpoint);
      container.bind(service.toolEndpoint).toConstantValue(toolEndpoint({ ...use, version: 'test', getStream, ...timing }));
    }
    const server = await startServer(api(config, composition), config);
    const leave = async (graceMs: number) => {
      container.get(service.toolEndpoint).stop();
      await server.stop(graceMs);
    };
    return { composition, leave };
  };

  const spec = readWorkspaceFile(workspace, { LEDGER_URL: database.url, ...variables });
  let first = await start(firstPort);
  const others: Awaited<ReturnType<typeof start>>[] = [];
  await first.composition.database.pool.query('create table public.entries (id int primary key, total numeric)');
  const changes = await first.composition.container.get(service.workspaces).apply(spec, { dryRun: false, prune: false });
  const agentId = (wanted: string) => changes.find(({ kind, name }) => kind === 'agents' && name === wanted)?.id ?? '';
  const end = async ({ composition, leave }: Awaited<ReturnType<typeof start>>) => {
    await leave(0);
    await composition.close();
  };

  return {
    baseUrl,
    get composition() {
      return first.composition;
    },
    agentId,
    mcpUrl: (agent = 'Clerk', base = baseUrl) => `${base}/api/v1/agents/${agentId(agent)}/mcp`,
    key: async ({ email = 'ada@example.com', scopes } = {}) =>
      (await first.composition.container.get(service.keys).create({ email, name: 'test', lifetimeDays: null, scopes: scopes ?? null })).key,
    async second() {
      const at = await freePort();
      others.push(await start(at));
      return `http://127.0.0.1:${at}`;
    },
    async restart() {
      await end(first);
      first = await start(firstPort);
    },
    leave: (graceMs) => first.leave(graceMs),
    async query(sql, values = []) {
      await first.composition.database.pool.query(sql, [...values]);
    },
    async stop() {
      for (const each of [...others, first]) await end(each);
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

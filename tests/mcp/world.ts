import { toolEndpoint } from '../../src/adapters/mcp/endpoint.ts';
import type { Log } from '../../src/application/ports/runtime.ts';
import type { RemoteTools as ToolServers } from '../../src/application/ports/tools.ts';
import type { Config } from '../../src/composition/config.ts';
import type { ServingComposition } from '../../src/composition/container.ts';
import { ApprovedCalls, ToolEndpoint, ToolService } from '../../src/composition/modules/conversations.ts';
import { RemoteTools } from '../../src/composition/modules/outside.ts';
import { RunService } from '../../src/composition/modules/runs.ts';
import { SchemaValidator } from '../../src/composition/modules/system.ts';
import { AgentService } from '../../src/composition/modules/workspace.ts';
import { aPlace, serveHere } from '../support/here.ts';
import { freePort } from '../support/listen.ts';
import { quiet } from '../support/log.ts';
import { remoteTools } from './remote-tools.ts';

/** What every agent offers, whatever it declares. */
export const RUN_TOOLS: readonly string[] = ['get_run', 'start_run', 'upload_file'];

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
  readonly databaseUrl: string;
  readonly composition: ServingComposition;
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
  readonly remote?: ToolServers;
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
  const place = await aPlace();
  const firstPort = await freePort();
  const baseUrl = `http://127.0.0.1:${firstPort}`;
  const settings = { ...place.settings, BASE_URL: baseUrl, ...env };

  const prepare = async ({ container }: ServingComposition, { mcpGetStream: getStream }: Config) => {
    await container.unbind(RemoteTools);
    container.bind(RemoteTools).toConstantValue(remote);
    if (!timing) return;
    const use = {
      agents: container.get(AgentService),
      tools: container.get(ToolService),
      approvedCalls: container.get(ApprovedCalls),
      runs: container.get(RunService),
      schemas: container.get(SchemaValidator),
      log,
    };
    await container.unbind(ToolEndpoint);
    container.bind(ToolEndpoint).toConstantValue(toolEndpoint({ ...use, version: 'test', getStream, ...timing }));
  };
  const start = (at: number) => serveHere({ ...settings, PORT: String(at) }, { log, prepare });
  type Started = Awaited<ReturnType<typeof start>>;
  const leave = async ({ container, server }: Started, graceMs: number) => {
    container.get(ToolEndpoint).stop();
    await server.stop(graceMs);
  };
  const end = async (started: Started) => {
    await leave(started, 0);
    await started.composition.close();
  };

  let first = await start(firstPort);
  const others: Started[] = [];
  await first.composition.database.pool.query('create table public.entries (id int primary key, total numeric)');
  const idOf = await first.apply(workspace, { LEDGER_URL: settings.DATABASE_URL, ...variables });
  const agentId = (wanted: string) => idOf('agents', wanted);

  return {
    baseUrl,
    databaseUrl: settings.DATABASE_URL,
    get composition() {
      return first.composition;
    },
    agentId,
    mcpUrl: (agent = 'Clerk', base = baseUrl) => `${base}/api/v1/agents/${agentId(agent)}/mcp`,
    key: ({ email = 'ada@example.com', scopes } = {}) => first.key(email, scopes),
    async second() {
      const other = await start(await freePort());
      others.push(other);
      return other.url;
    },
    async restart() {
      await end(first);
      first = await start(firstPort);
    },
    leave: (graceMs) => leave(first, graceMs),
    async query(sql, values = []) {
      await first.composition.database.pool.query(sql, [...values]);
    },
    async stop() {
      for (const each of [...others, first]) await end(each);
      await place.remove();
    },
  };
};

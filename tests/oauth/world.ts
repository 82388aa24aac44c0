import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startServer } from '../../src/adapters/http/server.ts';
import { scryptPasswords } from '../../src/adapters/oauth/passwords.ts';
import { oneTimeTokens } from '../../src/adapters/oauth/secrets.ts';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import type { Log } from '../../src/application/ports/runtime.ts';
import { api } from '../../src/composition/api.ts';
import { type Config, readConfig } from '../../src/composition/config.ts';
import { type Composition, compose } from '../../src/composition/container.ts';
import { port, service } from '../../src/composition/tokens.ts';
import { embeddedPostgres } from '../support/backends.ts';
import { freePort } from '../support/listen.ts';
import { quiet } from '../support/log.ts';
import { freshDatabase } from '../support/postgres.ts';

const workspace = `
workspace: acme
users:
  - { email: ada@example.com, name: Ada Lovelace, role: admin }
  - { email: bob@example.com, name: Bob, role: member }
  - { email: new@example.com, name: Newcomer, role: member }
agents:
  - { name: Invoice reader, description: Reads supplier invoices., workflow_type: assistant, model: offline, instructions: Read. }
  - { name: Order reader, description: Reads orders., workflow_type: assistant, model: offline, instructions: Read., visible_to: [ada@example.com] }
  - { name: Bob's own, description: For Bob., workflow_type: assistant, model: offline, instructions: Read., visible_to: [bob@example.com] }
`;

export const PASSWORD = 'copper lantern under the bridge';

/** The composed server on a real PostgreSQL, with people who can sign in. */
export interface World {
  /** Also the issuer. */
  readonly baseUrl: string;
  readonly composition: Composition;
  readonly config: Config;
  agent(name: string): string;
  /** A new key of this user, for everything they may do. */
  key(email: string): Promise<string>;
  userId(email: string): Promise<string>;
  mcpUrl(agentId: string): string;
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** The same server as another process runs it, on the same database; its address. */
  second(): Promise<string>;
  stop(): Promise<void>;
}

export interface WorldOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** More entries of the workspace's agents. */
  readonly agents?: string;
  /** The hosts of client documents, and the certificate to trust there. */
  readonly documents?: Parameters<typeof safeOutbound>[0];
  readonly log?: Log;
}

/** As the server's own, and cheaper. */
const passwords = scryptPasswords({ ln: 10, r: 8, p: 1 });

const setPassword = async ({ container }: Composition, email: string) => {
  const accounts = container.get(port.accounts);
  const account = await accounts.findByEmail(email);
  const { hash } = oneTimeTokens.generate();
  await accounts.invite({ userId: account?.user.id ?? '', hash, expiresAt: new Date(Date.now() + 60_000) });
  await accounts.accept(hash, await passwords.hash(PASSWORD));
};

const started = async (config: Config, { documents, log = quiet }: WorldOptions) => {
  const composition = await compose(config, log);
  const { container } = composition;
  await container.unbind(port.passwords);
  container.bind(port.passwords).toConstantValue(passwords);
  if (documents) {
    await container.unbind(port.outbound);
    container.bind(port.outbound).toConstantValue(safeOutbound(documents));
  }
  return composition;
};

export const openWorld = async (options: WorldOptions = {}): Promise<World> => {
  const url = await embeddedPostgres.url();
  if (url === null) throw new Error('no PostgreSQL can be started');
  const database = await freshDatabase(url);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'portico-oauth-'));
  const firstPort = await freePort();
  const baseUrl = `http://127.0.0.1:${firstPort}`;
  const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir, BASE_URL: baseUrl, RATE_LIMIT_REQUESTS: '1000000', ...options.env };
  const config = readConfig({ ...settings, PORT: String(firstPort) });
  const composition = await started(config, options);
  const server = await startServer(api(config, composition), config);
  const closing = [() => composition.close(), () => server.stop(0)];

  const spec = readWorkspaceFile(workspace + (options.agents ?? ''), {});
  const changes = await composition.container.get(service.workspaces).apply(spec, { dryRun: false, prune: false });
  for (const email of ['ada@example.com', 'bob@example.com']) await setPassword(composition, email);

  return {
    baseUrl,
    composition,
    config,
    agent: (wanted) => changes.find(({ kind, name }) => kind === 'agents' && name === wanted)?.id ?? '',
    key: async (email) => {
      const asked = { email, name: 'test', lifetimeDays: null, scopes: null };
      return (await composition.container.get(service.keys).create(asked)).key;
    },
    userId: async (email) => (await composition.container.get(port.accounts).findByEmail(email))?.user.id ?? '',
    mcpUrl: (agentId) => `${baseUrl}/api/v1/agents/${agentId}/mcp`,
    query: async (sql, values = []) => (await composition.database.pool.query(sql, [...values])).rows,
    async second() {
      const other = readConfig({ ...settings, PORT: String(await freePort()) });
      const again = await started(other, options);
      const listening = await startServer(api(other, again), other);
      closing.push(
        () => again.close(),
        () => listening.stop(0),
      );
      return `http://127.0.0.1:${listening.port}`;
    },
    async stop() {
      for (const end of closing.splice(0).reverse()) await end();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

import { scryptPasswords } from '../../src/adapters/oauth/passwords.ts';
import { oneTimeTokens } from '../../src/adapters/oauth/secrets.ts';
import { safeOutbound } from '../../src/adapters/outbound/outbound.ts';
import type { Log } from '../../src/application/ports/runtime.ts';
import type { Config } from '../../src/composition/config.ts';
import type { ServingComposition } from '../../src/composition/container.ts';
import { Outbound } from '../../src/composition/modules/outside.ts';
import { AccountRepository } from '../../src/composition/modules/postgres.ts';
import { Passwords } from '../../src/composition/modules/system.ts';
import { operator } from '../../src/domain/audit.ts';
import { aPlace, serveHere } from '../support/here.ts';
import { freePort } from '../support/listen.ts';
import { quiet } from '../support/log.ts';

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
  readonly composition: ServingComposition;
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
  /** Where it listens; any other port without it. */
  readonly port?: number;
}

/** As the server's own, and cheaper. */
const passwords = scryptPasswords({ ln: 10, r: 8, p: 1 });

const setPassword = async ({ container }: ServingComposition, email: string) => {
  const accounts = container.get(AccountRepository);
  const account = await accounts.findByEmail(email);
  const { hash } = oneTimeTokens.generate();
  await accounts.invite(
    { userId: account?.user.id ?? '', hash, expiresAt: new Date(Date.now() + 60_000), by: null },
    operator,
  );
  await accounts.accept(hash, await passwords.hash(PASSWORD), '192.0.2.1');
};

export const openWorld = async ({
  env = {},
  agents = '',
  documents,
  log = quiet,
  port,
}: WorldOptions = {}): Promise<World> => {
  const place = await aPlace();
  const firstPort = port ?? (await freePort());
  const baseUrl = `http://127.0.0.1:${firstPort}`;
  const settings = { ...place.settings, BASE_URL: baseUrl, ...env };

  const prepare = async ({ container }: ServingComposition) => {
    await container.unbind(Passwords);
    container.bind(Passwords).toConstantValue(passwords);
    if (!documents) return;
    await container.unbind(Outbound);
    container.bind(Outbound).toConstantValue(safeOutbound(documents));
  };
  const start = (at: number) => serveHere({ ...settings, PORT: String(at) }, { log, prepare });
  const first = await start(firstPort);
  const { composition, config, key } = first;
  const started = [first];

  const idOf = await first.apply(workspace + agents);
  for (const email of ['ada@example.com', 'bob@example.com']) await setPassword(composition, email);

  return {
    baseUrl,
    composition,
    config,
    agent: (wanted) => idOf('agents', wanted),
    key: (email) => key(email),
    userId: async (email) => (await composition.container.get(AccountRepository).findByEmail(email))?.user.id ?? '',
    mcpUrl: (agentId) => `${baseUrl}/api/v1/agents/${agentId}/mcp`,
    query: async (sql, values = []) => (await composition.database.pool.query(sql, [...values])).rows,
    async second() {
      const other = await start(await freePort());
      started.push(other);
      return other.url;
    },
    async stop() {
      for (const each of started.splice(0).reverse()) await each.stop();
      await place.remove();
    },
  };
};

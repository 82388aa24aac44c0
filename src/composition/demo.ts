import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { admitLogin, createLedger } from '../adapters/demo/ledger.ts';
import { type Demo, KEY_DAYS } from '../adapters/demo/welcome.ts';
import { signInLinks } from '../adapters/oauth/sign-in-links.ts';
import { databaseIdentity, ensureDatabase, exclusively } from '../adapters/postgres/server.ts';
import { Config } from './config.ts';
import type { Composition } from './container.ts';
import { KeyService } from './modules/access.ts';
import { ConnectionRepository, OAuthStore, UserRepository, WorkspaceRepository } from './modules/postgres.ts';
import { Clock, OAuthSecrets, Sealer } from './modules/system.ts';
import { WorkspaceService } from './modules/workspace.ts';

const DEMO_USER = 'demo@portico.local';
const DEMO_WORKSPACE = 'demo';
const LEDGER_DATABASE = 'portico_ledger';
const file = path.resolve(import.meta.dirname, '../../demo/workspace.yaml');

/** The ledger's address with the login of Portico itself, which owns it. */
const ledgerUrl = ({ databaseUrl }: Pick<Composition, 'databaseUrl'>): string => {
  const url = new URL(databaseUrl);
  url.pathname = `/${LEDGER_DATABASE}`;
  return url.href;
};

/** Does work in the ledger with the login of Portico itself. */
export const withLedger = async <T>(composition: Composition, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: ledgerUrl(composition) });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** The login by which this Portico writes to the ledger, named by its database, as several may share a server; null if Portico may create none. */
const loginOf = async ({ database }: Composition): Promise<string | null> => {
  const found = await databaseIdentity(database);
  return found?.mayCreateRoles ? `${LEDGER_DATABASE}_${found.oid}` : null;
};

/** Makes the ledger if there is none, and answers the address for the workspace. */
const prepareLedger = async (composition: Composition): Promise<string> => {
  const login = await loginOf(composition);
  const address = new URL(ledgerUrl(composition));
  await ensureDatabase(composition.database, LEDGER_DATABASE);
  await withLedger(composition, async (client) => {
    await createLedger(client);
    if (login === null) return;
    const { user, password } = await admitLogin(client, login);
    [address.username, address.password] = [user, password];
  });
  return address.href;
};

const applyDemo = async (composition: Composition) => {
  const { readWorkspaceFile } = await import('../adapters/workspace-file/read.ts');
  const spec = readWorkspaceFile(await readFile(file, 'utf8'), { DEMO_LEDGER_URL: await prepareLedger(composition) });
  const changes = await composition.container.get(WorkspaceService).apply(spec, { dryRun: false, prune: false });
  return changes.find(({ kind, name }) => kind === 'agents' && name === 'Invoice reader')?.id ?? null;
};

export const createDemoKey = async ({ container }: Composition, name: string, lifetimeDays: number | null) =>
  (await container.get(KeyService).create({ email: DEMO_USER, name, lifetimeDays, scopes: null })).key;

/** For the terminal alone: it signs in the user of the demo, without a password. */
const createSignInLink = async ({ container }: Composition) => {
  const { authUrl: issuer } = container.get(Config);
  const links = signInLinks({
    issuer,
    store: container.get(OAuthStore),
    sealer: container.get(OAuthSecrets).sealer,
    clock: container.get(Clock),
  });
  const user = await container.get(UserRepository).findByEmail(DEMO_USER);
  return links.create(user?.id ?? '');
};

/** Whether the workspace has the ledger's address: it changes when the embedded server has to move to another port. */
const isCurrent = async (composition: Composition) => {
  const { container } = composition;
  const connections = await container.get(ConnectionRepository).all();
  const connection = connections.find(({ workspace, name }) => workspace === DEMO_WORKSPACE && name === 'ledger');
  if (!connection) return true;
  const [used, right] = [new URL(container.get(Sealer).open(connection.sealedUrl)), new URL(ledgerUrl(composition))];
  const user = (await loginOf(composition)) ?? right.username;
  return used.host === right.host && used.pathname === right.pathname && used.username === user;
};

/** Makes the demo workspace what its file says, whatever it was before. */
export const renewDemo = (composition: Composition) => exclusively(composition.database, () => applyDemo(composition));

/** Makes the demo workspace and its ledger on a server that has no workspace yet, and keeps the ledger's address right afterwards. */
export const prepareDemo = (composition: Composition): Promise<Demo> =>
  exclusively(composition.database, async () => {
    if (await composition.container.get(WorkspaceRepository).any()) {
      if (!(await isCurrent(composition))) await applyDemo(composition);
      const user = await composition.container.get(UserRepository).findByEmail(DEMO_USER);
      return { user: user?.email ?? null, made: null };
    }
    const invoiceReaderId = await applyDemo(composition);
    const [apiKey, signInLink] = [
      await createDemoKey(composition, 'demo', KEY_DAYS),
      await createSignInLink(composition),
    ];
    return { user: DEMO_USER, made: { apiKey, signInLink, invoiceReaderId } };
  });

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { admitLogin, createLedger } from '../adapters/demo/ledger.ts';
import { databaseIdentity, ensureDatabase, exclusively } from '../adapters/postgres/server.ts';
import { readWorkspaceFile } from '../adapters/workspace-file/read.ts';
import type { Composition } from './container.ts';
import { port, service } from './tokens.ts';

const DEMO_USER = 'demo@portico.local';
const DEMO_WORKSPACE = 'demo';
const LEDGER_DATABASE = 'portico_ledger';
const file = path.resolve(import.meta.dirname, '../../demo/workspace.yaml');

export interface Demo {
  /** Whether this start made the workspace. */
  readonly first: boolean;
  /** The key that was made with it. */
  readonly apiKey: string | null;
  readonly invoiceReaderId: string | null;
  /** The email of the demo's user; null where there is another workspace instead. */
  readonly user: string | null;
}

/** The ledger's address as Portico's own login reaches it, which made it. */
export const ledgerUrl = ({ databaseUrl }: Pick<Composition, 'databaseUrl'>): string => {
  const url = new URL(databaseUrl);
  url.pathname = `/${LEDGER_DATABASE}`;
  return url.href;
};

/** Who keeps the ledger for this Portico; null where its own login may make no other. Several may share a server, each with a database of its own. */
const keeperOf = async ({ database }: Composition): Promise<string | null> => {
  const found = await databaseIdentity(database);
  return found?.mayCreateRoles ? `${LEDGER_DATABASE}_${found.oid}` : null;
};

/** Makes the ledger where there is none, and answers the address under which the workspace uses it. */
const prepareLedger = async (composition: Composition): Promise<string> => {
  const keeper = await keeperOf(composition);
  const address = new URL(ledgerUrl(composition));
  await ensureDatabase(composition.database, LEDGER_DATABASE);
  const client = new pg.Client({ connectionString: ledgerUrl(composition) });
  client.on('error', () => {});
  await client.connect();
  try {
    await createLedger(client);
    if (keeper !== null) {
      const { user, password } = await admitLogin(client, keeper);
      [address.username, address.password] = [user, password];
    }
    return address.href;
  } finally {
    await client.end();
  }
};

const applyDemo = async (composition: Composition) => {
  const spec = readWorkspaceFile(await readFile(file, 'utf8'), { DEMO_LEDGER_URL: await prepareLedger(composition) });
  const changes = await composition.container.get(service.workspaces).apply(spec, { dryRun: false, prune: false });
  return changes.find(({ kind, name }) => kind === 'agents' && name === 'Invoice reader')?.id ?? null;
};

export const createDemoKey = async ({ container }: Composition, name: string, lifetimeDays: number | null) =>
  (await container.get(service.keys).create({ email: DEMO_USER, name, lifetimeDays, scopes: null })).key;

/** The ledger's address changes when the embedded server had to move to another port. */
const isCurrent = async (composition: Composition) => {
  const { container } = composition;
  const state = await container.get(port.workspaces).findByName(DEMO_WORKSPACE);
  const connection = state?.connections.find(({ name }) => name === 'ledger');
  if (!connection) return true;
  const [used, right] = [new URL(container.get(port.sealer).open(connection.sealedUrl)), new URL(ledgerUrl(composition))];
  const user = (await keeperOf(composition)) ?? right.username;
  return used.host === right.host && used.pathname === right.pathname && used.username === user;
};

/** Makes the demo workspace and its ledger on a server that has no workspace yet, and keeps the ledger's address right afterwards. */
export const prepareDemo = (composition: Composition): Promise<Demo> =>
  exclusively(composition.database, async () => {
    if (await composition.container.get(port.workspaces).any()) {
      if (!(await isCurrent(composition))) await applyDemo(composition);
      const user = await composition.container.get(port.users).findByEmail(DEMO_USER);
      return { first: false, apiKey: null, invoiceReaderId: null, user: user?.email ?? null };
    }
    const invoiceReaderId = await applyDemo(composition);
    return { first: true, apiKey: await createDemoKey(composition, 'demo', null), invoiceReaderId, user: DEMO_USER };
  });

import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import type { KeyService } from '../../application/access/keys.ts';
import type { UserRepository } from '../../application/ports/people.ts';
import type { Sealer } from '../../application/ports/secrets.ts';
import type { ConnectionRepository, WorkspaceRepository } from '../../application/ports/storage.ts';
import type { WorkspaceService } from '../../application/workspace/workspace.ts';
import type { WorkspaceSpec } from '../../domain/workspace-spec.ts';
import { admitLogin, createLedger } from './ledger.ts';
import { type Demo, KEY_DAYS } from './welcome.ts';

const USER = 'demo@portico.local';
const WORKSPACE = 'demo';
const LEDGER_DATABASE = 'portico_ledger';
const file = path.resolve(import.meta.dirname, '../../../demo/workspace.yaml');

/** The server that has the demo. */
interface DemoHost {
  /** A folder of this server that is watched; null if several servers, without a disk in common, may have the demo. */
  readonly inbox: string | null;
  /** With the login of Portico itself. */
  readonly databaseUrl: string;
  readonly database: {
    exclusively<T>(work: () => Promise<T>): Promise<T>;
    ensure(name: string): Promise<void>;
    identity(): Promise<{ readonly oid: number; readonly mayCreateRoles: boolean } | null>;
  };
  readonly workspaces: Pick<WorkspaceService, 'apply'> & Pick<WorkspaceRepository, 'any'>;
  readonly connections: Pick<ConnectionRepository, 'all'>;
  readonly users: Pick<UserRepository, 'findByEmail'>;
  readonly keys: Pick<KeyService, 'create'>;
  readonly sealer: Pick<Sealer, 'open'>;
  readWorkspace(text: string, variables: Readonly<Record<string, string>>): Promise<WorkspaceSpec>;
  /** A link that signs the user in without a password, for the terminal alone. */
  createSignInLink(userId: string): Promise<string>;
}

/** The demo workspace of a server, and its ledger: a database beside Portico's own. */
export class DemoWorkspace {
  readonly #host: DemoHost;

  constructor(host: DemoHost) {
    this.#host = host;
  }

  /** Makes the demo where there is no workspace yet, and keeps the ledger's address right afterwards. */
  prepare(): Promise<Demo> {
    const { database, users, workspaces } = this.#host;
    return database.exclusively(async () => {
      if (await workspaces.any()) {
        if (!(await this.#isCurrent())) await this.#apply();
        const user = await users.findByEmail(USER);
        return { user: user?.email ?? null, made: null };
      }
      const invoiceReaderId = await this.#apply();
      const apiKey = await this.createKey('demo', KEY_DAYS);
      const user = await users.findByEmail(USER);
      const signInLink = await this.#host.createSignInLink(user?.id ?? '');
      return { user: USER, made: { apiKey, signInLink, invoiceReaderId, inbox: this.#host.inbox } };
    });
  }

  /** Makes the demo workspace what its file says, whatever it was before. */
  renew(): Promise<unknown> {
    return this.#host.database.exclusively(() => this.#apply(true));
  }

  async createKey(name: string, lifetimeDays: number): Promise<string> {
    return (await this.#host.keys.create({ email: USER, name, lifetimeDays, scopes: null })).key;
  }

  /** Does work in the ledger with the login of Portico itself. */
  async withLedger<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.#ledgerUrl().href });
    client.on('error', () => {});
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  #ledgerUrl(): URL {
    const url = new URL(this.#host.databaseUrl);
    url.pathname = `/${LEDGER_DATABASE}`;
    return url;
  }

  /** The login by which this Portico writes to the ledger, named by its database, as several may share a server; null if Portico may create none. */
  async #loginName(): Promise<string | null> {
    const identity = await this.#host.database.identity();
    return identity?.mayCreateRoles ? `${LEDGER_DATABASE}_${identity.oid}` : null;
  }

  /** Makes the ledger if there is none, and answers the address for the workspace. */
  async #prepareLedger(): Promise<string> {
    const login = await this.#loginName();
    const address = this.#ledgerUrl();
    await this.#host.database.ensure(LEDGER_DATABASE);
    await this.withLedger(async (client) => {
      await createLedger(client);
      if (login === null) return;
      const { user, password } = await admitLogin(client, login);
      address.username = user;
      address.password = password;
    });
    return address.href;
  }

  /** Answers the id of the invoice reader, if this made or changed it. */
  async #apply(reseal = false): Promise<string | null> {
    const ledgerUrl = await this.#prepareLedger();
    const { inbox } = this.#host;
    if (inbox !== null) await mkdir(inbox, { recursive: true });
    const variables = { DEMO_LEDGER_URL: ledgerUrl, DEMO_INBOX: inbox ?? '/' };
    const read = await this.#host.readWorkspace(await readFile(file, 'utf8'), variables);
    const spec = inbox === null ? { ...read, sources: [] } : read;
    const changes = await this.#host.workspaces.apply(spec, { dryRun: false, prune: false, reseal });
    return changes.find(({ kind, name }) => kind === 'agents' && name === 'Invoice reader')?.id ?? null;
  }

  /** null: it was sealed with another key. */
  #opened(sealedUrl: string): URL | null {
    try {
      return new URL(this.#host.sealer.open(sealedUrl));
    } catch {
      return null;
    }
  }

  /** Whether the workspace has the ledger's address: it changes when the embedded server has to move to another port. */
  async #isCurrent(): Promise<boolean> {
    const connections = await this.#host.connections.all();
    const connection = connections.find(({ workspace, name }) => workspace === WORKSPACE && name === 'ledger');
    if (!connection) return true;
    const used = this.#opened(connection.sealedUrl);
    // The key that sealed it is not here: the address stays as it is until that key is back, or `renew` seals it with the new one.
    if (used === null) return true;
    const right = this.#ledgerUrl();
    const user = (await this.#loginName()) ?? right.username;
    return used.host === right.host && used.pathname === right.pathname && used.username === user;
  }
}

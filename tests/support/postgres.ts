import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/adapters/postgres/connection/database.ts';
import { migrate } from '../../src/adapters/postgres/connection/migrator.ts';
import { type Backend, containerPostgres, embeddedPostgres } from './backends.ts';
import { quiet } from './log.ts';

const at = (url: string, database: string) => {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
};

const sessions = new Map<string, pg.Pool>();

/** In a session that stays open, because the next file needs one too. */
const onServer = async (url: string, sql: string) => {
  const open = () => {
    const pool = new pg.Pool({ connectionString: url, max: 2, idleTimeoutMillis: 60_000, allowExitOnIdle: true });
    // A server that was only there for one file ends the sessions that it had.
    return pool.on('error', () => sessions.delete(url));
  };
  const pool = sessions.get(url) ?? open();
  sessions.set(url, pool);
  await pool.query(sql);
};

const sharedTemplates: Readonly<Record<string, string>> = JSON.parse(process.env.TEST_SHARED_TEMPLATES ?? '{}');
const templates = new Map(Object.entries(sharedTemplates).map(([url, name]) => [url, Promise.resolve(name)]));

/** A migrated database without connections, made once on each server. */
const templateOn = (url: string): Promise<string> => {
  const make = async () => {
    const name = `portico_template_${randomBytes(4).toString('hex')}`;
    await onServer(url, `create database ${name}`);
    const database = await openDatabase({ url: at(url, name), poolSize: 2, log: quiet });
    await migrate(database);
    await database.close();
    return name;
  };
  const template = templates.get(url) ?? make();
  templates.set(url, template);
  return template;
};

/** Makes the template on every server, for the processes that this one starts. */
export const shareTemplates = async () => {
  const urls = await Promise.all([embeddedPostgres, containerPostgres].map(({ url }) => url()));
  const made = urls.filter((url) => url !== null).map(async (url) => [url, await templateOn(url)] as const);
  process.env.TEST_SHARED_TEMPLATES = JSON.stringify(Object.fromEntries(await Promise.all(made)));
};

/** An empty database, for tests of what comes before a schema. */
export const emptyDatabase = async (url: string) => {
  const name = `t_${randomBytes(6).toString('hex')}`;
  await onServer(url, `create database ${name}`);
  return { url: at(url, name), drop: () => onServer(url, `drop database ${name} with (force)`) };
};

/** A migrated database of its own. */
export const freshDatabase = async (url: string) => {
  const name = `t_${randomBytes(6).toString('hex')}`;
  // Files are copied faster than their pages are written to the log, which nobody reads here.
  await onServer(url, `create database ${name} template ${await templateOn(url)} strategy file_copy`);
  return { url: at(url, name), drop: () => onServer(url, `drop database ${name} with (force)`) };
};

export type OwnDatabase = Awaited<ReturnType<typeof freshDatabase>>;

/** A migrated database of its own on the embedded server that the tests share. */
export const embeddedDatabase = async (): Promise<OwnDatabase> => {
  const url = await embeddedPostgres.url();
  if (url === null) throw new Error('no PostgreSQL can be started');
  return freshDatabase(url);
};

export interface TestPostgres {
  readonly database: Database;
  readonly url: string;
}

/** Gives the enclosing suite a migrated database of its own; its tests are pending where the backend cannot run. */
export const usePostgres = (backend: Backend = embeddedPostgres): TestPostgres => {
  let open: { url: string; database: Database; drop(): Promise<void> } | undefined;
  const current = () => {
    if (!open) throw new Error('The database is there in tests and hooks only.');
    return open;
  };
  before(async function () {
    const server = await backend.url();
    if (server === null) return this.skip();
    const fresh = await freshDatabase(server);
    open = { ...fresh, database: await openDatabase({ url: fresh.url, poolSize: 10, log: quiet }) };
  });
  after(async () => {
    await open?.database.close();
    await open?.drop();
  });
  return {
    get database() {
      return current().database;
    },
    get url() {
      return current().url;
    },
  };
};

/** Runs a suite on every PostgreSQL that this machine can run. */
export const onEveryPostgres = (suite: (postgres: TestPostgres) => void) => {
  for (const backend of [embeddedPostgres, containerPostgres]) {
    describe(`on ${backend.name}`, () => suite(usePostgres(backend)));
  }
};

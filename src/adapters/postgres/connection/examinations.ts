import type { Check, Examination } from '../../../application/ports/doctor.ts';
import type { Database } from './database.ts';
import { hearsThrough } from './listener.ts';
import { pending } from './migrator.ts';
import { cleaningUp } from './old-snapshots.ts';
import { examineServer, ping, versionOf } from './server.ts';

const server = async (database: Database, isEmbedded: boolean): Promise<string> => {
  const { version, tls } = await examineServer(database);
  const through = database.way.isPooled ? ', through a pooler' : '';
  await ping(database);
  const since = performance.now();
  await ping(database);
  const took = Math.round((performance.now() - since) * 10) / 10;
  const encryption = tls === null ? 'not encrypted' : `encrypted with ${tls}`;
  const line = isEmbedded ? 'embedded' : encryption;
  return `PostgreSQL ${versionOf(version)}, ${line}${through}, answers in ${took} ms`;
};

/** What does not work as it does without a pooler such as PgBouncer, and what helps. */
const pooler = async (database: Database): Promise<string | readonly Check[]> => {
  if (!database.way.isPooled) return [];
  const { hasTimeLimit } = await examineServer(database);
  const hears = await hearsThrough(database);
  const lacks = [
    !database.way.keepsStatements &&
      'it keeps no prepared statements, so each is planned anew: PgBouncer 1.21 and later keeps them in transaction mode',
    !hasTimeLimit && 'statements have no time limit on the server: set one for the role, as docs/pgbouncer.md says',
    !hears &&
      'notifications do not arrive, so changes are noticed by polling and nothing is cached: set DATABASE_LISTEN_URL to the server itself, or pool_mode = session, which passes them on',
  ].filter((detail) => detail !== false);
  if (lacks.length === 0) return 'statements stay prepared, notifications arrive';
  return lacks.map((detail): Check => ({ name: 'pooler', status: 'warn', detail }));
};

/** Whether an address for notifications alone is one of this database. */
const notifications = async (database: Database): Promise<string | readonly Check[]> => {
  if (database.listening === database.connection || database.way.isPooled) return [];
  if (await hearsThrough(database)) return 'arrive by DATABASE_LISTEN_URL';
  const detail =
    'do not arrive by DATABASE_LISTEN_URL, so changes are noticed by polling and nothing is cached: it must lead to the database of DATABASE_URL, and not through a pooler in transaction mode';
  return [{ name: 'notifications', status: 'warn', detail }];
};

const migrations = async (database: Database): Promise<string> => {
  const missing = await pending(database);
  if (missing.length > 0) throw new Error(`not applied: ${missing.join(', ')}`);
  return 'up to date';
};

/** What the operator learns of the database. */
export const databaseExaminations = (database: Database, isEmbedded: boolean): readonly Examination[] => [
  { name: 'database', examine: () => server(database, isEmbedded) },
  // A database that cannot be reached was named already.
  { name: 'pooler', examine: () => pooler(database).catch(() => []) },
  { name: 'notifications', examine: () => notifications(database) },
  { name: 'migrations', examine: () => migrations(database) },
  { name: 'cleaning up', examine: () => cleaningUp(database).catch(() => []) },
];

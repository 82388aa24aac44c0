import pg from 'pg';
import { codeOf } from '../../../domain/errors.ts';
import type { Database } from './database.ts';

const OLDEST = 150_000;

const byCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'there is no host of that name',
  ETIMEDOUT: 'no answer in time',
  '28P01': 'it refuses the user name or the password',
  '3D000': 'it has no database of that name',
  '42501': 'it does not let this user make what Portico needs: make the user the owner of the database',
  '53300': 'it takes no more connections',
  '57P03': 'it is starting or stopping',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by no trusted CA: name the CA in DATABASE_SSL_CA',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by a CA that is not trusted: name that in DATABASE_SSL_CA',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate is signed by a CA that is not trusted: name that in DATABASE_SSL_CA',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is signed by a CA that is not trusted: name that in DATABASE_SSL_CA',
};

/** The driver's own errors have no codes. */
const byMessage: readonly (readonly [RegExp, string])[] = [
  // Those of PgBouncer, which has one code for nearly all of its errors.
  [/(?:SASL|password) authentication failed|^no such user/, 'it refuses the user name or the password'],
  [/^no such database|^database ".*" is disabled/, 'its pooler has no database of that name'],
  [/^no more connections allowed/, 'its pooler takes no more connections'],
  [/^query_wait_timeout/, 'its pooler had no session of the server to give in time'],
  [
    /cannot connect to server|^server login (?:failed|has been failing)/,
    'its pooler does not reach the server behind it',
  ],
  [/transactions? (?:blocks )?not allowed/i, 'its pooler has pool_mode = statement, and transactions are needed'],
  [/shutting down/, 'its pooler is stopping'],
  [/does not support SSL/, 'it speaks no TLS, which DATABASE_SSL_MODE or sslmode asks for'],
  [/no encryption/, 'it asks for TLS: set DATABASE_SSL_MODE'],
  [/no pg_hba\.conf entry/, 'it does not let this user in from here'],
  [/timeout/i, 'no answer in time'],
  [/^SASL: /, 'it asks for a password'],
];

const reasonOf = (error: unknown): string => {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const code = codeOf(first);
  const message = first instanceof Error ? first.message : '';
  const known = byCode[code] ?? byMessage.find(([pattern]) => pattern.test(message))?.[1];
  return known ?? (code === '' ? 'the connection broke' : `it fails with ${code}`);
};

/** Says where the server is and why it cannot be used, without user, password or parameters of the URL. */
const unusable = ({ connection }: Pick<Database, 'connection'>, reason: string): Error => {
  const { host, port } = new pg.Client(connection);
  return new Error(`DATABASE_URL: PostgreSQL at ${host}:${port} cannot be used: ${reason}.`);
};

export const databaseFailure = (database: Pick<Database, 'connection'>, error: unknown): Error =>
  unusable(database, reasonOf(error));

interface ServerFacts {
  /** As the server counts it: 180004 is 18.4. */
  readonly version: number;
  /** The version of the protocol; null if the connection is not encrypted. */
  readonly tls: string | null;
  /** Whether the server itself ends a statement that takes too long. */
  readonly hasTimeLimit: boolean;
}

interface Examined extends ServerFacts {
  readonly isReadOnly: boolean;
}

const facts = `select current_setting('server_version_num')::int as version, (select version from pg_stat_ssl where pid = pg_backend_pid() and ssl) as tls,
  current_setting('statement_timeout') <> '0' as "hasTimeLimit", current_setting('transaction_read_only') = 'on' as "isReadOnly"`;

/** Connects to the server; the error gives the reason in one line and holds no secret. */
export const examineServer = async (database: Pick<Database, 'pool' | 'connection'>): Promise<ServerFacts> => {
  const { rows } = await database.pool.query<Examined>(facts).catch((error: unknown) => {
    throw databaseFailure(database, error);
  });
  const { version = 0, tls = null, hasTimeLimit = true, isReadOnly = false } = rows[0] ?? {};
  if (version < OLDEST)
    throw new Error(`DATABASE_URL: PostgreSQL ${versionOf(version)} is too old: 15 or later is needed.`);
  if (isReadOnly) throw unusable(database, 'it takes no writes, because it is a replica or read only');
  return { version, tls, hasTimeLimit };
};

export const versionOf = (version: number): string => `${Math.floor(version / 10_000)}.${version % 10_000}`;

/** On the connection that short reads share: that the pool is busy does not count as a failure. */
export const ping = async ({ read }: Pick<Database, 'read'>): Promise<void> =>
  void (await read({ name: 'ping', text: 'select 1 as one' }, []));

/** Makes a database beside Portico's own if there is none of that name. */
export const ensureDatabase = async ({ pool }: Pick<Database, 'pool'>, name: string): Promise<void> => {
  const { rowCount } = await pool.query('select from pg_catalog.pg_database where datname = $1', [name]);
  if (rowCount === 0) await pool.query(`create database ${pg.escapeIdentifier(name)}`);
};

const identity = `
select d.oid::int8 as oid, r.rolsuper or r.rolcreaterole as "mayCreateRoles"
from pg_catalog.pg_database d, pg_catalog.pg_roles r where d.datname = current_database() and r.rolname = current_user`;

/** Identifies Portico's database among others on the server; `mayCreateRoles` is about its login. */
export const databaseIdentity = async ({ pool }: Pick<Database, 'pool'>) => {
  const { rows } = await pool.query<{ readonly oid: number; readonly mayCreateRoles: boolean }>(identity);
  return rows[0] ?? null;
};

/** Any number will do, as long as every Portico takes the same one. */
const EXCLUSIVE = 7_000_002;

/** Runs `work`, which may take as long as it takes, while no other process runs any work through here. */
export const exclusively = <T>({ atomically }: Pick<Database, 'atomically'>, work: () => Promise<T>): Promise<T> =>
  atomically(async (run) => {
    await run('set local idle_in_transaction_session_timeout = 0');
    await run(`select pg_advisory_xact_lock(${EXCLUSIVE})`);
    return work();
  });

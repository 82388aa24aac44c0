import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { DomainError } from '../../../domain/errors.ts';
import type { Database } from './database.ts';

const { escapeIdentifier, escapeLiteral } = pg;

const owners = `
select (select rolname from pg_catalog.pg_roles where rolname = $1) as role,
  (select pg_get_userbyid(datdba) from pg_catalog.pg_database where datname = $1) as owner`;

/**
 * Makes a database whose owner is a login of the same name that may use nothing else, runs statements there, and answers
 * its address. A database that was made so before gets a new password, and keeps what it holds.
 */
export const makeOwnDatabase = async (
  { pool }: Pick<Database, 'pool'>,
  serverUrl: string,
  name: string,
  statements: string | null,
): Promise<string> => {
  const { rows } = await pool.query<{ readonly role: string | null; readonly owner: string | null }>(owners, [name]);
  const { role = null, owner = null } = rows[0] ?? {};
  if (owner !== role)
    throw new DomainError('conflict', `The name ${name} is taken on this server: choose another one.`);
  const password = randomBytes(24).toString('base64url');
  const quoted = escapeIdentifier(name);
  await pool.query(`${role === null ? 'create' : 'alter'} role ${quoted} login password ${escapeLiteral(password)}`);
  if (owner === null) {
    await pool.query(`create database ${quoted} owner ${quoted}`);
    await pool.query(`revoke connect on database ${quoted} from public`);
  }
  const url = Object.assign(new URL(serverUrl), { username: name, password, pathname: `/${name}` }).href;
  if (statements !== null) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(statements);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      throw new DomainError('invalid', `PostgreSQL refused the statements: ${error.message}.`);
    } finally {
      await client.end();
    }
  }
  return url;
};

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { DomainError } from '../../../domain/errors.ts';
import type { Database } from './database.ts';

const { escapeIdentifier, escapeLiteral } = pg;

/** Tells a login that was made here, and may lack its database, from the others of the server. */
const MADE = 'made by portico database create';

interface Found {
  readonly role: string | null;
  readonly made: boolean;
  readonly owner: string | null;
  /** The database has no list of grants yet, so that every login may connect to it. */
  readonly open: boolean;
}

const found = `
select r.rolname as role, coalesce(pg_catalog.shobj_description(r.oid, 'pg_authid') = '${MADE}', false) as made,
  pg_catalog.pg_get_userbyid(d.datdba) as owner, d.oid is null or d.datacl is null as open
from (select) one left join pg_catalog.pg_roles r on r.rolname = $1 left join pg_catalog.pg_database d on d.datname = $1`;

const isFree = ({ role, made, owner }: Found) => (owner === null ? role === null || made : owner === role);

/**
 * Makes a database whose owner is a login of the same name that may use nothing else, runs statements there, and answers
 * its address. A database that was made so before gets a new password, and keeps what it holds; where the process that made it ended in
 * the middle, this one goes on.
 */
export const makeOwnDatabase = async (
  { pool }: Pick<Database, 'pool'>,
  serverUrl: string,
  name: string,
  statements: string | null,
): Promise<string> => {
  const { rows } = await pool.query<Found>(found, [name]);
  const state = rows[0] ?? { role: null, made: false, owner: null, open: true };
  if (!isFree(state))
    throw new DomainError('conflict', `The name ${name} is taken on this server: choose another one.`);
  const password = randomBytes(24).toString('base64url');
  const quoted = escapeIdentifier(name);
  const login = `role ${quoted} login password ${escapeLiteral(password)}`;
  // Both or neither, as one query of several statements is.
  await pool.query(
    state.role === null ? `create ${login}; comment on role ${quoted} is ${escapeLiteral(MADE)}` : `alter ${login}`,
  );
  if (state.owner === null) await pool.query(`create database ${quoted} owner ${quoted}`);
  if (state.open) await pool.query(`revoke connect on database ${quoted} from public`);
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

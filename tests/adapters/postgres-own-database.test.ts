import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { makeOwnDatabase } from '../../src/adapters/postgres/connection/own-database.ts';
import { usePostgres } from '../support/postgres.ts';

describe('a database of one’s own', () => {
  const postgres = usePostgres();
  const name = `own_${randomBytes(6).toString('hex')}`;
  const pool = () => postgres.database.pool;
  const make = (from: pg.Pool = pool()) => makeOwnDatabase({ pool: from }, postgres.url, name, null);

  afterEach(async () => {
    await pool().query(`drop database if exists ${name}`);
    await pool().query(`drop role if exists ${name}`);
  });

  /** As if the process ended when it comes to this statement. */
  const endingAt = (statement: string) =>
    ({
      query: (text: string, values?: unknown[]) =>
        text.startsWith(statement) ? Promise.reject(new Error('the process ends')) : pool().query(text, values),
    }) as unknown as pg.Pool;

  const answers = async (url: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ owner: boolean; open: boolean }>(
      `select pg_get_userbyid(datdba) = current_user as owner, has_database_privilege('public', oid, 'connect') as open
       from pg_database where datname = current_database()`,
    );
    await client.end();
    return rows;
  };

  for (const statement of ['create database', 'revoke connect'])
    it(`is made by a second try where the first one ended before it came to ${statement}, for its login alone`, async () => {
      const ended = await make(endingAt(statement)).catch(({ message }: Error) => message);
      expect(ended).to.equal('the process ends');
      expect(await answers(await make())).to.deep.equal([{ owner: true, open: false }]);
    });

  it('gets a new password, and keeps whom its owner lets in', async () => {
    await make();
    await pool().query(`grant connect on database ${name} to public`);
    expect(await answers(await make())).to.deep.equal([{ owner: true, open: true }]);
  });

  it('is not made of a login that is there for something else', async () => {
    await pool().query(`create role ${name} login password 'x'`);
    expect(await make().catch(({ message }: Error) => message)).to.include('is taken on this server');
  });
});

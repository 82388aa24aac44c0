import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { PostgresDialect, type PostgresPoolClient, type PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { entities } from '../tables/entities.ts';
import { migrationNames, migrationText } from './migrations.ts';
import { orUnconfirmed } from './unconfirmed.ts';

/**
 * Removes a connection from the pool if it broke or fell silent. Kysely does not release a connection whose `begin` or `rollback` failed:
 * this releases it after the first, and lets the second succeed, because the server has rolled back what it would undo.
 */
const guarded = (client: pg.PoolClient): PostgresPoolClient => {
  let broken: Error | undefined;
  let released = false;
  const release = () => {
    if (!released) client.release(broken);
    released = true;
  };
  const query = async <R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> => {
    try {
      if (broken) throw broken;
      const { command, rowCount, rows } = await client.query(text, [...values]);
      return { command: command as PostgresQueryResult<R>['command'], rowCount: rowCount ?? 0, rows: rows as R[] };
    } catch (error) {
      const ends = text === 'rollback';
      if (ends || !(error instanceof pg.DatabaseError)) broken ??= error as Error;
      if (/^(begin|start transaction)/.test(text)) release();
      if (!ends) throw text === 'commit' ? orUnconfirmed(error) : error;
      return { command: 'SELECT', rowCount: 0, rows: [] };
    }
  };
  return { query: query as PostgresPoolClient['query'], release };
};

const migrationOf = (name: string) =>
  class extends Migration {
    override async up() {
      this.addSql(await migrationText(name));
    }
  };

/** MikroORM over connections of this pool. */
export const openOrm = async (pool: pg.Pool, dbName: string): Promise<MikroORM> => {
  const shared = { options: pool.options, connect: async () => guarded(await pool.connect()), end: async () => {} };
  return MikroORM.init({
    driverOptions: new PostgresDialect({ pool: shared }),
    dbName,
    entities,
    extensions: [Migrator],
    migrations: {
      migrationsList: (await migrationNames()).map((name) => ({ name, class: migrationOf(name) })),
      tableName: 'schema_migrations',
      snapshot: false,
      silent: true,
    },
    discovery: { inferDefaultValues: false },
    metadataCache: { enabled: false },
    debug: false,
  });
};

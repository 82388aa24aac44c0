import { codeOf } from '../../../domain/errors.ts';
import type { Database } from './database.ts';
import { migrationNames } from './migrations.ts';
import { databaseFailure } from './server.ts';

/** Any number will do, as long as every Portico takes the same one. */
const MIGRATING = 7_000_001;

const executed = async ({ pool }: Pick<Database, 'pool'>): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ there: boolean }>(`select to_regclass('schema_migrations') is not null as there`);
  if (!rows[0]?.there) return [];
  return (await pool.query<{ name: string }>('select name from schema_migrations order by id')).rows.map(
    ({ name }) => name,
  );
};

/** The migrations that this database lacks. Rejects if a newer Portico has migrated it. */
export const pending = async (database: Pick<Database, 'pool'>): Promise<readonly string[]> => {
  const [known, done] = await Promise.all([migrationNames(), executed(database)]);
  const newer = done.filter((name) => !known.includes(name));
  if (newer.length > 0) {
    throw new Error(
      `The database is newer than this Portico: it has ${newer.join(', ')}. Start the version that made it, or a later one.`,
    );
  }
  return known.filter((name) => !done.includes(name));
};

const NOT_ALLOWED = '42501';

/** Runs the pending migrations and returns their names. Processes that start at the same time wait for each other without a time limit. */
export const migrate = (database: Database): Promise<readonly string[]> =>
  migrated(database).catch((error: unknown) => {
    throw codeOf(error) === NOT_ALLOWED ? databaseFailure(database, error) : error;
  });

const migrated = async (database: Database): Promise<readonly string[]> => {
  if ((await pending(database)).length === 0) return [];
  return database.withoutTimeouts(({ orm, pool, transaction }) =>
    transaction(async (em) => {
      // Behind a pooler the limits are the role's, whatever the login asked for.
      await em.execute('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0');
      await em.execute(`select pg_advisory_xact_lock(${MIGRATING})`);
      const todo = await pending({ pool });
      if (todo.length > 0) await (await orm()).migrator.up({ transaction: em.getTransactionContext() });
      return todo;
    }),
  );
};

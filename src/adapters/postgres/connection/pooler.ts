import pg from 'pg';
import type { ClientConfig } from './client.ts';

/** How the server is reached, as the first login found it. */
export interface Way {
  /** Whether a pooler such as PgBouncer stands in between, which may give each transaction another session of the server. */
  readonly isPooled: boolean;
  /** Whether a statement that was prepared is there in every session. */
  readonly keepsStatements: boolean;
}

const direct: Way = { isPooled: false, keepsStatements: true };

const PROBE = 'portico_way';

/** A pooler that keeps prepared statements for its clients gives them names of its own on the server. */
const probe = `select pg_backend_pid() as pid, exists (select from pg_prepared_statements where name = '${PROBE}') as "isThere"`;

/** Left on the server's session by another client of a pooler that does not know of prepared statements. */
const isTaken = (error: unknown) => error instanceof pg.DatabaseError && error.code === '42P05';

const isRefusedSetting = (error: unknown) =>
  error instanceof pg.DatabaseError && /unsupported startup parameter/i.test(error.message);

/** The driver's types leave out the process id of the login, which a pooler makes up. */
export const isMadeUp = (client: pg.ClientBase, pid: number): boolean =>
  (client as pg.ClientBase & { readonly processID: number | null }).processID !== pid;

const wayBy = async (connection: pg.ClientConfig): Promise<Way> => {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number; isThere: boolean }>({ name: PROBE, text: probe });
    const { pid = 0, isThere = true } = rows[0] ?? {};
    return isMadeUp(client, pid) ? { isPooled: true, keepsStatements: !isThere } : direct;
  } catch (error) {
    if (isTaken(error)) return { isPooled: true, keepsStatements: false };
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
};

/** The connection without what a pooler refuses at the login: there these are settings of the role. */
const withoutSettings = ({
  options,
  statement_timeout,
  idle_in_transaction_session_timeout,
  ...connection
}: pg.ClientConfig) => connection;

interface Reached {
  readonly connection: ClientConfig;
  readonly way: Way;
}

const by = (connection: pg.ClientConfig, way: Way): Reached => ({
  connection: { ...connection, nameless: !way.keepsStatements },
  way,
});

/** Looks how the server is reached. One that cannot be reached now is taken for a direct one: its first use tells why. */
export const reached = async (connection: pg.ClientConfig): Promise<Reached> => {
  try {
    return by(connection, await wayBy(connection));
  } catch (error) {
    if (!isRefusedSetting(error)) return { connection, way: direct };
    const plain = withoutSettings(connection);
    return by(plain, await wayBy(plain).catch((): Way => ({ isPooled: true, keepsStatements: false })));
  }
};

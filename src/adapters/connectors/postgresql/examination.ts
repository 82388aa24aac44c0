import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import pg from 'pg';
import type { Hop } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { codeOf } from '../../../domain/errors.ts';
import { ignore, sentence } from '../errors.ts';
import {
  ExaminationFailure,
  examine,
  type Found,
  type Granted,
  ok,
  openSocket,
  resolveName,
  skipped,
} from '../examination.ts';
import type { ConnectorSettings } from '../settings.ts';
import { outage } from './errors.ts';
import { addressOf } from './pools.ts';

const { escapeIdentifier } = pg;

const isLocal = (host: string) => host.startsWith('/');

/** The request for TLS of the PostgreSQL protocol; the server answers S or N. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

const shakeHands = async (socket: Socket, host: string, ssl: boolean | ConnectionOptions): Promise<Found> => {
  socket.write(TLS_REQUEST);
  const answer = await new Promise<Buffer>((resolve, reject) =>
    socket.once('data', resolve).once('close', reject).once('error', reject),
  );
  if (answer.toString('latin1') !== 'S')
    throw new ExaminationFailure('The address asks for TLS, and the server offers none.');
  const options = { ...(typeof ssl === 'object' ? ssl : {}), socket, ...(isIP(host) === 0 && { servername: host }) };
  return new Promise((resolve, reject) => {
    const secure = connectTls(options, () => resolve(ok(`The server speaks ${secure.getProtocol() ?? 'TLS'}.`)));
    secure.once('error', (error) =>
      reject(new ExaminationFailure(`The TLS handshake failed: ${sentence(error.message)}`)),
    );
  });
};

const tables = `
select n.nspname as schema, c.relname as name, pg_catalog.has_any_column_privilege(c.oid, 'select') as readable,
       pg_catalog.has_table_privilege(c.oid, 'insert, update, delete, truncate')
         or pg_catalog.has_any_column_privilege(c.oid, 'insert, update') as writable
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  and pg_catalog.has_schema_privilege(n.oid, 'usage')
order by c.relkind in ('v', 'm', 'f'), n.nspname, c.relname`;

/** What a login may do beyond reading tables. */
const powers = `
select r.rolsuper as super,
       pg_catalog.has_database_privilege(pg_catalog.current_database(), 'create')
         or exists (select from pg_catalog.pg_namespace n
           where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and pg_catalog.has_schema_privilege(n.oid, 'create')) as creates
from pg_catalog.pg_roles r where r.rolname = current_user`;

const MOST_SECONDS = 10;

/** Tries each step for real, with a session of its own. */
export const examination = async (
  settings: ConnectorSettings,
  connection: Connection,
  isWritten: boolean,
  signal: AbortSignal,
): Promise<readonly Hop[]> => {
  const seconds = Math.min(settings.timeoutSeconds, MOST_SECONDS);
  const opened: (() => unknown)[] = [];
  let client: pg.Client | undefined;

  const configured = () => {
    const limit = {
      connectionTimeoutMillis: seconds * 1000,
      query_timeout: seconds * 1000,
      statement_timeout: seconds * 1000,
    };
    const made = new pg.Client({
      connectionString: addressOf(settings.sealer, connection),
      application_name: 'portico',
      ...limit,
    });
    made.on('error', ignore);
    client = made;
    return made;
  };
  const to = () => client ?? configured();
  const socket = async (stop: AbortSignal) => {
    const { host, port } = to();
    const open = await openSocket(
      isLocal(host) ? { path: `${host}/.s.PGSQL.${port}`, signal: stop } : { host, port, signal: stop },
    );
    opened.push(() => open.destroy());
    return open;
  };

  const system: Parameters<typeof examine>[0] = {
    name: async () =>
      isLocal(to().host) ? skipped('The address is a socket of this machine.') : resolveName(to().host),
    tcp: async (stop) => {
      await socket(stop);
      return ok(`Port ${to().port} answers.`);
    },
    tls: async (stop) => {
      const ssl = to().ssl as boolean | ConnectionOptions;
      return ssl ? shakeHands(await socket(stop), to().host, ssl) : skipped('The address does not ask for TLS.');
    },
    login: async () => {
      opened.push(() => to().end());
      await to().connect();
      await to().query('begin read only');
      return ok('The login was accepted.');
    },
    granted: async () => {
      const listed = await to().query<Granted['tables'][number]>(tables);
      const [power] = (await to().query<{ super: boolean; creates: boolean }>(powers)).rows;
      return {
        tables: listed.rows,
        administers: power?.super ? 'is a superuser' : null,
        creates: power?.creates ?? false,
      };
    },
    read: ({ schema, name }) => to().query(`select from ${escapeIdentifier(schema)}.${escapeIdentifier(name)} limit 1`),
    rejection: (error) => (error instanceof pg.DatabaseError ? sentence(error.message) : null),
  };

  const explain = (error: unknown) => sentence(`It ${outage(error)}${codeOf(error) && ` (${codeOf(error)})`}`);
  try {
    return await examine(system, { signal, seconds, isWritten, explain });
  } finally {
    for (const close of opened) Promise.resolve(close()).catch(ignore);
  }
};

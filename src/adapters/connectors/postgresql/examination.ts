import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import pg from 'pg';
import type { Hop } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { ConnectorSettings } from '../settings.ts';
import { outage, sentence } from './errors.ts';
import { addressOf } from './pools.ts';
import { abandonable, ignore } from './sessions.ts';

const { escapeIdentifier } = pg;

type Found = Pick<Hop, 'status' | 'detail'>;
const ok = (detail: string): Found => ({ status: 'ok', detail });
const warn = (detail: string): Found => ({ status: 'warn', detail });
const skipped = (detail: string): Found => ({ status: 'skipped', detail });

/** An error that is told as it is. */
class ExaminationFailure extends Error {}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '');

/** What went wrong, never in the driver's words, which may hold an address with its user. */
const failure = (error: unknown): Found => {
  const told =
    error instanceof ExaminationFailure || error instanceof DomainError ? error.message : sentence(`It ${outage(error)}${codeOf(error)}`);
  return { status: 'fail', detail: told };
};

const isLocal = (host: string) => host.startsWith('/');

const resolveName = async (host: string): Promise<Found> => {
  if (isLocal(host)) return skipped('The address is a socket of this machine.');
  if (isIP(host) !== 0) return skipped(`${host} is an address already.`);
  const found = await lookup(host, { all: true }).catch((error: unknown) => {
    throw new ExaminationFailure(`The name ${host} has no address${codeOf(error)}.`);
  });
  return ok(`${host} is ${found.map(({ address }) => address).join(', ')}.`);
};

const openSocket = (host: string, port: number, signal: AbortSignal): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const target = isLocal(host) ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
    const socket = connectTcp({ ...target, signal });
    socket.once('connect', () => resolve(socket)).on('error', reject);
  });

/** The request for TLS of the PostgreSQL protocol; the server answers S or N. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

const shakeHands = async (socket: Socket, host: string, ssl: boolean | ConnectionOptions): Promise<Found> => {
  socket.write(TLS_REQUEST);
  const answer = await new Promise<Buffer>((resolve, reject) => socket.once('data', resolve).once('close', reject).once('error', reject));
  if (answer.toString('latin1') !== 'S') throw new ExaminationFailure('The address asks for TLS, and the server offers none.');
  const options = { ...(typeof ssl === 'object' ? ssl : {}), socket, ...(isIP(host) === 0 && { servername: host }) };
  return new Promise((resolve, reject) => {
    const secure = connectTls(options, () => resolve(ok(`The server speaks ${secure.getProtocol() ?? 'TLS'}.`)));
    secure.once('error', (error) => reject(new ExaminationFailure(`The TLS handshake failed: ${sentence(error.message)}`)));
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

interface Listed {
  readonly schema: string;
  readonly name: string;
  readonly readable: boolean;
  readonly writable: boolean;
}

const mayRead = (listed: readonly Listed[]): Found => {
  const count = listed.filter(({ readable }) => readable).length;
  if (count === 0) throw new ExaminationFailure('The login may read no table.');
  return ok(`The login may read ${count} ${count === 1 ? 'table' : 'tables'}.`);
};

const sample = async (client: pg.Client, listed: readonly Listed[]): Promise<Found> => {
  const table = listed.find(({ readable }) => readable);
  if (table === undefined) return skipped('There is no table to read.');
  const name = `${table.schema}.${table.name}`;
  await client.query(`select from ${escapeIdentifier(table.schema)}.${escapeIdentifier(table.name)} limit 1`).catch((error: unknown) => {
    throw error instanceof pg.DatabaseError ? new ExaminationFailure(`${name} cannot be read: ${sentence(error.message)}`) : error;
  });
  return ok(`${name} was read.`);
};

const mayWrite = async (client: pg.Client, listed: readonly Listed[]): Promise<Found> => {
  const { rows } = await client.query<{ super: boolean; creates: boolean }>(powers);
  const writable = listed.filter((table) => table.writable).length;
  const reasons = [
    rows[0]?.super && 'is a superuser',
    writable > 0 && `may write ${writable} ${writable === 1 ? 'table' : 'tables'}`,
    rows[0]?.creates && 'may create tables',
  ].filter((reason) => typeof reason === 'string');
  return reasons.length === 0
    ? ok('The login may write nothing.')
    : warn(`The login ${reasons.join(', ')}: one that may only read is safer.`);
};

const names: readonly Hop['name'][] = ['name', 'tcp', 'tls', 'login', 'permissions', 'sample read', 'read only'];

const MOST_SECONDS = 10;

/** Tries each step for real, with a session of its own; those after the first that fails are not tried. */
export const examination = async (settings: ConnectorSettings, connection: Connection, signal: AbortSignal): Promise<readonly Hop[]> => {
  const seconds = Math.min(settings.timeoutSeconds, MOST_SECONDS);
  const opened: (() => unknown)[] = [];
  let client: pg.Client | undefined;
  let listed: readonly Listed[] = [];

  const configured = () => {
    const limit = { connectionTimeoutMillis: seconds * 1000, query_timeout: seconds * 1000, statement_timeout: seconds * 1000 };
    const made = new pg.Client({ connectionString: addressOf(settings.sealer, connection), application_name: 'portico', ...limit });
    made.on('error', ignore);
    client = made;
    return made;
  };
  const to = () => client ?? configured();
  const timed = () => AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  const socket = async () => {
    const open = await openSocket(to().host, to().port, timed());
    opened.push(() => open.destroy());
    return open;
  };

  const steps: Readonly<Record<Hop['name'], () => Promise<Found>>> = {
    name: () => resolveName(to().host),
    tcp: async () => {
      await socket();
      return ok(`Port ${to().port} answers.`);
    },
    tls: async () => {
      const ssl = to().ssl as boolean | ConnectionOptions;
      return ssl ? shakeHands(await socket(), to().host, ssl) : skipped('The address does not ask for TLS.');
    },
    login: async () => {
      opened.push(() => to().end());
      await to().connect();
      await to().query('begin read only');
      return ok('The login was accepted.');
    },
    permissions: async () => {
      listed = (await to().query<Listed>(tables)).rows;
      return mayRead(listed);
    },
    'sample read': () => sample(to(), listed),
    'read only': () => mayWrite(to(), listed),
  };

  const attempt = async (name: Hop['name']) => steps[name]();
  const hops: Hop[] = [];
  let failed = false;
  try {
    for (const name of names) {
      signal.throwIfAborted();
      const found: Found = failed ? skipped('It was not tried.') : await abandonable(attempt(name), timed()).catch(failure);
      signal.throwIfAborted();
      failed ||= found.status === 'fail';
      hops.push({ name, ...found });
    }
    return hops;
  } finally {
    for (const close of opened) Promise.resolve(close()).catch(ignore);
  }
};

import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import pg from 'pg';
import type { TableName } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { codeOf } from '../../../domain/errors.ts';
import { sentence } from '../../../domain/text.ts';
import { ignore } from '../errors.ts';
import {
  ExaminationFailure,
  type Examined,
  examiner,
  type Found,
  type Granted,
  ok,
  openSocket,
  resolveName,
  skipped,
} from '../examination.ts';
import type { ConnectorSettings } from '../settings.ts';
import { BoundedClient } from './bounded-client.ts';
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

class PostgresExamination implements Examined {
  readonly #sockets: Socket[] = [];
  readonly #settings: ConnectorSettings;
  readonly #connection: Connection;
  readonly #seconds: number;
  #made: pg.Client | undefined;
  #isConnecting = false;

  constructor(settings: ConnectorSettings, connection: Connection, seconds: number) {
    this.#settings = settings;
    this.#connection = connection;
    this.#seconds = seconds;
  }

  /** Not connected before the login; it knows what the address says. */
  get #client(): pg.Client {
    this.#made ??= new BoundedClient({
      connectionString: addressOf(this.#settings.sealer, this.#connection),
      application_name: 'portico',
      connectionTimeoutMillis: this.#seconds * 1000,
      query_timeout: this.#seconds * 1000,
    }).on('error', ignore);
    return this.#made;
  }

  async #socket(stop: AbortSignal): Promise<Socket> {
    const { host, port } = this.#client;
    const place = isLocal(host) ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
    const socket = await openSocket({ ...place, signal: stop });
    this.#sockets.push(socket);
    return socket;
  }

  async name() {
    const { host } = this.#client;
    return isLocal(host) ? skipped('The address is a socket of this machine.') : resolveName(host);
  }

  async tcp(stop: AbortSignal) {
    await this.#socket(stop);
    return ok(`Port ${this.#client.port} answers.`);
  }

  async tls(stop: AbortSignal) {
    const ssl = this.#client.ssl as boolean | ConnectionOptions;
    if (!ssl) return skipped('The address does not ask for TLS.');
    return shakeHands(await this.#socket(stop), this.#client.host, ssl);
  }

  async login() {
    this.#isConnecting = true;
    await this.#client.connect();
    // A pooler refuses a login that asks for it.
    await this.#client.query(`begin read only; set local statement_timeout = ${this.#seconds * 1000}`);
    return ok('The login was accepted.');
  }

  async granted(): Promise<Granted> {
    const listed = await this.#client.query<Granted['tables'][number]>(tables);
    const [power] = (await this.#client.query<{ super: boolean; creates: boolean }>(powers)).rows;
    return {
      tables: listed.rows,
      administers: power?.super ? 'is a superuser' : null,
      creates: power?.creates ?? false,
    };
  }

  read({ schema, name }: TableName) {
    return this.#client.query(`select from ${escapeIdentifier(schema)}.${escapeIdentifier(name)} limit 1`);
  }

  rejection(error: unknown) {
    return error instanceof pg.DatabaseError ? sentence(error.message) : null;
  }

  explain(error: unknown) {
    return sentence(`It ${outage(error)}${codeOf(error) && ` (${codeOf(error)})`}`);
  }

  close() {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#isConnecting) this.#client.end().catch(ignore);
  }
}

export const examination = examiner(PostgresExamination);

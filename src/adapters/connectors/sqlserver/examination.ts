import type { TLSSocket } from 'node:tls';
import type { Connection as Session } from 'tedious';
import type { TableName } from '../../../application/ports/connectors.ts';
import type { Connection } from '../../../domain/connection.ts';
import { ignore } from '../errors.ts';
import {
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
import type { Address } from './address.ts';
import { OWN, TABLES, unicode } from './catalogue.ts';
import { quoteName } from './dialect.ts';
import { isLogin, outage, outageCode, reasonOf, rejectionOf } from './errors.ts';
import { addressOf, connect, MOST_CONNECT_SECONDS, openPool, usable } from './pools.ts';
import { type Row, type Run, run } from './session.ts';

interface Listed extends Row {
  readonly schema: string;
  readonly name: string;
  readonly readable: number | null;
  readonly writable: number | null;
}

const may = (permission: string) =>
  `has_perms_by_name(quotename(s.name) + N'.' + quotename(o.name), N'OBJECT', N'${permission}')`;

const tables = `
select ${unicode('s.name')} as [schema], ${unicode('o.name')} as [name], ${may('SELECT')} as readable,
       case when ${may('INSERT')} = 1 or ${may('UPDATE')} = 1 or ${may('DELETE')} = 1 then 1 else 0 end as writable
from ${TABLES}
where ${OWN}
order by o.is_view, s.name, o.name`;

const powers = `
select has_perms_by_name(db_name(), N'DATABASE', N'CREATE TABLE') as creates, is_srvrolemember(N'sysadmin') as administers`;

const grantedBy = async (query: Run): Promise<Granted> => {
  const listed = await query<Listed>({ text: tables, parameters: [] });
  const [power] = await query<Row>({ text: powers, parameters: [] });
  return {
    tables: listed.map(({ schema, name, readable, writable }) => ({
      schema,
      name,
      readable: readable === 1,
      writable: writable === 1,
    })),
    administers: power?.administers === 1 ? 'is a member of sysadmin' : null,
    creates: power?.creates === 1,
  };
};

/** What became of the one attempt that TLS and login are tried with: the protocol has no way to try them apart. */
interface Attempt {
  readonly protocol: string | null;
  readonly error: unknown;
}

const tlsFound = ({ trustServerCertificate }: Address, { protocol, error }: Attempt): Found => {
  if (protocol === null && error !== null && !isLogin(error)) throw error;
  if (protocol === null) return skipped('The address asks for no TLS: what is sent can be read on the way.');
  return trustServerCertificate
    ? ok(`The server speaks ${protocol}; its certificate is not checked.`)
    : ok(`The server speaks ${protocol}, and its certificate is trusted.`);
};

const opener = (settings: ConnectorSettings, address: Address) => {
  let secure: TLSSocket | undefined;
  const pool = openPool(settings, address, 1, (session) => {
    session.on('secure', (socket: unknown) => {
      secure = socket as TLSSocket;
    });
  }).on('error', ignore) as ReturnType<typeof openPool>;
  let session: Session | undefined;
  const protocol = () =>
    address.encrypt === 'strict' ? 'TLS (strict)' : (secure?.getProtocol() ?? (secure ? 'TLS' : null));
  return {
    async attempt(seconds: number): Promise<Attempt> {
      try {
        await connect(pool, seconds);
        session = await pool.acquire(address);
        return { protocol: protocol(), error: null };
      } catch (error) {
        const secured = address.encrypt !== 'strict' || isLogin(error);
        return { protocol: secured ? protocol() : null, error };
      }
    },
    session(): Session {
      if (!session) throw new Error('There is no session.');
      return session;
    },
    async close() {
      if (session) pool.release(session);
      await pool.close();
    },
  };
};

const reachPort = async ({ server, port, instanceName }: Address, signal: AbortSignal): Promise<Found> => {
  if (port === null) return skipped(`SQL Server Browser is asked for the port of the instance ${instanceName}.`);
  const socket = await openSocket({ host: server, port, signal });
  socket.destroy();
  return ok(`Port ${port} answers.`);
};

/** The connect has a clock of its own, whose error is clearer: it has to come first. */
const GRACE_SECONDS = 2;

class SqlServerExamination implements Examined {
  readonly #settings: ConnectorSettings;
  readonly #connection: Connection;
  readonly #seconds: number;
  #open: ReturnType<typeof opener> | undefined;
  #attempt: Attempt = { protocol: null, error: null };

  constructor(settings: ConnectorSettings, connection: Connection, seconds: number) {
    this.#settings = settings;
    this.#connection = connection;
    this.#seconds = seconds;
  }

  get #address() {
    return addressOf(this.#settings, this.#connection);
  }

  #queryUntil(stop: AbortSignal): Run {
    return (statement) => {
      if (!this.#open) throw new Error('There is no session.');
      return run(this.#open.session(), statement, stop);
    };
  }

  async name() {
    return resolveName(this.#address.server);
  }

  async tcp(stop: AbortSignal) {
    return reachPort(this.#address, stop);
  }

  async tls() {
    this.#open = usable(this.#connection, () => opener(this.#settings, this.#address));
    this.#attempt = await this.#open.attempt(this.#seconds);
    return tlsFound(this.#address, this.#attempt);
  }

  async login() {
    if (this.#attempt.error !== null) throw this.#attempt.error;
    return ok('The login was accepted.');
  }

  granted(stop: AbortSignal) {
    return grantedBy(this.#queryUntil(stop));
  }

  read({ schema, name }: TableName, stop: AbortSignal) {
    const text = `select top (1) 1 as found from ${quoteName(schema)}.${quoteName(name)}`;
    return this.#queryUntil(stop)({ text, parameters: [] });
  }

  rejection(error: unknown) {
    const rejection = rejectionOf(error);
    return rejection && reasonOf(rejection);
  }

  explain(error: unknown) {
    return this.rejection(error) ?? `It ${outage(error)} (${outageCode(error)}).`;
  }

  close() {
    this.#open?.close().catch(ignore);
  }
}

export const examination = examiner(SqlServerExamination, MOST_CONNECT_SECONDS, GRACE_SECONDS);

import { type Connection as Client, createConnection, type RowDataPacket } from 'mysql2';
import type { Hop } from '../../../application/ports/connectors.ts';
import { abortable } from '../../../application/shared/async.ts';
import type { Connection } from '../../../domain/connection.ts';
import { codeOf } from '../../../domain/errors.ts';
import { ignore, sentence } from '../errors.ts';
import { ExaminationFailure, examine, type Granted, ok, openSocket, resolveName, skipped } from '../examination.ts';
import type { ConnectorSettings } from '../settings.ts';
import { target } from '../sql/values.ts';
import { mysql } from './dialect.ts';
import { outage, outageCode, rejectionOf } from './errors.ts';
import { addressOf, optionsFor } from './session.ts';

const tables = `
select c.table_schema as \`schema\`, c.table_name as name, max(c.privileges like '%select%') as readable,
       max(c.privileges like '%insert%' or c.privileges like '%update%') as writable
from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
where c.table_schema not in ('information_schema', 'mysql', 'performance_schema', 'sys')
group by c.table_schema, c.table_name, t.table_type order by t.table_type like '%VIEW', c.table_schema, c.table_name`;

const grantee = `concat(quote(substring_index(current_user(), '@', 1)), '@', quote(substring_index(current_user(), '@', -1)))`;

/** What a login may do beyond reading tables. */
const powers = `
select privilege_type as power from information_schema.user_privileges where grantee = ${grantee}
union select privilege_type from information_schema.schema_privileges where grantee = ${grantee}`;

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
  const address = () => addressOf(settings.sealer, connection);
  let client: Client | undefined;
  let connected: Promise<unknown> | undefined;

  /** TLS and login are tried by one attempt, whose error tells at which of them it failed. */
  const connect = (): Promise<unknown> => {
    const made = createConnection(optionsFor(address(), seconds));
    made.on('error', ignore);
    opened.push(() => made.destroy());
    client = made;
    connected ??= new Promise((resolve, reject) => made.connect((error) => (error ? reject(error) : resolve(null))));
    return connected;
  };
  const ask = <Row>(text: string, stop: AbortSignal): Promise<Row[]> =>
    abortable(
      new Promise((resolve, reject) =>
        client?.query<RowDataPacket[]>(text, (error, rows) => (error ? reject(error) : resolve(rows as Row[]))),
      ),
      stop,
    );

  const system: Parameters<typeof examine>[0] = {
    name: () => resolveName(address().host),
    tcp: async (stop) => {
      const socket = await openSocket({ host: address().host, port: address().port, signal: stop });
      opened.push(() => socket.destroy());
      return ok(`Port ${address().port} answers.`);
    },
    tls: async (stop) => {
      if (address().tls === 'DISABLED') return skipped('The address does not ask for TLS.');
      const error: unknown = await abortable(connect(), stop).then(
        () => null,
        (caught: unknown) => caught,
      );
      stop.throwIfAborted();
      if (codeOf(error) === 'HANDSHAKE_NO_SSL_SUPPORT')
        throw new ExaminationFailure('The address asks for TLS, and the server offers none.');
      if (error !== null && outage(error) === 'could not be reached')
        throw new ExaminationFailure(`The TLS handshake failed (${outageCode(error)}).`);
      return ok('The server speaks TLS.');
    },
    login: async (stop) => {
      await abortable(connected ?? connect(), stop);
      await ask('set session transaction read only', stop);
      return ok('The login was accepted.');
    },
    granted: async (stop) => {
      const listed = await ask<{ schema: string; name: string; readable: number; writable: number }>(tables, stop);
      const found = new Set((await ask<{ power: string }>(powers, stop)).map(({ power }) => power));
      return {
        tables: listed.map((table): Granted['tables'][number] => ({
          schema: table.schema,
          name: table.name,
          readable: table.readable === 1,
          writable: table.writable === 1,
        })),
        administers: found.has('SUPER') ? 'has the privilege SUPER' : null,
        creates: found.has('CREATE'),
      };
    },
    read: (table, stop) => ask(`select 1 from ${target(mysql, { ...table, columns: [] })} limit 1`, stop),
    rejection: rejectionOf,
  };

  const explain = (error: unknown) => sentence(`It ${outage(error)}${codeOf(error) && ` (${outageCode(error)})`}`);
  try {
    return await examine(system, { signal, seconds, isWritten, explain });
  } finally {
    for (const close of opened) close();
  }
};

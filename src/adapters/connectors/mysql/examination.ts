import { type Connection as Client, createConnection, type RowDataPacket } from 'mysql2';
import type { TableName } from '../../../application/ports/connectors.ts';
import { abortable } from '../../../application/shared/async.ts';
import type { Connection } from '../../../domain/connection.ts';
import { codeOf } from '../../../domain/errors.ts';
import { sentence } from '../../../domain/text.ts';
import { ignore } from '../errors.ts';
import {
  ExaminationFailure,
  type Examined,
  examiner,
  type Granted,
  ok,
  openSocket,
  resolveName,
  skipped,
} from '../examination.ts';
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

interface Listed {
  readonly schema: string;
  readonly name: string;
  readonly readable: number;
  readonly writable: number;
}

class MysqlExamination implements Examined {
  readonly #settings: ConnectorSettings;
  readonly #connection: Connection;
  readonly #seconds: number;
  readonly #opened: { destroy(): void }[] = [];
  #client: Client | undefined;
  #connected: Promise<unknown> | undefined;

  constructor(settings: ConnectorSettings, connection: Connection, seconds: number) {
    this.#settings = settings;
    this.#connection = connection;
    this.#seconds = seconds;
  }

  get #address() {
    return addressOf(this.#settings.sealer, this.#connection);
  }

  #connect(): Promise<unknown> {
    const client = createConnection(optionsFor(this.#address, this.#seconds));
    client.on('error', ignore);
    this.#opened.push(client);
    this.#client = client;
    return new Promise((resolve, reject) => client.connect((error) => (error ? reject(error) : resolve(null))));
  }

  #ask<Row>(text: string, stop: AbortSignal): Promise<Row[]> {
    const answer = new Promise<Row[]>((resolve, reject) =>
      this.#client?.query<RowDataPacket[]>(text, (error, rows) => (error ? reject(error) : resolve(rows as Row[]))),
    );
    return abortable(answer, stop);
  }

  async name() {
    return resolveName(this.#address.host);
  }

  async tcp(stop: AbortSignal) {
    const { host, port } = this.#address;
    this.#opened.push(await openSocket({ host, port, signal: stop }));
    return ok(`Port ${port} answers.`);
  }

  /** TLS and login are tried by one attempt, whose error tells at which of them it failed. */
  async tls(stop: AbortSignal) {
    if (this.#address.tls === 'DISABLED') return skipped('The address does not ask for TLS.');
    this.#connected = this.#connect();
    const error: unknown = await abortable(this.#connected, stop).then(
      () => null,
      (caught: unknown) => caught,
    );
    stop.throwIfAborted();
    if (codeOf(error) === 'HANDSHAKE_NO_SSL_SUPPORT')
      throw new ExaminationFailure('The address asks for TLS, and the server offers none.');
    if (error !== null && outage(error) === 'could not be reached')
      throw new ExaminationFailure(`The TLS handshake failed (${outageCode(error)}).`);
    return ok('The server speaks TLS.');
  }

  async login(stop: AbortSignal) {
    await abortable(this.#connected ?? this.#connect(), stop);
    await this.#ask('set session transaction read only', stop);
    return ok('The login was accepted.');
  }

  async granted(stop: AbortSignal): Promise<Granted> {
    const listed = await this.#ask<Listed>(tables, stop);
    const held = new Set((await this.#ask<{ power: string }>(powers, stop)).map(({ power }) => power));
    return {
      tables: listed.map(({ schema, name, readable, writable }) => ({
        schema,
        name,
        readable: readable === 1,
        writable: writable === 1,
      })),
      administers: held.has('SUPER') ? 'has the privilege SUPER' : null,
      creates: held.has('CREATE'),
    };
  }

  read(table: TableName, stop: AbortSignal) {
    return this.#ask(`select 1 from ${target(mysql, { ...table, columns: [] })} limit 1`, stop);
  }

  rejection(error: unknown) {
    return rejectionOf(error);
  }

  explain(error: unknown) {
    return sentence(`It ${outage(error)}${codeOf(error) && ` (${outageCode(error)})`}`);
  }

  close() {
    for (const session of this.#opened) session.destroy();
  }
}

export const examination = examiner(MysqlExamination);

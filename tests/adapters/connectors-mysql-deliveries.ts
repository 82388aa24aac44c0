import { randomUUID } from 'node:crypto';
import type { RowDataPacket } from 'mysql2/promise';
import { connectors } from '../../src/adapters/connectors/connectors.ts';
import type { ColumnSpec, Kind, SystemOfRecordHarness } from '../contracts/systems-of-record.ts';
import { quiet } from '../support/log.ts';
import { type MysqlHarness, mysqlDialect, quote, sealer } from './connectors-mysql-harness.ts';

const types: Record<Kind, string> = {
  id: 'char(36)',
  text: 'varchar(500)',
  short: 'varchar(3)',
  integer: 'int',
  exact: 'decimal(38,10)',
  amount: 'decimal(5,2)',
  date: 'date',
  boolean: 'boolean',
};

/** The deliveries of a connection to the server of this harness. */
export const deliveriesOf = (harness: MysqlHarness): SystemOfRecordHarness & { close(): Promise<void> } => {
  const { admin, connection, schema } = harness;
  const settings = { sealer, log: quiet, timeoutSeconds: 60, poolSize: 4 };
  const systems = connectors(settings);
  const impatient = connectors({ ...settings, timeoutSeconds: 1 });
  const quoted = (entity: string) => `${quote(schema)}.${quote(entity.slice(schema.length + 1))}`;
  const owner = new URL(connection.sealedUrl).username;
  const counted = async (sql: string) =>
    Number((await admin.query<RowDataPacket[]>(`select count(*) as n from ${sql}`))[0][0]?.n);
  const processes = `information_schema.processlist where user = '${owner}'`;
  const definition = ([name, spec]: [string, ColumnSpec]) =>
    [
      quote(name),
      types[spec.kind],
      spec.required ? 'not null' : 'null',
      spec.unique && 'unique',
      spec.positive && `check (${quote(name)} > 0)`,
      spec.uniqueWith && `, unique (${quote(name)}, ${quote(spec.uniqueWith)})`,
    ]
      .filter(Boolean)
      .join(' ');
  return {
    systems,
    impatient,
    connection,
    unreachable: harness.unreachable,
    wrongPassword: harness.wrongPassword,
    reader: harness.reader,
    longestName: 64,
    allows: mysqlDialect.allows,
    folded: mysqlDialect.folded,
    async createTable(columns, name = `t_${randomUUID().slice(0, 8)}`) {
      const references = Object.entries(columns).flatMap(([column, spec]) =>
        spec.references ? [`foreign key (${quote(column)}) references ${quoted(spec.references)} (\`key\`)`] : [],
      );
      await harness.execute(
        `create table ${quote(schema)}.${quote(name)} (${[...Object.entries(columns).map(definition), ...references].join(', ')})`,
      );
      return `${schema}.${name}`;
    },
    async rows(entity) {
      const [rows, fields] = await admin.query<RowDataPacket[][]>({
        sql: `select * from ${quoted(entity)}`,
        rowsAsArray: true,
        typeCast: (field) => field.string('utf8'),
      });
      return rows.map((row) => Object.fromEntries(fields.map(({ name }, index) => [name, row[index] as never])));
    },
    async block(entity) {
      const session = await admin.getConnection();
      await session.query(`lock tables ${quoted(entity)} read`);
      return async () => {
        await session.query('unlock tables');
        session.release();
      };
    },
    waiting: () => counted(`${processes} and state like '%lock'`),
    inTransaction: () =>
      counted(`${processes} and id in (select trx_mysql_thread_id from information_schema.innodb_trx)`),
    terminate: () => harness.terminate(),
    close: async () => void (await Promise.all([systems.close(), impatient.close()])),
  };
};

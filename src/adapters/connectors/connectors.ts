import type { Connector, Connectors, RowWriter } from '../../application/ports/connectors.ts';
import type { SystemsOfRecord } from '../../application/ports/system-of-record.ts';
import type { Connection } from '../../domain/connection.ts';
import { stopping } from './lending.ts';
import { postgresqlConnector } from './postgresql/connector.ts';
import type { ConnectorFamily, ConnectorSettings } from './settings.ts';
import { addressDefect as sqlserverDefect } from './sqlserver/address.ts';

/** A connector whose family is loaded when it is first used, because that takes longer than all else at the start. */
const lazily = (family: () => Promise<ConnectorFamily>, connection: Connection): Connector => {
  const connector = async () => (await family())(connection);
  const writer = async (): Promise<RowWriter> => {
    const { writer } = await connector();
    if (!writer) throw new Error(`Connections of type ${connection.type} take no writes.`);
    return writer;
  };
  return {
    tables: async (signal) => (await connector()).tables(signal),
    schema: async (schemas, signal) => (await connector()).schema(schemas, signal),
    records: async (query, signal) => (await connector()).records(query, signal),
    rows: async (query, signal) => (await connector()).rows(query, signal),
    query: async (text, caps, signal) => (await connector()).query(text, caps, signal),
    writer: {
      insert: async (entity, values, signal) => (await writer()).insert(entity, values, signal),
      update: async (entity, key, values, signal) => (await writer()).update(entity, key, values, signal),
    },
    deliver: async (row, signal) => (await connector()).deliver(row, signal),
    examine: async (signal) => (await connector()).examine(signal),
  };
};

const postgresqlDefect = (address: string): string | null =>
  /^postgres(?:ql)?:$/.test(URL.parse(address)?.protocol ?? '') ? null : 'must be an address that begins with postgresql://';

/** Opens whatever a connection's type says; `close` ends every session, after the work under way. */
export const connectors = (settings: ConnectorSettings): Connectors & SystemsOfRecord & { close(): Promise<void> } => {
  const postgresql = postgresqlConnector(settings);
  let sqlserver: Promise<ConnectorFamily> | undefined;
  const loadSqlserver = async () => {
    const { sqlserverConnector } = await import('./sqlserver/connector.ts');
    return sqlserverConnector(settings);
  };
  let closed = false;
  const sqlserverFamily = async () => {
    if (closed && !sqlserver) throw stopping();
    sqlserver ??= loadSqlserver();
    return sqlserver;
  };
  const open = (connection: Connection): Connector =>
    connection.type === 'postgresql' ? postgresql(connection) : lazily(sqlserverFamily, connection);
  return {
    open,
    addressDefect: (type, address) => (type === 'postgresql' ? postgresqlDefect : sqlserverDefect)(address),
    deliver: async (connection, row, signal) => {
      signal.throwIfAborted();
      return open(connection).deliver(row, signal);
    },
    close: async () => {
      closed = true;
      await Promise.all([postgresql.close(), sqlserver?.then((family) => family.close())]);
    },
  };
};

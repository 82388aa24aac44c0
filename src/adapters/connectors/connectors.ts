import type { Connector, Connectors, RowWriter } from '../../application/ports/connectors.ts';
import type { Connection } from '../../domain/connection.ts';
import { OWN_WORK, type Sharer } from '../../domain/sharer.ts';
import { fairGate } from './fair-gate.ts';
import { connectionLeases, stopping } from './leases.ts';
import { postgresqlConnector } from './postgresql/connector.ts';
import type { ConnectorFamily, ConnectorSettings, Slots } from './settings.ts';
import { addressDefect as sqlserverDefect } from './sqlserver/address.ts';

/** A connector whose family is loaded when it is first used, because that takes longer than all else at the start. */
const lazily = (family: () => Promise<ConnectorFamily>, connection: Connection, slots: Slots): Connector => {
  const connector = async () => (await family())(connection, slots);
  const lazyWriter = (kind: 'writer' | 'rehearsal'): RowWriter => {
    const writer = async () => {
      const { [kind]: loaded } = await connector();
      if (!loaded) throw new Error(`Connections of type ${connection.type} take no writes.`);
      return loaded;
    };
    return {
      insert: async (entity, values, signal) => (await writer()).insert(entity, values, signal),
      update: async (entity, key, values, signal) => (await writer()).update(entity, key, values, signal),
    };
  };
  return {
    tables: async (signal) => (await connector()).tables(signal),
    schema: async (schemas, signal) => (await connector()).schema(schemas, signal),
    records: async (query, signal) => (await connector()).records(query, signal),
    rows: async (query, signal) => (await connector()).rows(query, signal),
    query: async (text, bounds, signal) => (await connector()).query(text, bounds, signal),
    writer: lazyWriter('writer'),
    rehearsal: lazyWriter('rehearsal'),
    deliver: async (row, signal) => (await connector()).deliver(row, signal),
    rehearse: async (row, signal) => (await connector()).rehearse(row, signal),
    examine: async (signal, isWritten) => (await connector()).examine(signal, isWritten),
  };
};

const postgresqlDefect = (address: string): string | null =>
  /^postgres(?:ql)?:$/.test(URL.parse(address)?.protocol ?? '')
    ? null
    : 'must be an address that begins with postgresql://';

const MOST_WAIT_SECONDS = 10;

/** A gate for each pool of each connection, before the sessions that its family opens. */
const fairSlots = ({ timeoutSeconds, poolSize }: ConnectorSettings) => {
  const waitSeconds = Math.min(timeoutSeconds, MOST_WAIT_SECONDS);
  const gates = connectionLeases({
    open({ name: connectionName }) {
      const gate = () => fairGate({ connectionName, size: poolSize, waitSeconds });
      return { work: gate(), query: gate() };
    },
    close: async () => {},
  });
  const slotsOf = (connection: Connection, sharer: Sharer): Slots => ({
    async take(purpose, signal) {
      const { resource, release } = gates.lease(connection);
      try {
        const { works, end } = await resource[purpose].enter(sharer, signal);
        return {
          works,
          end() {
            end();
            release();
          },
        };
      } catch (error) {
        release();
        throw error;
      }
    },
  });
  return { slotsOf, close: gates.close };
};

/** Opens connectors by the type of the connection; `close` ends every session, after the work under way. */
export const connectors = (settings: ConnectorSettings): Connectors & { close(): Promise<void> } => {
  const fair = fairSlots(settings);
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
  const open = (connection: Connection, sharer: Sharer = OWN_WORK): Connector => {
    const slots = fair.slotsOf(connection, sharer);
    return connection.type === 'postgresql'
      ? postgresql(connection, slots)
      : lazily(sqlserverFamily, connection, slots);
  };
  return {
    open,
    addressDefect: (type, address) => (type === 'postgresql' ? postgresqlDefect : sqlserverDefect)(address),
    close: async () => {
      closed = true;
      await Promise.all([postgresql.close(), sqlserver?.then((family) => family.close())]);
      await fair.close();
    },
  };
};

import type { Connector, Connectors, RowWriter } from '../../application/ports/connectors.ts';
import { type Connection, type ConnectionType, systemTypes } from '../../domain/connection.ts';
import { OWN_WORK, type Sharer } from '../../domain/sharer.ts';
import { mustBeInstalled } from './driver-version.ts';
import { fairGate } from './fair-gate.ts';
import { connectionLeases, stopping } from './leases.ts';
import { registry } from './registry.ts';
import type { ConnectorFamily, ConnectorSettings, Slots } from './settings.ts';

/** A connector whose family is loaded when it is first used. */
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
    ...(systemTypes[connection.type].writes && { writer: lazyWriter('writer'), rehearsal: lazyWriter('rehearsal') }),
    deliver: async (row, signal) => (await connector()).deliver(row, signal),
    rehearse: async (row, signal) => (await connector()).rehearse(row, signal),
    examine: async (signal, isWritten) => (await connector()).examine(signal, isWritten),
  };
};

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
  for (const { reachesInto } of Object.values(registry)) if (reachesInto) mustBeInstalled(reachesInto);
  const fair = fairSlots(settings);
  const families = new Map<ConnectionType, Promise<ConnectorFamily>>();
  let closed = false;
  const familyOf = (type: ConnectionType) => async (): Promise<ConnectorFamily> => {
    const opened = families.get(type);
    if (opened) return opened;
    if (closed) throw stopping();
    const family = registry[type].load().then((open) => open(settings));
    families.set(type, family);
    return family;
  };
  return {
    open: (connection, sharer = OWN_WORK) =>
      lazily(familyOf(connection.type), connection, fair.slotsOf(connection, sharer)),
    addressDefect: (type, address) => registry[type].addressDefect(address),
    close: async () => {
      closed = true;
      await Promise.all(Array.from(families.values(), async (family) => (await family).close()));
      await fair.close();
    },
  };
};

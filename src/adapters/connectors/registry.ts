import type { ConnectionType } from '../../domain/connection.ts';
import type { ReachedInto } from './driver-version.ts';
import { addressDefect as mysqlDefect } from './mysql/address.ts';
import { addressDefect as postgresqlDefect } from './postgresql/address.ts';
import type { ConnectorFamily, ConnectorSettings } from './settings.ts';
import { addressDefect as sqlserverDefect } from './sqlserver/address.ts';

interface ConnectorType {
  /** Loads driver and connector when the first connection of the type is used, which keeps the start short. */
  load(): Promise<(settings: ConnectorSettings) => ConnectorFamily>;
  /** Why no connection can have this address, as words that follow its place; or null. They repeat no part of the address. */
  addressDefect(address: string): string | null;
  /** Its driver, if the connector reaches into it. */
  readonly reachesInto?: ReachedInto;
}

/** How each type of connection is reached: a new one is a line here, a line in the domain's list, and a folder. */
export const registry: Readonly<Record<ConnectionType, ConnectorType>> = {
  mysql: {
    load: async () => (await import('./mysql/connector.ts')).mysqlConnector,
    addressDefect: mysqlDefect,
  },
  postgresql: {
    load: async () => (await import('./postgresql/connector.ts')).postgresqlConnector,
    addressDefect: postgresqlDefect,
    reachesInto: { driver: 'pg', version: '8.23.0', by: 'postgresql/rows/wire.ts' },
  },
  sqlserver: {
    load: async () => (await import('./sqlserver/connector.ts')).sqlserverConnector,
    addressDefect: sqlserverDefect,
    reachesInto: { driver: 'tedious', version: '20.3.9', by: 'sqlserver/driver.ts' },
  },
};

import type { SystemsOfRecord } from '../../application/ports/system-of-record.ts';
import { postgresqlDelivery } from './postgresql/delivery.ts';
import { postgresPools } from './postgresql/pools.ts';
import type { ConnectorSettings } from './settings.ts';

/** Delivers to whatever a connection's type says; `close` ends every session, after the deliveries under way. */
export const systemsOfRecord = (settings: Omit<ConnectorSettings, 'queryPoolSize'>): SystemsOfRecord & { close(): Promise<void> } => {
  const pools = postgresPools({ ...settings, queryPoolSize: 1 });
  const postgresql = postgresqlDelivery({ pools, log: settings.log, timeoutSeconds: settings.timeoutSeconds });
  return {
    async deliver(connection, row, signal) {
      signal.throwIfAborted();
      if (connection.type === 'postgresql') return postgresql(connection, row, signal);
      return { outcome: 'rejected', reason: `A connection of type ${connection.type} takes no documents.` };
    },
    close: () => pools.close(),
  };
};

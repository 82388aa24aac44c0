import pg from 'pg';
import type { Sealer } from '../../../application/ports/secrets.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import { connectionLeases } from '../leases.ts';
import { openAddress } from '../sealed-address.ts';
import type { ConnectorSettings } from '../settings.ts';
import { addressDefect } from './address.ts';
import { BoundedClient } from './bounded-client.ts';
import { outageCode } from './errors.ts';
import { guard } from './guard.ts';
import { rowReader } from './rows/rows.ts';
import { loginOptions } from './session-settings.ts';

const MOST_CONNECT_SECONDS = 10;
const IDLE_SECONDS = 30;
const LIFETIME_SECONDS = 600;

export const addressOf = (sealer: Sealer, connection: Connection): string => {
  const address = openAddress(sealer, connection);
  try {
    if (addressDefect(address) !== null) throw new Error('not a PostgreSQL address');
    new pg.Client({ connectionString: address });
    return address;
  } catch {
    // The cause is dropped because it may quote the address.
    throw new DomainError('unavailable', `The connection "${connection.name}" has an address that cannot be used.`);
  }
};

const openPool = (
  { log, timeoutSeconds }: ConnectorSettings,
  connection: Connection,
  options: pg.PoolConfig,
): pg.Pool => {
  const pool = new pg.Pool({
    ...options,
    Client: BoundedClient,
    connectionTimeoutMillis: Math.min(timeoutSeconds, MOST_CONNECT_SECONDS) * 1000,
    idleTimeoutMillis: IDLE_SECONDS * 1000,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'portico',
  });
  // From the first moment: a server that ends may say so in the very message that completes the login.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (error) =>
    log.debug({ connection_id: connection.id, code: outageCode(error) }, 'idle session lost'),
  );
  return pool;
};

export type Pools = ReturnType<typeof postgresPools>;

/** What is open for each connection. */
export const postgresPools = (settings: ConnectorSettings) =>
  connectionLeases({
    open(connection) {
      const address = addressOf(settings.sealer, connection);
      const { poolSize: max, queryTimeoutSeconds } = settings;
      const pool = (options: pg.PoolConfig = {}) =>
        openPool(settings, connection, { connectionString: address, max, ...options });
      return {
        pool: pool(),
        // Apart, so that queries that take minutes never keep anything else waiting. Deliveries read values as the login's own settings
        // say, so only these sessions begin with others.
        queryPool: pool(queryTimeoutSeconds === undefined ? {} : { options: loginOptions(queryTimeoutSeconds) }),
        rows: rowReader(),
        guard: guard(),
      };
    },
    close: ({ pool, queryPool }) => Promise.all([pool.end(), queryPool.end()]),
  });

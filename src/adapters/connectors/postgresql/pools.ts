import pg from 'pg';
import type { Sealer } from '../../../application/ports/secrets.ts';
import type { Connection } from '../../../domain/connection.ts';
import { DomainError } from '../../../domain/errors.ts';
import { connectionLeases } from '../leases.ts';
import type { ConnectorSettings } from '../settings.ts';
import { outageCode } from './errors.ts';
import { type Guard, guard } from './guard.ts';
import { type RowReader, rowReader } from './rows/rows.ts';
import { loginOptions } from './session-settings.ts';

/** What is open for one connection; all of it is replaced when its address changes. */
interface Opened {
  readonly pool: pg.Pool;
  /** Apart, so that queries that take minutes never keep anything else waiting. */
  readonly queryPool: pg.Pool;
  readonly rows: RowReader;
  readonly guard: Guard;
}

export interface Pools {
  /** If it was replaced meanwhile, it is closed when its last lease is released. */
  lease(connection: Connection): Opened & { release(): void };
  close(): Promise<void>;
}

const MOST_CONNECT_SECONDS = 10;
const IDLE_SECONDS = 30;
const LIFETIME_SECONDS = 600;

export const addressOf = (sealer: Sealer, connection: Connection): string => {
  try {
    const address = sealer.open(connection.sealedUrl);
    if (!/^postgres(ql)?:$/.test(new URL(address).protocol)) throw new Error('not a PostgreSQL address');
    new pg.Client({ connectionString: address });
    return address;
  } catch {
    // The cause is dropped because it may quote the address.
    throw new DomainError('unavailable', `The connection "${connection.name}" has an address that cannot be used.`);
  }
};

const openPool = ({ log, timeoutSeconds }: ConnectorSettings, connection: Connection, own: pg.PoolConfig): pg.Pool => {
  const pool = new pg.Pool({
    ...own,
    connectionTimeoutMillis: Math.min(timeoutSeconds, MOST_CONNECT_SECONDS) * 1000,
    idleTimeoutMillis: IDLE_SECONDS * 1000,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'portico',
  });
  // From the first moment: a server that ends may say so in the very message that completes the login.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (error) => log.debug({ connection_id: connection.id, code: outageCode(error) }, 'idle session lost'));
  return pool;
};

export const postgresPools = (settings: ConnectorSettings): Pools => {
  const pools = connectionLeases<Opened>({
    open(connection) {
      const address = addressOf(settings.sealer, connection);
      const { poolSize: max, queryTimeoutSeconds } = settings;
      const pool = (own: pg.PoolConfig = {}) => openPool(settings, connection, { connectionString: address, max, ...own });
      return {
        pool: pool(),
        // Deliveries read values as the login's own settings say, so only these sessions begin with others.
        queryPool: pool(queryTimeoutSeconds === undefined ? {} : { options: loginOptions(queryTimeoutSeconds) }),
        rows: rowReader(),
        guard: guard(),
      };
    },
    close: ({ pool, queryPool }) => Promise.all([pool.end(), queryPool.end()]),
  });
  return {
    lease(connection) {
      const { resource, release } = pools.lease(connection);
      return { ...resource, release };
    },
    close: pools.close,
  };
};

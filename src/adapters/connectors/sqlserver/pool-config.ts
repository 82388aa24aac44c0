import type { config as PoolConfig } from 'mssql';
import { authoritiesIn } from '../authorities.ts';
import { type Address, AddressError, type Authentication } from './address.ts';

/** The longest value that is read whole, in bytes; the server cuts a longer one, and a cut one is refused. */
export const LONGEST_VALUE = 32 * 1024 * 1024;

interface PoolLimits {
  readonly connectSeconds: number;
  readonly acquireSeconds: number;
  readonly size: number;
}

const IDLE_SECONDS = 30;
const CANCEL_SECONDS = 5;

type DriverAuthentication = Pick<PoolConfig, 'user' | 'password' | 'domain' | 'authentication'>;

/** Tokens of Microsoft Entra ID are fetched by the driver, once for each session that it opens. */
const authentication = (login: Authentication): DriverAuthentication => {
  switch (login.kind) {
    case 'sql':
      return { user: login.user, password: login.password };
    case 'windows':
      return { user: login.user, password: login.password, domain: login.domain };
    case 'service principal': {
      const { clientId, clientSecret, tenantId } = login;
      return {
        authentication: {
          type: 'azure-active-directory-service-principal-secret',
          options: { clientId, clientSecret, tenantId },
        },
      };
    }
    default: {
      const type =
        login.kind === 'managed identity' ? 'azure-active-directory-msi-app-service' : 'azure-active-directory-default';
      return { authentication: { type, options: login.clientId === null ? {} : { clientId: login.clientId } } };
    }
  }
};

const authorities = (file: string): string => {
  const certificates = authoritiesIn(file);
  if (certificates !== null) return certificates;
  throw new AddressError('names a caFile that cannot be read, or holds no certificate in PEM form');
};

/** The driver's configuration for an address; throws an AddressError if a file that it names is of no use. */
export const poolConfig = (address: Address, { connectSeconds, acquireSeconds, size }: PoolLimits): PoolConfig => ({
  server: address.server,
  ...(address.port === null ? {} : { port: address.port }),
  ...(address.database === null ? {} : { database: address.database }),
  ...authentication(address.authentication),
  connectionTimeout: connectSeconds * 1000,
  // Every statement has a signal of its own, which cancels it on the server.
  requestTimeout: 0,
  pool: { min: 0, max: size, idleTimeoutMillis: IDLE_SECONDS * 1000, acquireTimeoutMillis: acquireSeconds * 1000 },
  validateConnection: 'socket',
  options: {
    appName: 'portico',
    // The typings know no 'strict' (TDS 8.0).
    encrypt: address.encrypt as boolean,
    trustServerCertificate: address.trustServerCertificate,
    ...(address.caFile === null ? {} : { cryptoCredentialsDetails: { ca: authorities(address.caFile) } }),
    ...(address.hostNameInCertificate === null ? {} : { serverName: address.hostNameInCertificate }),
    readOnlyIntent: address.readOnlyIntent,
    multiSubnetFailover: address.multiSubnetFailover,
    // With a port given, the instance is the one that listens there.
    ...(address.port === null && address.instanceName !== null ? { instanceName: address.instanceName } : {}),
    abortTransactionOnError: true,
    cancelTimeout: CANCEL_SECONDS * 1000,
    lowerCaseGuids: true,
    maxRetriesOnTransientErrors: 0,
    textsize: LONGEST_VALUE,
    useUTC: true,
  },
});

import type { config as PoolConfig } from 'mssql';

/** Where a connection points, read from its address. */
export interface Address {
  readonly server: string;
  /** Null where SQL Server Browser must be asked for the instance's. */
  readonly port: number | null;
  readonly instanceName: string | null;
  readonly database: string | null;
  readonly user: string;
  readonly password: string;
  /** Of a Windows login. */
  readonly domain: string | null;
  readonly encrypt: boolean | 'strict';
  /** Whether a server that offers no encryption is refused. */
  readonly insists: boolean;
  readonly trustServerCertificate: boolean;
  readonly readOnlyIntent: boolean;
  readonly multiSubnetFailover: boolean;
}

const DEFAULT_PORT = 1433;

/** Azure's gateways take nothing but TLS and have certificates that every client knows. */
const isAzure = (host: string) =>
  /\.(?:database|datawarehouse)\.(?:windows\.net|fabric\.microsoft\.com|[a-z.]*\bcloudapi\.\w+)$/i.test(host);

const flag = (value: string | undefined, otherwise: boolean): boolean => {
  if (value === undefined) return otherwise;
  if (/^(?:true|yes|1)$/i.test(value)) return true;
  if (/^(?:false|no|0)$/i.test(value)) return false;
  throw new Error('a switch is neither true nor false');
};

const encryption = (value: string | undefined): boolean | 'strict' => (/^strict$/i.test(value ?? '') ? 'strict' : flag(value, true));

/** `host`, `host%5Cinstance` or `[::1]`. */
const hostOf = (hostname: string): readonly [string, string | null] => {
  const [host = '', instance] = decodeURIComponent(hostname)
    .replace(/^\[(.*)\]$/, '$1')
    .split('\\');
  if (host === '') throw new Error('no host');
  return [host, instance ?? null];
};

/**
 * Reads `mssql://user:password@host:1433/database?encrypt=true&trustServerCertificate=false&instanceName=…`.
 * Where `encrypt` is not given the session is encrypted if the server can, and only Azure's certificate is checked: a server that is set up
 * by itself signs its own. An explicit `encrypt=true` checks the certificate.
 */
export const readAddress = (text: string): Address => {
  const url = new URL(text);
  if (!/^(?:mssql|sqlserver):$/.test(url.protocol)) throw new Error('not a SQL Server address');
  const options = new Map([...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]));
  const [server, instance] = hostOf(url.hostname);
  const instanceName = options.get('instancename') ?? instance;
  return {
    server,
    port: url.port === '' ? (instanceName === null ? DEFAULT_PORT : null) : Number(url.port),
    instanceName,
    database: decodeURIComponent(url.pathname.slice(1)) || null,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    domain: options.get('domain') ?? null,
    encrypt: encryption(options.get('encrypt')),
    insists: encryption(options.get('encrypt') ?? String(isAzure(server))) === true,
    trustServerCertificate: flag(options.get('trustservercertificate'), !options.has('encrypt') && !isAzure(server)),
    readOnlyIntent: /^readonly$/i.test(options.get('applicationintent') ?? ''),
    multiSubnetFailover: flag(options.get('multisubnetfailover'), false),
  };
};

/** The longest value that is read whole, in bytes; the server cuts a longer one, and a cut one is refused. */
export const LONGEST_VALUE = 32 * 1024 * 1024;

export interface PoolLimits {
  readonly connectSeconds: number;
  readonly acquireSeconds: number;
  readonly size: number;
}

const IDLE_SECONDS = 30;
const CANCEL_SECONDS = 5;

export const poolConfig = (address: Address, { connectSeconds, acquireSeconds, size }: PoolLimits): PoolConfig => ({
  server: address.server,
  ...(address.port === null ? {} : { port: address.port }),
  ...(address.database === null ? {} : { database: address.database }),
  ...(address.domain === null ? {} : { domain: address.domain }),
  user: address.user,
  password: address.password,
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

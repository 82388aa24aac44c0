import { oneOf } from '../../wire/kit/values.ts';
import { address, addressOf, flag, integer, optional, setting, text } from './setting.ts';

const postgresAddress = addressOf(
  ['postgres:', 'postgresql:'],
  'an address such as postgres://user:password@host:5432/database',
);

const database = {
  databaseUrl: optional(
    'DATABASE_URL',
    postgresAddress,
    'PostgreSQL 15 or later. Unset: one that Portico starts itself under `DATA_DIR`.',
  ),
  databaseListenUrl: optional(
    'DATABASE_LISTEN_URL',
    postgresAddress,
    'The same database past a pooler, for the one connection per process on which notifications arrive: where `DATABASE_URL` goes through PgBouncer in transaction mode. Unset: `DATABASE_URL`.',
  ),
  databaseReadUrl: optional(
    'DATABASE_READ_URL',
    postgresAddress,
    'A streaming replica of the database, which answers lists, searches and exports where it has all that the database has; else, and while it is away, the database does. One server, not several behind one address. Unset: the database answers everything.',
  ),
  databaseSslMode: optional(
    'DATABASE_SSL_MODE',
    oneOf('disable', 'require', 'verify-ca', 'verify-full'),
    'TLS to the database: `require` encrypts, `verify-ca` checks who signed the certificate as well, `verify-full` its host too. Unset: the `sslmode` of `DATABASE_URL`, else `verify-full` if a CA is given and `disable` if none is.',
  ),
  databaseSslCa: optional(
    'DATABASE_SSL_CA',
    text,
    'A file with the certificates (PEM) of the CA of the database. Unset: the `sslrootcert` of `DATABASE_URL`, else those that Node trusts.',
  ),
  databasePoolSize: setting(
    'DATABASE_POOL_SIZE',
    integer(2, 200),
    10,
    'Database connections per process; three more are shared by short reads and notifications, and two are opened for leases alone.',
  ),
  databaseSearchPoolSize: setting(
    'DATABASE_SEARCH_POOL_SIZE',
    integer(1, 100),
    4,
    'Further database connections per process, for searches, filtered lists and exports alone; opened when they are needed.',
  ),
  databaseConnectTimeoutSeconds: setting(
    'DATABASE_CONNECT_TIMEOUT_SECONDS',
    integer(1, 60),
    5,
    'How long a connect, or the wait for a free connection, may take.',
  ),
  databaseStatementTimeoutSeconds: setting(
    'DATABASE_STATEMENT_TIMEOUT_SECONDS',
    integer(1, 3600),
    30,
    'How long one statement may take.',
  ),
  databaseIdleSeconds: setting(
    'DATABASE_IDLE_SECONDS',
    integer(1, 86_400),
    10,
    'A connection that is unused for so long is closed.',
  ),
} as const;

const files = {
  s3Bucket: optional('S3_BUCKET', text, 'The bucket for uploaded files and snapshots. Unset: files under `DATA_DIR`.'),
  s3Endpoint: optional('S3_ENDPOINT', address, 'An S3-compatible store such as MinIO or Ceph. Unset: AWS.'),
  s3PublicEndpoint: optional(
    'S3_PUBLIC_ENDPOINT',
    address,
    'Where clients reach the store, which upload and download URLs are signed for. Unset: that of `S3_ENDPOINT`.',
  ),
  s3Region: optional(
    'S3_REGION',
    text,
    'The region of the bucket. Unset: `us-east-1` if there is an `S3_ENDPOINT`, else that of `AWS_REGION` or the profile.',
  ),
  s3AccessKeyId: optional(
    'S3_ACCESS_KEY_ID',
    text,
    'The access key for the bucket, with `S3_SECRET_ACCESS_KEY`. Unset: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, else the profile or role of this machine.',
  ),
  s3SecretAccessKey: optional('S3_SECRET_ACCESS_KEY', text, 'The secret of `S3_ACCESS_KEY_ID`.'),
  maxUploadBytes: setting(
    'MAX_UPLOAD_BYTES',
    integer(1, 5_368_709_120),
    104_857_600,
    'The largest file that may be uploaded.',
  ),
  workspaceStoredBytes: setting(
    'WORKSPACE_STORED_BYTES',
    integer(1, 1_125_899_906_842_624),
    274_877_906_944,
    'How much a workspace may have in the file store: files of runs, uploads, snapshots, images of pages. An upload URL counts with the size that was said, else with `MAX_UPLOAD_BYTES`, while it works. A user may have half of what is left open or unused.',
  ),
  workspaceUploadUrls: setting(
    'WORKSPACE_UPLOAD_URLS',
    integer(1, 1_000_000),
    2000,
    'How many upload URLs of a workspace may work at the same time whose files no run took yet. A user may have half of what is left.',
  ),
} as const;

/** Where everything is kept. */
export const storage = {
  dataDir: setting(
    'DATA_DIR',
    text,
    '.portico',
    'Where the embedded database, uploaded files and the generated encryption key live.',
  ),
  ...database,
  ...files,
  encryptionKey: optional(
    'ENCRYPTION_KEY',
    text,
    '32 bytes in base64 or hexadecimal, for secrets at rest. Of several, separated by commas, the first seals and all open: `portico secrets reseal` seals everything with the first. Unset: generated once under `DATA_DIR`.',
  ),
  demo: optional(
    'DEMO',
    flag,
    'Whether the first start makes the demo workspace. Unset: only with the embedded database.',
  ),
} as const;

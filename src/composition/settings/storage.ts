import { flag, integer, postgresAddress, setting, text } from './setting.ts';

/** Where everything is kept. */
export const storage = {
  dataDir: setting('DATA_DIR', text, '.portico', 'Where the embedded database, uploaded files and the generated encryption key live.'),
  databaseUrl: setting<string | null>(
    'DATABASE_URL',
    postgresAddress,
    null,
    'PostgreSQL 15 or later. Unset: one that Portico starts itself under `DATA_DIR`.',
  ),
  databasePoolSize: setting('DATABASE_POOL_SIZE', integer(2, 200), 10, 'Database connections per process.'),
  encryptionKey: setting<string | null>(
    'ENCRYPTION_KEY',
    text,
    null,
    '32 bytes in base64 or hexadecimal, for secrets at rest. Unset: generated once under `DATA_DIR`.',
  ),
  demo: setting<boolean | null>(
    'DEMO',
    flag,
    null,
    'Whether the first start makes the demo workspace. Unset: only with the embedded database.',
  ),
  maxUploadBytes: setting('MAX_UPLOAD_BYTES', integer(1, 5_368_709_120), 104_857_600, 'The largest file that may be uploaded.'),
} as const;

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BackupPlace, BackupReport } from '../adapters/cli/dependencies.ts';
import { isOfRunningServer, openBackup } from '../adapters/postgres/connection/backup.ts';
import { startEmbeddedPostgres } from '../adapters/postgres/connection/embedded.ts';
import { migrate } from '../adapters/postgres/connection/migrator.ts';
import { isAnotherAlive } from '../adapters/postgres/connection/postmaster.ts';
import { parseEncryptionKeys } from '../adapters/system/encryption-key.ts';
import { pinoLog } from '../adapters/system/log.ts';
import { aesSealer } from '../adapters/system/sealer.ts';
import { codeOf, DomainError } from '../domain/errors.ts';
import { parseJson } from '../domain/json-number.ts';
import type { Config } from './config.ts';
import { composeForOperator } from './container.ts';
import { type Copied, copyDurably, copyTree } from './copy-tree.ts';
import { makeDataDir } from './data-dir.ts';
import { encryptionKeysOf } from './modules/system.ts';
import { complete, draftIn, finishRestore, MANIFEST } from './restored.ts';
import { version } from './version.ts';

/** What a backup says of itself. */
interface Manifest extends BackupReport {
  /** Opens with the encryption key of the installation alone. */
  readonly sealed: string;
}

const SEALED = 'portico backup';
/** A file with the process that makes the backup: a backup is finished when its mark is gone, and before that it is none. */
const UNFINISHED = 'unfinished';
/** Of erasures: of all that is there, it alone may be newer than the backup. */
const LEDGER = path.join('files', 'erasures');

const refusal = (message: string) => new DomainError('invalid', message);

const entriesOf = (folder: string): Promise<readonly string[]> =>
  readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });

/** Removes what a backup that was not finished has copied, its mark last. */
const clear = async (target: string) => {
  for (const name of await entriesOf(target))
    if (name !== UNFINISHED) await rm(path.join(target, name), { recursive: true });
  await rm(path.join(target, UNFINISHED), { force: true });
};

/** Makes the folder, or takes it over from a backup that was killed. */
const begin = async (target: string) => {
  const entries = await entriesOf(target);
  if (entries.length > 0 && !entries.includes(UNFINISHED)) throw refusal(`${target} is not empty: name a new folder.`);
  const mark = path.join(target, UNFINISHED);
  const pid = Number(await readFile(mark, 'utf8').catch(() => null));
  if (pid > 0 && isAnotherAlive(pid)) throw refusal(`Process ${pid} makes a backup in ${target}: name a new folder.`);
  await clear(target);
  await mkdir(target, { recursive: true, mode: 0o700 });
  await writeFile(mark, String(process.pid));
};

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Both commands are about what lies under DATA_DIR. */
const checkIsEmbedded = ({ databaseUrl, s3Bucket }: Config) => {
  if (databaseUrl !== null)
    throw refusal(
      'DATABASE_URL is set: back that database up with pg_dump, and its files where they are (docs/operations.md).',
    );
  if (s3Bucket !== null)
    throw refusal(
      'S3_BUCKET is set: its files are backed up by the store. Back the database up as well (docs/operations.md).',
    );
};

/** Ends a copy once the signal is aborted. */
const until = (signal: AbortSignal, isLeftOut: (name: string) => boolean) => (name: string) => {
  signal.throwIfAborted();
  return isLeftOut(name);
};

/** Copies the data while the server works; the files of its log come last, when it is known which ones are needed. */
const copyDatabase = async (url: string, dir: string, target: string, signal: AbortSignal): Promise<Copied> => {
  const backup = await openBackup(url);
  try {
    const data = await copyTree(dir, target, until(signal, isOfRunningServer));
    const { label, firstLog, lastLog } = await backup.finish();
    await writeFile(path.join(target, 'data/backup_label'), label, { flush: true });
    const logs = (await readdir(path.join(dir, 'data/pg_wal'))).filter(
      (name) => /^[0-9A-F]{24}$/.test(name) && name >= firstLog && name <= lastLog,
    );
    for (const name of logs)
      await copyDurably(path.join(dir, 'data/pg_wal', name), path.join(target, 'data/pg_wal', name));
    return data;
  } finally {
    await backup.close();
  }
};

/** Writes the encryption key into a file of its own; false if a backup before has written it there. */
const keepKey = async (file: string, target: string, key: Uint8Array): Promise<boolean> => {
  if (!path.relative(target, path.resolve(file)).startsWith('..'))
    throw refusal('The key opens the secrets of the backup: write it somewhere else than into the backup.');
  const text = `${Buffer.from(key).toString('base64')}\n`;
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if ((await readFile(file, 'utf8')) === text) return false;
    throw refusal(`${file} is there already, has something else, and is left as it is.`);
  }
};

interface Copying {
  readonly source: string;
  readonly target: string;
  readonly key: Uint8Array;
  readonly signal: AbortSignal;
}

const copyAll = async ({ source, target, key, signal }: Copying): Promise<BackupReport> => {
  const postgres = path.join(source, 'postgres');
  const embedded = await startEmbeddedPostgres({ dir: postgres, log: pinoLog({ level: 'error' }) });
  try {
    const database = await copyDatabase(embedded.url, postgres, path.join(target, 'postgres'), signal);
    // After the database: a file that no row knows does no harm.
    const files = await copyTree(
      path.join(source, 'files'),
      path.join(target, 'files'),
      until(signal, () => false),
    );
    const report = { portico: version, made_at: new Date().toISOString(), database, files };
    const manifest: Manifest = { ...report, sealed: aesSealer(key).seal(SEALED) };
    await writeFile(path.join(target, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
    return report;
  } finally {
    await embedded.stop();
  }
};

/**
 * Copies the embedded database and the files under DATA_DIR into a new folder, while a server may be working, and the encryption key
 * into `keyFile`, if one is named.
 */
export const backUp = async (
  config: Config,
  { folder, keyFile }: BackupPlace,
  signal: AbortSignal,
): Promise<BackupReport> => {
  checkIsEmbedded(config);
  const source = path.resolve(config.dataDir);
  const target = path.resolve(folder);
  if (!(await exists(path.join(source, 'postgres/data'))))
    throw refusal(`There is no embedded database in ${source}: is DATA_DIR the one of the server?`);
  const [key] = await encryptionKeysOf(config);
  await begin(target);
  let isKeyNew = false;
  try {
    isKeyNew = keyFile !== null && (await keepKey(keyFile, target, key));
    const report = await copyAll({ source, target, key, signal });
    await rm(path.join(target, UNFINISHED));
    return report;
  } catch (error) {
    // A backup that was not finished is of no use, and the same command may be given again.
    await clear(target);
    if (keyFile !== null && isKeyNew) await rm(keyFile);
    throw error;
  }
};

const manifestIn = async (folder: string): Promise<Manifest> => {
  const text = await readFile(path.join(folder, MANIFEST), 'utf8').catch(() => null);
  if (text === null || (await exists(path.join(folder, UNFINISHED))))
    throw refusal(`${folder} is no backup, or one that was not finished.`);
  return parseJson(text) as unknown as Manifest;
};

const opens = (key: Uint8Array, sealed: string): boolean => {
  try {
    return aesSealer(key).open(sealed) === SEALED;
  } catch {
    return false;
  }
};

/** The key of the backup: that of a file, else that of the configuration. */
const keyFor = async ({ encryptionKey, dataDir }: Config, keyFile: string | null, sealed: string) => {
  const file = keyFile ?? path.resolve(dataDir, 'encryption.key');
  const text =
    keyFile === null && encryptionKey !== null ? encryptionKey : await readFile(file, 'utf8').catch(() => null);
  if (text === null)
    throw refusal(
      `The encryption key is needed: name its file with --key, or set ENCRYPTION_KEY. ${file} cannot be read.`,
    );
  const key = parseEncryptionKeys(text).find((each) => opens(each, sealed));
  if (!key) throw refusal('This is not the encryption key of the backup.');
  return key;
};

/** The installation goes on with the key that it has: a backup that this one does not open would come back without its secrets. */
const mustOpen = (keys: string, name: string, sealed: string) => {
  if (!parseEncryptionKeys(keys).some((each) => opens(each, sealed)))
    throw refusal(`${name} is not the encryption key of the backup: take it away, so that the one of --key is taken.`);
};

/** Starts the database of this configuration, brings it up to date, and counts what is there. */
const countIn = async (config: Config) => {
  const composition = await composeForOperator(config, pinoLog({ level: 'error' }));
  try {
    await migrate(composition.database);
    const { rows } = await composition.database.pool.query<{ readonly runs: number; readonly documents: number }>(
      'select (select count(*) from runs)::int as runs, (select count(*) from documents)::int as documents',
    );
    return { runs: rows[0]?.runs ?? 0, documents: rows[0]?.documents ?? 0 };
  } finally {
    await composition.close();
  }
};

/** Copies the backup, and makes of the copy what can be started. */
const draftOf = async (source: string, target: string, config: Config, key: Uint8Array, signal: AbortSignal) => {
  const draft = draftIn(target);
  const copying = until(signal, () => false);
  for (const name of ['files', 'postgres']) await copyTree(path.join(source, name), path.join(draft, name), copying);
  // The ledger that is there already has what was erased after the backup.
  await copyTree(path.join(target, LEDGER), path.join(draft, LEDGER));
  // In the draft: PostgreSQL starts no more on a copy whose first recovery was interrupted.
  const counts = await countIn({ ...config, dataDir: draft, encryptionKey: Buffer.from(key).toString('base64') });
  signal.throwIfAborted();
  await copyDurably(path.join(source, MANIFEST), path.join(draft, MANIFEST));
  return counts;
};

/**
 * Puts a backup into a DATA_DIR that has no installation yet, and counts what is there. Where the signal is aborted before everything is
 * copied and recovered, nothing stays of it.
 */
export const restore = async (config: Config, { folder, keyFile }: BackupPlace, signal: AbortSignal) => {
  checkIsEmbedded(config);
  const source = path.resolve(folder);
  const target = path.resolve(config.dataDir);
  const { sealed, ...report } = await manifestIn(source);
  const key = await keyFor(config, keyFile, sealed);
  const kept = path.join(target, 'encryption.key');
  const keys = config.encryptionKey ?? (await readFile(kept, 'utf8').catch(() => null));
  if (keys !== null) mustOpen(keys, config.encryptionKey === null ? kept : 'ENCRYPTION_KEY', sealed);
  await makeDataDir(target, true);
  const finished = await finishRestore(target);
  if (finished !== null && finished === (await readFile(path.join(source, MANIFEST), 'utf8')))
    return { ...report, ...(await countIn(config)) };
  for (const name of ['postgres', 'files'])
    if ((await entriesOf(path.join(target, name))).some((entry) => path.join(name, entry) !== LEDGER))
      throw refusal(`${path.join(target, name)} is there already: set DATA_DIR to a new folder, or move it away.`);
  await rm(draftIn(target), { recursive: true, force: true });
  try {
    const counts = await draftOf(source, target, config, key, signal);
    if (keys === null) await keepKey(kept, source, key);
    await complete(target);
    await finishRestore(target);
    return { ...report, ...counts };
  } finally {
    await rm(draftIn(target), { recursive: true, force: true });
  }
};

import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** What makes a copy of the data, taken while the server worked, one that PostgreSQL recovers. */
interface BackupMarks {
  /** The content of the file `backup_label`. */
  readonly label: string;
  /** The first and the last file of `pg_wal` that the copy needs. */
  readonly firstLog: string;
  readonly lastLog: string;
}

interface OpenBackup {
  /** When all of the data is copied. The files of the log stay until `close`. */
  finish(): Promise<BackupMarks>;
  close(): Promise<void>;
}

const start = `select pg_walfile_name(pg_backup_start('portico backup', true)) as "firstLog"`;
const stop = `select labelfile as label, pg_walfile_name(lsn) as "lastLog" from pg_backup_stop(false)`;

/**
 * Tells a running server that its data is about to be copied (PostgreSQL, chapter "Continuous Archiving", "Making a Base Backup
 * Using the Low Level API"). It goes on working meanwhile.
 */
export const openBackup = async (url: string): Promise<OpenBackup> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    // Keeps the files of the log, and ends with this session.
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [
      `portico_backup_${randomUUID().replaceAll('-', '')}`,
    ]);
    const begun = await client.query<{ readonly firstLog: string }>(start);
    const firstLog = begun.rows[0]?.firstLog ?? '';
    return {
      finish: async () => {
        const ended = await client.query<{ readonly label: string; readonly lastLog: string }>(stop);
        const { label = '', lastLog = '' } = ended.rows[0] ?? {};
        return { label, firstLog, lastLog };
      },
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
};

/** Folders whose content belongs to the running server alone. */
const EMPTIED = [
  'pg_wal',
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];

/** Whether a backup leaves out this file of the folder of an embedded server. `name` has slashes. */
export const isOfRunningServer = (name: string): boolean => {
  const [top = '', folder = '', below] = name.split('/');
  if (top !== 'data') return top === 'owner';
  if (below !== undefined && EMPTIED.includes(folder)) return true;
  return /\/(?:postmaster\.(?:pid|opts)|pgsql_tmp[^/]*|pg_internal\.init[^/]*)$/.test(name);
};

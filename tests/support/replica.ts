import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isOfRunningServer, openBackup } from '../../src/adapters/postgres/connection/backup.ts';
import { startEmbeddedPostgres } from '../../src/adapters/postgres/connection/embedded.ts';
import { findLauncher, handOver } from '../../src/adapters/postgres/connection/launcher.ts';
import { freePort } from './listen.ts';
import { quiet } from './log.ts';

const answers = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
};

/** Copies the data of a running server to the folder of its replica. */
const copyData = async (url: string, from: string, to: string) => {
  const backup = await openBackup(url);
  const filter = (source: string) => !isOfRunningServer(`data/${path.relative(from, source)}`);
  await cp(from, to, { recursive: true, filter });
  for (const folder of [
    'pg_wal',
    'pg_replslot',
    'pg_notify',
    'pg_serial',
    'pg_snapshots',
    'pg_stat_tmp',
    'pg_subtrans',
    'pg_dynshmem',
  ])
    await mkdir(path.join(to, folder), { recursive: true, mode: 0o700 });
  const { label } = await backup.finish();
  await writeFile(path.join(to, 'backup_label'), label);
  await writeFile(path.join(to, 'standby.signal'), '');
  return backup;
};

/** A primary and a replica that streams from it: servers of their own. */
export const startPair = async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'portico-pair-'));
  const settings = { fsync: 'off', wal_keep_size: '256MB', autovacuum: 'off' };
  const primary = await startEmbeddedPostgres({ dir: path.join(dir, 'primary'), log: quiet, settings });
  const launcher = await findLauncher();
  const data = path.join(dir, 'replica');
  const backup = await copyData(primary.url, path.join(dir, 'primary', 'data'), data);
  await handOver(data, launcher.owner);
  const port = await freePort();
  const { hostname, port: source, username, password } = new URL(primary.url);
  const options = {
    ...settings,
    primary_conninfo: `host=${hostname} port=${source} user=${username} password=${password}`,
    shared_buffers: '32MB',
    wal_retrieve_retry_interval: '100ms',
  };
  const given = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const address = Object.assign(new URL(primary.url), { port: String(port) });
  const start = async () => {
    const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', ...given];
    const child = launcher.spawn(launcher.postgres, args, { stdio: 'ignore' });
    for (let tries = 0; !(await answers(address.href)); tries += 1) {
      if (child.exitCode !== null || tries > 300) throw new Error('the replica does not start');
      await sleep(100);
    }
    return child;
  };
  let child = await start();
  await backup.close();
  return {
    primaryUrl: primary.url,
    replicaUrl: address.href,
    /** Waits until the replica has all that the primary has. */
    async caughtUp() {
      const [source, standby] = [primary.url, address.href].map(
        (connectionString) => new pg.Client({ connectionString }),
      );
      await Promise.all([source?.connect(), standby?.connect()]);
      const lsn = (await source?.query('select pg_current_wal_lsn()::text as lsn'))?.rows[0]?.lsn;
      const there = async () =>
        (await standby?.query('select pg_last_wal_replay_lsn() >= $1 as there', [lsn]))?.rows[0];
      for (let tries = 0; (await there())?.there !== true; tries += 1) {
        if (tries > 1000) throw new Error('the replica does not catch up');
        await sleep(10);
      }
      await Promise.all([source?.end(), standby?.end()]);
    },
    /** Ends the replica at once. */
    async kill() {
      const gone = once(child, 'exit');
      child.kill('SIGQUIT');
      await gone;
    },
    async start() {
      child = await start();
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const gone = once(child, 'exit');
        child.kill('SIGINT');
        await gone;
      }
      await primary.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
};

export type Pair = Awaited<ReturnType<typeof startPair>>;

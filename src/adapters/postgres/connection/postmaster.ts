import type { ChildProcess } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../application/ports/runtime.ts';
import type { Launcher } from './launcher.ts';

/** A running PostgreSQL server. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Resolves once the process is no more. */
  readonly gone: Promise<void>;
}

const LOOK_MS = 250;
const READY_WITHIN_MS = 120_000;
const FAST_STOP_MS = 20_000;

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Of a process that ended, this one may have the number, as in a container. */
export const isAnotherAlive = (pid: number): boolean => pid !== process.pid && isAlive(pid);

/** After a restart of a machine or container the number in an old file may be another program's. */
const isPostgres = async (pid: number) => {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  return readFile(`/proc/${pid}/comm`, 'utf8').then(
    (name) => name.trim() === 'postgres',
    () => false,
  );
};

const untilGone = async (pid: number) => {
  while (isAlive(pid)) await sleep(LOOK_MS, undefined, { ref: false });
};

/** The running server of this data, whichever process started it. */
export const findPostmaster = async (data: string): Promise<Postmaster | null> => {
  const file = path.join(data, 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (await isPostgres(pid)) return { pid, port: Number(lines[3]), gone: untilGone(pid) };
  if (isAlive(pid)) await rm(file, { force: true });
  return null;
};

const safeSettings = {
  timezone: 'UTC',
  shared_buffers: '64MB',
  log_line_prefix: '',
  /** Statements and their values are confidential: the log has the error alone. */
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

/** Resolves when the server accepts connections; rejects with its own message if it ends instead. */
const ready = (child: ChildProcess, log: Log) =>
  new Promise<void>((resolve, reject) => {
    let reason = 'it ended without a message';
    const tooLong = setTimeout(() => {
      child.kill('SIGQUIT');
      reason = 'it did not become ready in time';
    }, READY_WITHIN_MS);
    child.once('error', reject);
    child.once('exit', () => {
      clearTimeout(tooLong);
      reject(new Error(`The embedded PostgreSQL did not start: ${reason}`));
    });
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      const [, level, message] = /^(\w+):\s+(.*)$/.exec(line) ?? [];
      if (level === 'FATAL' || level === 'PANIC') reason = message ?? line;
      log.debug({ postgres: line }, 'output of the embedded PostgreSQL');
      if (!line.includes('ready to accept connections')) return;
      clearTimeout(tooLong);
      resolve();
    });
  });

export const startPostmaster = async (
  launcher: Launcher,
  { data, port, settings, log }: { data: string; port: number; settings: Readonly<Record<string, string>>; log: Log },
): Promise<Postmaster> => {
  const options = Object.entries({ ...safeSettings, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const listen = ['-p', String(port), '-h', '127.0.0.1', '-k', ''];
  // In a group of its own: a terminal sends Ctrl-C to all of a group, and PostgreSQL has to outlive what the server still ends.
  const detached = process.platform !== 'win32';
  const child = launcher.spawn(launcher.postgres, ['-D', data, ...listen, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached,
  });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await ready(child, log);
  return { pid: child.pid as number, port, gone };
};

/** Disconnects the clients; what is committed stays. */
export const stopPostmaster = async ({ pid, gone }: Postmaster) => {
  const signal = (name: NodeJS.Signals) => isAlive(pid) && process.kill(pid, name);
  signal('SIGINT');
  const escalation = setTimeout(() => signal('SIGQUIT'), FAST_STOP_MS);
  await gone;
  clearTimeout(escalation);
};

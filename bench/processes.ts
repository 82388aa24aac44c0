import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface Program {
  readonly pid: number;
  readonly baseUrl: string;
  stop(): Promise<void>;
}

const answers = async (url: string, child: ChildProcess) => {
  for (let tries = 0; tries < 600; tries += 1) {
    if (child.exitCode !== null) throw new Error(`the program ended (${child.exitCode}) before it answered`);
    const ok = await fetch(url).then(
      (answer) => answer.status < 500,
      () => false,
    );
    if (ok) return;
    await sleep(100);
  }
  throw new Error('the program did not answer');
};

/** What is still running when the benchmark ends, however it ends, ends with it. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a program of this project and waits until it answers. */
export const start = async (
  script: string,
  args: readonly string[],
  port: number,
  env: Record<string, string> = {},
): Promise<Program> => {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  running.add(child);
  const baseUrl = `http://127.0.0.1:${port}`;
  await answers(`${baseUrl}/api/v1`, child);
  const stop = async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
    running.delete(child);
  };
  return { pid: child.pid as number, baseUrl, stop };
};

const TICK_MS = 10;

/** What Linux knows of a process: the one that started it, and the milliseconds that it and its ended children have spent; null of no process. */
export const statOf = async (pid: number) => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const at = (index: number) => Number(fields[index]);
  return { parent: at(1), ms: (at(11) + at(12)) * TICK_MS, childrenMs: (at(13) + at(14)) * TICK_MS };
};

export const processIds = async () =>
  (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);

/** User and system time that the process has spent so far, in milliseconds; null on a machine that does not show it. */
export const cpuMs = async (pid: number): Promise<number | null> => (await statOf(pid))?.ms ?? null;

/** The CPU time of a server process and everything that it has started, ended children included: PostgreSQL has one for each session. */
export const treeCpuMs = async (pid: number): Promise<number | null> => {
  const ids = await processIds();
  const stats = await Promise.all(ids.map(statOf));
  const spent = stats.map((stat, index) =>
    stat?.parent === pid ? stat.ms : stat && ids[index] === pid ? stat.ms + stat.childrenMs : 0,
  );
  return ids.length === 0 ? null : spent.reduce((sum, ms) => sum + ms, 0);
};

/** Resident memory in MiB. */
export const memoryMib = async (pid: number): Promise<number | null> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /VmRSS:\s+(\d+)/.exec(status)?.[1];
  return kib === undefined ? null : Math.round(Number(kib) / 1024);
};

/** A connection to the database for as long as `work` is done. */
export const connected = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

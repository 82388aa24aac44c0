import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './listen.ts';
import { type Ended, type Environment, portico, startProgram } from './program.ts';

export interface ServerOptions {
  readonly role?: 'all' | 'api' | 'worker';
  readonly env?: Environment;
  /** Whether its limits are the default ones. */
  readonly defaults?: boolean;
  /** A folder that several processes share; absent: one of its own, removed at the end. */
  readonly dataDir?: string;
}

/** The real server in a process of its own, at an address that stays the same when it is started again. */
export interface Server {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly pid: number;
  isRunning(): boolean;
  /** Resolves once it serves; where it runs already, at once. */
  start(): Promise<void>;
  /** Starts it, and waits for nothing. */
  launch(): void;
  signal(name: NodeJS.Signals): void;
  /** SIGKILL; resolves once the process is no more. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Runs a command of the program with the server's own settings, and again where the database did not answer it in time. */
  command(args: readonly string[], env?: Environment, stdin?: string): Promise<Ended>;
  /** What it logged, of all its starts. */
  logs(): Promise<string>;
  /** What it said on standard output, of all its starts. */
  said(): Promise<string>;
  /** Resident memory, in bytes. */
  memory(): Promise<number>;
  /** Ends it and removes what it kept. */
  close(): Promise<void>;
}

const READY_WITHIN_MS = 120_000;
const LOOK_MS = 25;
const STOP_WITHIN_MS = 60_000;

/** For tests that send as many requests in a minute as clients in a day. */
export const unlimited: Environment = { RATE_LIMIT_REQUESTS: '1000000', RATE_LIMIT_RUNS: '1000000' };

/** For tests that kill workers and wait for others to take their runs over, however often a slow machine takes one over from a worker that lives. */
export const shortLease: Environment = { RUN_LEASE_SECONDS: '2' };

/** Limits that tests never meet. */
const generous: Environment = {
  ...unlimited,
  SHUTDOWN_SECONDS: '1',
  LOG_LEVEL: 'info',
};

const written = (file: string) => readFile(file, 'utf8').catch(() => '');

export const aFolder = () => mkdtemp(path.join(tmpdir(), 'portico-test-'));

const ended = (child: ChildProcess) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise<number | null>((resolve) => child.once('exit', resolve));

/** Whether it serves: an API answers, a worker says so in its log. */
const readiness = (role: string, baseUrl: string, log: string) => {
  if (role !== 'worker') {
    return async () =>
      (await fetch(`${baseUrl}/api/v1`, { signal: AbortSignal.timeout(5000) }).catch(() => null))?.status === 200;
  }
  const said = async () => (await written(log)).split('Portico is serving').length;
  const before = said();
  return async () => (await said()) > (await before);
};

const untilReady = async (child: ChildProcess, isReady: () => Promise<boolean>, log: string) => {
  const giveUp = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const ready = await isReady();
    const over = child.exitCode !== null || child.signalCode !== null;
    if (ready && !over) return;
    if (over || Date.now() > giveUp) {
      const end = over ? `it ended with ${child.exitCode ?? child.signalCode}` : 'it takes too long';
      throw new Error(`The server does not serve, ${end}: ${(await written(log)).slice(-2000)}`);
    }
    await sleep(LOOK_MS);
  }
};

/** What a command says where the machine of the tests stood still for a moment; nothing was done then. */
const STOOD_STILL = /cannot be used: no answer in time|has too much to do/;
const MOST_TRIES = 5;

/** Runs a command, and again where the database did not answer it in time. */
const untilAnswered = async (command: () => Promise<Ended>): Promise<Ended> => {
  for (let tries = 1; ; tries += 1) {
    const end = await command();
    if (tries === MOST_TRIES || end.code !== 1 || !STOOD_STILL.test(end.stderr)) return end;
  }
};

/** Not started yet. */
export const aServer = async ({
  role = 'all',
  env = {},
  defaults = false,
  dataDir,
}: ServerOptions = {}): Promise<Server> => {
  const folder = await aFolder();
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const own = dataDir ?? path.join(folder, 'data');
  const settings = { ...(!defaults && generous), PORT: String(port), BASE_URL: baseUrl, DATA_DIR: own, ...env };
  const files = { out: path.join(folder, 'out.txt'), err: path.join(folder, 'log.jsonl') };
  let child: ChildProcess | null = null;

  const current = () => {
    if (!child) throw new Error('The server was not started.');
    return child;
  };
  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null;
  const launch = () => {
    child = startProgram(['serve', '--role', role], settings, files);
  };
  const kill = async () => {
    if (!child) return;
    child.kill('SIGKILL');
    await ended(child);
  };
  const stop = async () => {
    const stopping = current();
    stopping.kill('SIGTERM');
    const patience = setTimeout(() => stopping.kill('SIGKILL'), STOP_WITHIN_MS);
    const code = await ended(stopping);
    clearTimeout(patience);
    return code;
  };

  return {
    baseUrl,
    dataDir: own,
    get pid() {
      return current().pid as number;
    },
    isRunning,
    launch,
    async start() {
      if (isRunning()) return;
      const isReady = readiness(role, baseUrl, files.err);
      launch();
      await untilReady(current(), isReady, files.err);
    },
    signal: (name) => void current().kill(name),
    kill,
    stop,
    command: (args, more = {}, stdin) =>
      untilAnswered(() => portico(args, { ...settings, LOG_LEVEL: 'error', PORTICO_URL: baseUrl, ...more }, stdin)),
    logs: () => written(files.err),
    said: () => written(files.out),
    async memory() {
      const status = await readFile(`/proc/${current().pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    },
    async close() {
      if (child) {
        child.kill('SIGCONT');
        await stop();
        await untilUnused(own);
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** The demo's key, once the first start of a server has printed it: it answers requests a little earlier. */
export const demoKey = async ({ said }: Pick<Server, 'said'>): Promise<string> => {
  for (const giveUp = Date.now() + READY_WITHIN_MS; Date.now() < giveUp; await sleep(LOOK_MS)) {
    const key = /Demo key\s+(svc-\w+) /.exec(await said())?.[1];
    if (key) return key;
  }
  throw new Error('The server has printed no key.');
};

/** Where the embedded PostgreSQL of this folder keeps its process id; the file goes when the server does. */
const postmasterFile = (dataDir: string) => path.join(dataDir, 'postgres/data/postmaster.pid');

/** The process of the embedded PostgreSQL; null where there is none at the moment. */
export const postmasterOf = async (dataDir: string): Promise<number | null> => {
  const pid = Number((await written(postmasterFile(dataDir))).split('\n')[0]);
  return pid > 0 ? pid : null;
};

/** The address of the embedded PostgreSQL. */
export const embeddedUrl = async (dataDir: string, database = 'postgres'): Promise<string> => {
  const [port, password] = await Promise.all(
    ['port', 'password'].map((name) => readFile(path.join(dataDir, 'postgres', name), 'utf8')),
  );
  return `postgres://portico:${password?.trim()}@127.0.0.1:${port?.trim()}/${database}`;
};

/** After a kill, PostgreSQL takes a moment to go. */
const untilUnused = async (dataDir: string) => {
  for (let looks = 0; looks < 400; looks++) {
    if (!(await stat(postmasterFile(dataDir)).catch(() => null))) return;
    await sleep(LOOK_MS);
  }
};

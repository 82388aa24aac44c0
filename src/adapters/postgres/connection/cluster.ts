import { randomBytes } from 'node:crypto';
import { chmod, chown, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../../application/ports/runtime.ts';
import { findLauncher, handOver, type Launcher } from './launcher.ts';
import {
  findPostmaster,
  isAlive,
  isAnotherAlive,
  type Postmaster,
  startPostmaster,
  stopPostmaster,
} from './postmaster.ts';

export interface Running extends Postmaster {
  /** Whether this process stops it: it started the server, or the process that did has ended. */
  readonly own: boolean;
}

const USER = 'portico';
const ATTEMPTS = 5;
const PAUSE_MS = 200;
const ANSWERS_WITHIN_MS = 60_000;

const contentOf = (file: string) =>
  readFile(file, 'utf8').then(
    (text) => text.trim() || null,
    () => null,
  );

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** Makes the password once: if several processes start together, one links its file into place, and all read that. */
const passwordIn = async (file: string, owner: number | null): Promise<string> => {
  const known = await contentOf(file);
  if (known) return known;
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, randomBytes(24).toString('base64url'), { mode: 0o600 });
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  if (owner !== null) await chown(file, owner, owner);
  return (await readFile(file, 'utf8')).trim();
};

/** Whether the server accepts a connection; it does not while it starts or stops. */
const answers = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== '28P01') return false;
    throw new Error('The embedded PostgreSQL refuses its stored password.');
  } finally {
    await client.end();
  }
};

/** Removes the incomplete data of processes that were killed. */
const removeDrafts = async (data: string) => {
  const folder = path.dirname(data);
  const drafts = (await readdir(folder)).filter((name) => name.startsWith(`${path.basename(data)}.`));
  const stale = drafts.filter((name) => !isAnotherAlive(Number(name.split('.').at(-1))));
  await Promise.all(stale.map((name) => rm(path.join(folder, name), { recursive: true, force: true })));
};

/** Makes the data beside its place and moves it there when it is complete, unless another process was faster. */
const initialise = async (launcher: Launcher, data: string, passwordFile: string) => {
  await removeDrafts(data);
  const draft = `${data}.${process.pid}`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  await handOver(draft, launcher.owner);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['-U', USER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const args = ['-D', draft, ...access, ...locale, '--no-sync', '--no-instructions'];
  const child = launcher.spawn(launcher.initdb, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-2_000);
  });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  if (code !== 0)
    throw new Error(`The embedded PostgreSQL's data could not be made: ${output.trim().replaceAll(/\s*\n\s*/g, '; ')}`);
  await rename(draft, data).catch(() => rm(draft, { recursive: true, force: true }));
};

export type Cluster = Awaited<ReturnType<typeof openCluster>>;

/** A folder with all that belongs to one server: its data, its password, its port. */
export const openCluster = async (folder: string, settings: Readonly<Record<string, string>>, log: Log) => {
  const dir = path.resolve(folder);
  const data = path.join(dir, 'data');
  const [passwordFile, portFile, ownerFile] = ['password', 'port', 'owner'].map((name) => path.join(dir, name)) as [
    string,
    string,
    string,
  ];
  const launcher = await findLauncher();
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if (launcher.owner) await chmod(dir, 0o711);
  const password = await passwordIn(passwordFile, launcher.owner);
  const urlOf = (port: number) => `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;

  /** The server that another process runs, once it answers; waits for one that is stopping to end. */
  const join = async (): Promise<Running | null> => {
    const giveUp = Date.now() + ANSWERS_WITHIN_MS;
    for (;;) {
      const postmaster = await findPostmaster(data);
      if (!postmaster) return null;
      if (await answers(urlOf(postmaster.port)))
        return { ...postmaster, own: !isAlive(Number(await contentOf(ownerFile))) };
      if (Date.now() > giveUp) throw new Error(`Process ${postmaster.pid} holds ${data} and does not answer.`);
      await sleep(PAUSE_MS);
    }
  };

  const launch = async (port: number): Promise<Running> => {
    if (!(await stat(path.join(data, 'PG_VERSION')).catch(() => null))) await initialise(launcher, data, passwordFile);
    await handOver(data, launcher.owner);
    const started = await startPostmaster(launcher, { data, port, settings, log });
    try {
      await answers(urlOf(port));
    } catch (error) {
      await stopPostmaster(started);
      throw error;
    }
    await Promise.all([writeFile(portFile, String(port)), writeFile(ownerFile, String(process.pid))]);
    return { ...started, own: true };
  };

  /**
   * The server of this data: the running one, else a new one; null chooses the port. Tries again, because another process may start or
   * stop the same server at the same time.
   */
  const acquire = async (fixed: number | null): Promise<Running> => {
    for (let attempt = 1; ; attempt += 1) {
      const joined = await join();
      if (joined) return joined;
      const last = attempt === 1 ? Number(await contentOf(portFile)) : 0;
      try {
        return await launch(fixed ?? (last || (await freePort())));
      } catch (error) {
        if (attempt >= ATTEMPTS) throw error;
        await sleep(PAUSE_MS);
      }
    }
  };

  return { urlOf, acquire };
};

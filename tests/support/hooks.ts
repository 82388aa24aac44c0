import { appendFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { config } from 'chai';
import type { Runner } from 'mocha';
import { shareBackends, stopBackends } from './backends.ts';
import { embeddedDatabase, shareTemplates } from './postgres.ts';
import { aServer } from './server.ts';

// What a program wrote is shown whole where it is not what was expected.
config.truncateThreshold = 0;

/** In a process that runs one file after the other: where it writes what went wrong between two of them. */
const { TEST_STRAY_ERRORS: strayErrors } = process.env;

// Mocha listens while it runs a file; an error between two files would end the process, for which mocha would wait forever.
if (strayErrors !== undefined) {
  process.setUncaughtExceptionCaptureCallback((error) => {
    const heard = (process as NodeJS.EventEmitter).emit('uncaughtException', error, 'uncaughtException');
    if (!heard) appendFileSync(strayErrors, `${error?.stack ?? error}\n`);
  });
}

export const mochaHooks = {
  /** After everything, or in a process that runs one file after the other, after each. */
  async afterAll() {
    await stopBackends();
  },
};

const MEMORY = '/dev/shm';
const ROOM_BYTES = 6 * 1024 ** 3;

/** Memory, where there is plenty: on a disk half the work of a test of PostgreSQL is to make and remove the files of its database. */
const roomiest = async () => {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize < ROOM_BYTES ? tmpdir() : MEMORY;
};

let folder: string | null = null;

/** Removed with everything that a test left in it. */
const makeFolder = async () => {
  const made = await mkdtemp(path.join(await roomiest(), 'portico-tests-'));
  // Embedded PostgreSQL may not run as root, and another user has to reach its data.
  await chmod(made, 0o755);
  return made;
};

/** Starts the server once and ends it: what it compiled is kept then, where all that are started at first would each compile everything. */
const compileOnce = async () => {
  const database = await embeddedDatabase();
  const server = await aServer({ env: { DATABASE_URL: database.url, DEMO: 'false' } });
  await server.start();
  await server.close();
  await database.drop();
};

/** With `--parallel`, this process starts the servers, and those that run the files share them. */
export async function mochaGlobalSetup(this: Runner & { isParallelMode(): boolean }) {
  if (!this.isParallelMode()) return;
  folder = await makeFolder();
  process.env.TMPDIR = folder;
  process.env.TEST_STRAY_ERRORS = path.join(folder, 'errors');
  try {
    await Promise.all([shareBackends(), compileOnce()]);
    await shareTemplates();
  } catch (error) {
    // Mocha would wait for the servers that have started, without an end.
    console.error('The servers that the tests share cannot be started.', error);
    await stopBackends();
    await rm(folder, { recursive: true, force: true });
    process.exit(1);
  }
}

export const mochaGlobalTeardown = async () => {
  await stopBackends();
  if (folder === null) return;
  const errors = await readFile(path.join(folder, 'errors'), 'utf8').catch(() => null);
  await rm(folder, { recursive: true });
  if (errors !== null) throw new Error(`Went wrong between two files:\n${errors}`);
};

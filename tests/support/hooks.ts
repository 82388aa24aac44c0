import { appendFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Runner } from 'mocha';
import { shareBackends, stopBackends } from './backends.ts';
import { shareTemplates } from './postgres.ts';

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

let folder: string | null = null;

/** With `--parallel`, this process starts the servers, and those that run the files share them. */
export async function mochaGlobalSetup(this: Runner & { isParallelMode(): boolean }) {
  if (!this.isParallelMode()) return;
  folder = await mkdtemp(path.join(tmpdir(), 'portico-tests-'));
  process.env.TEST_STRAY_ERRORS = path.join(folder, 'errors');
  await shareBackends();
  await shareTemplates();
}

export const mochaGlobalTeardown = async () => {
  await stopBackends();
  if (folder === null) return;
  const errors = await readFile(path.join(folder, 'errors'), 'utf8').catch(() => null);
  await rm(folder, { recursive: true });
  if (errors !== null) throw new Error(`Went wrong between two files:\n${errors}`);
};

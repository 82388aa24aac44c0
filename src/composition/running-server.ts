import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from '../adapters/postgres/connection/postmaster.ts';
import type { Log } from '../application/ports/runtime.ts';
import { parseJson } from '../domain/json-number.ts';
import type { Config } from './config.ts';
import { makeDataDir } from './data-dir.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const fileIn = (dataDir: string) => path.resolve(dataDir, 'server.json');

/** The server that serves with this data folder on this machine; null where none does. */
const runningServer = (dataDir: string): { readonly url: string; readonly pid: number } | null => {
  try {
    const { url, pid } = parseJson(readFileSync(fileIn(dataDir), 'utf8')) as Record<string, unknown>;
    return typeof url === 'string' && URL.canParse(url) && Number.isInteger(pid) && isAlive(Number(pid))
      ? { url, pid: Number(pid) }
      : null;
  } catch {
    return null;
  }
};

/**
 * Writes the address into the data folder, where the commands of another terminal find it; answers what takes it back.
 * A folder that cannot be written (everything may be in PostgreSQL and S3) stops no server.
 */
export const announceServer = async ({ dataDir, baseUrl: url }: Config, log: Log): Promise<() => Promise<void>> => {
  try {
    await makeDataDir(dataDir, true);
    await writeFile(fileIn(dataDir), JSON.stringify({ url, pid: process.pid }));
  } catch (err) {
    log.debug({ err }, 'the address of the server could not be written into the data folder');
  }
  return async () => {
    if (runningServer(dataDir)?.pid === process.pid) await rm(fileIn(dataDir), { force: true });
  };
};

/** The settings of a command: where they do not say which address the server has, that of the one that runs beside it. */
export const besideServer = (env: Environment): Environment => {
  if (env.BASE_URL || env.PORT) return env;
  const url = runningServer(env.DATA_DIR || '.portico')?.url;
  return url === undefined ? env : { ...env, BASE_URL: url, PORTICO_URL: env.PORTICO_URL || url };
};

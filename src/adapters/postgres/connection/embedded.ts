import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../application/ports/runtime.ts';
import { type Cluster, openCluster, type Running } from './cluster.ts';
import { stopPostmaster } from './postmaster.ts';

export interface EmbeddedPostgres {
  readonly url: string;
  /** Whether another process had started it already. */
  readonly reused: boolean;
  /** Stops the server, unless it is another process's. */
  stop(): Promise<void>;
}

interface EmbeddedOptions {
  /** The folder for data, password and port. */
  readonly dir: string;
  readonly log: Log;
  /** PostgreSQL settings beyond Portico's own. */
  readonly settings?: Readonly<Record<string, string>>;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** Starts the server again on the same port whenever it ends, until it is stopped by what this answers. */
const keepRunning = (cluster: Cluster, first: Running, log: Log): EmbeddedPostgres['stop'] => {
  let running = first;
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));

  const startAgain = async () => {
    for (let pause = FIRST_PAUSE_MS; !stopping.signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        running = await cluster.acquire(first.port);
        return;
      } catch (error) {
        log.error({ reason: (error as Error).message }, 'the embedded PostgreSQL could not be started again yet');
        await Promise.race([stopped, sleep(pause, undefined, { ref: false })]);
      }
    }
  };

  const keep = async () => {
    for (;;) {
      await Promise.race([running.gone, stopped]);
      if (stopping.signal.aborted) return;
      log.warn({}, 'the embedded PostgreSQL ended and is started again');
      await startAgain();
    }
  };
  const keeping = keep();

  return async () => {
    stopping.abort();
    await keeping;
    if (running.own) await stopPostmaster(running);
  };
};

/** A real PostgreSQL of our own, on this machine only. Processes that name the same folder share it. */
export const startEmbeddedPostgres = async ({
  dir,
  log,
  settings = {},
}: EmbeddedOptions): Promise<EmbeddedPostgres> => {
  const cluster = await openCluster(dir, settings, log);
  const running = await cluster.acquire(null);
  return { url: cluster.urlOf(running.port), reused: !running.own, stop: keepRunning(cluster, running, log) };
};

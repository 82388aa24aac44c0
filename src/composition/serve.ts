import { setTimeout as sleep } from 'node:timers/promises';
import { healthPages } from '../adapters/http/health.ts';
import { management } from '../adapters/http/management.ts';
import { metricsPage } from '../adapters/http/metrics.ts';
import { startServer } from '../adapters/http/server.ts';
import { migrate } from '../adapters/postgres/migrator.ts';
import type { Log } from '../application/ports/runtime.ts';
import { api } from './api.ts';
import type { Config } from './config.ts';
import { type Composition, compose } from './container.ts';
import { type Demo, prepareDemo } from './demo.ts';
import { service } from './tokens.ts';

export type Role = 'all' | 'api' | 'worker' | 'egress';

export interface Serving {
  readonly composition: Composition;
  readonly demo: Demo | null;
  /** Takes no more work, lets what is under way end within the grace, hands back the rest, closes everything. */
  stop(): Promise<void>;
}

/** What one part of a role does to stop: it takes no more from now on, and what is under way may go on for the grace. */
type Stop = (graceMs: number) => Promise<void>;

/** Runs the stops that have been added, all at once. */
const stops = () => {
  const all: Stop[] = [];
  const run: Stop = async (graceMs) => {
    const ends = await Promise.allSettled(all.map((stop) => stop(graceMs)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  };
  return { add: (stop: Stop) => void all.push(stop), run };
};

/** Enough for the answers of turns that end with the grace to be sent. */
const LAST_WORDS_MS = 500;

/** The API or the gateway, on PORT. */
const startApi = async (config: Config, role: Role, composition: Composition): Promise<Stop> => {
  const { container } = composition;
  const server = await startServer(api(config, composition, role === 'egress'), config);
  const delayMs = config.shutdownDelaySeconds * 1000;
  return async (graceMs) => {
    const until = performance.now() + graceMs;
    container.get(service.runs).stop();
    container.get(service.toolEndpoint).stop();
    server.leave();
    await sleep(Math.min(delayMs, graceMs / 2));
    const leftMs = Math.max(0, until - performance.now());
    // A moment earlier than the connections, so that whoever waits for a turn is told how it ended.
    const turns = container.get(service.conversations).stop(Math.max(0, leftMs - LAST_WORDS_MS));
    await Promise.all([turns, server.stop(leftMs)]);
  };
};

/** Starts the parts of a role, and tells how they are stopped, however many of them there are. */
const startParts = async (config: Config, role: Role, composition: Composition, parts: ReturnType<typeof stops>): Promise<void> => {
  const { container } = composition;
  const maintenance = container.get(service.maintenance);
  maintenance.start();
  parts.add((graceMs) => Promise.race([maintenance.stop(), sleep(graceMs, undefined, { ref: false })]));
  if (role === 'all' || role === 'worker') {
    for (const worker of [container.get(service.runWorker), container.get(service.webhookWorker)]) {
      worker.start();
      parts.add((graceMs) => worker.stop(graceMs));
    }
  }
  if (role !== 'worker') parts.add(await startApi(config, role, composition));
};

/** What whoever runs the server asks of it, on a port of its own where one is set; open from the first part to the last. */
const startManagement = async ({ host, managementPort: port }: Config, { health, metrics }: Composition): Promise<Stop> => {
  if (port === null) return async () => {};
  const server = await startServer(management([...healthPages(health), metricsPage(metrics)]), { host, port, portName: 'MANAGEMENT_PORT' });
  return () => server.stop(0);
};

export const serve = async (config: Config, role: Role, log: Log): Promise<Serving> => {
  const composition = await compose(config, log);
  const [parts, outer] = [stops(), stops()];
  const stop = async (graceMs: number) => {
    composition.health.stop();
    try {
      await parts.run(graceMs);
      await outer.run(graceMs);
    } finally {
      await composition.close();
    }
  };
  try {
    outer.add(await startManagement(config, composition));
    await migrate(composition.database);
    // Made by whoever can tell its key to somebody.
    const hasDemo = (role === 'all' || role === 'api') && (config.demo ?? config.databaseUrl === null);
    const demo = hasDemo ? await prepareDemo(composition) : null;
    await startParts(config, role, composition, parts);
    log.info({ role, base_url: config.baseUrl }, 'Portico is serving');
    return {
      ...{ composition, demo },
      async stop() {
        await stop(config.shutdownSeconds * 1000);
        log.info({ role }, 'Portico has stopped');
      },
    };
  } catch (error) {
    await stop(0).catch(() => {});
    throw error;
  }
};

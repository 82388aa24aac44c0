import { migrate } from '../adapters/postgres/migrator.ts';
import type { Log } from '../application/ports/runtime.ts';
import { api } from './api.ts';
import type { Config } from './config.ts';
import { type Composition, compose } from './container.ts';
import { type Demo, prepareDemo } from './demo.ts';
import { startServer } from './server.ts';
import { service } from './tokens.ts';

export type Role = 'all' | 'api' | 'worker' | 'egress';

export interface Serving {
  readonly composition: Composition;
  readonly demo: Demo | null;
  /** Takes no more work, lets what is under way end within the grace, hands back the rest, closes everything. */
  stop(): Promise<void>;
}

type Part = (graceMs: number) => Promise<void>;

/** Starts the parts of a role; each answers how it is stopped. */
const startParts = async (config: Config, role: Role, composition: Composition): Promise<readonly Part[]> => {
  const { container } = composition;
  const maintenance = container.get(service.maintenance);
  maintenance.start();
  const parts: Part[] = [() => maintenance.stop()];
  if (role === 'all' || role === 'worker') {
    for (const worker of [container.get(service.runWorker), container.get(service.webhookWorker)]) {
      worker.start();
      parts.push((graceMs) => worker.stop(graceMs));
    }
  }
  if (role !== 'worker') {
    const server = await startServer(api(config, composition, role === 'egress'), config).catch(async (error) => {
      await Promise.all(parts.map((stop) => stop(0)));
      throw error;
    });
    parts.push(
      (graceMs) => server.stop(graceMs),
      // A moment earlier than the connections, so that whoever waits for a turn is told how it ended.
      (graceMs) => container.get(service.conversations).stop(Math.max(0, graceMs - 500)),
    );
  }
  return parts;
};

export const serve = async (config: Config, role: Role, log: Log): Promise<Serving> => {
  const composition = await compose(config, log);
  try {
    await migrate(composition.database);
    const demo = (config.demo ?? config.databaseUrl === null) ? await prepareDemo(composition) : null;
    const parts = await startParts(config, role, composition);
    log.info({ role, base_url: config.baseUrl }, 'Portico is serving');
    const stop = async () => {
      await Promise.all(parts.map((end) => end(config.shutdownSeconds * 1000)));
      await composition.close();
      log.info({ role }, 'Portico has stopped');
    };
    return { composition, demo, stop };
  } catch (error) {
    await composition.close().catch(() => {});
    throw error;
  }
};

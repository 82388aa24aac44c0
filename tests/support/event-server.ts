import type { RunLease } from '../../src/application/ports/queue.ts';
import { RunQueue } from '../../src/composition/modules/postgres.ts';
import { EventService } from '../../src/composition/modules/runs.ts';
import { serveHere } from './here.ts';
import { only } from './runs.ts';

const workspace = `
workspace: events
users: [{ email: ada@example.com, name: Ada, role: admin }]
agents: [{ name: Helper, workflow_type: assistant, model: offline, instructions: Help. }]
`;

export type EventServer = Awaited<ReturnType<typeof eventServer>>;

/** The real server over HTTP, without a worker: its runs go on as a test says, and so do its events. */
export const eventServer = async (databaseUrl: string, dataDir: string) => {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, RATE_LIMIT_RUNS: '1000000' };
  const { container, url, config, apply, key, stop } = await serveHere(env);
  const queue = container.get(RunQueue);
  const lease = async (): Promise<RunLease> => only(await queue.lease('worker', 1, 60)).lease;
  return {
    port: config.port,
    url,
    queue,
    lease,
    /** Applies the workspace, once for a database. */
    async prepare() {
      const idOf = await apply(workspace);
      return { apiKey: await key('ada@example.com'), agentId: idOf('agents') };
    },
    finish: async (leased?: RunLease) => queue.finish(leased ?? (await lease()), { event: 'complete' }),
    async stop() {
      container.get(EventService).stop();
      await stop(1000);
    },
  };
};

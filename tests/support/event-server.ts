import { startServer } from '../../src/adapters/http/server.ts';
import { readWorkspaceFile } from '../../src/adapters/workspace-file/read.ts';
import type { RunLease } from '../../src/application/ports/queue.ts';
import { api } from '../../src/composition/api.ts';
import { readConfig } from '../../src/composition/config.ts';
import { compose } from '../../src/composition/container.ts';
import { port, service } from '../../src/composition/tokens.ts';
import { freePort } from './listen.ts';
import { quiet } from './log.ts';
import { only } from './runs.ts';

const workspace = `
workspace: events
users: [{ email: ada@example.com, name: Ada, role: admin }]
agents: [{ name: Helper, workflow_type: assistant, model: offline, instructions: Help. }]
`;

export type EventServer = Awaited<ReturnType<typeof eventServer>>;

/** The real server over HTTP, without a worker: its runs go on as a test says, and so do its events. */
export const eventServer = async (databaseUrl: string, dataDir: string) => {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, PORT: String(await freePort()), RATE_LIMIT_REQUESTS: '1000000' };
  const config = readConfig({ ...env, RATE_LIMIT_RUNS: '1000000' });
  const composition = await compose(config, quiet);
  const { container } = composition;
  const http = await startServer(api(config, composition), config);
  const queue = container.get(port.queue);
  const lease = async (): Promise<RunLease> => only(await queue.lease('worker', 1, 60)).lease;
  return {
    ...{ port: http.port, url: `http://127.0.0.1:${http.port}`, queue, lease },
    /** Applies the workspace, once for a database. */
    async prepare() {
      const changes = await container.get(service.workspaces).apply(readWorkspaceFile(workspace, {}), { dryRun: false, prune: false });
      const key = { email: 'ada@example.com', name: 'test', lifetimeDays: null, scopes: null };
      const { key: apiKey } = await container.get(service.keys).create(key);
      return { apiKey, agentId: changes.find(({ kind }) => kind === 'agents')?.id ?? '' };
    },
    finish: async (leased?: RunLease) => queue.finish(leased ?? (await lease()), { event: 'complete' }),
    async stop() {
      container.get(service.events).stop();
      await http.stop(1000);
      await composition.close();
    },
  };
};

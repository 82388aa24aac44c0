// The server of this project, with tools of another server that answer at once: what is left is the cost of the tool endpoint itself.

import { startServer } from '../src/adapters/http/server.ts';
import { pinoLog } from '../src/adapters/system/log.ts';
import type { RemoteTool, RemoteTools as ToolServers } from '../src/application/ports/tools.ts';
import { allocateYoung } from '../src/composition/allocation.ts';
import { api } from '../src/composition/api.ts';
import { readConfig } from '../src/composition/config.ts';
import { compose } from '../src/composition/container.ts';
import { RemoteTools } from '../src/composition/modules/outside.ts';
import { benchTools } from './mcp-tools.ts';

const annotations = { title: 'A tool', readOnly: true, destructive: false, idempotent: true, openWorld: false };

const remote: ToolServers = {
  list: async () => benchTools.map((tool): RemoteTool => ({ ...tool, outputSchema: null, annotations })),
  call: async (_server, { input }) => ({ text: String(input.message), isError: false }),
};

allocateYoung();
const config = readConfig(process.env);
const composition = await compose(config, pinoLog({ level: 'error' }));
await composition.container.unbind(RemoteTools);
composition.container.bind(RemoteTools).toConstantValue(remote);
const server = await startServer(api(config, composition), config);
process.once('SIGTERM', async () => {
  await server.stop(0);
  await composition.close();
  process.exit();
});

import { ContainerModule } from 'inversify';
import { mcpTools } from '../../adapters/tools/mcp.ts';
import { conversationService } from '../../application/conversations/conversations.ts';
import type { Outbound } from '../../application/ports/outbound.ts';
import { snapshotService } from '../../application/snapshots/snapshots.ts';
import { toolService } from '../../application/tools/tools.ts';
import { readers } from '../../application/turns/readers.ts';
import { turn } from '../../application/turns/turn.ts';
import { provider } from '../provide.ts';
import { bounds, port, service } from '../tokens.ts';
import { version } from '../version.ts';

const { agents, conversations, turns, snapshots, blobs, models, outbound, remoteTools: remote } = port;
const { schemas, sealer, ids, clock, log } = port;

/** Turns, the tools they use, and what is kept of conversations. */
export const conversationModule = new ContainerModule((options) => {
  const provide = provider(options);
  const { conversations: settings } = bounds;
  const { connections, databases, runs, webSearch } = service;
  const use = { agents: service.agents, connections, databases, runs };
  provide(remote, ({ outbound: send }: { outbound: Outbound }) => mcpTools({ outbound: send, version }), { outbound });
  provide(service.tools, toolService, { ...use, outbound, webSearch, remote, schemas, sealer, clock, log, settings });
  provide(service.readers, readers, { connections: port.connections, databases: port.databases });
  provide(service.turn, turn, {
    models,
    files: service.files,
    tools: service.tools,
    schemas,
    ids,
    clock,
    readers: service.readers,
    settings,
  });
  provide(service.conversations, conversationService, {
    ...{ conversations, turns, agents, users: port.users, readers: service.readers, models, turn: service.turn, ids, clock, log, settings },
  });
  provide(service.snapshots, snapshotService, { conversations, snapshots, blobs, ids });
});

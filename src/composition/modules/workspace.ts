import { ContainerModule } from 'inversify';
import { agentService } from '../../application/agents/agents.ts';
import { agentVersionService } from '../../application/agents/versions.ts';
import { connectionService } from '../../application/connections/connections.ts';
import { databaseService } from '../../application/databases/databases.ts';
import { workspaceService } from '../../application/workspace/workspace.ts';
import { Config } from '../config.ts';
import { token } from '../module.ts';
import { CheckEngine, Connectors, Models, Sources } from './outside.ts';
import {
  AgentRepository,
  AgentVersionRepository,
  AuditLog,
  ConnectionRepository,
  DatabaseRepository,
  WorkspaceRepository,
} from './postgres.ts';
import { Clock, Ids, Log, SchemaValidator, Sealer, WebhookSignatures } from './system.ts';

export const AgentService = token(agentService);
export const AgentVersionService = token(agentVersionService);
export const ConnectionService = token(connectionService);
export const DatabaseService = token(databaseService);
export const WorkspaceService = token(workspaceService);

/** What a workspace file declares. */
export const workspace = new ContainerModule(({ bind }) => {
  bind(AgentService).toDynamicValue(({ get }) => agentService({ agents: get(AgentRepository) }));
  bind(AgentVersionService).toDynamicValue(({ get }) =>
    agentVersionService({
      versions: get(AgentVersionRepository),
      models: get(Models),
      schemas: get(SchemaValidator),
      checks: get(CheckEngine),
      sealer: get(Sealer),
    }),
  );
  bind(ConnectionService).toDynamicValue(({ get }) =>
    connectionService({
      connections: get(ConnectionRepository),
      connectors: get(Connectors),
      audit: get(AuditLog),
      log: get(Log),
    }),
  );
  bind(DatabaseService).toDynamicValue(({ get }) => {
    const { queryMaxRows: maxRows, queryMaxBytes: maxBytes, queryTimeoutSeconds: timeoutSeconds } = get(Config);
    return databaseService({
      databases: get(DatabaseRepository),
      connectors: get(Connectors),
      caps: { maxRows, maxBytes, timeoutSeconds },
    });
  });
  bind(WorkspaceService).toDynamicValue(({ get }) =>
    workspaceService({
      workspaces: get(WorkspaceRepository),
      models: get(Models),
      connectors: get(Connectors),
      schemas: get(SchemaValidator),
      checks: get(CheckEngine),
      sources: get(Sources),
      sealer: get(Sealer),
      signatures: get(WebhookSignatures),
      ids: get(Ids),
      clock: get(Clock),
    }),
  );
});

import { ContainerModule } from 'inversify';
import { authenticationService } from '../../application/access/authentication.ts';
import { keyService } from '../../application/access/keys.ts';
import { agentService } from '../../application/agents/agents.ts';
import { connectionService } from '../../application/connections/connections.ts';
import { databaseService } from '../../application/databases/databases.ts';
import { documentService } from '../../application/documents/documents.ts';
import { maintenance } from '../../application/maintenance.ts';
import { runWork } from '../../application/runs/run-work.ts';
import { runWorker } from '../../application/runs/run-worker.ts';
import { runService } from '../../application/runs/runs.ts';
import { uploadCleanup } from '../../application/runs/upload-cleanup.ts';
import { uploadService } from '../../application/runs/uploads.ts';
import { snapshotTidying } from '../../application/snapshots/snapshot-cleanup.ts';
import { fileReader } from '../../application/turns/file-reader.ts';
import { workspaceService } from '../../application/workspace/workspace.ts';
import { provider } from '../provide.ts';
import { bounds, port, service } from '../tokens.ts';

const { agents, runs, documents, connections, connectors, databases, keys, users, workspaces, queue, runChanges, documentChanges } = port;
const { blobs, limiter, models, text, systems, schemas, sealer, apiKeys, ids, clock, log } = port;
const { limits } = bounds;

export const application = new ContainerModule((options) => {
  const provide = provider(options);
  provide(service.authentication, authenticationService, { apiKeys, keys, accessTokens: port.accessTokens });
  provide(service.agents, agentService, { agents });
  provide(service.uploads, uploadService, { agents: service.agents, uploads: port.uploads, blobs, ids, limits });
  provide(service.runs, runService, { runs, agents: service.agents, uploads: service.uploads, changes: runChanges, ids, limiter, limits });
  provide(service.documents, documentService, { documents, agents, connections, systems, changes: documentChanges, log });
  provide(service.connections, connectionService, { connections, connectors });
  provide(service.databases, databaseService, { databases, connectors, caps: bounds.caps });
  provide(service.keys, keyService, { users, keys, apiKeys, ids, clock });
  provide(service.workspaces, workspaceService, {
    workspaces,
    models,
    connectors,
    schemas,
    sealer,
    signatures: port.signatures,
    ids,
    clock,
  });
  provide(service.files, fileReader, { blobs, text });
  provide(service.runWork, runWork, { queue, turn: service.turn, changes: documentChanges, conversations: port.conversations, users, ids });
  provide(service.runWorker, runWorker, { queue, changes: runChanges, runWork: service.runWork, ids, log, settings: bounds.worker });
  provide(service.snapshotTidying, snapshotTidying, { snapshots: port.snapshots, blobs });
  provide(service.uploadCleanup, uploadCleanup, { uploads: port.uploads, blobs });
  const { webhookQueue: webhooks, oauth } = port;
  provide(service.maintenance, maintenance, {
    queue,
    documents,
    webhooks,
    oauth,
    snapshots: service.snapshotTidying,
    uploads: service.uploadCleanup,
    log,
  });
});

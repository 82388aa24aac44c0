import { ContainerModule } from 'inversify';
import { toolEndpoint } from '../../adapters/mcp/endpoint.ts';
import { accountService } from '../../application/access/accounts.ts';
import { authenticationService } from '../../application/access/authentication.ts';
import { grantService } from '../../application/access/grants.ts';
import { keyService, ownKeyService } from '../../application/access/keys.ts';
import { peopleService } from '../../application/access/people.ts';
import { profileService } from '../../application/access/profiles.ts';
import { agentService } from '../../application/agents/agents.ts';
import { agentVersionService } from '../../application/agents/versions.ts';
import { connectionService } from '../../application/connections/connections.ts';
import { conversationService } from '../../application/conversations/conversations.ts';
import { databaseService } from '../../application/databases/databases.ts';
import { approvals } from '../../application/documents/approvals.ts';
import { documentFiles } from '../../application/documents/document-files.ts';
import { documentService } from '../../application/documents/documents.ts';
import { documentFindings } from '../../application/documents/findings.ts';
import { postingRules } from '../../application/documents/posting-rules.ts';
import { eventService } from '../../application/events/events.ts';
import { keptPages } from '../../application/files/kept-pages.ts';
import { sourceFiles } from '../../application/files/source-files.ts';
import { runService } from '../../application/runs/runs.ts';
import { uploadService } from '../../application/runs/uploads.ts';
import { webSearchService } from '../../application/search/web-search.ts';
import { idempotencyService } from '../../application/shared/idempotency.ts';
import { snapshotService } from '../../application/snapshots/snapshots.ts';
import { storageService } from '../../application/storage/storage.ts';
import { toolService } from '../../application/tools/tools.ts';
import { fileReader } from '../../application/turns/file-reader.ts';
import { readers } from '../../application/turns/readers.ts';
import { turn } from '../../application/turns/turn.ts';
import { maintenance } from '../../application/upkeep/maintenance.ts';
import { webhookDelivery } from '../../application/webhooks/webhook-delivery.ts';
import { webhookWorker } from '../../application/webhooks/webhook-worker.ts';
import { deliveryService, webhookService } from '../../application/webhooks/webhooks.ts';
import { runWork } from '../../application/worker/run-work.ts';
import { runWorker } from '../../application/worker/run-worker.ts';
import { workspaceService } from '../../application/workspace/workspace.ts';
import { provider } from '../binding.ts';
import { configured, port, service } from '../tokens.ts';
import { version } from '../version.ts';

const { blobs, checks, clock, ids, limiter, log, models, outbound, schemas, sealer } = port;
const { config } = configured;

const access = (provide: ReturnType<typeof provider>) => {
  const { apiKeys, keys, accessTokens, accounts, users, passwords, commonPasswords, oneTimeTokens: tokens } = port;
  const { links } = configured;
  provide(service.authentication, authenticationService, { apiKeys, keys, accessTokens });
  provide(service.keys, keyService, { users, keys, apiKeys, ids, clock });
  provide(service.ownKeys, ownKeyService, { users, keys, apiKeys, ids, clock, log });
  provide(service.grants, grantService, { store: port.oauth, log });
  provide(service.people, peopleService, { accounts, invitations: service.accounts, log });
  provide(service.profiles, profileService, { users });
  provide(service.accounts, accountService, { accounts, passwords, commonPasswords, tokens, limiter, clock, links });
};

const resources = (provide: ReturnType<typeof provider>) => {
  const { agents, connections, connectors, databases, documents, workspaces, signatures, searchProvider, pages } = port;
  const changes = port.documentChanges;
  provide(service.agents, agentService, { agents });
  provide(service.agentVersions, agentVersionService, {
    versions: port.agentVersions,
    models,
    schemas,
    checks,
    sealer,
  });
  provide(service.connections, connectionService, { connections, connectors });
  provide(service.databases, databaseService, { databases, connectors, caps: configured.caps });
  provide(service.workspaces, workspaceService, {
    workspaces,
    models,
    connectors,
    schemas,
    checks,
    sealer,
    signatures,
    ids,
    clock,
  });
  const { agentVersions: versions, users, patches } = port;
  provide(service.findings, documentFindings, { checks, documents });
  provide(service.approvals, approvals, { documents, clock, links: configured.links, settings: config });
  provide(service.postingRules, postingRules, { documents, findings: service.findings });
  const { findings } = service;
  provide(service.documents, documentService, {
    documents,
    agents,
    runs: port.runs,
    versions,
    users,
    findings,
    approvals: service.approvals,
    postingRules: service.postingRules,
    connections,
    connectors,
    changes,
    patches,
    schemas,
    log,
  });
  provide(service.webSearch, webSearchService, { provider: searchProvider, pages, models, ids, settings: config });
};

const runs = (provide: ReturnType<typeof provider>) => {
  const { queue, runChanges: changes, uploads, conversations, users, documentChanges } = port;
  const { agents, runWork: work } = service;
  provide(service.storage, storageService, { objects: port.storedObjects, blobs, limits: config });
  const { storage } = service;
  provide(service.uploads, uploadService, { agents, uploads, storage, blobs, ids, limits: config });
  provide(service.idempotency, idempotencyService, { requests: port.keyedRequests, sealer, ids, log });
  provide(service.runs, runService, {
    runs: port.runs,
    agents,
    uploads: service.uploads,
    changes,
    ids,
    limiter,
    limits: config,
  });
  provide(service.sources, sourceFiles, { blobs, sources: port.sourceFiles });
  const { sources } = service;
  provide(service.keptPages, keptPages, {
    blobs,
    sources,
    storage,
    images: port.pageImages,
    text: port.text,
    log,
    settings: configured.pages,
  });
  const { documents, keptPages: pages } = service;
  provide(service.documentFiles, documentFiles, { documents, runs: port.runs, blobs, sources, keptPages: pages });
  provide(service.events, eventService, { log: port.events, signals: port.eventSignals, runs: service.runs });
  const stores = { queue, agents: port.agents, conversations, users };
  provide(work, runWork, { ...stores, turn: service.turn, findings: service.findings, changes: documentChanges, ids });
  provide(service.runWorker, runWorker, { queue, changes, runWork: work, ids, log, settings: configured.worker });
};

/** Turns, the tools they use, and what is kept of conversations. */
const conversations = (provide: ReturnType<typeof provider>) => {
  const { connections, databases, conversations: repository, turns, snapshots, users, remoteTools: remote } = port;
  const { files, tools, webSearch, readers: who } = service;
  const use = {
    agents: service.agents,
    connections: service.connections,
    databases: service.databases,
    documents: service.documents,
    runs: service.runs,
    uploads: service.uploads,
  };
  provide(files, fileReader, { sources: service.sources, text: port.text, keptPages: service.keptPages });
  provide(tools, toolService, { ...use, outbound, webSearch, remote, schemas, sealer, clock, log, settings: config });
  provide(who, readers, { connections, databases });
  provide(service.turn, turn, { models, files, tools, schemas, ids, clock, readers: who, settings: config });
  provide(service.conversations, conversationService, {
    conversations: repository,
    turns,
    agents: port.agents,
    users,
    readers: who,
    models,
    turn: service.turn,
    ids,
    clock,
    log,
    settings: config,
  });
  provide(service.snapshots, snapshotService, {
    conversations: repository,
    snapshots,
    storage: service.storage,
    blobs,
    ids,
  });
  const make = ({
    settings,
    ...rest
  }: Omit<Parameters<typeof toolEndpoint>[0], 'version' | 'getStream'> & { settings: { mcpGetStream: boolean } }) =>
    toolEndpoint({ ...rest, version, getStream: settings.mcpGetStream });
  provide(service.toolEndpoint, make, {
    agents: service.agents,
    tools,
    runs: service.runs,
    schemas,
    log,
    settings: config,
  });
};

const webhooks = (provide: ReturnType<typeof provider>) => {
  const { webhookQueue: queue, webhookWakeups: wakeups, signatures } = port;
  const settings = configured.webhooks;
  provide(service.webhooks, webhookService, { webhooks: port.webhooks });
  provide(service.deliveries, deliveryService, { webhooks: port.webhooks, log });
  provide(service.webhookDelivery, webhookDelivery, {
    queue,
    outbound,
    signatures,
    sealer,
    clock,
    log,
    settings,
  });
  provide(service.webhookWorker, webhookWorker, { queue, wakeups, deliver: service.webhookDelivery, log, settings });
};

const cleanup = (provide: ReturnType<typeof provider>) => {
  const { queue, documents, webhookQueue, events, oauth } = port;
  const { snapshots, uploads, storage } = service;
  const requests = port.keyedRequests;
  const stores = { queue, documents, webhooks: webhookQueue, events, oauth, snapshots, uploads, storage, requests };
  provide(service.maintenance, maintenance, { ...stores, log, settings: config });
};

/** The use cases, each over the ports and services that it needs. */
export const services = new ContainerModule((options) => {
  const provide = provider(options);
  for (const part of [access, resources, runs, conversations, webhooks, cleanup]) part(provide);
});

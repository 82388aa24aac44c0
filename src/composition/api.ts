import type { RequestListener } from 'node:http';
import path from 'node:path';
import { consoleSite } from '../adapters/console/site.ts';
import { allSamples } from '../adapters/demo/samples.ts';
import { httpApp } from '../adapters/http/app.ts';
import type { StreamTerms } from '../adapters/http/event-streams.ts';
import { healthPages, management } from '../adapters/http/management.ts';
import { agentResources } from '../adapters/oauth/resources.ts';
import { authorizationServer } from '../adapters/oauth/server.ts';
import { contentTypeOfName } from '../client/content-type.ts';
import { type Config, hasDemo } from './config.ts';
import type { ServingComposition } from './container.ts';
import {
  AccountService,
  AuditService,
  AuthenticationService,
  GrantService,
  OrganisationService,
  OwnKeyService,
  PeopleService,
  ProfileService,
} from './modules/access.ts';
import { SignedUrls, UploadOrigin } from './modules/blobs.ts';
import {
  ConversationService,
  SnapshotService,
  ToolEndpoint,
  ToolService,
  WebSearchService,
} from './modules/conversations.ts';
import { DocumentBatches, DocumentFiles, DocumentService } from './modules/documents.ts';
import { IdentityProvider, Outbound, RateLimiter } from './modules/outside.ts';
import { AgentRepository, OAuthStore } from './modules/postgres.ts';
import {
  ApprovalService,
  EventService,
  IdempotencyService,
  Rereads,
  RunFiles,
  RunParts,
  RunService,
  UploadService,
  UsageService,
  WorkList,
} from './modules/runs.ts';
import { SourceService } from './modules/sources.ts';
import { Clock, Ids, Log, OAuthSecrets, Sealer } from './modules/system.ts';
import { DeliveryService } from './modules/webhooks.ts';
import { Erasures } from './modules/worker.ts';
import { AgentService, AgentVersionService, ConnectionService, DatabaseService } from './modules/workspace.ts';

const oauthServer = (config: Config, { container }: ServingComposition) => {
  const { baseUrl, authUrl, oauthRegistration: registration, oauthClientDocuments: clientDocuments } = config;
  const provider = container.get(IdentityProvider);
  const resources = agentResources({ base: baseUrl, issuer: authUrl });
  const server = authorizationServer({
    issuer: authUrl,
    console: `${baseUrl}/console`,
    documentation: `${baseUrl}/developers`,
    registration,
    clientDocuments,
    resources,
    ...container.get(OAuthSecrets),
    accounts: container.get(AccountService),
    organisation: provider && {
      name: config.oidcName,
      provider,
      service: container.get(OrganisationService),
      maxAgeSeconds: Math.ceil(config.personHours * 3600),
    },
    passwords: config.passwords === 'on',
    store: container.get(OAuthStore),
    agents: container.get(AgentRepository),
    outbound: container.get(Outbound),
    limiter: container.get(RateLimiter),
    ids: container.get(Ids),
    clock: container.get(Clock),
    log: container.get(Log),
  });
  return { server, challenge: resources.challenge };
};

const sampleFolder = path.join(import.meta.dirname, '../../demo/samples');

/** The files that come with the demo, where there is one. */
const samplesOf = (config: Config) =>
  (hasDemo(config) ? allSamples : []).map(({ agent, file }) => {
    const type = contentTypeOfName(file) ?? 'application/octet-stream';
    return { agent, type, path: path.join(sampleFolder, file) };
  });

/** The HTTP side of the server, over the services of this composition. */
export const api = (
  config: Config,
  composition: ServingComposition,
  isGateway = false,
  streams?: StreamTerms,
): RequestListener => {
  const { container, health, telemetry } = composition;
  const { server, challenge } = oauthServer(config, composition);
  const app = httpApp({
    use: {
      agents: container.get(AgentService),
      agentVersions: container.get(AgentVersionService),
      uploads: container.get(UploadService),
      runs: container.get(RunService),
      rereads: container.get(Rereads),
      runFiles: container.get(RunFiles),
      runParts: container.get(RunParts),
      work: container.get(WorkList),
      usage: container.get(UsageService),
      documents: container.get(DocumentService),
      documentBatches: container.get(DocumentBatches),
      documentFiles: container.get(DocumentFiles),
      events: container.get(EventService),
      approvals: container.get(ApprovalService),
      erasures: container.get(Erasures),
      connections: container.get(ConnectionService),
      databases: container.get(DatabaseService),
      conversations: container.get(ConversationService),
      snapshots: container.get(SnapshotService),
      webSearch: container.get(WebSearchService),
      profiles: container.get(ProfileService),
      authentication: container.get(AuthenticationService),
      deliveries: container.get(DeliveryService),
      sources: container.get(SourceService),
      tools: container.get(ToolService),
      ownKeys: container.get(OwnKeyService),
      grants: container.get(GrantService),
      people: container.get(PeopleService),
      audit: container.get(AuditService),
    },
    idempotency: container.get(IdempotencyService),
    limiter: container.get(RateLimiter),
    signedUrls: container.get(SignedUrls),
    log: container.get(Log),
    telemetry,
    urls: { base: config.baseUrl, auth: config.authUrl, egress: config.egressUrl },
    contactEmail: config.contactEmail,
    limits: {
      requests: config.rateLimitRequests,
      windowSeconds: config.rateLimitWindowSeconds,
      runs: config.rateLimitRuns,
      tableReads: config.rateLimitTableReads,
      console: config.rateLimitConsole,
    },
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies,
    oauth: { metadataUrl: server.metadataUrl, scopesSupported: server.scopesSupported },
    oauthServer: server,
    toolEndpoint: { challenge, serve: container.get(ToolEndpoint).serve },
    egress: { url: config.egressUrl, isGateway, sealer: container.get(Sealer) },
    console: consoleSite({
      base: config.baseUrl,
      auth: config.authUrl,
      passwords: config.passwords === 'on',
      uploads: container.get(UploadOrigin),
      samples: samplesOf(config),
    }),
    ...(streams && { streams }),
  });
  return management(healthPages(health), app.callback());
};

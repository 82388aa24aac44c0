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
import { valuesOf } from './binding.ts';
import { type Config, hasDemo } from './config.ts';
import type { ServingComposition } from './container.ts';
import { configured, port, service } from './tokens.ts';

const oauthServer = (
  { baseUrl, authUrl, oauthRegistration: registration, oauthClientDocuments: clientDocuments }: Config,
  { container }: ServingComposition,
) => {
  const { agents, outbound, limiter, ids, clock, log } = port;
  const resources = agentResources({ base: baseUrl, issuer: authUrl });
  const server = authorizationServer({
    issuer: authUrl,
    console: `${baseUrl}/console`,
    documentation: `${baseUrl}/developers`,
    registration,
    clientDocuments,
    resources,
    ...container.get(configured.oauth),
    ...valuesOf(container, {
      accounts: service.accounts,
      store: port.oauth,
      agents,
      outbound,
      limiter,
      ids,
      clock,
      log,
    }),
  });
  return { server, challenge: resources.challenge };
};

/** Where browsers send files, if another store than this server has them. */
const uploadsOf = ({ s3Bucket, s3PublicEndpoint, s3Endpoint }: Config): string | null => {
  if (s3Bucket === null) return null;
  const endpoint = s3PublicEndpoint ?? s3Endpoint;
  return endpoint === null ? 'https://*.amazonaws.com' : new URL(endpoint).origin;
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
  const { container, signedUrls, health, telemetry } = composition;
  const { server, challenge } = oauthServer(config, composition);
  const { agents, agentVersions, uploads, runs, documents, documentFiles, events, connections, databases } = service;
  const { conversations, snapshots, webSearch, profiles, authentication, deliveries, tools, ownKeys, grants, people } =
    service;
  const app = httpApp({
    use: valuesOf(container, {
      agents,
      agentVersions,
      uploads,
      runs,
      documents,
      documentFiles,
      events,
      connections,
      databases,
      conversations,
      snapshots,
      webSearch,
      profiles,
      authentication,
      deliveries,
      tools,
      ownKeys,
      grants,
      people,
    }),
    idempotency: container.get(service.idempotency),
    limiter: container.get(port.limiter),
    signedUrls,
    log: container.get(port.log),
    telemetry,
    urls: { base: config.baseUrl, auth: config.authUrl, egress: config.egressUrl },
    contactEmail: config.contactEmail,
    limits: {
      requests: config.rateLimitRequests,
      windowSeconds: config.rateLimitWindowSeconds,
      runs: config.rateLimitRuns,
      tableReads: config.rateLimitTableReads,
    },
    corsOrigins: config.corsOrigins,
    trustedProxies: config.trustedProxies,
    oauth: { metadataUrl: server.metadataUrl, scopesSupported: server.scopesSupported },
    oauthServer: server,
    toolEndpoint: { challenge, serve: container.get(service.toolEndpoint).serve },
    egress: { url: config.egressUrl, isGateway, sealer: container.get(port.sealer) },
    console: consoleSite({
      base: config.baseUrl,
      auth: config.authUrl,
      uploads: uploadsOf(config),
      samples: samplesOf(config),
    }),
    ...(streams && { streams }),
  });
  return management(healthPages(health), app.callback());
};

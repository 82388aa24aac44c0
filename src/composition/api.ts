import type { RequestListener } from 'node:http';
import path from 'node:path';
import { consoleSite } from '../adapters/console/site.ts';
import { batches, contentTypeOf } from '../adapters/demo/samples.ts';
import { httpApp } from '../adapters/http/app.ts';
import type { StreamTerms } from '../adapters/http/event-streams.ts';
import { healthPages, management } from '../adapters/http/management.ts';
import { agentResources } from '../adapters/oauth/resources.ts';
import { authorizationServer } from '../adapters/oauth/server.ts';
import type { Config } from './config.ts';
import type { Composition } from './container.ts';
import { configured, port, service } from './tokens.ts';

const oauthServer = ({ baseUrl, authUrl, oauthRegistration: registration }: Config, { container }: Composition) => {
  const resources = agentResources({ base: baseUrl, issuer: authUrl });
  const server = authorizationServer({
    ...{
      issuer: authUrl,
      console: `${baseUrl}/console`,
      documentation: `${baseUrl}/developers`,
      registration,
      resources,
      ...container.get(configured.oauth),
    },
    accounts: container.get(service.accounts),
    agents: container.get(port.agents),
    store: container.get(port.oauth),
    outbound: container.get(port.outbound),
    limiter: container.get(port.limiter),
    ids: container.get(port.ids),
    clock: container.get(port.clock),
    log: container.get(port.log),
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
const samplesOf = ({ demo, databaseUrl }: Config) => {
  const files = (demo ?? databaseUrl === null) ? batches.flatMap(({ agent, samples }) => samples.map(({ file }) => ({ agent, file }))) : [];
  return files.map(({ agent, file }) => ({ agent, type: contentTypeOf(file), path: path.join(sampleFolder, file) }));
};

/** The HTTP side of the server, over the services of this composition. */
export const api = (config: Config, composition: Composition, isGateway = false, streams?: StreamTerms): RequestListener => {
  const { container, signedUrls, health, telemetry } = composition;
  const { server, challenge } = oauthServer(config, composition);
  const app = httpApp({
    use: {
      agents: container.get(service.agents),
      agentVersions: container.get(service.agentVersions),
      uploads: container.get(service.uploads),
      runs: container.get(service.runs),
      documents: container.get(service.documents),
      documentFiles: container.get(service.documentFiles),
      events: container.get(service.events),
      connections: container.get(service.connections),
      databases: container.get(service.databases),
      conversations: container.get(service.conversations),
      snapshots: container.get(service.snapshots),
      webSearch: container.get(service.webSearch),
      profiles: container.get(service.profiles),
      authentication: container.get(service.authentication),
    },
    limiter: container.get(port.limiter),
    signedUrls,
    log: container.get(port.log),
    telemetry,
    urls: { base: config.baseUrl, auth: config.authUrl, egress: config.egressUrl },
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
    console: consoleSite({ base: config.baseUrl, auth: config.authUrl, uploads: uploadsOf(config), samples: samplesOf(config) }),
    ...(streams && { streams }),
  });
  return management(healthPages(health), app.callback());
};

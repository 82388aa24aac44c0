import { ContainerModule } from 'inversify';
import { connectors } from '../../adapters/connectors/connectors.ts';
import { modelProviders } from '../../adapters/models/models.ts';
import { identityProvider as openIdProvider } from '../../adapters/oidc/identity-provider.ts';
import { safeOutbound } from '../../adapters/outbound/outbound.ts';
import { reachableHosts } from '../../adapters/outbound/reachable-hosts.ts';
import { inProcessLimiter } from '../../adapters/rate-limiter/in-process.ts';
import { redisLimiter } from '../../adapters/rate-limiter/redis.ts';
import { bucketSources } from '../../adapters/s3/source.ts';
import { folderSources } from '../../adapters/sources/folder/folder.ts';
import { accessTokens } from '../../adapters/sources/imap/access-tokens.ts';
import { mailboxSources } from '../../adapters/sources/imap/imap.ts';
import { knownSources } from '../../adapters/sources/sources.ts';
import { monotonicClock } from '../../adapters/system/runtime.ts';
import { textExtractor } from '../../adapters/text/extractor.ts';
import { pageImages } from '../../adapters/text/pages/page-images.ts';
import { mcpTools } from '../../adapters/tools/mcp.ts';
import { celChecks } from '../../adapters/validation/cel/checks.ts';
import type * as checking from '../../application/ports/checks.ts';
import type * as systems from '../../application/ports/connectors.ts';
import type * as identities from '../../application/ports/identity-provider.ts';
import type * as limits from '../../application/ports/limiter.ts';
import type * as asking from '../../application/ports/models.ts';
import type * as sending from '../../application/ports/outbound.ts';
import type * as drawing from '../../application/ports/page-images.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Sealer } from '../../application/ports/secrets.ts';
import type * as places from '../../application/ports/sources.ts';
import type * as reading from '../../application/ports/text.ts';
import { contentTypeOfName } from '../../client/content-type.ts';
import { type Config, demoInbox } from '../config.ts';
import { type Opened, token } from '../module.ts';
import { version } from '../version.ts';
import { credentialsOf } from './blobs.ts';
import type { FoundConverter } from './converter.ts';

const OPENAI_URL = 'https://api.openai.com/v1';
const ANTHROPIC_URL = 'https://api.anthropic.com/v1';

export const RateLimiter = token<limits.RateLimiter>('RateLimiter');
export const TextExtractor = token<reading.TextExtractor>('TextExtractor');
export const PageImages = token<drawing.PageImages>('PageImages');
export const Outbound = token(safeOutbound);
export const IdentityProvider = token<identities.IdentityProvider | null>('IdentityProvider');
export const RemoteTools = token(mcpTools);
export const Models = token<asking.Models>('Models');
export const CheckEngine = token<checking.CheckEngine>('CheckEngine');
export const Sources = token<places.Sources>('Sources');
export const Connectors = token<systems.Connectors>('Connectors');

/** Counts in Redis if it is configured, and in the process without it or while it is away. */
export const limiter = async ({ redisUrl: url, redisPrefix: prefix }: Config, log: Log): Promise<Opened> => {
  const inProcess = inProcessLimiter(monotonicClock);
  const module = (limiter: limits.RateLimiter) =>
    new ContainerModule(({ bind }) => void bind(RateLimiter).toConstantValue(limiter));
  if (url === null) return { module: module(inProcess) };
  const redis = await redisLimiter({ url, prefix, fallback: inProcess, log });
  const check = async () => {
    if (!redis.available()) throw new Error('Redis is away');
  };
  const probes = [{ name: 'limits', required: false, check }];
  return { module: module(redis), probes, close: () => redis.close() };
};

/** A server says in its log what an operator should know of the converter; a command has `doctor` for that. */
export const text = (config: Config, { converter, warning }: FoundConverter, log: Log, serving: boolean): Opened => {
  const { textTimeoutSeconds: timeoutSeconds, ocr, ocrLanguages: languages } = config;
  if (serving && warning !== null) log.warn({}, warning);
  const extractor = textExtractor({
    timeoutSeconds,
    ...(converter && { conversion: { converter, log } }),
    ...(ocr === 'auto' && { ocr: { languages } }),
  });
  const images = pageImages();
  const module = new ContainerModule(({ bind }) => {
    bind(TextExtractor).toConstantValue(extractor);
    bind(PageImages).toConstantValue(images);
  });
  return { module, close: async () => void (await Promise.all([extractor.close(), images.close()])) };
};

/** Where the people of the organisation sign in; null: nowhere. Its libraries are loaded by the first sign-in. */
const identityProvider = (config: Config, outbound: sending.Outbound): identities.IdentityProvider | null => {
  const { oidcIssuer: issuer, oidcClientId: clientId, authUrl } = config;
  if (issuer === null || clientId === null) return null;
  return openIdProvider({
    issuer,
    clientId,
    clientSecret: config.oidcClientSecret,
    scopes: config.oidcScopes,
    groupsClaim: config.oidcGroupsClaim,
    needsGroups: config.oidcRoles !== null,
    redirectUri: `${authUrl}/oauth/oidc/callback`,
    outbound,
  });
};

/** Requests to addresses that others choose, and the tools of other servers, which are such requests. */
export const outbound = (config: Config): Opened => ({
  module: new ContainerModule(({ bind }) => {
    bind(Outbound).toDynamicValue(() => safeOutbound({ allowedHosts: config.outboundAllowedHosts }));
    bind(IdentityProvider).toDynamicValue(({ get }) => identityProvider(config, get(Outbound)));
    bind(RemoteTools).toDynamicValue(({ get }) => mcpTools({ outbound: get(Outbound), version }));
  }),
});

/** The providers that have a key (or, for a server of one's own, an address), and always `offline`. */
export const models = (config: Config, log: Log, serving: boolean): Opened => {
  const { openaiApiKey, openaiBaseUrl, anthropicApiKey, anthropicBaseUrl } = config;
  const providers = modelProviders({
    openai:
      openaiApiKey === null && openaiBaseUrl === null
        ? null
        : { apiKey: openaiApiKey ?? 'none', baseUrl: openaiBaseUrl ?? OPENAI_URL },
    anthropic:
      anthropicApiKey === null ? null : { apiKey: anthropicApiKey, baseUrl: anthropicBaseUrl ?? ANTHROPIC_URL },
    stepTimeoutSeconds: config.modelTimeoutSeconds,
    maxAttempts: config.modelMaxAttempts,
    log,
  });
  if (serving)
    providers.prepare().catch((err) => log.warn({ err }, 'what the model providers need could not be loaded'));
  return { module: new ContainerModule(({ bind }) => void bind(Models).toConstantValue(providers)) };
};

/** The threads that evaluate checks begin with the first of them. */
export const checks = (): Opened => {
  const engine = celChecks();
  const module = new ContainerModule(({ bind }) => void bind(CheckEngine).toConstantValue(engine));
  return { module, close: () => engine.close() };
};

export const connectedSystems = (config: Config, log: Log, sealer: Sealer): Opened => {
  const { connectionTimeoutSeconds: timeoutSeconds, connectionPoolSize: poolSize, queryTimeoutSeconds } = config;
  const opened = connectors({ sealer, log, timeoutSeconds, queryTimeoutSeconds, poolSize });
  const module = new ContainerModule(({ bind }) => void bind(Connectors).toConstantValue(opened));
  return { module, close: () => opened.close() };
};

const contentTypeOf = (name: string) => contentTypeOfName(name) ?? 'application/octet-stream';

/** The places that are looked at for documents. */
export const sourcePlaces = (config: Config, outbound: sending.Outbound, log: Log): Opened => {
  const { sourceFolders, outboundAllowedHosts: allowedHosts } = config;
  const inbox = demoInbox(config);
  const folders = inbox === null ? sourceFolders : [...sourceFolders, inbox];
  const bucket = bucketSources({
    buckets: config.sourceBuckets,
    ownBucket: config.s3Bucket,
    endpoint: config.s3Endpoint,
    region: config.s3Region,
    ...credentialsOf(config),
    contentTypeOf,
    log,
  });
  const known = knownSources({
    imap: mailboxSources({ hosts: reachableHosts({ allowedHosts }), tokens: accessTokens(outbound) }),
    folder: folderSources({ folders, contentTypeOf, threads: Math.max(1, Math.floor(config.threadPoolSize / 2)) }),
    bucket,
  });
  const module = new ContainerModule(({ bind }) => void bind(Sources).toConstantValue(known));
  return { module, close: () => bucket.close() };
};

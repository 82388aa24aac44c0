import { celChecks } from '../../adapters/cel/checks.ts';
import { connectors } from '../../adapters/connectors/connectors.ts';
import { modelProviders } from '../../adapters/models/models.ts';
import { safeOutbound } from '../../adapters/outbound/outbound.ts';
import { inProcessLimiter } from '../../adapters/rate-limiter/in-process.ts';
import { redisLimiter } from '../../adapters/rate-limiter/redis.ts';
import { monotonicClock } from '../../adapters/system/runtime.ts';
import { textExtractor } from '../../adapters/text/extractor.ts';
import { pageImages } from '../../adapters/text/pages/page-images.ts';
import { mcpTools } from '../../adapters/tools/mcp.ts';
import type { CheckEngine } from '../../application/ports/checks.ts';
import type { RateLimiter } from '../../application/ports/limiter.ts';
import type { Models } from '../../application/ports/models.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Sealer } from '../../application/ports/secrets.ts';
import type { Resource } from '../binding.ts';
import type { Config } from '../config.ts';
import { version } from '../version.ts';

const OPENAI_URL = 'https://api.openai.com/v1';
const ANTHROPIC_URL = 'https://api.anthropic.com/v1';

/** Counts in Redis if it is configured, and in the process without it or while it is away. */
export const limiter = async ({ redisUrl: url, redisPrefix: prefix }: Config, log: Log) => {
  const inProcess = inProcessLimiter(monotonicClock);
  if (url === null) return { ports: { limiter: inProcess as RateLimiter } } satisfies Resource;
  const redis = await redisLimiter({ url, prefix, fallback: inProcess, log });
  const check = async () => {
    if (!redis.available()) throw new Error('Redis is away');
  };
  const probes = [{ name: 'limits', required: false, check }];
  return { ports: { limiter: redis as RateLimiter }, probes, close: () => redis.close() } satisfies Resource;
};

export const text = ({ textTimeoutSeconds: timeoutSeconds, ocr, ocrLanguages: languages }: Config) => {
  const extractor = textExtractor({ timeoutSeconds, ...(ocr === 'auto' && { ocr: { languages } }) });
  const images = pageImages();
  const close = async () => void (await Promise.all([extractor.close(), images.close()]));
  return { ports: { text: extractor, pageImages: images }, close } satisfies Resource;
};

/** Requests to addresses that others choose, and the tools of other servers, which are such requests. */
export const outbound = ({ outboundAllowedHosts: allowedHosts }: Config) => {
  const send = safeOutbound({ allowedHosts });
  return { outbound: send, remoteTools: mcpTools({ outbound: send, version }) };
};

/** The providers that have a key (or, for a server of one's own, an address), and always `offline`. */
export const models = (config: Config, log: Log, serving: boolean): Models => {
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
  return providers;
};

/** The threads that evaluate checks begin with the first of them. */
export const checks = () => {
  const engine = celChecks();
  return { ports: { checks: engine as CheckEngine }, close: () => engine.close() } satisfies Resource;
};

export const connectedSystems = (config: Config, log: Log, sealer: Sealer) => {
  const { connectionTimeoutSeconds: timeoutSeconds, connectionPoolSize: poolSize, queryTimeoutSeconds } = config;
  const systems = connectors({ sealer, log, timeoutSeconds, queryTimeoutSeconds, poolSize });
  return { ports: { connectors: systems }, close: () => systems.close() } satisfies Resource;
};

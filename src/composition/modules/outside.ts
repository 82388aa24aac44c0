import { ContainerModule } from 'inversify';
import { connectors } from '../../adapters/connectors/connectors.ts';
import { modelProviders } from '../../adapters/models/models.ts';
import { safeOutbound } from '../../adapters/outbound/outbound.ts';
import { aesSealer } from '../../adapters/system/sealer.ts';
import { textExtractor } from '../../adapters/text/extractor.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Config } from '../config.ts';
import type { Resource } from '../resource.ts';
import { port } from '../tokens.ts';

const OPENAI_URL = 'https://api.openai.com/v1';

export const text = ({ textTimeoutSeconds: timeoutSeconds }: Config): Resource => {
  const extractor = textExtractor({ timeoutSeconds });
  return { module: new ContainerModule(({ bind }) => void bind(port.text).toConstantValue(extractor)), close: () => extractor.close() };
};

export const outbound = ({ outboundAllowedHosts: allowedHosts }: Config): Resource => ({
  module: new ContainerModule(({ bind }) => void bind(port.outbound).toConstantValue(safeOutbound({ allowedHosts }))),
  close: async () => {},
});

/** The providers whose key (or, for a server of one's own, address) is set, and always `offline`. */
export const models = (config: Config, log: Log, serving: boolean): Resource => {
  const { openaiApiKey, openaiBaseUrl, anthropicApiKey, anthropicBaseUrl } = config;
  const providers = modelProviders({
    openai:
      openaiApiKey === null && openaiBaseUrl === null ? null : { apiKey: openaiApiKey ?? 'none', baseUrl: openaiBaseUrl ?? OPENAI_URL },
    anthropic: anthropicApiKey === null ? null : { apiKey: anthropicApiKey, ...(anthropicBaseUrl && { baseUrl: anthropicBaseUrl }) },
    stepTimeoutSeconds: config.modelTimeoutSeconds,
    maxAttempts: config.modelMaxAttempts,
    log,
  });
  if (serving) providers.prepare().catch((err) => log.warn({ err }, 'what the model providers need could not be loaded'));
  return { module: new ContainerModule(({ bind }) => void bind(port.models).toConstantValue(providers)), close: async () => {} };
};

export const connectedSystems = (config: Config, log: Log, encryptionKey: Uint8Array): Resource => {
  const { connectionTimeoutSeconds: timeoutSeconds, connectionPoolSize: poolSize, queryTimeoutSeconds } = config;
  const sizes = { poolSize, queryPoolSize: poolSize };
  const systems = connectors({ sealer: aesSealer(encryptionKey), log, timeoutSeconds, queryTimeoutSeconds, ...sizes });
  const module = new ContainerModule(({ bind }) => {
    bind(port.connectors).toConstantValue(systems);
    bind(port.systems).toConstantValue(systems);
  });
  return { module, close: () => systems.close() };
};

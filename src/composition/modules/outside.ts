import { createHmac } from 'node:crypto';
import path from 'node:path';
import { ContainerModule } from 'inversify';
import { connectors } from '../../adapters/connectors/connectors.ts';
import { fileBlobs } from '../../adapters/files/store.ts';
import { memoryLimiter } from '../../adapters/memory/limiter.ts';
import { modelProviders } from '../../adapters/models/models.ts';
import { safeOutbound } from '../../adapters/outbound/outbound.ts';
import { monotonicClock, systemClock } from '../../adapters/system/clock.ts';
import { aesSealer } from '../../adapters/system/sealer.ts';
import { textExtractor } from '../../adapters/text/extractor.ts';
import type { SignedUrls } from '../../application/ports/blobs.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Config } from '../config.ts';
import type { Resource } from '../resource.ts';
import { port } from '../tokens.ts';

const OPENAI_URL = 'https://api.openai.com/v1';

/** A key for one purpose, so that no two kinds of secret are protected by the same one. */
const derived = (encryptionKey: Uint8Array, purpose: string) => createHmac('sha256', encryptionKey).update(purpose).digest();

/** Files under DATA_DIR, with URLs that this process answers itself. */
export const embeddedFiles = (config: Config, encryptionKey: Uint8Array): Resource & { readonly signedUrls: SignedUrls } => {
  const { dataDir, baseUrl, maxUploadBytes: maxBytes } = config;
  const signingKey = derived(encryptionKey, 'signed file addresses');
  const store = fileBlobs({ folder: path.resolve(dataDir, 'files'), baseUrl, signingKey, maxBytes, clock: systemClock });
  return {
    module: new ContainerModule(({ bind }) => void bind(port.blobs).toConstantValue(store)),
    signedUrls: store,
    close: async () => {},
  };
};

export const limiter = (): Resource => ({
  module: new ContainerModule(({ bind }) => void bind(port.limiter).toConstantValue(memoryLimiter(monotonicClock))),
  close: async () => {},
});

export const text = ({ textTimeoutSeconds: timeoutSeconds }: Config): Resource => {
  const extractor = textExtractor({ timeoutSeconds });
  return { module: new ContainerModule(({ bind }) => void bind(port.text).toConstantValue(extractor)), close: () => extractor.close() };
};

export const outbound = ({ outboundAllowedHosts: allowedHosts }: Config): Resource => ({
  module: new ContainerModule(({ bind }) => void bind(port.outbound).toConstantValue(safeOutbound({ allowedHosts }))),
  close: async () => {},
});

/** The providers whose key (or, for a server of one's own, address) is set, and always `offline`. */
export const models = (config: Config, log: Log): Resource => {
  const { openaiApiKey, openaiBaseUrl, anthropicApiKey, anthropicBaseUrl } = config;
  const providers = modelProviders({
    openai:
      openaiApiKey === null && openaiBaseUrl === null ? null : { apiKey: openaiApiKey ?? 'none', baseUrl: openaiBaseUrl ?? OPENAI_URL },
    anthropic: anthropicApiKey === null ? null : { apiKey: anthropicApiKey, ...(anthropicBaseUrl && { baseUrl: anthropicBaseUrl }) },
    stepTimeoutSeconds: config.modelTimeoutSeconds,
    maxAttempts: config.modelMaxAttempts,
    log,
  });
  return { module: new ContainerModule(({ bind }) => void bind(port.models).toConstantValue(providers)), close: async () => {} };
};

export const connectedSystems = (config: Config, log: Log, encryptionKey: Uint8Array): Resource => {
  const { connectionTimeoutSeconds: timeoutSeconds, connectionPoolSize: poolSize } = config;
  const systems = connectors({ sealer: aesSealer(encryptionKey), log, timeoutSeconds, poolSize, queryPoolSize: poolSize });
  const module = new ContainerModule(({ bind }) => {
    bind(port.connectors).toConstantValue(systems);
    bind(port.systems).toConstantValue(systems);
  });
  return { module, close: () => systems.close() };
};

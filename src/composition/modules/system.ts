import { ContainerModule } from 'inversify';
import { apiKeys } from '../../adapters/system/api-keys.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { loadEncryptionKey, parseEncryptionKey } from '../../adapters/system/encryption-key.ts';
import { uuidIds } from '../../adapters/system/ids.ts';
import { ajvSchemas } from '../../adapters/system/schemas.ts';
import { aesSealer } from '../../adapters/system/sealer.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Config } from '../config.ts';
import { bounds, port } from '../tokens.ts';

export const encryptionKeyOf = async ({ encryptionKey, dataDir }: Config): Promise<Uint8Array> =>
  encryptionKey === null ? loadEncryptionKey(dataDir) : parseEncryptionKey(encryptionKey);

/** What the process itself provides: clock, ids, secrets, schemas, and the bounds that the configuration sets. */
export const system = (config: Config, log: Log, encryptionKey: Uint8Array) =>
  new ContainerModule(({ bind }) => {
    bind(port.log).toConstantValue(log);
    bind(port.clock).toConstantValue(systemClock);
    bind(port.ids).toConstantValue(uuidIds);
    bind(port.apiKeys).toConstantValue(apiKeys);
    bind(port.sealer).toConstantValue(aesSealer(encryptionKey));
    bind(port.schemas).toConstantValue(ajvSchemas());
    bind(bounds.limits).toConstantValue(config);
    bind(bounds.caps).toConstantValue({
      maxRows: config.queryMaxRows,
      maxBytes: config.queryMaxBytes,
      timeoutSeconds: config.queryTimeoutSeconds,
    });
    bind(bounds.conversations).toConstantValue(config);
    bind(bounds.worker).toConstantValue({ concurrency: config.workerConcurrency, leaseSeconds: config.runLeaseSeconds });
  });

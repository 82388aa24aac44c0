import { createHmac } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { commonPasswords, scryptPasswords } from '../../adapters/oauth/passwords.ts';
import { oneTimeTokens } from '../../adapters/oauth/secrets.ts';
import { apiKeys } from '../../adapters/system/api-keys.ts';
import { loadEncryptionKey, parseEncryptionKey } from '../../adapters/system/encryption-key.ts';
import { jsonPatches } from '../../adapters/system/json-patch.ts';
import { systemClock, uuidIds } from '../../adapters/system/runtime.ts';
import { ajvSchemas } from '../../adapters/system/schemas.ts';
import { aesSealer } from '../../adapters/system/sealer.ts';
import { standardSignatures } from '../../adapters/webhooks/signatures.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Config } from '../config.ts';
import { deliverySettings } from '../settings/deliveries.ts';
import type { Configured } from '../tokens.ts';

export const encryptionKeyOf = async ({ encryptionKey, dataDir }: Config): Promise<Uint8Array> =>
  encryptionKey === null ? loadEncryptionKey(dataDir) : parseEncryptionKey(encryptionKey);

/** A key for one purpose, so that no two kinds of secret are protected by the same one. */
export const derivedKey = (encryptionKey: Uint8Array, purpose: string): Uint8Array =>
  createHmac('sha256', encryptionKey).update(purpose).digest();

/** What the process itself provides: clock, ids, secrets, schemas. */
export const system = (log: Log, encryptionKey: Uint8Array) => ({
  log,
  clock: systemClock,
  ids: uuidIds,
  apiKeys,
  sealer: aesSealer(encryptionKey),
  schemas: ajvSchemas(),
  patches: jsonPatches,
  passwords: scryptPasswords(),
  commonPasswords: commonPasswords(),
  oneTimeTokens,
  signatures: standardSignatures,
});

export const configuration = (config: Config, encryptionKey: Uint8Array): Configured => ({
  config,
  worker: { concurrency: config.workerConcurrency, leaseSeconds: config.runLeaseSeconds },
  webhooks: {
    ...deliverySettings,
    concurrency: 16,
    perWebhook: 4,
    leaseSeconds: 30,
    pollMs: 1000,
  },
  // Each takes a core, so that half of them stay for the rest.
  pages: { drawings: Math.max(1, Math.floor(availableParallelism() / 2)) },
  caps: { maxRows: config.queryMaxRows, maxBytes: config.queryMaxBytes, timeoutSeconds: config.queryTimeoutSeconds },
  links: {
    invitation: (token) => `${config.authUrl}/oauth/invitation/${token}`,
    document: (id) => `${config.baseUrl}/console/documents/${id}`,
  },
  oauth: {
    key: derivedKey(encryptionKey, 'oauth keys'),
    sealer: aesSealer(derivedKey(encryptionKey, 'oauth records')),
  },
});

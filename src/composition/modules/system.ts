import { createHmac } from 'node:crypto';
import { ContainerModule } from 'inversify';
import { commonPasswords, scryptPasswords } from '../../adapters/oauth/passwords.ts';
import { oneTimeTokens } from '../../adapters/oauth/secrets.ts';
import type { Reseal } from '../../adapters/postgres/repositories/sealed-values.ts';
import { apiKeys } from '../../adapters/system/api-keys.ts';
import { type EncryptionKeys, loadEncryptionKey, parseEncryptionKeys } from '../../adapters/system/encryption-key.ts';
import { jsonPatches } from '../../adapters/system/json-patch.ts';
import { systemClock, uuidIds } from '../../adapters/system/runtime.ts';
import { aesSealer } from '../../adapters/system/sealer.ts';
import { ajvSchemas } from '../../adapters/validation/schemas.ts';
import { standardSignatures } from '../../adapters/webhooks/signatures.ts';
import type * as runtime from '../../application/ports/runtime.ts';
import type * as secrets from '../../application/ports/secrets.ts';
import type * as webhooks from '../../application/ports/webhooks.ts';
import { Config } from '../config.ts';
import { type Opened, token } from '../module.ts';

export const encryptionKeysOf = async ({ encryptionKey, dataDir }: Config): Promise<EncryptionKeys> =>
  encryptionKey === null ? [await loadEncryptionKey(dataDir)] : parseEncryptionKeys(encryptionKey);

/** A key for one purpose, so that no two kinds of secret are protected by the same one. */
export const derivedKey = (encryptionKey: Uint8Array, purpose: string): Uint8Array =>
  createHmac('sha256', encryptionKey).update(purpose).digest();

/** What OAuth signs with, and what it seals with. */
const KEYS = 'oauth keys';
const RECORDS = 'oauth records';

export const Log = token<runtime.Log>('Log');
export const Clock = token<runtime.Clock>('Clock');
export const Ids = token<runtime.Ids>('Ids');
export const ApiKeys = token<secrets.ApiKeys>('ApiKeys');
export const Sealer = token<secrets.Sealer>('Sealer');
export const SchemaValidator = token(ajvSchemas);
export const JsonPatches = token<typeof jsonPatches>('JsonPatches');
export const Passwords = token(scryptPasswords);
export const CommonPasswords = token(commonPasswords);
export const OneTimeTokens = token<typeof oneTimeTokens>('OneTimeTokens');
export const WebhookSignatures = token<webhooks.WebhookSignatures>('WebhookSignatures');
/** What the authorization server signs with, and seals its records with. */
export const OAuthSecrets = token<{
  readonly key: Uint8Array;
  readonly olderKeys: readonly Uint8Array[];
  readonly sealer: secrets.Sealer;
}>('OAuthSecrets');

/** Seals with the first key what another one has sealed. What no key opens stays as it is, unless `onLost` throws. */
export const resealing = ([first, ...older]: EncryptionKeys, onLost: (error: unknown) => void): Reseal => {
  const anew = ([key, ...others]: EncryptionKeys) => {
    const newest = aesSealer(key);
    const any = aesSealer(key, ...others);
    return (sealed: string) => {
      try {
        newest.open(sealed);
        return null;
      } catch {}
      try {
        return newest.seal(any.open(sealed));
      } catch (error) {
        onLost(error);
        return null;
      }
    };
  };
  const derived = (key: Uint8Array) => derivedKey(key, RECORDS);
  const by = { installation: anew([first, ...older]), oauth: anew([derived(first), ...older.map(derived)]) };
  return (sealed, sealedBy) => by[sealedBy](sealed);
};

/** What the process itself provides: configuration, clock, ids, secrets, schemas. */
export const system = (config: Config, log: runtime.Log, [encryptionKey, ...older]: EncryptionKeys): Opened => ({
  module: new ContainerModule(({ bind }) => {
    bind(Config).toConstantValue(config);
    bind(Log).toConstantValue(log);
    bind(Clock).toConstantValue(systemClock);
    bind(Ids).toConstantValue(uuidIds);
    bind(ApiKeys).toConstantValue(apiKeys);
    bind(Sealer).toConstantValue(aesSealer(encryptionKey, ...older));
    bind(SchemaValidator).toDynamicValue(() => ajvSchemas());
    bind(JsonPatches).toConstantValue(jsonPatches);
    bind(Passwords).toDynamicValue(() => scryptPasswords());
    bind(CommonPasswords).toDynamicValue(() => commonPasswords());
    bind(OneTimeTokens).toConstantValue(oneTimeTokens);
    bind(WebhookSignatures).toConstantValue(standardSignatures);
    bind(OAuthSecrets).toDynamicValue(() => ({
      key: derivedKey(encryptionKey, KEYS),
      olderKeys: older.map((key) => derivedKey(key, KEYS)),
      sealer: aesSealer(derivedKey(encryptionKey, RECORDS), ...older.map((key) => derivedKey(key, RECORDS))),
    }));
  }),
});

import { createHmac } from 'node:crypto';
import path from 'node:path';
import { ContainerModule } from 'inversify';
import { fileBlobs } from '../../adapters/files/store.ts';
import { s3Blobs } from '../../adapters/s3/store.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { BlobStore, SignedUrls } from '../../application/ports/blobs.ts';
import type { Log } from '../../application/ports/runtime.ts';
import { invalid } from '../../domain/errors.ts';
import type { Config } from '../config.ts';
import type { Resource } from '../resource.ts';
import { port } from '../tokens.ts';

export interface Blobs extends Resource {
  /** null where the store answers its own URLs. */
  readonly signedUrls: SignedUrls | null;
  /** Throws where the store cannot be used, with the variable to look at. */
  check(): Promise<void>;
}

/** A key for one purpose, so that no two kinds of secret are protected by the same one. */
const derived = (encryptionKey: Uint8Array, purpose: string) => createHmac('sha256', encryptionKey).update(purpose).digest();

const binding = (store: BlobStore) => new ContainerModule(({ bind }) => void bind(port.blobs).toConstantValue(store));

/** Files under DATA_DIR, with URLs that this process answers itself. */
const embeddedFiles = (config: Config, encryptionKey: Uint8Array): Blobs => {
  const { dataDir, baseUrl, maxUploadBytes: maxBytes } = config;
  const signingKey = derived(encryptionKey, 'signed file addresses');
  const store = fileBlobs({ folder: path.resolve(dataDir, 'files'), baseUrl, signingKey, maxBytes, clock: systemClock });
  return { module: binding(store), signedUrls: store, check: async () => {}, close: async () => {} };
};

/** Half a pair of keys is never meant. */
const credentialsOf = ({ s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey }: Config) => {
  if (accessKeyId !== null && secretAccessKey !== null) return { credentials: { accessKeyId, secretAccessKey } };
  if (accessKeyId === null && secretAccessKey === null) return {};
  const [missing, given] =
    accessKeyId === null ? ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] : ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID'];
  throw invalid({ path: missing, message: `must be set where ${given} is` });
};

const bucket = (config: Config, name: string, log: Log): Blobs => {
  const { s3Endpoint: endpoint, s3PublicEndpoint: publicEndpoint, s3Region: region, maxUploadBytes: maxBytes } = config;
  const store = s3Blobs({ bucket: name, endpoint, publicEndpoint, region, ...credentialsOf(config), maxBytes, log });
  return { module: binding(store), signedUrls: null, check: () => store.check(), close: () => store.close() };
};

/** Objects in the bucket that is named, else files of our own. */
export const blobs = (config: Config, encryptionKey: Uint8Array, log: Log): Blobs =>
  config.s3Bucket === null ? embeddedFiles(config, encryptionKey) : bucket(config, config.s3Bucket, log);

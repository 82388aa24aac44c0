import path from 'node:path';
import { ContainerModule } from 'inversify';
import { fileLedger } from '../../adapters/files/ledger.ts';
import { fileBlobs } from '../../adapters/files/store.ts';
import { s3Blobs } from '../../adapters/s3/store.ts';
import { systemClock } from '../../adapters/system/runtime.ts';
import type * as ports from '../../application/ports/blobs.ts';
import type * as erasures from '../../application/ports/erasures.ts';
import type { Log } from '../../application/ports/runtime.ts';
import { invalid } from '../../domain/errors.ts';
import type { Config } from '../config.ts';
import { type Opened, token } from '../module.ts';
import { derivedKey } from './system.ts';

export const BlobStore = token<ports.BlobStore>('BlobStore');
/** null if the store itself answers the URLs that it signs. */
export const SignedUrls = token<ports.SignedUrls | null>('SignedUrls');
export const ErasureLedger = token<erasures.ErasureLedger>('ErasureLedger');
/** Where browsers send files, if another store than this server has them; may have a wildcard. */
export const UploadOrigin = token<string | null>('UploadOrigin');

interface Blobs extends Opened {
  /** For the operator. */
  readonly name: string;
  /** Throws if the store cannot be used, with the variable to look at. */
  check(): Promise<void>;
}

/** Most of the API answers without files, so a server that cannot reach them still takes requests. */
const opened = (
  store: ports.BlobStore,
  ledger: erasures.ErasureLedger,
  signedUrls: ports.SignedUrls | null,
  uploadOrigin: string | null,
  rest: Pick<Blobs, 'name' | 'check' | 'close'>,
): Blobs => ({
  module: new ContainerModule(({ bind }) => {
    bind(BlobStore).toConstantValue(store);
    bind(ErasureLedger).toConstantValue(ledger);
    bind(SignedUrls).toConstantValue(signedUrls);
    bind(UploadOrigin).toConstantValue(uploadOrigin);
  }),
  ...rest,
  probes: [{ name: 'files', required: false, check: async () => void (await store.head('health/probe')) }],
});

/** Files under DATA_DIR, with URLs that this process answers itself. */
const embeddedFiles = (config: Config, encryptionKey: Uint8Array): Blobs => {
  const { dataDir, baseUrl, maxUploadBytes: maxBytes } = config;
  const signingKey = derivedKey(encryptionKey, 'signed file addresses');
  const folder = path.resolve(dataDir, 'files');
  const store = fileBlobs({
    folder,
    baseUrl,
    signingKey,
    maxBytes,
    clock: systemClock,
  });
  return opened(store, fileLedger(path.join(folder, 'erasures')), store, null, {
    name: 'files under DATA_DIR',
    check: async () => {},
  });
};

/** Both halves of the pair, or neither: then the AWS SDK looks for credentials. */
export const credentialsOf = ({ s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey }: Config) => {
  if (accessKeyId !== null && secretAccessKey !== null) return { credentials: { accessKeyId, secretAccessKey } };
  if (accessKeyId === null && secretAccessKey === null) return {};
  const [missing, present] =
    accessKeyId === null ? ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] : ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID'];
  throw invalid({ path: missing, message: `must be set where ${present} is` });
};

const bucket = (config: Config, name: string, log: Log): Blobs => {
  const { s3Endpoint: endpoint, s3PublicEndpoint: publicEndpoint, s3Region: region, maxUploadBytes: maxBytes } = config;
  const store = s3Blobs({ bucket: name, endpoint, publicEndpoint, region, ...credentialsOf(config), maxBytes, log });
  const address = publicEndpoint ?? endpoint;
  const uploadOrigin = address === null ? 'https://*.amazonaws.com' : new URL(address).origin;
  const close = () => store.close();
  return opened(store, store.ledger, null, uploadOrigin, {
    name: `bucket "${name}"`,
    check: () => store.check(),
    close,
  });
};

/** The bucket of the configuration, else files on this machine. */
export const blobs = (config: Config, encryptionKey: Uint8Array, log: Log): Blobs =>
  config.s3Bucket === null ? embeddedFiles(config, encryptionKey) : bucket(config, config.s3Bucket, log);

import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { Log } from '../../application/ports/runtime.ts';

export interface Bucket {
  readonly bucket: string;
  /** null: AWS. */
  readonly endpoint: string | null;
  /** The address that clients reach, if it is not `endpoint`: URLs are signed for it. */
  readonly publicEndpoint?: string | null;
  /** null: at AWS the usual variables name it; other stores have no regions and get us-east-1. */
  readonly region: string | null;
  /** Absent: the usual variables, profile or role of AWS. */
  readonly credentials?: S3ClientConfig['credentials'];
  readonly timeouts?: Partial<Timeouts>;
}

const defaultTimeouts = {
  connectMs: 3_000,
  /** Until a response begins. */
  answerMs: 5_000,
  /** Without a byte in either direction. */
  silenceMs: 10_000,
  /** For the whole check at the start. */
  checkMs: 20_000,
};

type Timeouts = Readonly<typeof defaultTimeouts>;

export const timeoutsOf = ({ timeouts }: Bucket): Timeouts => ({ ...defaultTimeouts, ...timeouts });

/** The slowest connection over which an object is still written or copied. */
const BYTES_PER_MS = 1_000;

/** How long the answer to a request may take for which so many bytes are written or copied. */
export const transferMs = (settings: Bucket, bytes: number): number =>
  timeoutsOf(settings).answerMs + bytes / BYTES_PER_MS;

const MAX_ATTEMPTS = 3;

const loggerOf = (log: Log) => {
  const nothing = () => {};
  const warn = (message: unknown) => log.warn({}, `S3 client: ${String(message)}`);
  return { trace: nothing, debug: nothing, info: nothing, warn, error: nothing };
};

const configOf = (settings: Bucket, endpoint: string | null, log: Log): S3ClientConfig => {
  const { credentials } = settings;
  const region = settings.region ?? (settings.endpoint === null ? undefined : 'us-east-1');
  const logger = loggerOf(log);
  const { connectMs, answerMs, silenceMs } = timeoutsOf(settings);
  return {
    ...(endpoint !== null && { endpoint }),
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
    forcePathStyle: endpoint !== null,
    // Otherwise a URL would carry the checksum of an empty body; stores other than AWS also do not support every checksum.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MAX_ATTEMPTS,
    logger,
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: answerMs,
      throwOnRequestTimeout: true,
      socketTimeout: silenceMs,
      logger,
    },
  };
};

/** Loads the SDK at its first use, because it takes long. */
const loadSdk = async () => {
  const [s3, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ]);
  return { ...s3, getSignedUrl };
};

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

export interface Clients {
  readonly sdk: Sdk;
  readonly client: S3Client;
  /** Signs URLs for the address that clients reach; it sends nothing. */
  readonly signer: S3Client;
}

const openClients = async (settings: Bucket, log: Log): Promise<Clients> => {
  const { endpoint, publicEndpoint = null } = settings;
  const sdk = await loadSdk();
  const client = new sdk.S3Client(configOf(settings, endpoint, log));
  if (publicEndpoint === null || publicEndpoint === endpoint) return { sdk, client, signer: client };
  const { credentials, region } = client.config;
  return { sdk, client, signer: new sdk.S3Client({ ...configOf(settings, publicEndpoint, log), credentials, region }) };
};

/** Creates the clients at their first use. */
export const lazyClients = (settings: Bucket, log: Log) => {
  let opening: Promise<Clients> | undefined;
  return {
    get() {
      opening ??= openClients(settings, log);
      return opening;
    },
    async close() {
      const opened = await opening;
      opened?.signer.destroy();
      opened?.client.destroy();
    },
  };
};

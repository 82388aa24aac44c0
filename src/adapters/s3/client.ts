import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { Log } from '../../application/ports/runtime.ts';

export interface Bucket {
  readonly bucket: string;
  /** null: AWS. */
  readonly endpoint: string | null;
  /** What clients reach, where that is another address than `endpoint`: URLs are signed for it. */
  readonly publicEndpoint?: string | null;
  /** null: us-east-1 at an endpoint of one's own, which has none; at AWS what the usual variables say. */
  readonly region: string | null;
  /** Absent: the usual variables, profile or role. */
  readonly credentials?: S3ClientConfig['credentials'];
  readonly patience?: Partial<Patience>;
}

interface Patience {
  readonly connectMs: number;
  /** How long an answer may take to begin. */
  readonly answerMs: number;
  /** How long nothing may move in either direction. */
  readonly silenceMs: number;
  /** How long all of the check at the start may take. */
  readonly checkMs: number;
}

const defaultPatience: Patience = { connectMs: 3_000, answerMs: 5_000, silenceMs: 10_000, checkMs: 20_000 };

export const patienceOf = ({ patience }: Bucket): Patience => ({ ...defaultPatience, ...patience });

const MAX_ATTEMPTS = 3;

const loggerOf = (log: Log) => {
  const nothing = () => {};
  const warn = (...what: unknown[]) => log.warn({}, `S3 client: ${String(what[0])}`);
  return { trace: nothing, debug: nothing, info: nothing, warn, error: nothing };
};

const configOf = (settings: Bucket, endpoint: string | null, log: Log): S3ClientConfig => {
  const { credentials } = settings;
  const region = settings.region ?? (settings.endpoint === null ? undefined : 'us-east-1');
  const logger = loggerOf(log);
  const { connectMs, answerMs, silenceMs } = patienceOf(settings);
  return {
    ...(endpoint !== null && { endpoint }),
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
    forcePathStyle: endpoint !== null,
    // A URL would carry the checksum of the empty body that it is signed with, and stores other than AWS do not know them all.
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

/** The SDK takes long to load: who does not use S3 does not wait for it. */
export const loadSdk = async () => {
  const [s3, { getSignedUrl }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/s3-request-presigner')]);
  return { ...s3, getSignedUrl };
};

export type Sdk = Awaited<ReturnType<typeof loadSdk>>;

export interface Opened {
  readonly sdk: Sdk;
  readonly client: S3Client;
  /** Signs for the address that clients reach, and sends nothing. */
  readonly signer: S3Client;
}

const openClients = async (settings: Bucket, log: Log): Promise<Opened> => {
  const { endpoint, publicEndpoint = null } = settings;
  const sdk = await loadSdk();
  const client = new sdk.S3Client(configOf(settings, endpoint, log));
  if (publicEndpoint === null || publicEndpoint === endpoint) return { sdk, client, signer: client };
  const { credentials, region } = client.config;
  return { sdk, client, signer: new sdk.S3Client({ ...configOf(settings, publicEndpoint, log), credentials, region }) };
};

/** The SDK and its clients, made when they are first asked for. */
export const lazyClient = (settings: Bucket, log: Log) => {
  let opening: Promise<Opened> | undefined;
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

import { busy, DomainError, messageOf } from '../../domain/errors.ts';
import type { Bucket } from './client.ts';

/** The only parts of an SDK error that are read: others may contain the request with its signature. */
interface Failure {
  /** null: there was no response. */
  readonly status: number | null;
  /** Of the store (`AccessDenied`) or of the network (`ECONNREFUSED`). */
  readonly code: string;
  readonly header: (name: string) => string | null;
}

const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const failureOf = (error: unknown): Failure => {
  const response = property(error, '$response');
  const status = property(property(error, '$metadata'), 'httpStatusCode') ?? property(response, 'statusCode');
  const name = text(property(error, 'name'));
  const code = text(property(error, 'code')) ?? (name === 'Error' ? null : name) ?? 'no answer';
  return {
    status: typeof status === 'number' ? status : null,
    code: ['ETIMEDOUT', 'TimeoutError', 'AbortError'].includes(code) ? 'no answer in time' : code,
    header: (header) => text(property(property(response, 'headers'), header)),
  };
};

export const nullIfMissing = (error: unknown): null => {
  const { status, code } = failureOf(error);
  if (status === 404 && code !== 'NoSuchBucket') return null;
  throw error;
};

/** null if the object to be copied is gone or was replaced, or the one to be made is there; any other error is thrown. */
export const nullIfOvertaken = (error: unknown): null => {
  const { status, code } = failureOf(error);
  return status === 412 || code === 'ConditionalRequestConflict' ? null : nullIfMissing(error);
};

/** The store asks for fewer requests: `SlowDown` is 503 at AWS. */
const isBusy = ({ status, code }: Failure) =>
  status === 429 || /^(SlowDown|TooManyRequests|RequestLimitExceeded|ThrottlingException)$/.test(code);

const isOutage = ({ status }: Failure) => status === null || status >= 500;

/** An outage becomes an error for the caller; a refusal means a wrong configuration and is only for the log. */
export const storeFailure = (error: unknown): Error => {
  if (error instanceof DomainError) return error;
  const failure = failureOf(error);
  const cause = new Error(`the file store: ${failure.status === null ? '' : `${failure.status} `}${failure.code}`);
  if (isBusy(failure)) return busy('The file store has too much to do', cause);
  if (!isOutage(failure)) return cause;
  return new DomainError('unavailable', 'The file store cannot be reached at the moment. Please try again.', { cause });
};

const explanations: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'does not know the access key (?_ACCESS_KEY_ID)',
  SignatureDoesNotMatch: 'refuses the secret key (?_SECRET_ACCESS_KEY)',
  AccessDenied: 'does not let these credentials list it',
  ExpiredToken: 'refuses the credentials, which have expired',
  RequestTimeTooSkewed: 'refuses the time of this machine, which is off by more than 15 minutes',
};

const hostOf = (endpoint: string | null) => (endpoint === null ? 'AWS' : new URL(endpoint).host);

const unreachable = ({ endpoint }: Bucket, error: unknown): string => {
  const { code } = failureOf(error);
  const message = error instanceof Error ? error.message : '';
  if (/region is missing/i.test(message))
    return 'S3_REGION is not set, and no AWS_REGION or profile says which one it is.';
  if (code === 'CredentialsProviderError')
    return 'S3_BUCKET: there are no credentials for it: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or an AWS profile or role.';
  return `${endpoint === null ? 'S3_BUCKET' : 'S3_ENDPOINT'}: ${hostOf(endpoint)} cannot be reached (${code}).`;
};

/** Why the bucket cannot be used, in one line that names the setting to check, and never a credential. */
export const bucketFailure = (settings: Bucket, error: unknown): Error => {
  const { bucket, endpoint } = settings;
  const { status, code, header } = failureOf(error);
  if (status === null) return new Error(unreachable(settings, error));
  const where = `"${bucket}" at ${hostOf(endpoint)}`;
  if (code === 'NoSuchBucket' || code === 'InvalidBucketName')
    return new Error(`S3_BUCKET: there is no bucket ${where}.`);
  const region = header('x-amz-bucket-region');
  if (region !== null && (status === 301 || status === 400))
    return new Error(`S3_REGION: the bucket ${where} is in ${region}.`);
  const why = explanations[code]?.replace('?', settings.credentials === undefined ? 'AWS' : 'S3');
  return new Error(`S3_BUCKET: the bucket ${where} ${why ?? `cannot be used: it answers ${status} ${code}`}.`);
};

/** Why a bucket that documents come from cannot be looked at, in a sentence for people; the settings that it is named by have nothing to do with it. */
export const placeFailure = (settings: Bucket, error: unknown): DomainError => {
  const failure = bucketFailure(settings, error);
  const words = messageOf(failure)
    .replace(/^S3_(?:BUCKET|ENDPOINT): /, '')
    .replace(explanations.AccessDenied ?? '', 'does not let the server list, read or change what the source needs');
  return new DomainError('unavailable', `${words.charAt(0).toUpperCase()}${words.slice(1)}`);
};

export const notAStore = ({ endpoint }: Bucket): Error =>
  new Error(`S3_ENDPOINT: ${hostOf(endpoint)} does not answer as an S3 store does.`);

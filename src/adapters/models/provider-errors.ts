import type { APICallError } from 'ai';
import { ModelError, type ModelErrorCode } from '../../application/ports/models.ts';
import { isObject } from '../../domain/json.ts';
import { retryAfterMs } from '../../domain/retry-after.ts';
import { shorten } from '../../domain/text.ts';
import { keySettings, type Provider } from './families.ts';
import { parsed } from './transport.ts';

export interface ProviderSettings {
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** A model of a provider, and how it is reached. */
export interface ModelAccess extends ProviderSettings {
  readonly provider: Provider;
  readonly model: string;
}

/** Why an attempt failed, and whether another one may succeed. */
export interface Failure {
  readonly retry: boolean;
  /** How long the provider asked to wait, or null. */
  readonly waitMs: number | null;
  readonly error: (attempts: number) => ModelError;
}

const times = (attempts: number) => (attempts === 1 ? '1 attempt' : `${attempts} attempts`);

/** A provider's text, fit to be shown: one line, no key, no address, at most 300 characters. */
export const quote = (text: string, apiKey: string): string => {
  const start = text.slice(0, 4_000);
  const known = apiKey === '' ? start : start.replaceAll(apiKey, '[key]');
  const line = known
    .replace(/\b(sk|rk|pk|svc)-[\w*.-]{4,}|\bBearer\s+\S+/gi, '[key]')
    .replace(/\b[a-z][a-z0-9+.-]{0,20}:\/\/\S+/gi, '[address]')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a provider's text may hold any character
    .replace(/[\u0000-\u001f\u007f\s]+/g, ' ')
    .trim();
  return shorten(line, 300);
};

const isCallError = (error: unknown): error is APICallError =>
  error instanceof Error && error.name === 'AI_APICallError';

/** The code of the system or the HTTP client for what broke a connection, wherever in the chain of causes it stands. */
const networkCode = (error: unknown): string | null => {
  let at = error;
  for (let depth = 0; depth < 8 && at instanceof Error; depth += 1) {
    const { code } = at as Error & { code?: unknown };
    if (typeof code === 'string' && /^(E[A-Z]{3,}|UND_ERR_\w+|CERT_\w+|ERR_TLS\w+|\w*_CERT\w*)$/.test(code))
      return code;
    at = at.cause;
  }
  return null;
};

const final = (code: ModelErrorCode, message: string): Failure => ({
  retry: false,
  waitMs: null,
  error: () => new ModelError(code, message),
});

const again = (code: ModelErrorCode, message: (attempts: number) => string, waitMs: number | null = null): Failure => ({
  retry: true,
  waitMs,
  error: (attempts) => new ModelError(code, message(attempts)),
});

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
};

const unreachable = (code: string | null): Failure => {
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return final('model_timeout', 'The model gave no answer in time.');
  const reason = code === null ? 'the connection failed' : (reasons[code] ?? `the connection failed (${code})`);
  return again(
    'model_error',
    (attempts) => `The model provider could not be reached: ${reason}, after ${times(attempts)}.`,
  );
};

const rateLimited = (waitMs: number | null): Failure => {
  const wish = waitMs === null ? '' : `it asked to wait ${Math.ceil(waitMs / 1000)} s and `;
  return again(
    'model_rate_limited',
    (attempts) => `The model is rate limited: ${wish}${wish ? '' : 'it '}still refused after ${times(attempts)}.`,
    waitMs,
  );
};

/** The body of an error: OpenAI and Anthropic both nest it under `error`, except in a stream. */
interface ErrorBody {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
}

const bodyOf = ({ data, responseBody = '' }: APICallError): ErrorBody => {
  if (isObject(data) && isObject(data.error)) return data.error;
  const body = parsed(responseBody);
  return isObject(body) && typeof body.message === 'string' ? body : { message: responseBody };
};

/** An answer that says no. */
interface Refusal {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a provider reports in a stream that it began with 200. */
export class StreamedError extends Error {
  readonly body: unknown;

  constructor(body: unknown) {
    super('the provider reported an error in its stream');
    this.name = 'StreamedError';
    this.body = body;
  }
}

/** A stream was asked for, and none came. */
export class NoStream extends Error {
  constructor() {
    super('the provider sent no stream');
    this.name = 'NoStream';
  }
}

/** A 200 with a page of a proxy, or with nothing: it is no answer of the provider's. */
const unreadable = again(
  'model_error',
  (attempts) => `The model provider sent an answer that could not be read, after ${times(attempts)}.`,
);

/** What the provider would have answered at once. */
const statuses: readonly (readonly [RegExp, number])[] = [
  [/rate_limit/, 429],
  [/overloaded/, 529],
  [/insufficient_quota|billing|content_(filter|policy)|context_length|invalid_request/, 400],
];

const streamedRefusal = ({ body: raw }: StreamedError): Refusal => {
  const body: Record<string, unknown> = isObject(raw) ? raw : {};
  const known = [body.statusCode, body.status, body.code].map(Number).find((status) => status >= 400 && status < 600);
  const [, meant = 500] = statuses.find(([words]) => words.test(`${body.code} ${body.type}`)) ?? [];
  return { status: known ?? meant, body, headers: {} };
};

const tooLong =
  /context[ _](length|window)|maximum context|prompt is too long|too many (input )?tokens|request_too_large|input is too long/i;

/** A request that the provider will refuse again however often it is sent. */
const refused = (status: number, message: string, code: string, { provider, model }: ModelAccess): Failure => {
  const answered = `The model provider answered ${status}`;
  const detail = message === '' ? '.' : `: ${message}`;
  if (status === 401)
    return final('model_error', `${answered}: the API key was not accepted. Check ${keySettings[provider]}.`);
  if (status === 403) return final('model_error', `${answered}: the API key may not use ${model}${detail}`);
  if (status === 404)
    return final(
      'model_error',
      `${answered}: it has no model ${model}. Check the agent's model and the provider's base URL.`,
    );
  if (status === 413 || tooLong.test(`${code} ${message}`))
    return final('model_input_too_long', `The input is too long for ${model}${detail}`);
  if (/content_(filter|policy)/.test(code)) return final('model_refused', `The model refused to answer${detail}`);
  if (status >= 300 && status < 400)
    return final('model_error', `${answered}, a redirect, which is not followed. Check its base URL.`);
  return final('model_error', `${answered}${detail}`);
};

/** `retry-after-ms` is what a few providers send besides, because it is more exact. */
const askedWaitMs = (headers: Readonly<Record<string, string>>): number | null => {
  const exact = headers['retry-after-ms']?.trim();
  if (exact && /^\d+(\.\d+)?$/.test(exact)) return Math.ceil(Number(exact));
  return retryAfterMs(headers['retry-after'], Date.now());
};

const refusal = ({ status, body, headers }: Refusal, access: ModelAccess): Failure => {
  const text = typeof body.message === 'string' ? body.message : '';
  const isMarkup = /^\s*</.test(text);
  const message = isMarkup ? '' : quote(text, access.apiKey);
  const code = `${body.code ?? ''} ${body.type ?? ''}`;
  const waitMs = askedWaitMs(headers);
  if (/insufficient_quota|billing/.test(code))
    return final('model_error', `The account at the model provider has no quota left: ${message}`);
  if (status === 429) return rateLimited(waitMs);
  const detail = message === '' ? '' : ` It said: ${message}`;
  if (status === 503 || status === 529)
    return again(
      'model_error',
      (n) => `The model provider is overloaded: it answered ${status}, after ${times(n)}.${detail}`,
      waitMs,
    );
  if (status >= 500 || status === 408 || status === 409)
    return again(
      'model_error',
      (n) => `The model provider failed: it answered ${status}, after ${times(n)}.${detail}`,
      waitMs,
    );
  return refused(status, message, code, access);
};

const callFailure = (error: APICallError, access: ModelAccess): Failure => {
  const status = error.statusCode;
  const network = networkCode(error);
  if (status === undefined) return unreachable(network);
  if (status >= 300) return refusal({ status, body: bodyOf(error), headers: error.responseHeaders ?? {} }, access);
  if (network !== null) return unreachable(network);
  if (parsed(error.responseBody) === undefined) return unreadable;
  return final('model_error', 'The model provider sent an answer that could not be read.');
};

/** Why an attempt failed; null if the error is not the provider's. Leaves the cause behind, because it holds documents and keys. */
export const failureOf = (error: unknown, access: ModelAccess): Failure | null => {
  if (error instanceof ModelError) return { retry: false, waitMs: null, error: () => error };
  if (isCallError(error)) return callFailure(error, access);
  if (error instanceof StreamedError) return refusal(streamedRefusal(error), access);
  if (error instanceof NoStream) return unreadable;
  const network = networkCode(error);
  if (network !== null) return unreachable(network);
  if (error instanceof Error && error.name.startsWith('AI_'))
    return final('model_error', `The model's answer could not be used: ${quote(error.message, access.apiKey)}`);
  return null;
};

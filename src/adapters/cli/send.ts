import { setTimeout as sleep } from 'node:timers/promises';
import { CliFailure } from './failures.ts';

export interface Attempts {
  readonly times: number;
  /** Whether a server that cannot be reached is waited for. */
  readonly reconnect: boolean;
}

export interface Sent {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  readonly text: string;
}

export interface Terms {
  readonly attempts: Attempts;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  note(line: string): void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8000;
const LONGEST_WAIT_SECONDS = 300;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Exponential backoff with jitter, so that many clients do not come back at once. */
const backoff = (attempt: number) => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + Math.random() / 2);

/** Retry-After in milliseconds: seconds or a date (RFC 9110 section 10.2.3). */
const retryAfter = (headers: Headers): number | null => {
  const value = headers.get('retry-after');
  if (value === null) return null;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds);
};

const readText = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new CliFailure(`the answer of the server is over ${MAX_ANSWER_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection was closed before the answer came',
  UND_ERR_SOCKET: 'the connection was closed before the answer came',
  ETIMEDOUT: 'the host does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',
};

const codeOf = (error: unknown): string => {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    if (at instanceof AggregateError) return codeOf(at.errors[0]);
  }
  return '';
};

/** The URL's path and query may carry a signature: only the origin is shown. */
const unreachable = (url: URL, error: unknown, timeoutSeconds: number): CliFailure => {
  if (error instanceof CliFailure) return error;
  const timedOut = error instanceof DOMException && error.name === 'TimeoutError';
  const reason = timedOut
    ? `it did not answer within ${timeoutSeconds} seconds`
    : (reasons[codeOf(error)] ?? (codeOf(error) || 'the connection failed'));
  return new CliFailure(`no answer from ${url.origin}: ${reason}`, ['start a server with: portico serve, or set PORTICO_URL'], {
    cause: error,
  });
};

const attempt = async (url: URL, init: RequestInit, { signal, timeoutSeconds }: Terms): Promise<Sent> => {
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
  // Following a redirect would carry the key to another host.
  const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any([signal, timeout]) });
  const { status, ok, headers } = response;
  if ([301, 302, 303, 307, 308].includes(status)) {
    const target = URL.parse(headers.get('location') ?? '', url.href);
    await response.body?.cancel();
    throw new CliFailure(`${url.origin} redirects to ${target?.origin ?? 'another place'}: set PORTICO_URL to where the server is`);
  }
  return { status, ok, headers, text: await readText(response) };
};

const worthAnotherTry = (status: number) => status === 429 || status >= 500;

const pause = async (milliseconds: number, why: string, { signal, note }: Terms) => {
  if (milliseconds > LONGEST_WAIT_SECONDS * 1000)
    throw new CliFailure(`the server asks to wait ${Math.ceil(milliseconds / 1000)} seconds; try again then`);
  if (milliseconds >= 1000) note(`${why}; trying again in ${Math.ceil(milliseconds / 1000)} s`);
  await sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
};

/** Sends a request that may be repeated; 429 and 5xx are retried with backoff, and `Retry-After` is obeyed. */
export const send = async (url: URL, init: RequestInit, terms: Terms): Promise<Sent> => {
  const { attempts, signal, timeoutSeconds } = terms;
  for (let made = 0; ; made++) {
    const last = made + 1 >= attempts.times;
    try {
      const sent = await attempt(url, init, terms);
      if (last || !worthAnotherTry(sent.status)) return sent;
      await pause(
        retryAfter(sent.headers) ?? backoff(made),
        sent.status === 429 ? 'too many requests' : `the server answered ${sent.status}`,
        terms,
      );
    } catch (error) {
      signal.throwIfAborted();
      if (last || !attempts.reconnect || error instanceof CliFailure) throw unreachable(url, error, timeoutSeconds);
      await pause(backoff(made), 'the server cannot be reached', terms);
    }
  }
};

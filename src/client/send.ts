import { errorOfAnswer, PorticoError } from './error.ts';

/** A pause before a request is sent again. */
export interface Retry {
  /** The status of the answer; null if there was none. */
  readonly status: number | null;
  /** What is wrong, as `PorticoError` has it. */
  readonly code: string | null;
  readonly seconds: number;
}

export interface SendOptions {
  /** Ends the request and every pause. */
  readonly signal?: AbortSignal | undefined;
  /** For one attempt; 60 unless given, `Infinity` for as long as it takes. Of a stream: how long it may be silent. */
  readonly timeoutSeconds?: number | undefined;
  /** How often a request is sent again after 429, and after 5xx if it can be repeated; 3 unless given. */
  readonly retries?: number | undefined;
  /** Whether a request that can be repeated is sent again if there was no answer. */
  readonly reconnect?: boolean | undefined;
  /** Called before each pause; what it throws ends the request in place of a retry. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

export interface Exchange {
  readonly response: Response;
  /** The body as it came. */
  readonly text: string;
}

/** What `fetch` is given for one attempt. */
export interface Attempt {
  readonly signal: AbortSignal;
  readonly redirect: 'manual';
}

/** A request as `fetch` takes it, and what is known of it. */
export interface Outgoing {
  /** As people read it. */
  readonly name: string;
  readonly origin: string;
  /** Whether sending it twice does no more than sending it once. */
  readonly repeatable: boolean;
  /** Whether the body of a good answer is left for its caller to read as it comes. */
  readonly streams?: boolean;
  fetch(init: Attempt): Promise<Response>;
}

export const TIMEOUT_SECONDS = 60;
/** For what must outlive a restart of the server. */
export const patient = { retries: 11, reconnect: true };
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8000;
/** A longer `Retry-After` is the caller's to wait for. */
const LONGEST_WAIT_SECONDS = 300;

/** Exponential backoff with jitter, so that many clients do not come back at once. */
export const backoff = (attempt: number) =>
  (Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + Math.random() / 2)) / 1000;

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

/** Why there is no answer, for people. */
export const reasonOf = (cause: unknown): string => {
  const code = codeOf(cause);
  return reasons[code] ?? (code || 'the connection failed');
};

const noAnswer = ({ name: request, origin }: Outgoing, timeoutSeconds: number, cause: unknown): PorticoError => {
  if (cause instanceof DOMException && cause.name === 'TimeoutError')
    return new PorticoError({
      request,
      origin,
      code: 'timed_out',
      detail: `it did not answer within ${timeoutSeconds} seconds`,
      cause,
    });
  return new PorticoError({ request, origin, code: 'no_answer', detail: reasonOf(cause), cause });
};

const redirected = ({ name: request, origin }: Outgoing, { status, headers }: Response): PorticoError => {
  const target = URL.parse(headers.get('location') ?? '', origin)?.origin ?? 'another place';
  return new PorticoError({ request, origin, status, code: 'redirected', detail: `${origin} redirects to ${target}` });
};

/** A timer takes no longer time: 24 days. */
const LONGEST_MS = 2 ** 31 - 1;
export const inMs = (seconds: number) => Math.min(LONGEST_MS, seconds * 1000);

/** Aborts with either of them. */
export const eitherOf = (callers: AbortSignal | undefined, own: AbortSignal): AbortSignal =>
  callers ? AbortSignal.any([callers, own]) : own;

/** What the work comes to; rejects with the signal's reason once that aborts. */
export const unlessAborted = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([work(), promise]);
};

/** The pause is over, or the signal has ended it. */
export const pause = (seconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

/** Node's `fetch` gives up after five minutes without an answer, also while it sends a large file; `timeoutSeconds` says how long it may take. Browsers have no such bound. */
const withoutBound = (): object => {
  const usual = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1')) as Dispatcher | undefined;
  if (usual === undefined) return {};
  const dispatch: Dispatcher['dispatch'] = (options, handler) =>
    usual.dispatch({ ...options, headersTimeout: 0 }, handler);
  return { dispatcher: { dispatch } };
};

/** One attempt. The body is read here, so that a connection that breaks under it counts as no answer. */
const attempt = async (
  outgoing: Outgoing,
  { signal, timeoutSeconds = TIMEOUT_SECONDS }: SendOptions,
): Promise<Exchange> => {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new DOMException('timed out', 'TimeoutError')), inMs(timeoutSeconds));
  try {
    // Following a redirect would carry the key to another host.
    const response = await outgoing.fetch({
      signal: eitherOf(signal, timeout.signal),
      redirect: 'manual',
      ...withoutBound(),
    });
    return { response, text: outgoing.streams && response.ok ? '' : await response.text() };
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof PorticoError ? error : noAnswer(outgoing, timeoutSeconds, error);
  } finally {
    clearTimeout(timer);
  }
};

/** The seconds after which the request is sent again; null if it is not. */
const pauseAfter = (
  error: PorticoError,
  made: number,
  { repeatable }: Outgoing,
  options: SendOptions,
): number | null => {
  if (made > (options.retries ?? 3)) return null;
  const { status } = error;
  const again = status === null ? repeatable && options.reconnect : status === 429 || (status >= 500 && repeatable);
  const seconds = error.retryAfterSeconds ?? backoff(made - 1);
  return again && seconds <= LONGEST_WAIT_SECONDS ? seconds : null;
};

const answered = async (outgoing: Outgoing, options: SendOptions): Promise<Exchange> => {
  const exchange = await attempt(outgoing, options);
  const { response, text } = exchange;
  if (response.ok || response.status === 304) return exchange;
  if (response.status > 300 && response.status < 400) throw redirected(outgoing, response);
  throw errorOfAnswer(outgoing.name, outgoing.origin, response, text);
};

/** Sends a request, and again where that is safe and may help; `Retry-After` is obeyed. An answer that says no is a PorticoError. */
export const send = async (outgoing: Outgoing, options: SendOptions): Promise<Exchange> => {
  for (let made = 1; ; made++) {
    try {
      return await answered(outgoing, options);
    } catch (error) {
      const seconds = error instanceof PorticoError ? pauseAfter(error, made, outgoing, options) : null;
      if (!(error instanceof PorticoError) || seconds === null) throw error;
      options.onRetry?.({ status: error.status, code: error.code, seconds });
      await pause(seconds, options.signal);
    }
  }
};

/** What is wrong with one part of a request. */
export interface RequestError {
  readonly path: string;
  readonly message: string;
}

interface Failure {
  readonly request: string;
  readonly origin: string;
  readonly status?: number;
  readonly code?: string | null;
  readonly detail: string;
  readonly errors?: readonly RequestError[];
  readonly requestId?: string | null;
  readonly retryAfterSeconds?: number | null;
  readonly cause?: unknown;
}

const messageOf = ({ request, origin, status, code, detail }: Failure): string => {
  if (status === undefined) return `${request}: ${origin}: ${detail}`;
  return `${request} answered ${status}${code ? ` ${code}` : ''}: ${detail}`;
};

/** Every failure of the client: the server answered no, gave an answer that is not one of Portico, or gave none. */
export class PorticoError extends Error {
  /** What was asked, as in `GET /api/v1/agents` or `PUT invoice.pdf`. */
  readonly request: string;
  readonly origin: string;
  /** The HTTP status; null if there was no answer. */
  readonly status: number | null;
  /**
   * The code of the server's answer, null if it has none. The client has codes of its own: `no_answer`, `timed_out`, `redirected`,
   * `not_portico` (the answer is not one of Portico), `upload_refused`, `wait_timed_out`.
   */
  readonly code: string | null;
  /** What went wrong, for people. */
  readonly detail: string;
  /** Every error of an invalid request. */
  readonly errors: readonly RequestError[];
  /** By this id the operator of the server finds the request in its log. */
  readonly requestId: string | null;
  /** The time after which the server may be asked again, if it named one. */
  readonly retryAfterSeconds: number | null;

  constructor(failure: Failure) {
    super(messageOf(failure), { cause: failure.cause });
    this.name = 'PorticoError';
    this.request = failure.request;
    this.origin = failure.origin;
    this.status = failure.status ?? null;
    this.code = failure.code ?? null;
    this.detail = failure.detail;
    this.errors = failure.errors ?? [];
    this.requestId = failure.requestId ?? null;
    this.retryAfterSeconds = failure.retryAfterSeconds ?? null;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const bodyOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const errorsOf = (value: unknown): readonly RequestError[] =>
  (Array.isArray(value) ? value : [])
    .filter(isRecord)
    .map(({ path, message }) => ({ path: String(path), message: String(message) }));

/** Retry-After in seconds: it is a number of seconds or a date (RFC 9110 section 10.2.3). */
const retryAfterOf = (headers: Headers): number | null => {
  const value = headers.get('retry-after');
  if (value === null) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
};

/** The error that an answer is. */
export const errorOfAnswer = (
  request: string,
  origin: string,
  { status, headers }: Response,
  text: string,
): PorticoError => {
  const body = bodyOf(text);
  const common = {
    request,
    origin,
    status,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: retryAfterOf(headers),
  };
  if (!isRecord(body) || typeof body.detail !== 'string') {
    return new PorticoError({ ...common, code: 'not_portico', detail: 'the answer is not one of Portico' });
  }
  const code = typeof body.code === 'string' ? body.code : null;
  return new PorticoError({ ...common, code, detail: body.detail, errors: errorsOf(body.errors) });
};

import { DEPRECATION_HEADERS } from './api-index.ts';
import type { Context, Middleware } from './context.ts';
import { type Limits, RATE_LIMIT_HEADERS } from './limits.ts';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'traceparent',
  'X-API-Key',
  'X-Request-Id',
  'X-Svc-Egress',
];
/** The headers of an answer that pages of other origins may read. */
const EXPOSED_HEADERS = [
  ...RATE_LIMIT_HEADERS,
  ...DEPRECATION_HEADERS,
  'Accept-Patch',
  'Content-Disposition',
  'ETag',
  'Idempotency-Replayed',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
].join(', ');
const PREFLIGHT_SECONDS = 600;

/** Lets a page of this origin read the answer. */
export const allowOrigin = ({ res }: Context, origin: string): void => {
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
};

/** Answers a preflight request. */
export const allowRequests = (ctx: Context, methods: string, headers: readonly string[]): void => {
  ctx.res.setHeader('Access-Control-Allow-Methods', methods);
  ctx.res.setHeader('Access-Control-Allow-Headers', headers.join(', '));
  ctx.res.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  ctx.status = 204;
};

const isPreflight = ({ method, headers }: Context) =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

/** Lets pages of these origins call the API from a browser (Fetch standard). Credentials are headers and never cookies. */
export const cors = (origins: readonly string[], limits: Limits): Middleware => {
  const any = origins.includes('*');
  const allowed = new Set(origins);
  return async (ctx, next) => {
    if (!any) ctx.vary('Origin');
    const { origin } = ctx.headers;
    if (origin === undefined || !(any || allowed.has(origin))) return next();
    allowOrigin(ctx, any ? '*' : origin);
    if (!isPreflight(ctx)) return next();
    ctx.state.route = 'preflight';
    await limits.perAddress(ctx);
    allowRequests(ctx, METHODS, REQUEST_HEADERS);
  };
};

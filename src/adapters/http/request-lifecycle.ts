import { randomUUID } from 'node:crypto';
import type { Log } from '../../application/ports/runtime.ts';
import type { Telemetry, WatchedRequest } from '../../application/ports/telemetry.ts';
import { DomainError } from '../../domain/errors.ts';
import { traceContextOf } from '../../domain/trace-context.ts';
import type { Context, Middleware } from './context.ts';
import { answerError } from './errors.ts';
import type { Limits } from './limits.ts';

const ONE_YEAR = 'max-age=31536000';

/** Asks browsers to use TLS from now on (RFC 6797) if the public address has it, unless a proxy reports a connection without it. */
export const requireTls = ({ res, headers }: Context, address: string): void => {
  if (address.startsWith('https:') && headers['x-forwarded-proto'] !== 'http')
    res.setHeader('Strict-Transport-Security', ONE_YEAR);
  else res.removeHeader('Strict-Transport-Security');
};

const REQUEST_ID = /^[!-~]{1,128}$/;

const requestIdOf = (ctx: Context): string => {
  const sent = ctx.headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
};

/** The headers of every answer; pages replace the policy with their own. */
const setDefaults = ({ res, state }: Context) => {
  res.setHeader('X-Request-Id', state.requestId);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
};

/** A request to a proxy names the whole address (RFC 9112 section 3.2.2): only its path matters here. */
const usePath = ({ req }: Context) => {
  const { url = '' } = req;
  if (url.startsWith('/') || url === '*') return;
  const address = URL.parse(url);
  if (!address) throw new DomainError('invalid', 'The request target is not a URL.');
  req.url = address.pathname + address.search;
};

/** How long a client may go on sending a body that the server does not need. */
const DISCARD_MS = 10_000;

/** Discards what the client still sends after its answer: unread bytes would block the next request on this connection. */
const discardRest = ({ req }: Context) => {
  if (req.readableEnded || req.destroyed) return;
  req.resume();
  if (req.complete) return;
  const timer = setTimeout(() => req.destroy(), DISCARD_MS).unref();
  req.once('close', () => clearTimeout(timer));
};

/** Counts a request that failed before it was counted, so that its answer shows the limits too. */
const showQuota = async (ctx: Context, limits: Limits) => {
  if (ctx.res.hasHeader('RateLimit-Limit')) return;
  try {
    await limits.show(ctx, null);
  } catch {
    // The error of the request matters more.
  }
};

const MOST_LISTENERS = 20;

interface Dependencies {
  readonly log: Log;
  readonly limits: Limits;
  readonly telemetry: Telemetry;
  /** The public address of this server. */
  readonly base: string;
}

/** Surrounds every request: gives it an id and the headers of every answer, answers errors, and writes one line to the log. */
export const requestLifecycle = ({ log, limits, telemetry, base }: Dependencies): Middleware => {
  const record = (ctx: Context, watched: WatchedRequest, begunAt: number) => {
    const { method, status, state, res } = ctx;
    const { requestId, route } = state;
    const ms = performance.now() - begunAt;
    const aborted = !res.writableFinished;
    watched.end({ operation: route, route: state.template, status, aborted, seconds: ms / 1000 });
    const fields = {
      request_id: requestId,
      method,
      route,
      status: res.headersSent ? status : null,
      ms: Math.round(ms * 10) / 10,
    };
    const { traceId } = watched;
    log.info({ ...fields, ...(traceId && { trace_id: traceId }), ...(aborted && { aborted }) }, 'request');
  };

  const handle = async (ctx: Context, next: () => Promise<void>) => {
    try {
      usePath(ctx);
      await next();
    } catch (error) {
      // The server is stopping and has answered the request already.
      if (ctx.res.writableEnded) return;
      await showQuota(ctx, limits);
      answerError(ctx, error, log);
    }
  };

  return (ctx, next) => {
    const begunAt = performance.now();
    const { state } = ctx;
    state.requestId = requestIdOf(ctx);
    state.base = base;
    state.route = 'unknown';
    state.template = null;
    state.limits = [];
    const watched = telemetry.request(ctx.method, state.requestId, traceContextOf(ctx.headers.traceparent));
    state.trace = watched.context;
    // Koa, Node's pipeline and Portico listen for the end of an answer, each in a few places: together that is no leak.
    ctx.res.setMaxListeners(MOST_LISTENERS);
    ctx.res.on('close', () => {
      record(ctx, watched, begunAt);
      discardRest(ctx);
    });
    setDefaults(ctx);
    requireTls(ctx, base);
    return watched.during(() => handle(ctx, next));
  };
};

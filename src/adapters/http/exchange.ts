import type { Ids, Log } from '../../application/ports/runtime.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Context, Middleware } from './context.ts';
import { answerError } from './errors.ts';
import type { Limits } from './limits.ts';

const REQUEST_ID = /^[!-~]{1,128}$/;

const requestIdOf = (ctx: Context, ids: Ids): string => {
  const given = ctx.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : ids.next();
};

/** What holds for every answer; pages replace the policy by their own. */
const setDefaults = ({ res, state }: Context) => {
  res.setHeader('X-Request-Id', state.requestId);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
};

/** Requests to a proxy name the whole address (RFC 9112 section 3.2.2): only its path matters here. */
const usePath = ({ req }: Context) => {
  const { url = '' } = req;
  if (url.startsWith('/') || url === '*') return;
  const address = URL.parse(url);
  if (!address) throw new DomainError('invalid', 'The request target is not a URL.');
  req.url = address.pathname + address.search;
};

/** A request that failed before it was counted still shows where the client stands. */
const showQuota = async (ctx: Context, limits: Limits) => {
  if (ctx.res.hasHeader('RateLimit-Limit')) return;
  await limits.perAddress(ctx).catch(() => {});
};

interface Deps {
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: Limits;
}

/** Around every request: its id, the headers all answers have, the answer to whatever is thrown, and one line in the log. */
export const exchange = ({ ids, log, limits }: Deps): Middleware => {
  const record = (ctx: Context, begunAt: number) => {
    const { method, status, state, res } = ctx;
    const ms = Math.round((performance.now() - begunAt) * 10) / 10;
    const fields = { request_id: state.requestId, method, route: state.route, status, ms };
    log.info(res.writableFinished ? fields : { ...fields, aborted: true }, 'request');
  };

  return async (ctx, next) => {
    const begunAt = performance.now();
    ctx.state.requestId = requestIdOf(ctx, ids);
    ctx.state.route = 'unknown';
    ctx.res.once('close', () => record(ctx, begunAt));
    setDefaults(ctx);
    try {
      usePath(ctx);
      await next();
    } catch (error) {
      await showQuota(ctx, limits);
      answerError(ctx, error, log);
    }
  };
};

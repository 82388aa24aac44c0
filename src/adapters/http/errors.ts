import type { Log } from '../../application/ports/runtime.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Context } from './context.ts';
import { challenge, scopeChallenge } from './credentials.ts';
import { type ErrorCode, statusOf } from './error-codes.ts';
import { repeatLimits } from './limits.ts';

interface Answer {
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly rest?: object;
}

const respond = (ctx: Context, { status, code, detail, rest }: Answer) => {
  ctx.status = status;
  ctx.res.setHeader('Content-Type', 'application/json');
  ctx.body = JSON.stringify({ detail, status, code, request_id: ctx.state.requestId, ...rest });
};

const refuse = (ctx: Context, error: DomainError) => {
  const { kind, code, message: detail, errors, extra, retryAfterSeconds } = error;
  if (kind === 'unauthenticated') ctx.res.setHeader('WWW-Authenticate', ctx.state.challenge ?? challenge(ctx.headers));
  if (code === 'missing_scope') ctx.res.setHeader('WWW-Authenticate', scopeChallenge(extra.required_scope));
  if (retryAfterSeconds !== null) ctx.res.setHeader('Retry-After', retryAfterSeconds);
  if (kind === 'rate_limited') repeatLimits(ctx);
  const every = errors.length > 0 ? { errors } : {};
  respond(ctx, { status: statusOf[kind], code, detail, rest: { ...every, ...extra } });
};

export const refuseMethod = (ctx: Context, allowed: readonly string[]) => {
  ctx.res.setHeader('Allow', allowed.join(', '));
  const code: ErrorCode = 'method_not_allowed';
  respond(ctx, { status: 405, code, detail: `This path takes ${allowed.join(', ')}, not ${ctx.method}.` });
};

/** The client hung up: there is nobody to answer, and nothing is wrong here. */
export class ClientGone extends Error {
  constructor() {
    super('the client hung up');
    this.name = 'ClientGone';
  }
}

/** Whether the request broke off: what failed because of that is nobody's error here. */
const brokeOff = (ctx: Context, error: unknown) => error instanceof ClientGone || (ctx.req.destroyed && !ctx.req.complete);

/** Turns whatever was thrown into an answer. What is not a refusal is told to the log and to nobody else. */
export const answerError = (ctx: Context, error: unknown, log: Log) => {
  const where = { request_id: ctx.state.requestId, route: ctx.state.route };
  if (error instanceof DomainError) {
    if (error.kind === 'unavailable') log.warn({ ...where, err: error }, 'a connected system is not available');
    if (error.kind === 'outcome_unknown') log.warn({ ...where, err: error }, 'a connected system did not say whether a write took effect');
    return refuse(ctx, error);
  }
  if (!brokeOff(ctx, error)) log.error({ ...where, err: error }, 'a request failed unexpectedly');
  const code: ErrorCode = 'internal';
  respond(ctx, { status: 500, code, detail: 'Something went wrong on our side. Please try again.' });
};

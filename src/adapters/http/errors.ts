import type { Log } from '../../application/ports/runtime.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Context } from './context.ts';
import { challenge, scopeChallenge } from './credentials.ts';
import { type ErrorAnswer, errorText, PROBLEM, statusOf } from './error-codes.ts';
import { repeatLimits } from './limits.ts';

const JSON_TYPE = 'application/json';

const respond = (ctx: Context, answer: ErrorAnswer, rest: object = {}) => {
  ctx.status = answer.status;
  ctx.res.setHeader('Content-Type', ctx.accepts(JSON_TYPE, PROBLEM) === PROBLEM ? PROBLEM : JSON_TYPE);
  ctx.body = errorText(answer, ctx.state, rest);
};

const refuse = (ctx: Context, error: DomainError) => {
  const { kind, code, message: detail, errors, extra, retryAfterSeconds } = error;
  if (kind === 'unauthenticated') ctx.res.setHeader('WWW-Authenticate', ctx.state.challenge ?? challenge(ctx.headers));
  if (code === 'missing_scope')
    ctx.res.setHeader('WWW-Authenticate', scopeChallenge(extra.required_scope as string | undefined));
  if (retryAfterSeconds !== null) ctx.res.setHeader('Retry-After', retryAfterSeconds);
  if (kind === 'rate_limited') repeatLimits(ctx);
  respond(ctx, { status: statusOf[kind], code, detail }, { ...(errors.length > 0 && { errors }), ...extra });
};

export const refuseMethod = (ctx: Context, allowed: readonly string[]) => {
  ctx.res.setHeader('Allow', allowed.join(', '));
  respond(ctx, {
    status: 405,
    code: 'method_not_allowed',
    detail: `This path takes ${allowed.join(', ')}, not ${ctx.method}.`,
  });
};

/** The client hung up: no answer is possible, and nothing is wrong here. */
class ClientGone extends Error {
  constructor() {
    super('the client hung up');
    this.name = 'ClientGone';
  }
}

/** Aborts when the client hangs up. For a stream it also aborts at a regular end, so that the source of the stream waits for nothing more. */
export const stoppedByHangUp = ({ res }: Context, isStream = false): AbortController => {
  const controller = new AbortController();
  const abort = () => {
    if (isStream || !res.writableFinished) controller.abort(new ClientGone());
  };
  if (res.closed) abort();
  else res.once('close', abort);
  return controller;
};

/** Whether the client ended the request early: what failed because of that is no error of this server. */
const brokeOff = (ctx: Context, error: unknown) =>
  error instanceof ClientGone || (ctx.req.destroyed && !ctx.req.complete);

/** What the client gets to know of an error: only a DomainError has words for it. */
export const detailOf = (error: unknown): string =>
  error instanceof DomainError ? error.message : 'Something went wrong on our side. Please try again.';

/** Writes an error to the log that the operator has to know of. */
export const logError = (ctx: Context, error: unknown, log: Log) => {
  const fields = { request_id: ctx.state.requestId, route: ctx.state.route, err: error };
  if (!(error instanceof DomainError)) {
    if (!brokeOff(ctx, error)) log.error(fields, 'a request failed unexpectedly');
    return;
  }
  if (error.kind === 'busy') log.warn(fields, 'a request found no room');
  if (error.kind === 'unavailable') log.warn(fields, 'a connected system is not available');
  if (error.kind === 'outcome_unknown')
    log.warn(fields, 'the database or a connected system did not say whether a write took effect');
};

/** Answers an error. The client gets the details of a DomainError only; the log gets every other error. */
export const answerError = (ctx: Context, error: unknown, log: Log) => {
  logError(ctx, error, log);
  if (error instanceof DomainError) refuse(ctx, error);
  else respond(ctx, { status: 500, code: 'internal', detail: detailOf(error) });
};

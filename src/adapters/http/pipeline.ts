import type { AuthenticationService } from '../../application/access/authentication.ts';
import type { IdempotencyService } from '../../application/shared/idempotency.ts';
import { type Caller, mustBeAdmin, mustWrite } from '../../domain/caller.ts';
import { busy, DomainError, Unconfirmed } from '../../domain/errors.ts';
import { sendAnswer } from './answer.ts';
import { Call, placedInRequest, readRequest } from './call.ts';
import type { Context, Middleware } from './context.ts';
import { CHECK_MS, watchCredential, whileAllowed } from './credential-watch.ts';
import { callerOf, mustHaveScope } from './credentials.ts';
import { type Egress, forward, isCounted } from './egress.ts';
import type { eventStreams } from './event-streams.ts';
import { answerOnce, type OnceTerms } from './keyed-requests.ts';
import type { Limits } from './limits.ts';
import { API, EventStream, type Operation, type Services } from './operation.ts';

export interface Dependencies {
  readonly services: Services;
  readonly authentication: AuthenticationService;
  readonly idempotency: IdempotencyService;
  readonly limits: Limits;
  readonly egress: Egress;
  readonly openStream: ReturnType<typeof eventStreams>;
  /** How often the credential of a request that waits is checked again. */
  readonly checkMs?: number;
}

/** The caller, counted and authorized. Requests without a valid credential count by address. */
const admit = async (
  ctx: Context,
  op: Operation,
  { authentication, limits, egress }: Dependencies,
): Promise<Caller | null> => {
  if (op.access === 'public') {
    await limits.perAddress(ctx);
    return null;
  }
  const caller = await callerOf(authentication, ctx, op.access).catch(async (error: unknown) => {
    if (error instanceof DomainError && error.kind === 'unauthenticated') await limits.perAddress(ctx);
    throw error;
  });
  if (!isCounted(ctx, egress)) await limits.perCaller(ctx, caller, op.limits);
  mustHaveScope(caller, op.access);
  if (op.writes) mustWrite(caller);
  if (op.adminOnly) mustBeAdmin(caller);
  return caller;
};

const mayWait = ({ longRead }: Operation, { query, streams }: Call) =>
  longRead || (!streams && ((query as { wait?: number } | undefined)?.wait ?? 0) > 0);

/** Names the operation for the log and the telemetry, and sets the headers that each of its answers has. */
const announce = (ctx: Context, { id, path, acceptPatch, deprecation }: Operation) => {
  ctx.state.route = id;
  ctx.state.template = API + path;
  if (acceptPatch) ctx.res.setHeader('Accept-Patch', acceptPatch);
  if (!deprecation) return;
  ctx.res.setHeader('Deprecation', `@${Math.floor(deprecation.since.getTime() / 1000)}`);
  ctx.res.setHeader('Sunset', deprecation.sunset.toUTCString());
};

/** Whether the client asked for the stable egress address. */
const wantsEgress = (op: Operation, { headers }: Call) =>
  op.alsoAt !== null && (headers as { xSvcEgress?: boolean } | undefined)?.xSvcEgress === true;

const secondAddress = ({ alsoAt }: Operation, { params }: Context): string =>
  (alsoAt ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** The terms of a request that is answered once, by its key; null for any other one. */
const termsOf = ({ idempotent }: Operation, { idempotencyKey: key }: Call): OnceTerms | null =>
  idempotent === null || idempotent === 'own' || key === null ? null : { ...idempotent, key };

/** Of a request that only reads, no outcome is unknown. */
const orAgain = (error: unknown, { method }: Operation): unknown =>
  error instanceof Unconfirmed && method === 'get' ? busy('The database was interrupted', error) : error;

/** Serves an operation, each in the same order: credential → limits → scope and role → decode → use case → encode. */
export const serve = (op: Operation, dependencies: Dependencies): Middleware => {
  const { services, authentication, idempotency, egress, openStream, checkMs = CHECK_MS } = dependencies;
  return async (ctx) => {
    announce(ctx, op);
    const caller = await admit(ctx, op, dependencies);
    const call = new Call(ctx, op, caller);
    await readRequest(ctx, op, call);
    if (wantsEgress(op, call) && !egress.isGateway) return forward(ctx, egress, secondAddress(op, ctx), call.signal);

    /** Whether the caller may still read this: a read that is under way ends once they may not. */
    const check = async () => {
      const still = await callerOf(authentication, ctx, op.access);
      mustHaveScope(still, op.access);
      if (op.adminOnly) mustBeAdmin(still);
    };
    const terms = termsOf(op, call);
    const answer = async (): Promise<EventStream | null> => {
      const result = await op.handle(services, call);
      if (result instanceof EventStream) return result;
      const watch = (onEnd: () => void) => watchCredential(check, checkMs, onEnd);
      await sendAnswer(ctx, op, result, { isKept: terms !== null, watch });
      return null;
    };
    const work = async (): Promise<EventStream | null> => {
      try {
        return await (mayWait(op, call) ? whileAllowed(check, checkMs, call.stop, answer) : answer());
      } catch (error) {
        throw placedInRequest(orAgain(error, op), op, call.field);
      }
    };
    const stream = await (terms ? answerOnce(ctx, op, call, idempotency, terms, work) : work());
    if (stream?.frames === null) ctx.status = 204;
    else if (stream) openStream(ctx, stream.frames, { work: stream.work, caller: call.caller, check });
  };
};

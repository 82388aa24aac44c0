import type { Caller } from '../../application/caller.ts';
import type { RateLimiter } from '../../application/ports/limiter.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Charge, type Quota, tightest } from '../../domain/rate-limit.ts';
import { clientKey } from './client-address.ts';
import type { Context } from './context.ts';
import type { ExtraLimit } from './operation.ts';

export interface LimitSettings {
  readonly requests: number;
  readonly windowSeconds: number;
  readonly runs: number;
  readonly tableReads: number;
}

export interface Limits {
  /** Counts a request with a valid credential against the general limit and those of its operation, or refuses it. */
  perCaller(ctx: Context, caller: Caller, extra: readonly ExtraLimit[]): Promise<void>;
  /** Counts a request without one by the client's address. */
  perAddress(ctx: Context, name?: 'ip' | 'pages' | 'oauth'): Promise<void>;
}

const show = (ctx: Context, { limit, remaining, resetSeconds }: Quota) => {
  ctx.res.setHeader('RateLimit-Limit', limit);
  ctx.res.setHeader('RateLimit-Remaining', remaining);
  ctx.res.setHeader('RateLimit-Reset', resetSeconds);
};

const refuse = (ctx: Context, { limit, remaining, resetSeconds }: Quota) => {
  ctx.res.setHeader('x-ratelimit-limit', limit);
  ctx.res.setHeader('x-ratelimit-remaining', remaining);
  ctx.res.setHeader('x-ratelimit-reset', Math.ceil(Date.now() / 1000) + resetSeconds);
  const seconds = resetSeconds === 1 ? '1 second' : `${resetSeconds} seconds`;
  return new DomainError('rate_limited', `The limit of ${limit} requests is spent: try again in ${seconds}.`, {
    retryAfterSeconds: resetSeconds,
  });
};

const UUID_LENGTH = 36;

/** Agents are counted within the caller's workspace: nobody else can spend an agent's window. */
const subjectOf = (per: ExtraLimit['per'], caller: Caller, ctx: Context): string => {
  if (per === 'user') return caller.userId;
  const params: Readonly<Record<string, string>> = ctx.params ?? {};
  const agent = params.agent_id ?? '';
  return `${caller.workspaceId}/${agent.length === UUID_LENGTH ? agent.toLowerCase() : 'malformed'}`;
};

export const limitsOf = (limiter: RateLimiter, settings: LimitSettings): Limits => {
  const { requests: limit, windowSeconds } = settings;

  const take = async (ctx: Context, charges: readonly Charge[]) => {
    const { allowed, quotas } = await limiter.take(charges);
    const least = tightest(quotas);
    if (!least) return;
    show(ctx, least);
    if (!allowed) throw refuse(ctx, least);
  };

  return {
    perCaller(ctx, caller, extra) {
      const charges: Charge[] = [{ name: 'credential', limit, windowSeconds, key: caller.credential.id }];
      for (const { name, size, per } of extra) {
        charges.push({ name, limit: settings[size], windowSeconds, key: subjectOf(per, caller, ctx) });
      }
      return take(ctx, charges);
    },
    perAddress: (ctx, name = 'ip') => take(ctx, [{ name, limit, windowSeconds, key: clientKey(ctx.ip) }]),
  };
};

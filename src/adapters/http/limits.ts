import type { Caller } from '../../application/access/caller.ts';
import type { RateLimiter } from '../../application/ports/limiter.ts';
import { inSeconds, runCharge } from '../../application/runs/runs.ts';
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
  /** Counts a request that is refused for another reason, by its caller or else its address, and shows where the client stands. */
  show(ctx: Context, caller: Caller | null): Promise<void>;
}

const show = (ctx: Context, { limit, remaining, resetSeconds }: Quota) => {
  ctx.res.setHeader('RateLimit-Limit', limit);
  ctx.res.setHeader('RateLimit-Remaining', remaining);
  ctx.res.setHeader('RateLimit-Reset', resetSeconds);
};

/** The state of the limit once more, under the names that only a 429 has. */
export const repeatLimits = ({ res }: Context) => {
  for (const name of ['limit', 'remaining']) {
    const value = res.getHeader(`ratelimit-${name}`);
    if (value !== undefined) res.setHeader(`x-ratelimit-${name}`, value);
  }
  const reset = res.getHeader('ratelimit-reset');
  if (reset !== undefined) res.setHeader('x-ratelimit-reset', Math.ceil(Date.now() / 1000) + Number(reset));
};

const refuse = (ctx: Context, { limit, resetSeconds }: Quota) => {
  repeatLimits(ctx);
  return new DomainError('rate_limited', `The limit of ${limit} requests is spent: try again in ${inSeconds(resetSeconds)}.`, {
    retryAfterSeconds: resetSeconds,
  });
};

export const limitsOf = (limiter: RateLimiter, settings: LimitSettings): Limits => {
  const { requests: limit, windowSeconds } = settings;

  const chargeOf = ({ name, size, per }: ExtraLimit, caller: Caller, ctx: Context): Charge => {
    if (per === 'user') return { name, limit: settings[size], windowSeconds, key: caller.userId };
    const { agent_id: agentId = '' }: Readonly<Record<string, string>> = ctx.params ?? {};
    return runCharge(caller, agentId, { rateLimitRuns: settings.runs, rateLimitWindowSeconds: windowSeconds });
  };

  const ofCaller = ({ credential }: Caller): Charge => ({ name: 'credential', limit, windowSeconds, key: credential.id });
  const ofAddress = (ctx: Context, name: string): Charge => ({ name, limit, windowSeconds, key: clientKey(ctx.ip) });

  /** Takes the charges, shows the tightest limit, and answers the one that refuses; null for none. */
  const take = async (ctx: Context, charges: readonly Charge[]): Promise<Quota | null> => {
    const { allowed, quotas } = await limiter.take(charges);
    const least = tightest(quotas);
    if (least) show(ctx, least);
    return least && !allowed ? least : null;
  };

  const mustTake = async (ctx: Context, charges: readonly Charge[]) => {
    const spent = await take(ctx, charges);
    if (spent) throw refuse(ctx, spent);
  };

  return {
    perCaller: (ctx, caller, extra) => mustTake(ctx, [ofCaller(caller), ...extra.map((each) => chargeOf(each, caller, ctx))]),
    perAddress: (ctx, name = 'ip') => mustTake(ctx, [ofAddress(ctx, name)]),
    show: async (ctx, caller) => void (await take(ctx, [caller === null ? ofAddress(ctx, 'ip') : ofCaller(caller)])),
  };
};

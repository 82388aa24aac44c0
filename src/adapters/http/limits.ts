import type { RateLimiter } from '../../application/ports/limiter.ts';
import { inSeconds, runCharge } from '../../application/runs/runs.ts';
import { type Caller, sharesOf } from '../../domain/caller.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Charge, type Quota, tightest } from '../../domain/rate-limit.ts';
import { clientKey } from './client-address.ts';
import type { Context } from './context.ts';

/** The tightest limit, in three headers, and all of them (draft-ietf-httpapi-ratelimit-headers) in two. */
export const RATE_LIMIT_HEADERS = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
] as const;

export interface LimitSettings {
  readonly requests: number;
  readonly windowSeconds: number;
  readonly runs: number;
  readonly tableReads: number;
  readonly console: number;
}

/** A limit beyond the one every operation has; its size is a setting. */
export interface ExtraLimit {
  readonly name: string;
  readonly size: 'runs' | 'tableReads';
  readonly per: 'agent' | 'user';
}

export type Limits = ReturnType<typeof limitsOf>;

/** A page loads its scripts and styles from here, which costs as little as the refusal would. */
const FILES_OF_A_PAGE = 50;

/** Shows these limits, which have counted the request, beside those that did so before, unless the headers are sent. */
const show = ({ res, state }: Context, limits: readonly Quota[]) => {
  if (res.headersSent) return;
  const before = state.limits.filter(({ name }) => limits.every((limit) => limit.name !== name));
  state.limits = before.length === 0 ? limits : [...before, ...limits];
  const least = tightest(state.limits);
  if (!least) return;
  res.setHeader('RateLimit-Limit', least.limit);
  res.setHeader('RateLimit-Remaining', least.remaining);
  res.setHeader('RateLimit-Reset', least.resetSeconds);
  res.setHeader(
    'RateLimit',
    state.limits.map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`).join(', '),
  );
  res.setHeader(
    'RateLimit-Policy',
    state.limits.map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`).join(', '),
  );
};

/** Repeats the state of the limit under the names that only a 429 has. */
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
  return new DomainError(
    'rate_limited',
    `The limit of ${limit} requests is spent: try again in ${inSeconds(resetSeconds)}.`,
    {
      retryAfterSeconds: resetSeconds,
    },
  );
};

/** The console shows a person what they may see: what they read there spends nothing of what their programs may ask for. */
const isConsole = ({ door }: Caller) => door === 'console';

/** What counts for this caller. */
export const limitsFor = (caller: Caller, { console, ...limits }: LimitSettings) =>
  isConsole(caller) ? { ...limits, requests: console, tableReads: console } : limits;

export const limitsOf = (limiter: RateLimiter, settings: LimitSettings) => {
  const { requests: limit, windowSeconds } = settings;

  const chargeOf = ({ name, size, per }: ExtraLimit, caller: Caller, ctx: Context): Charge => {
    if (per === 'user') return { name, limit: settings[size], windowSeconds, key: caller.userId };
    const { agent_id: agentId = '' }: Readonly<Record<string, string>> = ctx.params ?? {};
    return runCharge(caller, agentId, { rateLimitRuns: settings.runs, rateLimitWindowSeconds: windowSeconds });
  };

  const ofCaller = (caller: Caller): readonly Charge[] => {
    if (isConsole(caller)) return [{ name: 'console', limit: settings.console, windowSeconds, key: caller.userId }];
    return sharesOf(caller, limit).map(({ of, key, most }) => ({ name: of, limit: most, windowSeconds, key }));
  };
  const ofAddress = (ctx: Context, name: string): Charge => ({
    name,
    limit: name === 'files' ? limit * FILES_OF_A_PAGE : limit,
    windowSeconds,
    key: clientKey(ctx.ip),
  });

  /** Takes the charges, shows them, and returns the tightest if it refuses the request; null if none does. */
  const take = async (ctx: Context, charges: readonly Charge[]): Promise<Quota | null> => {
    const { allowed, quotas } = await limiter.take(charges);
    show(ctx, quotas);
    return allowed ? null : (tightest(quotas) ?? null);
  };

  const mustTake = async (ctx: Context, charges: readonly Charge[]) => {
    const spent = await take(ctx, charges);
    if (spent) throw refuse(ctx, spent);
  };

  return {
    /** Counts a request with a valid credential against its general limit and the limits of its operation, or refuses it. */
    perCaller: (ctx: Context, caller: Caller, extra: readonly ExtraLimit[]) => {
      const counting = extra.filter(({ per }) => per === 'agent' || !isConsole(caller));
      return mustTake(ctx, [...ofCaller(caller), ...counting.map((each) => chargeOf(each, caller, ctx))]);
    },
    /** Counts a request without a valid credential by the client's address, or refuses it. */
    perAddress: (ctx: Context, name: 'ip' | 'pages' | 'oauth' | 'files' = 'ip') =>
      mustTake(ctx, [ofAddress(ctx, name)]),
    /** Counts a request that the server refuses for another reason, and shows the limit. */
    show: async (ctx: Context, caller: Caller | null) =>
      void (await take(ctx, caller === null ? [ofAddress(ctx, 'ip')] : ofCaller(caller))),
    /** Shows a limit that a use case has counted. */
    showCounted: (ctx: Context, limit: Quota) => show(ctx, [limit]),
  };
};

import type { RateLimiter } from '../../application/ports/limiter.ts';
import type { Charge } from '../../domain/rate-limit.ts';

/**
 * KEYS: a window for each limit; ARGV: its limit and its length in milliseconds, in the same order. Returns whether the request is
 * allowed, then for each limit the count and the remaining milliseconds. It reads every window before it counts in any, and counts
 * once in a window that is named twice. A key that has no expiry, or expires now, counts as expired.
 */
export const TAKE = `
local counts, left, allowed = {}, {}, 1
for i, key in ipairs(KEYS) do
  if not counts[key] then
    counts[key], left[key] = tonumber(redis.call('GET', key) or 0) or 0, redis.call('PTTL', key)
    if left[key] <= 0 then counts[key], left[key] = 0, tonumber(ARGV[2 * i]) end
  end
  if counts[key] >= tonumber(ARGV[2 * i - 1]) then allowed = 0 end
end
local counted, answer = {}, { allowed }
for i, key in ipairs(KEYS) do
  if allowed == 1 and not counted[key] then
    if counts[key] == 0 then redis.call('SET', key, 1, 'PX', ARGV[2 * i]) else redis.call('INCR', key) end
    counts[key], counted[key] = counts[key] + 1, true
  end
  answer[2 * i], answer[2 * i + 1] = counts[key], left[key]
end
return answer`;

/** KEYS: the windows that counted the request. Expired and empty windows stay as they are. */
export const GIVE_BACK = `
local seen = {}
for _, key in ipairs(KEYS) do
  if not seen[key] and (tonumber(redis.call('GET', key) or 0) or 0) > 0 and redis.call('PTTL', key) > 0 then redis.call('DECR', key) end
  seen[key] = true
end
return {}`;

/**
 * The braces are Redis Cluster's hash tag: all windows of a deployment are in one slot, hence on one node. A request counts against
 * its credential and against an agent or a user that other credentials share, all or none of them, which only one node can do.
 * The deployment is the narrowest thing that all charges of every request have in common.
 */
export const windowKey = (prefix: string, { name, key, windowSeconds }: Charge): string =>
  `{${prefix}}:${windowSeconds}:${encodeURIComponent(name)}:${key}`;

export const argumentsOf = (charges: readonly Charge[]): string[] =>
  charges.flatMap(({ limit, windowSeconds }) => [String(limit), String(windowSeconds * 1000)]);

/** The result of the script for these charges. */
export const takenOf = (
  charges: readonly Charge[],
  [allowed, ...states]: readonly number[],
): Awaited<ReturnType<RateLimiter['take']>> => ({
  allowed: allowed === 1,
  quotas: charges.map(({ name, limit, windowSeconds }, index) => ({
    name,
    limit,
    windowSeconds,
    remaining: Math.max(0, limit - (states[2 * index] ?? 0)),
    resetSeconds: Math.ceil((states[2 * index + 1] ?? 0) / 1000),
  })),
});

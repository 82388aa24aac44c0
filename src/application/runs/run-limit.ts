import { DomainError } from '../../domain/errors.ts';
import type { Charge, Quota } from '../../domain/rate-limit.ts';
import type { Caller } from '../access/caller.ts';
import type { RateLimiter } from '../ports/limiter.ts';

export interface RunLimitSettings {
  /** Runs of one agent in one window. */
  readonly rateLimitRuns: number;
  readonly rateLimitWindowSeconds: number;
}

const UUID_LENGTH = 36;

/**
 * The window in which every run of an agent is counted, however it is started. Agents are counted within the caller's
 * workspace, so that no other workspace can spend an agent's window.
 */
export const runCharge = ({ workspaceId }: Caller, agentId: string, settings: RunLimitSettings): Charge => ({
  name: 'agent-runs',
  limit: settings.rateLimitRuns,
  windowSeconds: settings.rateLimitWindowSeconds,
  key: `${workspaceId}/${agentId.length === UUID_LENGTH ? agentId.toLowerCase() : 'malformed'}`,
});

export const inSeconds = (count: number) => (count === 1 ? '1 second' : `${count} seconds`);

const spent = ({ limit, windowSeconds }: Charge, { resetSeconds }: Quota) =>
  new DomainError(
    'rate_limited',
    `The run was not started: the limit of ${limit} runs of this agent in ${inSeconds(windowSeconds)} is spent. Try again in ${inSeconds(resetSeconds)}.`,
    { retryAfterSeconds: resetSeconds },
  );

/** Counts a run of the agent, or refuses it. */
export const countRun = async (limiter: RateLimiter, charge: Charge): Promise<void> => {
  const { allowed, quotas } = await limiter.take([charge]);
  const [quota] = quotas;
  if (!allowed && quota) throw spent(charge, quota);
};

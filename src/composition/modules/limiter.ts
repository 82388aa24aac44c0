import { ContainerModule } from 'inversify';
import { inProcessLimiter } from '../../adapters/rate-limiter/in-process.ts';
import { redisLimiter } from '../../adapters/rate-limiter/redis.ts';
import { monotonicClock } from '../../adapters/system/clock.ts';
import type { RateLimiter } from '../../application/ports/limiter.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Config } from '../config.ts';
import type { Resource } from '../resource.ts';
import { port } from '../tokens.ts';

const binding = (limiter: RateLimiter) => new ContainerModule(({ bind }) => void bind(port.limiter).toConstantValue(limiter));

/** Counts in Redis where there is one, and in the process where there is none or it is away. */
export const limiter = async ({ redisUrl: url, redisPrefix: prefix }: Config, log: Log): Promise<Resource> => {
  const inProcess = inProcessLimiter(monotonicClock);
  if (url === null) return { module: binding(inProcess), close: async () => {} };
  const redis = await redisLimiter({ url, prefix, fallback: inProcess, log });
  const check = async () => {
    if (!redis.available()) throw new Error('Redis is away');
  };
  return { module: binding(redis), probes: [{ name: 'limits', required: false, check }], close: () => redis.close() };
};

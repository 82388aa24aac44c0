import { integer, type Read, setting } from './setting.ts';

const redisAddress: Read<string> = (raw) =>
  /^rediss?:$/.test(URL.parse(raw)?.protocol ?? '')
    ? raw
    : { expected: 'an address such as redis://user:password@host:6379/0, or rediss://… with TLS' };

const redisPrefix: Read<string> = (raw) =>
  /^[\w.-]{1,100}$/.test(raw) ? raw : { expected: 'at most 100 letters, digits, dots, dashes and underscores' };

/** How much a client may ask for. */
export const limits = {
  rateLimitRequests: setting(
    'RATE_LIMIT_REQUESTS',
    integer(1, 1_000_000_000),
    100,
    'Requests per credential (without one: per client IP) and window.',
  ),
  rateLimitWindowSeconds: setting('RATE_LIMIT_WINDOW_SECONDS', integer(1, 86_400), 60, 'The length of every rate-limit window.'),
  rateLimitRuns: setting('RATE_LIMIT_RUNS', integer(1, 1_000_000_000), 30, 'Runs per agent and window, those that tools start included.'),
  rateLimitTableReads: setting('RATE_LIMIT_TABLE_READS', integer(1, 1_000_000_000), 5, 'Table reads per user and window.'),
  redisUrl: setting<string | null>(
    'REDIS_URL',
    redisAddress,
    null,
    'Redis 6 or later, where all processes count together; while it is away each counts its own. Unset: each process counts its own.',
  ),
  redisPrefix: setting(
    'REDIS_PREFIX',
    redisPrefix,
    'portico',
    'What the keys in Redis begin with; deployments that share one take different ones.',
  ),
} as const;

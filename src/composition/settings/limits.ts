import { integer, setting } from './setting.ts';

/** How much a client may ask for. */
export const limits = {
  rateLimitRequests: setting(
    'RATE_LIMIT_REQUESTS',
    integer(1, 1_000_000_000),
    100,
    'Requests per credential (without one: per client IP) and window.',
  ),
  rateLimitWindowSeconds: setting('RATE_LIMIT_WINDOW_SECONDS', integer(1, 86_400), 60, 'The length of every rate-limit window.'),
  rateLimitRuns: setting('RATE_LIMIT_RUNS', integer(1, 1_000_000_000), 30, 'Runs created per agent and window.'),
  rateLimitTableReads: setting('RATE_LIMIT_TABLE_READS', integer(1, 1_000_000_000), 5, 'Table reads per user and window.'),
} as const;

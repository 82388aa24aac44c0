import { address, integer, oneOf, origins, setting, text } from './setting.ts';

type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Where Portico listens and how it is reached. */
export const server = {
  host: setting('HOST', text, '127.0.0.1', 'The address to listen on; `0.0.0.0` for every network.'),
  port: setting('PORT', integer(1, 65_535), 3000, 'The port to listen on.'),
  managementPort: setting<number | null>(
    'MANAGEMENT_PORT',
    integer(1, 65_535),
    null,
    'A second port, for `/healthz`, `/readyz` and `/metrics` alone, of any role. Unset: `PORT` has the first two, a worker listens nowhere.',
  ),
  baseUrl: setting<string | null>('BASE_URL', address, null, 'The public address, without `/api/v1`. Unset: `http://localhost:PORT`.'),
  egressUrl: setting<string | null>(
    'EGRESS_URL',
    address,
    null,
    'The egress gateway (`portico serve --role egress`), through which requests with `X-Svc-Egress: true` are sent. Unset: there is none.',
  ),
  corsOrigins: setting<readonly string[]>(
    'CORS_ORIGINS',
    origins,
    [],
    'Origins whose pages may call the API, separated by commas; `*` for any. Unset: none.',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    integer(0, 10),
    0,
    'How many proxies in front add to `X-Forwarded-For`; the client IP is read accordingly.',
  ),
  shutdownSeconds: setting('SHUTDOWN_SECONDS', integer(0, 3600), 10, 'How long work under way may go on when the server is told to stop.'),
  shutdownDelaySeconds: setting(
    'SHUTDOWN_DELAY_SECONDS',
    integer(0, 3600),
    1,
    'How much of it, at most half, the server still takes requests while `/readyz` answers 503, so that a load balancer turns away first.',
  ),
  logLevel: setting<LogLevel>('LOG_LEVEL', oneOf('debug', 'info', 'warn', 'error', 'silent'), 'info', 'How much is logged.'),
} as const;

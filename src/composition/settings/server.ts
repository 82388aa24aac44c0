import { type Role, roles } from '../../domain/access.ts';
import { oneOf } from '../../wire/kit/values.ts';
import {
  address,
  addressOf,
  flag,
  integer,
  listOf,
  mailbox,
  optional,
  readAs,
  setting,
  text,
  textThat,
} from './setting.ts';

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};

const origins = listOf(
  (origin) => origin === '*' || URL.parse(origin)?.origin === origin,
  'origins such as https://app.example.com, separated by commas, or *',
);

/** Where Portico listens and how it is reached. */
export const server = {
  host: setting('HOST', text, '127.0.0.1', 'The address to listen on; `0.0.0.0` for every network.'),
  port: setting('PORT', integer(1, 65_535), 3000, 'The port to listen on.'),
  managementPort: optional(
    'MANAGEMENT_PORT',
    integer(1, 65_535),
    'A second port, for `/healthz`, `/readyz` and `/metrics` alone, of any role. Unset: `PORT` has the first two, a worker listens nowhere.',
  ),
  baseUrl: optional('BASE_URL', address, 'The public address, without `/api/v1`. Unset: `http://localhost:PORT`.'),
  contactEmail: optional(
    'CONTACT_EMAIL',
    mailbox,
    'Whom the description of the API names for questions. Unset: `support@` and the domain of `BASE_URL`.',
  ),
  egressUrl: optional(
    'EGRESS_URL',
    address,
    'The egress gateway (`portico serve --role egress`), through which requests with `X-Svc-Egress: true` are sent. Unset: there is none.',
  ),
  corsOrigins: setting(
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
  shutdownSeconds: setting(
    'SHUTDOWN_SECONDS',
    integer(0, 3600),
    10,
    'How long work under way may go on after the signal to stop.',
  ),
  shutdownDelaySeconds: setting(
    'SHUTDOWN_DELAY_SECONDS',
    integer(0, 3600),
    1,
    'How much of it, at most half, the server still takes requests while `/readyz` answers 503, so that a load balancer turns away first.',
  ),
  logLevel: setting('LOG_LEVEL', oneOf('debug', 'info', 'warn', 'error', 'silent'), 'info', 'How much is logged.'),
} as const;

const redisAddress = addressOf(
  ['redis:', 'rediss:'],
  'an address such as redis://user:password@host:6379/0, or rediss://… with TLS',
);

const redisPrefix = textThat('at most 100 letters, digits, dots, dashes and underscores', (raw) =>
  /^[\w.-]{1,100}$/.test(raw),
);

/** How much a client may ask for. */
export const limits = {
  rateLimitRequests: setting(
    'RATE_LIMIT_REQUESTS',
    integer(1, 1_000_000_000),
    100,
    'Requests per credential (without one: per client IP) and window. All credentials together that a user made or allowed have three times as many.',
  ),
  rateLimitWindowSeconds: setting(
    'RATE_LIMIT_WINDOW_SECONDS',
    integer(1, 86_400),
    60,
    'The length of every rate-limit window.',
  ),
  rateLimitRuns: setting(
    'RATE_LIMIT_RUNS',
    integer(1, 1_000_000_000),
    30,
    'Runs per agent and window, those that tools start included.',
  ),
  rateLimitTableReads: setting(
    'RATE_LIMIT_TABLE_READS',
    integer(1, 1_000_000_000),
    5,
    'Table reads per user and window.',
  ),
  rateLimitConsole: setting(
    'RATE_LIMIT_CONSOLE',
    integer(1, 1_000_000_000),
    1000,
    'Requests of the console per person and window. They count towards no other limit but that of runs.',
  ),
  redisUrl: optional(
    'REDIS_URL',
    redisAddress,
    'Redis 6 or later, where all processes count together; while it is away each counts its own. Unset: each process counts its own.',
  ),
  redisPrefix: setting(
    'REDIS_PREFIX',
    redisPrefix,
    'portico',
    'What the keys in Redis begin with; deployments that share one take different ones.',
  ),
} as const;

/** The authorization server. */
export const oauth = {
  authUrl: optional(
    'AUTH_URL',
    address,
    'The public address of the authorization server, which is its OAuth issuer. Unset: that of `BASE_URL`.',
  ),
  oauthRegistration: setting(
    'OAUTH_REGISTRATION',
    oneOf('open', 'closed'),
    'open',
    'Whether OAuth clients may register themselves; those that publish a metadata document need not.',
  ),
  oauthClientDocuments: setting(
    'OAUTH_CLIENT_DOCUMENTS',
    oneOf('auto', 'off'),
    'auto',
    'Whether OAuth clients may publish a metadata document instead of registering. `off` where the server cannot reach the internet; with `auto` it asks them to register after it could not reach a document, until it reaches one.',
  ),
} as const;

const issuerAddress = textThat('an https:// address, or an http:// one of this machine', (raw) => {
  const url = URL.parse(raw);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
});

const rolesOfGroups = readAs<Readonly<Record<string, Role>>>(
  'a JSON object of groups with their roles, such as {"portico-admins":"admin","staff":"member"}',
  (raw) => {
    const mapping = parsed(raw);
    if (typeof mapping !== 'object' || mapping === null || Array.isArray(mapping)) return undefined;
    const values: readonly unknown[] = Object.values(mapping);
    return values.length > 0 && values.every((value) => roles.some((role) => role === value))
      ? (mapping as Readonly<Record<string, Role>>)
      : undefined;
  },
);

/** Where the people of an organisation sign in. */
export const signIn = {
  oidcIssuer: optional(
    'OIDC_ISSUER',
    issuerAddress,
    'The issuer of OpenID Connect at which people sign in, as it calls itself: docs/people.md. It is asked at the first sign-in. Unset: there is none.',
  ),
  oidcClientId: optional(
    'OIDC_CLIENT_ID',
    text,
    'As which client the issuer knows Portico; needed with `OIDC_ISSUER`.',
  ),
  oidcClientSecret: optional('OIDC_CLIENT_SECRET', text, 'The secret of that client. Unset: a public client.'),
  oidcName: setting('OIDC_NAME', text, 'Sign in with your organisation', 'The words on the button.'),
  oidcScopes: setting(
    'OIDC_SCOPES',
    textThat('scopes, separated by spaces, with openid among them', (raw) => raw.split(' ').includes('openid')),
    'openid email profile',
    'The scopes that the issuer is asked for.',
  ),
  oidcGroupsClaim: setting('OIDC_GROUPS_CLAIM', text, 'groups', 'The claim that names the groups of a person.'),
  oidcRoles: optional(
    'OIDC_ROLES',
    rolesOfGroups,
    'JSON: group → role (`admin`, `member`, `viewer`), read at each sign-in; the highest counts, and who has none is refused. Unset: roles stay as they are, and new people are members.',
  ),
  oidcProvision: setting(
    'OIDC_PROVISION',
    flag,
    false,
    'Whether people of the organisation get in who are no users yet; else only those who were added.',
  ),
  oidcWorkspace: optional(
    'OIDC_WORKSPACE',
    text,
    'The workspace of new people, by its name. Unset: the only one that the server has.',
  ),
  passwords: setting(
    'PASSWORDS',
    oneOf('on', 'off'),
    'on',
    'Whether people may sign in with a password. `off` needs `OIDC_ISSUER`; `portico users link` lets somebody in while the issuer is away.',
  ),
} as const;

/** The tool endpoint of agents. */
export const mcp = {
  mcpGetStream: setting(
    'MCP_GET_STREAM',
    flag,
    true,
    'Whether the tool endpoint answers a client that listens with a stream, which stays open for some minutes; else with 405.',
  ),
} as const;

/** As OpenTelemetry reads it: any other text is false. */
const isTrue = readAs('true or false', (raw) => raw.trim().toLowerCase() === 'true');

/** Where traces go; every other OTEL_ variable is read by the OpenTelemetry SDK itself. */
export const telemetry = {
  otlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    address,
    'The OpenTelemetry collector that traces are sent to; the other `OTEL_` variables apply as well. Unset: no traces are made.',
  ),
  otlpTracesEndpoint: optional(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    address,
    'The whole address that traces are sent to, if it is not `/v1/traces` of the collector.',
  ),
  tracesExporter: optional(
    'OTEL_TRACES_EXPORTER',
    text,
    'How traces are sent: `otlp`, `console`, `zipkin`, or `none`. Unset: `otlp`, if a collector is set.',
  ),
  otelDisabled: setting('OTEL_SDK_DISABLED', isTrue, false, 'Whether no traces are made, whatever else is set.'),
} as const;

import { DomainError, type Fault } from '../domain/errors.ts';

/** Reads one variable: the value, or what was expected instead. */
type Read<T> = (raw: string) => T | { readonly expected: string };

interface Setting<T> {
  readonly env: string;
  readonly read: Read<T>;
  /** What holds when the variable is unset; null where the text says what happens then. */
  readonly fallback: T;
  readonly about: string;
}

const setting = <T>(env: string, read: Read<NonNullable<T>>, fallback: T, about: string) => ({ env, read, fallback, about }) as Setting<T>;

const text: Read<string> = (raw) => raw;

const integer =
  (min: number, max: number): Read<number> =>
  (raw) => {
    const value = /^\d{1,15}$/.test(raw) ? Number(raw) : Number.NaN;
    return value >= min && value <= max ? value : { expected: `an integer from ${min} to ${max}` };
  };

const oneOf =
  <T extends string>(...values: readonly T[]): Read<T> =>
  (raw) =>
    values.find((value) => value === raw) ?? { expected: `one of ${values.join(', ')}` };

const flag: Read<boolean> = (raw) => (raw === 'true' ? true : raw === 'false' ? false : { expected: 'true or false' });

/** An http address without a trailing slash, query or fragment. */
const address: Read<string> = (raw) => {
  const url = URL.parse(raw);
  const fine = url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '';
  return fine ? raw.replace(/\/+$/, '') : { expected: 'an address such as https://portico.example.com' };
};

const postgresAddress: Read<string> = (raw) =>
  /^postgres(ql)?:$/.test(URL.parse(raw)?.protocol ?? '')
    ? raw
    : { expected: 'an address such as postgres://user:password@host:5432/database' };

const origins: Read<readonly string[]> = (raw) => {
  const list = raw.split(',').map((origin) => origin.trim());
  const fine = list.every((origin) => origin === '*' || URL.parse(origin)?.origin === origin);
  return fine ? list : { expected: 'origins such as https://app.example.com, separated by commas, or *' };
};

const hosts: Read<readonly string[]> = (raw) => {
  const list = raw.split(',').map((host) => host.trim());
  const fine = list.every((host) => {
    const url = URL.parse(`http://${host}`);
    return url !== null && url.hostname !== '' && url.pathname === '/' && !/[/?#@\\]/.test(host);
  });
  return fine ? list : { expected: 'hosts such as hooks.internal or 10.0.0.5:8080, separated by commas' };
};

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Every setting, once: its variable, what holds without it, and what it is for. The README's table is printed from this list. */
export const settings = {
  host: setting('HOST', text, '127.0.0.1', 'The address to listen on; `0.0.0.0` for every network.'),
  port: setting('PORT', integer(1, 65_535), 3000, 'The port to listen on.'),
  baseUrl: setting<string | null>('BASE_URL', address, null, 'The public address, without `/api/v1`. Unset: `http://localhost:PORT`.'),
  egressUrl: setting<string | null>(
    'EGRESS_URL',
    address,
    null,
    'The egress gateway (`portico serve --role egress`), through which requests with `X-Svc-Egress: true` are sent. Unset: there is none.',
  ),
  authUrl: setting<string | null>(
    'AUTH_URL',
    address,
    null,
    'The public address of the authorization server, which is its OAuth issuer. Unset: that of `BASE_URL`.',
  ),
  oauthRegistration: setting<'open' | 'closed'>(
    'OAUTH_REGISTRATION',
    oneOf('open', 'closed'),
    'open',
    'Whether OAuth clients may register themselves; those that publish a metadata document need not.',
  ),
  dataDir: setting('DATA_DIR', text, '.portico', 'Where the embedded database, uploaded files and the generated encryption key live.'),
  databaseUrl: setting<string | null>(
    'DATABASE_URL',
    postgresAddress,
    null,
    'PostgreSQL 15 or later. Unset: one that Portico starts itself under `DATA_DIR`.',
  ),
  databasePoolSize: setting('DATABASE_POOL_SIZE', integer(2, 200), 10, 'Database connections per process.'),
  encryptionKey: setting<string | null>(
    'ENCRYPTION_KEY',
    text,
    null,
    '32 bytes in base64 or hexadecimal, for secrets at rest. Unset: generated once under `DATA_DIR`.',
  ),
  demo: setting<boolean | null>(
    'DEMO',
    flag,
    null,
    'Whether the first start makes the demo workspace. Unset: only with the embedded database.',
  ),
  maxUploadBytes: setting('MAX_UPLOAD_BYTES', integer(1, 5_368_709_120), 104_857_600, 'The largest file that may be uploaded.'),
  rateLimitRequests: setting(
    'RATE_LIMIT_REQUESTS',
    integer(1, 1_000_000_000),
    100,
    'Requests per credential (without one: per client IP) and window.',
  ),
  rateLimitWindowSeconds: setting('RATE_LIMIT_WINDOW_SECONDS', integer(1, 86_400), 60, 'The length of every rate-limit window.'),
  rateLimitRuns: setting('RATE_LIMIT_RUNS', integer(1, 1_000_000_000), 30, 'Runs created per agent and window.'),
  rateLimitTableReads: setting('RATE_LIMIT_TABLE_READS', integer(1, 1_000_000_000), 5, 'Table reads per user and window.'),
  runDeadlineSeconds: setting('RUN_DEADLINE_SECONDS', integer(1, 604_800), 3600, 'A run that takes longer fails.'),
  runLeaseSeconds: setting(
    'RUN_LEASE_SECONDS',
    integer(1, 60),
    15,
    'After this long without a sign of life of its worker, another one takes a run over.',
  ),
  workerConcurrency: setting('WORKER_CONCURRENCY', integer(1, 1000), 8, 'Units of work at a time, per worker.'),
  textTimeoutSeconds: setting('TEXT_TIMEOUT_SECONDS', integer(1, 3600), 60, 'How long reading the text of one file may take.'),
  openaiApiKey: setting<string | null>('OPENAI_API_KEY', text, null, 'For models named `openai/…`.'),
  openaiBaseUrl: setting<string | null>(
    'OPENAI_BASE_URL',
    address,
    null,
    'Any OpenAI-compatible server. Unset: `https://api.openai.com/v1`.',
  ),
  anthropicApiKey: setting<string | null>('ANTHROPIC_API_KEY', text, null, 'For models named `anthropic/…`.'),
  anthropicBaseUrl: setting<string | null>(
    'ANTHROPIC_BASE_URL',
    address,
    null,
    'Another server of the Anthropic API. Unset: `https://api.anthropic.com/v1`.',
  ),
  modelTimeoutSeconds: setting('MODEL_TIMEOUT_SECONDS', integer(1, 3600), 120, 'How long one answer of a model may take.'),
  modelMaxAttempts: setting(
    'MODEL_MAX_ATTEMPTS',
    integer(1, 20),
    4,
    'How often a model is asked again when it is rate limited, overloaded or out of reach.',
  ),
  connectionTimeoutSeconds: setting(
    'CONNECTION_TIMEOUT_SECONDS',
    integer(1, 60),
    30,
    'How long a connected system may take for a connect, a read of records, a write or a delivery.',
  ),
  connectionPoolSize: setting(
    'CONNECTION_POOL_SIZE',
    integer(1, 100),
    4,
    'Sessions per connected system and process; as many again for queries.',
  ),
  queryTimeoutSeconds: setting('QUERY_TIMEOUT_SECONDS', integer(1, 3600), 300, 'How long a query or a read of a table may take.'),
  queryMaxRows: setting('QUERY_MAX_ROWS', integer(1, 10_000_000), 10_000, 'The most rows that a query answers.'),
  queryMaxBytes: setting('QUERY_MAX_BYTES', integer(1024, 4_294_967_296), 67_108_864, 'The most that the rows of a query may come to.'),
  outboundAllowedHosts: setting<readonly string[]>(
    'OUTBOUND_ALLOWED_HOSTS',
    hosts,
    [],
    'Hosts (`host` or `host:port`), separated by commas, that webhooks and tools may reach at private addresses. Unset: none.',
  ),
  turnMaxSteps: setting('TURN_MAX_STEPS', integer(1, 200), 20, 'How often a model is asked for one answer, between its calls of tools.'),
  toolTimeoutSeconds: setting('TOOL_TIMEOUT_SECONDS', integer(1, 3600), 60, 'How long one call of a tool may take.'),
  conversationLeaseSeconds: setting(
    'CONVERSATION_LEASE_SECONDS',
    integer(1, 300),
    30,
    'After this long without a sign of life of the server that answers in it, a conversation may be continued.',
  ),
  searxngUrl: setting<string | null>(
    'SEARXNG_URL',
    address,
    null,
    'A SearXNG server to search the web with; its settings must allow JSON.',
  ),
  braveApiKey: setting<string | null>('BRAVE_API_KEY', text, null, 'Search the web with Brave, where there is no `SEARXNG_URL`.'),
  tavilyApiKey: setting<string | null>('TAVILY_API_KEY', text, null, 'Search the web with Tavily, where neither of these is set.'),
  searchCorpusDir: setting<string | null>(
    'SEARCH_CORPUS_DIR',
    text,
    null,
    'Without any of these: the folder of pages (`.html`, `.md`, `.txt`) that is searched instead of the web. Unset: `demo/pages`.',
  ),
  searchModel: setting(
    'SEARCH_MODEL',
    text,
    'offline',
    'The model that sums up what a search finds: `offline`, `openai/…` or `anthropic/…`.',
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
  logLevel: setting<LogLevel>('LOG_LEVEL', oneOf('debug', 'info', 'warn', 'error', 'silent'), 'info', 'How much is logged.'),
} as const;

type Settings = typeof settings;
type Values = { readonly [K in keyof Settings]: Settings[K] extends Setting<infer T> ? T : never };

export interface Config extends Omit<Values, 'baseUrl' | 'authUrl'> {
  readonly baseUrl: string;
  readonly authUrl: string;
}

const isRefused = (value: unknown): value is { expected: string } => typeof value === 'object' && value !== null && 'expected' in value;

/** The configuration of this environment; a DomainError names every bad variable, never a value. */
export const readConfig = (env: Readonly<Record<string, string | undefined>>): Config => {
  const faults: Fault[] = [];
  const entries = Object.entries(settings).map(([key, { env: name, read, fallback }]) => {
    const raw = env[name];
    if (raw === undefined || raw === '') return [key, fallback];
    const value = (read as Read<unknown>)(raw);
    if (isRefused(value)) faults.push({ path: name, message: `must be ${value.expected}` });
    return [key, value];
  });
  if (faults.length > 0) throw new DomainError('invalid', faults.map(({ path, message }) => `${path} ${message}`).join('; '), { faults });
  const values: Values = Object.fromEntries(entries);
  const baseUrl = values.baseUrl ?? `http://localhost:${values.port}`;
  return { ...values, baseUrl, authUrl: values.authUrl ?? baseUrl };
};

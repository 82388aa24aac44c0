import path from 'node:path';
import { oneOf } from '../../wire/kit/values.ts';
import { address, decimal, integer, listOf, optional, setting, text } from './setting.ts';

/** Those whose data is installed. */
const LANGUAGES = ['eng', 'deu', 'fra'];

const ocrLanguages = listOf(
  (language, index, all) => LANGUAGES.includes(language) && all.indexOf(language) === index,
  `some of ${LANGUAGES.join(', ')}, separated by commas, each once`,
);

const hosts = listOf((host) => {
  const url = URL.parse(`http://${host}`);
  return url !== null && url.hostname !== '' && url.pathname === '/' && !/[/?#@\\]/.test(host);
}, 'hosts such as hooks.internal or 10.0.0.5:8080, separated by commas');

/** Runs, turns and what they may take. */
export const work = {
  runDeadlineSeconds: setting('RUN_DEADLINE_SECONDS', integer(1, 604_800), 3600, 'A run that takes longer fails.'),
  runLeaseSeconds: setting(
    'RUN_LEASE_SECONDS',
    integer(1, 60),
    15,
    'After this long without a sign of life of its worker, another one takes a run over.',
  ),
  workerConcurrency: setting('WORKER_CONCURRENCY', integer(1, 1000), 8, 'Units of work at a time, per worker.'),
  textTimeoutSeconds: setting(
    'TEXT_TIMEOUT_SECONDS',
    integer(1, 3600),
    60,
    'How long reading the text of one file may take.',
  ),
  ocr: setting(
    'OCR',
    oneOf('auto', 'off'),
    'auto',
    'Whether scanned pages and pictures are read: `auto` reads pages without text.',
  ),
  ocrLanguages: setting(
    'OCR_LANGUAGES',
    ocrLanguages,
    ['eng', 'deu'],
    'The languages of scanned pages, the most frequent one first: `eng`, `deu`, `fra`. Each makes the reading slower.',
  ),
  converter: setting(
    'CONVERTER',
    oneOf('auto', 'no-sandbox', 'off'),
    'auto',
    'Whether documents of Word and PowerPoint before 2007, `.pptx`, `.rtf`, `.odt` and `.odp` become pages: `auto` uses `CONVERTER_URL`, or LibreOffice where its `soffice` is on the `PATH` and Linux lets the server begin namespaces, which keep it from the network. `no-sandbox` uses LibreOffice also where they are refused: only for documents of people whom you trust.',
  ),
  searchPath: optional('PATH', text, 'The folders in which `soffice`, the program of LibreOffice, is looked for.'),
  converterUrl: optional(
    'CONVERTER_URL',
    address,
    'A Gotenberg server that converts documents to PDF. It gets the files themselves.',
  ),
  converterTimeoutSeconds: setting(
    'CONVERTER_TIMEOUT_SECONDS',
    integer(1, 3600),
    120,
    'How long the conversion of one document may take.',
  ),
  turnMaxSteps: setting(
    'TURN_MAX_STEPS',
    integer(1, 200),
    20,
    'How often a model is asked for one answer, between its calls of tools; of a long file, for the answer about each window.',
  ),
  toolTimeoutSeconds: setting('TOOL_TIMEOUT_SECONDS', integer(1, 3600), 60, 'How long one call of a tool may take.'),
  personHours: setting(
    'PERSON_HOURS',
    decimal(8760),
    12,
    'Where a person has to approve in the console: for how many hours after signing in they may. Fractions are allowed.',
  ),
  approvalHours: setting(
    'APPROVAL_HOURS',
    decimal(8760),
    24,
    'For how many hours a call of a tool waits for the approval of a person before it is refused. Fractions are allowed.',
  ),
  eventsDays: setting('EVENTS_DAYS', integer(1, 3650), 30, 'For how many days the log of events is kept.'),
  conversationLeaseSeconds: setting(
    'CONVERSATION_LEASE_SECONDS',
    integer(1, 300),
    30,
    'After this long without a sign of life of the server that answers in it, a conversation may be continued.',
  ),
} as const;

/** The models that agents use. */
export const models = {
  openaiApiKey: optional('OPENAI_API_KEY', text, 'For models named `openai/…`.'),
  openaiBaseUrl: optional(
    'OPENAI_BASE_URL',
    address,
    'Any OpenAI-compatible server. Unset: `https://api.openai.com/v1`.',
  ),
  anthropicApiKey: optional('ANTHROPIC_API_KEY', text, 'For models named `anthropic/…`.'),
  anthropicBaseUrl: optional(
    'ANTHROPIC_BASE_URL',
    address,
    'Another server of the Anthropic API. Unset: `https://api.anthropic.com/v1`.',
  ),
  modelTimeoutSeconds: setting(
    'MODEL_TIMEOUT_SECONDS',
    integer(1, 3600),
    120,
    'How long one answer of a model may take.',
  ),
  modelMaxAttempts: setting(
    'MODEL_MAX_ATTEMPTS',
    integer(1, 20),
    4,
    'How often a model is asked again when it is rate limited, overloaded or out of reach.',
  ),
} as const;

/** Connected systems, and what may be reached outside. */
export const systems = {
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
  queryTimeoutSeconds: setting(
    'QUERY_TIMEOUT_SECONDS',
    integer(1, 3600),
    300,
    'How long a query or a read of a table may take.',
  ),
  queryMaxRows: setting('QUERY_MAX_ROWS', integer(1, 10_000_000), 10_000, 'The most rows that a query answers.'),
  queryMaxBytes: setting(
    'QUERY_MAX_BYTES',
    integer(1024, 4_294_967_296),
    67_108_864,
    'The most that the rows of a query may come to.',
  ),
  outboundAllowedHosts: setting(
    'OUTBOUND_ALLOWED_HOSTS',
    hosts,
    [],
    'Hosts (`host` or `host:port`), separated by commas, that webhooks, tools and mailboxes may reach at private addresses. Unset: none.',
  ),
} as const;

const absolutePaths = listOf(
  (folder) => path.isAbsolute(folder),
  'absolute paths such as /srv/inbox, separated by commas',
);
const buckets = listOf(
  (name) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/.test(name),
  'names of buckets, separated by commas',
);

/** What documents may come from by themselves. */
export const sources = {
  sourceFolders: setting(
    'SOURCE_FOLDERS',
    absolutePaths,
    [],
    'The folders of this machine that `sources` of workspace files may name, separated by commas. Folders below them are not allowed by that. Unset: none.',
  ),
  sourceBuckets: setting(
    'SOURCE_BUCKETS',
    buckets,
    [],
    'The buckets of the S3 store (`S3_ENDPOINT` and its like) that `sources` of workspace files may name, separated by commas. Unset: none.',
  ),
  threadPoolSize: setting(
    'UV_THREADPOOL_SIZE',
    integer(1, 1024),
    4,
    'How many threads Node reads files with. Half of them may wait for folders of sources that do not answer.',
  ),
  sourceMaxRuns: setting(
    'SOURCE_MAX_RUNS',
    integer(1, 100_000),
    100,
    'How many runs of one source may wait or be under way at a time. What else has come stays where it lies until half of them have ended.',
  ),
} as const;

/** Searching the web. */
export const search = {
  searxngUrl: optional(
    'SEARXNG_URL',
    address,
    'A SearXNG server to search the web with; its settings must allow JSON.',
  ),
  braveApiKey: optional('BRAVE_API_KEY', text, 'Search the web with Brave, if there is no `SEARXNG_URL`.'),
  tavilyApiKey: optional('TAVILY_API_KEY', text, 'Search the web with Tavily, if neither of these is set.'),
  searchCorpusDir: optional(
    'SEARCH_CORPUS_DIR',
    text,
    'Without any of these: the folder of pages (`.html`, `.md`, `.txt`) that is searched instead of the web. Unset: `demo/pages`.',
  ),
  searchModel: setting(
    'SEARCH_MODEL',
    text,
    'offline',
    'The model that sums up what a search finds: `offline`, `openai/…` or `anthropic/…`.',
  ),
} as const;

import { Counter, collectDefaultMetrics, Gauge, Histogram, type MetricObject, Registry } from 'prom-client';
import { freshFor } from '../../application/shared/async.ts';

/** A label takes so many values at most: those beyond count as `other`. */
export const bounded = (most: number): ((value: string) => string) => {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most || value.length > 128) return 'other';
    known.add(value);
    return value;
  };
};

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const STEP_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160];
const TOOL_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Everything that is counted as it happens. */
const instrumentsIn = (registry: Registry) => {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name: `portico_${name}`, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram({ name: `portico_${name}`, help, buckets, labelNames, registers });
  const gauge = (name: string, help: string) => new Gauge({ name: `portico_${name}`, help, registers });

  return {
    requests: histogram(
      'http_request_duration_seconds',
      'HTTP requests, until the end of the answer.',
      REQUEST_SECONDS,
      ...(['operation', 'method', 'status'] as const),
    ),
    refusals: counter('rate_limit_refusals_total', 'Requests refused, by the limit that was spent.', 'limit'),
    runs: counter('run_transitions_total', 'Runs that this process moved to a status.', 'status'),
    takeovers: counter('run_takeovers_total', 'Runs taken over from a worker that was lost or stopped.'),
    units: counter('run_units_total', 'Units of work that ended, by their status.', 'status'),
    unitsInWork: gauge('run_units_in_work', 'Units of work that this process is working on.'),
    steps: histogram('model_step_duration_seconds', 'Answers of models, retries included.', STEP_SECONDS, 'model'),
    stepErrors: counter('model_step_errors_total', 'Models that gave no answer, by the reason.', 'model', 'error'),
    tokens: counter('model_tokens_total', 'Tokens that models read (input) and wrote (output).', 'model', 'type'),
    tools: histogram('tool_call_duration_seconds', 'Calls of tools.', TOOL_SECONDS),
    toolCalls: counter('tool_calls_total', 'Calls of tools, by how they ended.', 'tool', 'outcome'),
    documentDeliveries: counter(
      'document_deliveries_total',
      'Documents sent to their system of record, by the outcome.',
      'outcome',
    ),
    webhookDeliveries: counter(
      'webhook_deliveries_total',
      'Attempts to send an event to a webhook, by the outcome.',
      'outcome',
    ),
    budgetRefusals: counter(
      'budget_refusals_total',
      'Runs, messages and steps that were refused because a budget is spent.',
    ),
    removed: counter('retention_removed_total', 'What was removed because it is kept no longer, by its kind.', 'kind'),
  };
};

/** Looked up when the metrics are read. */
interface State {
  /** The runs of every process. */
  queue(): Promise<{ readonly queued: number; readonly running: number; readonly oldestSeconds: number }>;
  /** The documents that the workers are to post, those that are tried again later among them. */
  postingQueue(): Promise<{ readonly waiting: number; readonly oldestSeconds: number }>;
  /** The sources of every workspace. */
  sources(): Promise<{
    readonly well: number;
    readonly waiting: number;
    readonly failing: number;
    readonly lateSeconds: number;
  }>;
  /** By what keeps the database from cleaning up, and for how many transactions. */
  heldBack(): Promise<Readonly<Record<string, number>>>;
  /** How the budgets of every workspace stand. */
  budgets(): Promise<readonly { readonly action: string; readonly state: string; readonly count: number }[]>;
  /** For how many seconds no process has removed all that is kept no longer; null where everything is kept. */
  retentionBehind(): Promise<number | null>;
  /** How many reads of lists each server has answered to this process; none where there is no replica for them. */
  listReads(): Readonly<Record<string, number>>;
  /** Database connections of this process. */
  connections(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Whether all processes count together. */
  limitsAreShared(): boolean;
}

/** The database is asked no more often, however often metrics are read. */
const FRESH_MS = 5_000;

/** A gauge whose values are looked up when the metrics are read. */
const gaugeIn =
  (registry: Registry) =>
  <L extends string>(name: string, help: string, labelNames: L[], collect: (gauge: Gauge<L>) => void | Promise<void>) =>
    new Gauge({
      name: `portico_${name}`,
      help,
      labelNames,
      registers: [registry],
      collect() {
        return collect(this);
      },
    });

/** What was looked up last, for a while; null while it cannot be. */
const looked = <T>(look: () => Promise<T>) => freshFor(FRESH_MS, () => look().catch(() => null));

const stateGauges = (registry: Registry, state: State) => {
  const gauge = gaugeIn(registry);
  /** Has no value while the database cannot be asked. */
  const depth = (name: string, help: string, value: () => Promise<number | undefined>) =>
    gauge(name, help, [], async (shown) => {
      const current = await value();
      if (current === undefined) shown.remove();
      else shown.set(current);
    });

  const queue = looked(state.queue);
  gauge('queue_runs', 'Runs that wait or are worked on, over all processes.', ['status'], async (runs) => {
    const depths = await queue();
    runs.reset();
    if (!depths) return;
    runs.set({ status: 'queued' }, depths.queued);
    runs.set({ status: 'running' }, depths.running);
  });
  depth(
    'queue_oldest_seconds',
    'For how long the oldest run that waits has waited, over all processes.',
    async () => (await queue())?.oldestSeconds,
  );

  const postingQueue = looked(state.postingQueue);
  depth(
    'posting_queue_documents',
    'Documents that the workers are to post, over all processes.',
    async () => (await postingQueue())?.waiting,
  );
  depth(
    'posting_queue_oldest_seconds',
    'For how long the oldest of them could have been posted, over all processes.',
    async () => (await postingQueue())?.oldestSeconds,
  );

  const sources = looked(state.sources);
  gauge('sources', 'Mailboxes, folders and buckets, by how the last look at each ended.', ['state'], async (shown) => {
    const counts = await sources();
    shown.reset();
    if (!counts) return;
    shown.set({ state: 'well' }, counts.well);
    shown.set({ state: 'waiting' }, counts.waiting);
    shown.set({ state: 'failing' }, counts.failing);
  });
  depth(
    'sources_late_seconds',
    'For how long the source that is due longest waits for a look, over all processes.',
    async () => (await sources())?.lateSeconds,
  );

  const budgets = looked(state.budgets);
  gauge(
    'budgets',
    'Budgets by what they do once they are spent, and how far they are: within, nearly, spent, over all processes.',
    ['action', 'state'],
    async (shown) => {
      const standings = await budgets();
      shown.reset();
      for (const { action, state: standing, count } of standings ?? []) shown.set({ action, state: standing }, count);
    },
  );

  const retentionBehind = looked(state.retentionBehind);
  depth(
    'retention_behind_seconds',
    'For how long what is kept no longer has not been removed to the last, over all processes.',
    async () => (await retentionBehind()) ?? undefined,
  );

  const heldBack = looked(state.heldBack);
  gauge(
    'database_held_back_transactions',
    'For how many transactions the oldest snapshot keeps dead rows from being removed.',
    ['by'],
    async (transactions) => {
      const byHolder = await heldBack();
      transactions.reset();
      for (const [by, count] of Object.entries(byHolder ?? {})) transactions.set({ by }, count);
    },
  );

  gauge(
    'database_connections',
    'Connections of the pool of this process, and what waits for one.',
    ['state'],
    (pool) => {
      const { total, idle, waiting } = state.connections();
      pool.set({ state: 'in_use' }, total - idle);
      pool.set({ state: 'idle' }, idle);
      pool.set({ state: 'waiting' }, waiting);
    },
  );
  new Counter({
    name: 'portico_database_list_reads_total',
    help: 'Reads of lists, searches and exports, by the server that answered, where there is a replica.',
    labelNames: ['server'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [server, count] of Object.entries(state.listReads())) this.inc({ server }, count);
    },
  });
  gauge('limits_shared', 'Whether limits are counted over all processes (1) or in this one alone (0).', [], (shared) =>
    shared.set(state.limitsAreShared() ? 1 : 0),
  );
};

/** A metric without its values. The library has the names of the labels, and does not type them. */
const described = (metric: MetricObject) => ({
  name: metric.name,
  type: String(metric.type),
  help: metric.help,
  labels: 'labelNames' in metric ? (metric.labelNames as readonly string[]) : [],
});

export type Metrics = ReturnType<typeof openMetrics>;

export const openMetrics = ({ version }: { version: string }) => {
  const registry = new Registry();
  const count = instrumentsIn(registry);
  let requests = 0;
  let complete = false;

  const gauge = gaugeIn(registry);
  gauge('http_requests_in_flight', 'HTTP requests that are being answered.', [], (inFlight) => inFlight.set(requests));
  gauge('build_info', 'What is running.', ['version', 'node'], (info) =>
    info.set({ version, node: process.version }, 1),
  );

  return {
    count,
    /** A request began (1) or ended (-1). */
    underWay(change: 1 | -1) {
      requests += change;
    },
    observe: (state: State) => stateGauges(registry, state),
    /** What there is to read, but for what Node tells of the process. */
    describe: () => registry.getMetricsAsArray().map(described),
    /** All of it, in the text format of Prometheus. */
    async expose() {
      // The process measures its own event loop only if something reads the metrics.
      if (!complete) collectDefaultMetrics({ register: registry });
      complete = true;
      // The client writes `Nan`, which Prometheus does not read.
      const body = (await registry.metrics()).replaceAll(/ Nan$/gm, ' NaN');
      return { contentType: registry.contentType, body };
    },
  };
};

import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type Instruments, instrumentsIn } from './instruments.ts';

/** What is looked up when the metrics are read. */
export interface State {
  /** The runs of every process. */
  queue(): Promise<{ readonly queued: number; readonly running: number; readonly oldestSeconds: number }>;
  /** Database connections of this process. */
  connections(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Whether all processes count together. */
  limitsAreShared(): boolean;
}

export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

export interface Metrics {
  readonly count: Instruments;
  /** A request began (1) or ended (-1). */
  underWay(change: 1 | -1): void;
  observe(state: State): void;
  /** All of it, in the text format of Prometheus. */
  expose(): Promise<Exposition>;
}

/** However often metrics are read, the database is asked no more often. */
const FRESH_MS = 5_000;

/** What was found out last, unless that is a while ago; null where it cannot be found out at the moment. */
const remembered = <T>(find: () => Promise<T>): (() => Promise<T | null>) => {
  let known: { readonly value: Promise<T | null>; readonly until: number } | null = null;
  return () => {
    const now = performance.now();
    if (known === null || now >= known.until) known = { value: find().catch(() => null), until: now + FRESH_MS };
    return known.value;
  };
};

const stateGauges = (registry: Registry, { queue, connections, limitsAreShared }: State) => {
  const registers = [registry];
  const look = remembered(queue);
  new Gauge({
    name: 'portico_queue_runs',
    help: 'Runs that wait or are worked on, over all processes.',
    labelNames: ['status'],
    registers,
    async collect() {
      const found = await look();
      this.reset();
      if (!found) return;
      this.set({ status: 'queued' }, found.queued);
      this.set({ status: 'running' }, found.running);
    },
  });
  new Gauge({
    name: 'portico_queue_oldest_seconds',
    help: 'For how long the oldest run that waits has waited, over all processes.',
    registers,
    async collect() {
      const found = await look();
      if (found) this.set(found.oldestSeconds);
      else this.remove();
    },
  });
  new Gauge({
    name: 'portico_database_connections',
    help: 'Connections of the pool of this process, and what waits for one.',
    labelNames: ['state'],
    registers,
    collect() {
      const { total, idle, waiting } = connections();
      this.set({ state: 'in_use' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  new Gauge({
    name: 'portico_limits_shared',
    help: 'Whether limits are counted over all processes (1) or in this one alone (0).',
    registers,
    collect() {
      this.set(limitsAreShared() ? 1 : 0);
    },
  });
};

export const openMetrics = ({ version }: { version: string }): Metrics => {
  const registry = new Registry();
  const count = instrumentsIn(registry);
  let requests = 0;
  let complete = false;

  new Gauge({
    name: 'portico_http_requests_in_flight',
    help: 'HTTP requests that are being answered.',
    registers: [registry],
    collect() {
      this.set(requests);
    },
  });
  new Gauge({ name: 'portico_build_info', help: 'What is running.', labelNames: ['version', 'node'], registers: [registry] }).set(
    { version, node: process.version },
    1,
  );

  return {
    count,
    underWay(change) {
      requests += change;
    },
    observe: (state) => stateGauges(registry, state),
    async expose() {
      // The process observes its own event loop only where somebody reads what it sees.
      if (!complete) collectDefaultMetrics({ register: registry });
      complete = true;
      // The client writes what is no number in a way that not every reader takes.
      const body = (await registry.metrics()).replaceAll(/ Nan$/gm, ' NaN');
      return { contentType: registry.contentType, body };
    },
  };
};

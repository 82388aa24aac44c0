import { ContainerModule, type ServiceIdentifier } from 'inversify';
import type { Database } from '../../adapters/postgres/database.ts';
import { queueDepth } from '../../adapters/postgres/queue-depth.ts';
import { watchedDelivery, watchedSystems, watchedWebhookQueue } from '../../adapters/telemetry/deliveries.ts';
import { tracedIds } from '../../adapters/telemetry/ids.ts';
import { watchedLimiter } from '../../adapters/telemetry/limiter.ts';
import { type Metrics, openMetrics } from '../../adapters/telemetry/metrics.ts';
import { watchedModels } from '../../adapters/telemetry/models.ts';
import { requestTelemetry } from '../../adapters/telemetry/requests.ts';
import { watchedQueue, watchedRuns, watchedRunWork } from '../../adapters/telemetry/runs.ts';
import { watchedTools } from '../../adapters/telemetry/tools.ts';
import { openTracing } from '../../adapters/telemetry/tracing.ts';
import { watchedConversations, watchedTurn } from '../../adapters/telemetry/turns.ts';
import { watch } from '../../adapters/telemetry/watch.ts';
import type { RateLimiter } from '../../application/ports/limiter.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Config } from '../config.ts';
import { port, service } from '../tokens.ts';
import { version } from '../version.ts';

/** Whether the environment says that traces are to be made, and where they go. */
const isTraced = ({ otelDisabled, otlpEndpoint, otlpTracesEndpoint, tracesExporter }: Config) => {
  if (otelDisabled || tracesExporter === 'none') return false;
  return otlpEndpoint !== null || otlpTracesEndpoint !== null || tracesExporter !== null;
};

/** Ports and services are watched from outside, so that neither the core nor an adapter knows of it. */
export const telemetry = async (config: Config, log: Log) => {
  const tracing = isTraced(config) ? await openTracing({ version, log }) : null;
  const metrics = openMetrics({ version });
  const spans = watch(tracing);
  const module = new ContainerModule(({ onActivation }) => {
    const watched = <T>(token: ServiceIdentifier<T>, wrap: (given: T) => T) => onActivation<T>(token, (_, given) => wrap(given));
    watched(port.ids, tracedIds);
    watched(port.limiter, (limiter) => watchedLimiter(limiter, metrics));
    watched(port.runs, (runs) => watchedRuns(runs, metrics));
    watched(port.queue, (queue) => watchedQueue(queue, metrics));
    watched(port.turns, watchedConversations);
    watched(port.models, (models) => watchedModels(models, spans, metrics));
    watched(port.systems, (systems) => watchedSystems(systems, spans, metrics));
    watched(port.webhookQueue, (queue) => watchedWebhookQueue(queue, metrics));
    watched(service.runWork, (runWork) => watchedRunWork(runWork, spans, metrics));
    watched(service.turn, (turn) => watchedTurn(turn, spans));
    watched(service.tools, (tools) => watchedTools(tools, spans, metrics));
    watched(service.webhookDelivery, (deliver) => watchedDelivery(deliver, spans));
  });
  return { module, metrics, requests: requestTelemetry(tracing, metrics), close: async () => tracing?.close() };
};

/** What `/metrics` looks up when it is read. */
export const showState = (metrics: Metrics, database: Database, limiter: RateLimiter): void => {
  const { pool } = database;
  metrics.observe({
    queue: queueDepth(database),
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    limitsAreShared: () => limiter.available?.() ?? false,
  });
};

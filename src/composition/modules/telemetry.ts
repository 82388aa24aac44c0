import { ContainerModule, type ServiceIdentifier } from 'inversify';
import type { Database } from '../../adapters/postgres/database.ts';
import { queueDepth } from '../../adapters/postgres/queue.ts';
import { observedConversations, observedModels, observedTools, observedTurn } from '../../adapters/telemetry/agents.ts';
import { observedConnectors, observedDelivery, observedWebhookQueue } from '../../adapters/telemetry/deliveries.ts';
import { openMetrics } from '../../adapters/telemetry/metrics.ts';
import { countedLimiter, requestTelemetry } from '../../adapters/telemetry/requests.ts';
import { observedQueue, observedRuns, observedRunWork } from '../../adapters/telemetry/runs.ts';
import { tracedIds } from '../../adapters/telemetry/scope.ts';
import { openTracing, tracer } from '../../adapters/telemetry/tracing.ts';
import type { RateLimiter } from '../../application/ports/limiter.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Config } from '../config.ts';
import { port, service } from '../tokens.ts';
import { version } from '../version.ts';

/** Whether the environment asks for traces. */
const isTraced = ({ otelDisabled, otlpEndpoint, otlpTracesEndpoint, tracesExporter }: Config) => {
  if (otelDisabled || tracesExporter === 'none') return false;
  return otlpEndpoint !== null || otlpTracesEndpoint !== null || tracesExporter !== null;
};

/** Ports and services are observed from outside: neither the core nor another adapter knows of telemetry. */
export const telemetry = async (config: Config, log: Log) => {
  const tracing = isTraced(config) ? await openTracing({ version, log }) : null;
  const metrics = openMetrics({ version });
  const trace = tracer(tracing);
  const module = new ContainerModule(({ onActivation }) => {
    const observe = <T>(token: ServiceIdentifier<T>, wrap: (given: T) => T) =>
      onActivation<T>(token, (_, given) => wrap(given));
    observe(port.ids, tracedIds);
    observe(port.limiter, (limiter) => countedLimiter(limiter, metrics));
    observe(port.runs, (runs) => observedRuns(runs, metrics));
    observe(port.queue, (queue) => observedQueue(queue, metrics));
    observe(port.turns, observedConversations);
    observe(port.models, (models) => observedModels(models, trace, metrics));
    observe(port.connectors, (connectors) => observedConnectors(connectors, trace, metrics));
    observe(port.webhookQueue, (queue) => observedWebhookQueue(queue, metrics));
    observe(service.runWork, (runWork) => observedRunWork(runWork, trace, metrics));
    observe(service.turn, (turn) => observedTurn(turn, trace));
    observe(service.tools, (tools) => observedTools(tools, trace, metrics));
    observe(service.webhookDelivery, (deliver) => observedDelivery(deliver, trace));
  });
  /** What each read of `/metrics` looks up. */
  const showState = (database: Database, limiter: RateLimiter) => {
    const { pool } = database;
    metrics.observe({
      queue: queueDepth(database),
      connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
      limitsAreShared: () => limiter.available?.() ?? false,
    });
  };
  return {
    module,
    metrics,
    requests: requestTelemetry(tracing, metrics),
    showState,
    close: async () => tracing?.close(),
  };
};

export type Watching = Awaited<ReturnType<typeof telemetry>>;

import { ContainerModule, type ServiceIdentifier } from 'inversify';
import type { Database } from '../../adapters/postgres/connection/database.ts';
import { heldBack } from '../../adapters/postgres/connection/old-snapshots.ts';
import type { Replica } from '../../adapters/postgres/connection/replica.ts';
import { budgetStates } from '../../adapters/postgres/repositories/budget-repository.ts';
import { postingDepth } from '../../adapters/postgres/repositories/posting-queue.ts';
import { retentionBehind } from '../../adapters/postgres/repositories/retention-repository.ts';
import { queueDepth } from '../../adapters/postgres/repositories/run-queue.ts';
import { sourceRepository } from '../../adapters/postgres/repositories/source-repository.ts';
import { observedConversations, observedModels, observedTools, observedTurn } from '../../adapters/telemetry/agents.ts';
import { observedConnectors, observedDelivery, observedWebhookQueue } from '../../adapters/telemetry/deliveries.ts';
import { observedBudgets, observedRetention, observedSources } from '../../adapters/telemetry/limits.ts';
import { openMetrics } from '../../adapters/telemetry/metrics.ts';
import { countedLimiter, requestTelemetry } from '../../adapters/telemetry/requests.ts';
import { observedQueue, observedRuns, observedRunWork } from '../../adapters/telemetry/runs.ts';
import { tracedIds } from '../../adapters/telemetry/scope.ts';
import { openTracing, tracer } from '../../adapters/telemetry/tracing.ts';
import type { Log } from '../../application/ports/runtime.ts';
import type { Config } from '../config.ts';
import { version } from '../version.ts';
import { ToolService, Turn } from './conversations.ts';
import { Connectors, Models, RateLimiter } from './outside.ts';
import {
  BudgetRepository,
  ConversationTurns,
  RetentionStore,
  RunQueue,
  RunRepository,
  SourceQueue,
  WebhookQueue,
} from './postgres.ts';
import { Ids } from './system.ts';
import { WebhookDelivery } from './webhooks.ts';
import { RunWork } from './worker.ts';

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
      onActivation<T>(token, (_, service) => wrap(service));
    observe(Ids, tracedIds);
    observe(RateLimiter, (limiter) => countedLimiter(limiter, metrics));
    observe(RunRepository, (runs) => observedRuns(runs, metrics));
    observe(RunQueue, (queue) => observedQueue(queue, metrics));
    observe(BudgetRepository, (budgets) => observedBudgets(budgets, metrics));
    observe(RetentionStore, (store) => observedRetention(store, metrics));
    observe(ConversationTurns, (turns) => observedConversations(turns, metrics));
    observe(SourceQueue, (queue) => observedSources(queue, metrics));
    observe(Models, (models) => observedModels(models, trace, metrics));
    observe(Connectors, (connectors) => observedConnectors(connectors, trace, metrics));
    observe(WebhookQueue, (queue) => observedWebhookQueue(queue, metrics));
    observe(RunWork, (runWork) => observedRunWork(runWork, trace, metrics));
    observe(Turn, (turn) => observedTurn(turn, trace));
    observe(ToolService, (tools) => observedTools(tools, trace, metrics));
    observe(WebhookDelivery, (deliver) => observedDelivery(deliver, trace));
  });
  /** What each read of `/metrics` looks up. */
  const showState = (
    { database, replica }: { readonly database: Database; readonly replica: Replica | null },
    limiter: { available?(): boolean },
  ) => {
    const { pool } = database;
    metrics.observe({
      queue: queueDepth(database),
      postingQueue: postingDepth(database),
      sources: sourceRepository(database).states,
      heldBack: heldBack(database),
      budgets: budgetStates(database),
      retentionBehind: retentionBehind(database),
      listReads: () => replica?.reads() ?? {},
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

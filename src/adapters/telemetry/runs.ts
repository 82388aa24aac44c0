import { SpanKind } from '@opentelemetry/api';
import type { RunQueue, Work } from '../../application/ports/queue.ts';
import type { RunRepository } from '../../application/ports/storage.ts';
import type { Slots } from '../../application/worker/run-work.ts';
import type { RunStatus } from '../../domain/run.ts';
import type { Metrics } from './metrics.ts';
import { currentScope } from './scope.ts';
import type { Task, Trace } from './tracing.ts';

type RunWork = (work: Work, slots: Slots, signal: AbortSignal) => Promise<void>;

const taskOf = ({ run, agent, lease, units }: Work): Task => ({
  name: 'run',
  kind: SpanKind.CONSUMER,
  attributes: {
    'portico.run.id': run.id,
    'portico.run.attempt': lease.attempt,
    'portico.run.units': units.length,
    'portico.run.origin': run.origin,
    'gen_ai.agent.id': agent.id,
    'gen_ai.agent.name': agent.name,
  },
  fields: { run_id: run.id, attempt: lease.attempt },
  traceId: run.traceId,
});

/** The work on a run is a span in the trace that the run names, around a span for each of its units. */
export const observedRunWork =
  (runWork: RunWork, trace: Trace, { count }: Metrics): RunWork =>
  (work, slots, signal) =>
    trace(taskOf(work), () => {
      const unit = <T>(perform: () => Promise<T>): Promise<T> => {
        const attributes = { 'portico.run.id': work.run.id };
        const fields = { run_id: work.run.id, attempt: work.lease.attempt };
        return trace({ name: 'unit', kind: SpanKind.INTERNAL, attributes, fields }, async () => {
          count.unitsInWork.inc();
          return perform().finally(() => count.unitsInWork.dec());
        });
      };
      return runWork(work, (perform) => slots(() => unit(perform)), signal);
    });

/** The unit and its conversation are known once it has begun. */
const noteUnit = (index: number, conversationId: string) => {
  const scope = currentScope();
  if (!scope) return;
  scope.fields.unit = index;
  scope.conversationId = conversationId;
  scope.span?.setAttributes({ 'portico.unit.index': index, 'gen_ai.conversation.id': conversationId });
};

/** Counts transitions of runs as they are stored: a write that is refused counts nothing. */
export const observedQueue = (queue: RunQueue, { count }: Metrics): RunQueue => ({
  ...queue,
  async lease(worker, most, leaseSeconds, turn) {
    const works = await queue.lease(worker, most, leaseSeconds, turn);
    for (const { lease } of works) {
      if (lease.attempt > 1) count.takeovers.inc();
      else count.runs.inc({ status: 'running' });
    }
    return works;
  },
  async beginUnit(lease, unit) {
    const begun = await queue.beginUnit(lease, unit);
    noteUnit(unit.index, begun.conversationId);
    return begun;
  },
  async finishUnit(lease, index, outcome, steps, partsRevision) {
    await queue.finishUnit(lease, index, outcome, steps, partsRevision);
    count.units.inc({ status: outcome.status });
  },
  async reserve(lease, conversationId, bound) {
    const reservation = await queue.reserve(lease, conversationId, bound);
    if (reservation.outcome === 'spent') count.budgetRefusals.inc();
    return reservation;
  },
  async finish(lease, end) {
    await queue.finish(lease, end);
    count.runs.inc({ status: end.event === 'complete' ? 'completed' : 'failed' });
  },
  async sweep() {
    const ended = await queue.sweep();
    count.runs.inc({ status: 'failed' }, ended);
    return ended;
  },
});

export const observedRuns = (runs: RunRepository, { count }: Metrics): RunRepository => ({
  ...runs,
  async create(run, idempotency) {
    const created = await runs.create(run, idempotency);
    if (created.outcome === 'created') count.runs.inc({ status: 'queued' });
    if (created.outcome === 'spent') count.budgetRefusals.inc();
    return created;
  },
  async update(id, change) {
    let moved: RunStatus | null = null;
    const changed = await runs.update(id, (run, now) => {
      const next = change(run, now);
      moved = next.status === run.status ? null : next.status;
      return next;
    });
    if (changed && moved !== null) count.runs.inc({ status: moved });
    return changed;
  },
});

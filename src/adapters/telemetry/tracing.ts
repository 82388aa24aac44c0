import {
  type Attributes,
  DiagLogLevel,
  diag,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { tracing as sdk } from '@opentelemetry/sdk-node';
import type { Log } from '../../application/ports/runtime.ts';
import { inTime } from '../../application/shared/async.ts';
import { codeOf } from '../../domain/errors.ts';
import type { TraceContext } from '../../domain/trace-context.ts';
import { currentScope, type Scope, within } from './scope.ts';

interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  /** The span that this one is part of; or that of a client; or the trace in which it is the first; null for a trace of its own. */
  readonly parent: Span | TraceContext | { readonly traceId: string } | null;
}

export type Tracing = Awaited<ReturnType<typeof openTracing>>;

/** Names the trace of the span that is made next: a run has its trace before a worker begins it, maybe in another process. */
const namedTraces = (random: sdk.IdGenerator) => {
  let named: string | null = null;
  return {
    generateTraceId: () => named ?? random.generateTraceId(),
    generateSpanId: () => random.generateSpanId(),
    during: <T>(traceId: string, make: () => T): T => {
      named = traceId;
      try {
        return make();
      } finally {
        named = null;
      }
    },
  };
};

const contextOf = ({ traceId, parentId, sampled }: TraceContext) =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId: parentId,
    isRemote: true,
    traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  });

const toLog = (log: Log) => {
  const warn = (message: string) => log.warn({ reason: message.slice(0, 500) }, 'traces cannot be sent as they should');
  return { error: warn, warn, info() {}, debug() {}, verbose() {} };
};

/** A stop waits no longer for a collector that does not answer. */
const FLUSH_SECONDS = 3;

/** Spans sent as the OTEL_ variables say, which the SDK reads itself. It is imported only here: most servers do without. */
export const openTracing = async ({ version, log }: { version: string; log: Log }) => {
  const { NodeSDK, resources, tracing } = await import('@opentelemetry/sdk-node');
  const ids = namedTraces(new tracing.RandomIdGenerator());
  const node = new NodeSDK({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'portico', 'service.version': version })),
    // Another detector reads the command line of the process, which may hold secrets.
    resourceDetectors: [resources.envDetector, resources.hostDetector],
    idGenerator: ids,
    textMapPropagator: null,
    metricReaders: [],
    logRecordProcessors: [],
  });
  diag.setLogger(toLog(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  node.start();
  const tracer = trace.getTracer('portico', version);

  return {
    start({ name, kind, attributes, parent }: SpanStart): Span {
      if (parent === null) return tracer.startSpan(name, { kind, attributes, root: true });
      if ('spanContext' in parent)
        return tracer.startSpan(name, { kind, attributes }, trace.setSpan(ROOT_CONTEXT, parent));
      if ('parentId' in parent) return tracer.startSpan(name, { kind, attributes }, contextOf(parent));
      return ids.during(parent.traceId, () => tracer.startSpan(name, { kind, attributes, root: true }));
    },
    /** Sends what has not been sent. */
    async close() {
      const late = () => new Error('the collector does not answer');
      await inTime(() => node.shutdown(), { seconds: FLUSH_SECONDS, late }).catch((error: Error) =>
        log.warn({ reason: error.message }, 'the last traces could not be sent'),
      );
      trace.disable();
      diag.disable();
    },
  };
};

export interface Task extends Omit<SpanStart, 'parent'> {
  /** Fields of its log lines; absent: those of the scope around it. */
  readonly fields?: Scope['fields'];
  /** The trace in which this is the first span, null for a new one; absent: part of the scope around it. */
  readonly traceId?: string | null;
}

/** Does a task in a scope and a span of its own, which ends as the task does. */
export type Trace = <T>(task: Task, work: (span: Span) => Promise<T>) => Promise<T>;

/** Records nothing. */
const noSpan = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** What went wrong, in one word of the program's own: an error's message may quote documents. */
const errorType = (error: unknown): string => codeOf(error) || (error instanceof Error ? error.name : '_OTHER');

export const markFailed = (span: Span, type: string): void => {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
};

const scopeOf = ({ fields, traceId }: Task, outer: Scope | null, span: Span | null): Scope => ({
  fields: fields ?? outer?.fields ?? {},
  traceId: span?.spanContext().traceId ?? traceId ?? outer?.traceId ?? null,
  span,
  conversationId: outer?.conversationId ?? null,
  over: false,
});

const parentOf = ({ traceId }: Task, outer: Scope | null) => {
  if (traceId === undefined) return outer?.span ?? null;
  return traceId === null ? null : { traceId };
};

export const tracer = (tracing: Tracing | null): Trace => {
  const start = (task: Task, outer: Scope | null) => {
    const { name, kind, attributes } = task;
    return tracing?.start({ name, kind, attributes, parent: parentOf(task, outer) }) ?? null;
  };
  return async (task, work) => {
    if (tracing === null && task.fields === undefined) return work(noSpan);
    const outer = task.traceId === undefined ? currentScope() : null;
    const span = start(task, outer);
    const scope = scopeOf(task, outer, span);
    try {
      return await within(scope, () => work(span ?? noSpan));
    } catch (error) {
      if (span) markFailed(span, errorType(error));
      throw error;
    } finally {
      scope.over = true;
      span?.end();
    }
  };
};

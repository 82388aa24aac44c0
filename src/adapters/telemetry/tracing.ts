import { setTimeout as sleep } from 'node:timers/promises';
import { type Attributes, DiagLogLevel, diag, ROOT_CONTEXT, type Span, type SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import type { tracing as sdk } from '@opentelemetry/sdk-node';
import type { Log } from '../../application/ports/runtime.ts';
import type { TraceContext } from '../../domain/trace-context.ts';

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  /** The span that this one is part of; or that of a client; or the trace in which it is the first; null for a trace of its own. */
  readonly parent: Span | TraceContext | { readonly traceId: string } | null;
}

export interface Tracing {
  start(span: SpanStart): Span;
  /** Sends what has not been sent. */
  close(): Promise<void>;
}

/** Names the trace of the span that is made next: a run has its trace before anyone works on it, maybe in another process. */
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
    ...{ traceId, spanId: parentId, isRemote: true },
    traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  });

const toLog = (log: Log) => {
  const warn = (message: string) => log.warn({ reason: message.slice(0, 500) }, 'traces cannot be sent as they should');
  return { error: warn, warn, info() {}, debug() {}, verbose() {} };
};

/** No stop waits longer for a collector that is away. */
const FLUSH_MS = 3_000;

/** Spans sent as the OTEL_ variables say, which the SDK reads itself. It is imported only here: most servers do without. */
export const openTracing = async ({ version, log }: { version: string; log: Log }): Promise<Tracing> => {
  const { NodeSDK, resources, tracing } = await import('@opentelemetry/sdk-node');
  const ids = namedTraces(new tracing.RandomIdGenerator());
  const node = new NodeSDK({
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'portico', 'service.version': version })),
    // The command line of the process, which another detector reads, is nobody's business.
    resourceDetectors: [resources.envDetector, resources.hostDetector],
    ...{ idGenerator: ids, textMapPropagator: null, metricReaders: [], logRecordProcessors: [] },
  });
  diag.setLogger(toLog(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  node.start();
  const tracer = trace.getTracer('portico', version);

  return {
    start({ name, kind, attributes, parent }) {
      if (parent === null) return tracer.startSpan(name, { kind, attributes, root: true });
      if ('spanContext' in parent) return tracer.startSpan(name, { kind, attributes }, trace.setSpan(ROOT_CONTEXT, parent));
      if ('parentId' in parent) return tracer.startSpan(name, { kind, attributes }, contextOf(parent));
      return ids.during(parent.traceId, () => tracer.startSpan(name, { kind, attributes, root: true }));
    },
    async close() {
      const patience = sleep(FLUSH_MS, 'late', { ref: false });
      const end = await Promise.race([node.shutdown(), patience]).catch((error: Error) => error.message);
      if (end !== undefined) log.warn({ reason: end }, 'the last traces could not be sent');
      trace.disable();
      diag.disable();
    },
  };
};

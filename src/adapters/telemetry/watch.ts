import { type Attributes, INVALID_SPAN_CONTEXT, type Span, type SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { currentScope, type Scope, within } from './scope.ts';
import type { Tracing } from './tracing.ts';

export interface Task {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  /** For the log; absent: as before. */
  readonly fields?: Scope['fields'];
  /** The trace that this is the beginning of, or goes on; absent: part of what is done here. */
  readonly traceId?: string | null;
}

export interface Watch {
  /** Does a task in a scope and a span of its own, which ends as the task does. */
  task<T>(task: Task, work: (span: Span) => Promise<T>): Promise<T>;
}

/** Takes everything and tells nobody. */
export const noSpan = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** What went wrong, in one word of the program's: what an error says may quote documents. */
export const errorType = (error: unknown): string => {
  if (!(error instanceof Error)) return '_OTHER';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};

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

export const watch = (tracing: Tracing | null): Watch => {
  const start = ({ name, kind, attributes, traceId }: Task, outer: Scope | null) => {
    const parent = traceId === undefined ? (outer?.span ?? null) : traceId === null ? null : { traceId };
    return tracing?.start({ name, kind, attributes, parent }) ?? null;
  };
  return {
    async task(task, work) {
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
    },
  };
};

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from '@opentelemetry/api';
import type { Ids } from '../../application/ports/runtime.ts';

/** What is being done here: one request, run, unit, step or delivery. */
export interface Scope {
  /** Fields of every log line while this lasts, in snake_case. */
  readonly fields: Record<string, string | number>;
  /** null until a trace is needed. */
  traceId: string | null;
  /** null if no spans are recorded. */
  readonly span: Span | null;
  /** The conversation that this is part of, once it is known. */
  conversationId: string | null;
  /** Connections and timers outlive the work that opened them: their log lines are then no part of it. */
  over: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

export const currentScope = (): Scope | null => {
  const scope = scopes.getStore();
  return scope === undefined || scope.over ? null : scope;
};

export const within = <T>(scope: Scope, work: () => T): T => scopes.run(scope, work);

/** Fields of a log line besides its own. */
export const logFields = (): object => {
  const scope = currentScope();
  if (scope === null) return {};
  return scope.traceId === null ? { ...scope.fields } : { ...scope.fields, trace_id: scope.traceId };
};

/** What begins in a scope belongs to its trace; a scope without a trace takes the new one. */
export const tracedIds = (ids: Ids): Ids => ({
  ...ids,
  traceId() {
    const scope = currentScope();
    if (!scope) return ids.traceId();
    scope.traceId ??= ids.traceId();
    return scope.traceId;
  },
});

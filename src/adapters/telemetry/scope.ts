import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from '@opentelemetry/api';

/** What is being done here: one request, run, unit, step or delivery. */
export interface Scope {
  /** What every line of the log says while this lasts, in snake_case. */
  readonly fields: Record<string, string | number>;
  /** null while nobody has asked for a trace. */
  traceId: string | null;
  /** null where no spans are recorded. */
  readonly span: Span | null;
  /** What this talks in, once that is known. */
  conversationId: string | null;
  /** Connections and timers outlive what they were opened in: their lines are no part of it any more. */
  over: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

export const currentScope = (): Scope | null => {
  const scope = scopes.getStore();
  return scope === undefined || scope.over ? null : scope;
};

export const within = <T>(scope: Scope, work: () => T): T => scopes.run(scope, work);

/** What a line of the log says besides its own fields. */
export const logFields = (): object => {
  const scope = currentScope();
  if (scope === null) return {};
  return scope.traceId === null ? { ...scope.fields } : { ...scope.fields, trace_id: scope.traceId };
};

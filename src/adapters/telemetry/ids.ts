import type { Ids } from '../../application/ports/runtime.ts';
import { currentScope } from './scope.ts';

/** What begins here belongs to the trace that is under way; where there is none yet, it names one for both. */
export const tracedIds = (ids: Ids): Ids => ({
  ...ids,
  traceId() {
    const scope = currentScope();
    if (!scope) return ids.traceId();
    scope.traceId ??= ids.traceId();
    return scope.traceId;
  },
});

import type { DocumentChanges, RunChanges } from '../../application/ports/queue.ts';
import type { DocumentStatus } from '../../domain/document.ts';
import type { RunStatus } from '../../domain/run.ts';
import type { Listener } from './listener.ts';

/** Both are sent by triggers as `<id> <status>`. */
const RUNS = 'portico_runs';
const DOCUMENTS = 'portico_documents';

export const runChanges = (listener: Listener): RunChanges => ({
  subscribe: ({ change, gap }) =>
    listener.listen(RUNS, {
      message(payload) {
        const [runId = '', status] = payload.split(' ');
        change({ runId, status: status as RunStatus });
      },
      gap,
    }),
});

export const documentChanges = (listener: Listener): DocumentChanges => ({
  subscribe: (documentId, change) =>
    listener.listen(DOCUMENTS, {
      message(payload) {
        const [id, status] = payload.split(' ');
        if (id === documentId) change(status as DocumentStatus);
      },
      gap() {},
    }),
});

import type { DocumentChanges, RunChanges } from '../../../application/ports/queue.ts';
import type { Log } from '../../../application/ports/runtime.ts';
import type { DocumentStatus } from '../../../domain/document.ts';
import type { RunStatus } from '../../../domain/run.ts';
import type { Database } from '../connection/database.ts';
import type { Listener } from '../connection/listener.ts';
import * as sql from '../statements/document-statements.ts';

/** Triggers send `<run> <status> <workspace>`. */
const RUNS = 'portico_runs';
/** Triggers send `<document> <status> <run> <workspace>`. */
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

/** After a gap it looks the status up, so that a document that was trashed meanwhile is not missed. */
export const documentChanges = (listener: Listener, { read }: Pick<Database, 'read'>, log: Log): DocumentChanges => ({
  subscribe(documentId, change) {
    let wanted = true;
    const lookUp = async () => {
      const [row] = await read<{ status: DocumentStatus }>(sql.currentStatus, [documentId]);
      if (row && wanted) change(row.status);
    };
    const stop = listener.listen(DOCUMENTS, {
      message(payload) {
        const [id, status] = payload.split(' ');
        if (id === documentId) change(status as DocumentStatus);
      },
      gap: () =>
        void lookUp().catch((err) =>
          log.warn({ document_id: documentId, err }, 'the status of a document could not be looked up'),
        ),
    });
    return () => {
      wanted = false;
      stop();
    };
  },
});

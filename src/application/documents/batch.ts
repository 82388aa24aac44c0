import type { Caller } from '../../domain/caller.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Log } from '../ports/runtime.ts';
import type { DocumentHead } from '../ports/storage.ts';
import { concurrently } from '../shared/async.ts';
import type { DocumentService } from './documents.ts';

/** A system of record takes rows faster by several connections, and others need it too. */
const AT_ONCE = 4;

export type BatchAction = 'approve' | 'reject' | 'process' | 'trash';

export interface BatchRequest {
  readonly action: BatchAction;
  /** Each with the revision that the client read. */
  readonly items: readonly { readonly id: string; readonly revision: number }[];
  readonly note: string | null;
}

/** What came of one document: as it is now, or why nothing was done. */
export interface BatchResult {
  readonly id: string;
  readonly document: DocumentHead | null;
  /** Not a DomainError: a defect or an outage, which the log has. */
  readonly error: unknown;
}

type Service = Pick<DocumentService, 'decide' | 'process' | 'remove'>;

/** Does the same to many documents, each on its own: what refuses one keeps no other back. The results are in the order of the items. */
export const documentBatches =
  (documents: Service, log: Log) =>
  (caller: Caller, { action, items, note }: BatchRequest): Promise<readonly BatchResult[]> => {
    const does = (id: string, revision: number): Promise<DocumentHead> => {
      const isCurrent = (document: Pick<DocumentHead, 'revision'>) => document.revision === revision;
      if (action === 'process') return documents.process(caller, id, isCurrent);
      if (action === 'trash') return documents.remove(caller, id, isCurrent);
      return documents.decide(caller, id, { event: action, note }, isCurrent);
    };
    return concurrently(items, AT_ONCE, async ({ id, revision }) => {
      try {
        return { id, document: await does(id, revision), error: null };
      } catch (error) {
        if (!(error instanceof DomainError))
          log.error({ document_id: id, err: error }, 'a part of a batch failed unexpectedly');
        return { id, document: null, error };
      }
    });
  };

export type DocumentBatches = ReturnType<typeof documentBatches>;

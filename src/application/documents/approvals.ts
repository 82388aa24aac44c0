import type { Door } from '../../domain/access.ts';
import type { Caller } from '../../domain/caller.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Approver, isAsStrict } from '../../domain/review.ts';
import type { DocumentRepository } from '../ports/storage.ts';
import type { Presence } from '../shared/presence.ts';

interface Dependencies {
  readonly documents: Pick<DocumentRepository, 'isWorkOf'>;
  readonly isPresent: Presence;
  readonly links: { document(id: string): string };
  readonly settings: { readonly personHours: number };
}

/** A call over a tool endpoint is its caller's own, but made by a model. */
const isModel = (door: Door) => door === 'mcp' || door === 'model';

/** Who may approve a document. */
export const approvals = ({ documents, isPresent, links, settings: { personHours } }: Dependencies) => {
  const strictest = async (caller: Caller, documentId: string): Promise<Approver> => {
    if (isModel(caller.door)) return 'anyone';
    if (!isPresent(caller)) return 'client';
    return (await documents.isWorkOf(documentId, caller.userId)) ? 'person' : 'other_person';
  };

  const refusal = ({ door }: Caller, documentId: string, kept: Approver): DomainError => {
    if (kept === 'person') {
      const reason =
        'You started the run of this document, or changed it since it was approved last: another person has to approve it.';
      return new DomainError('forbidden', reason, { code: 'own_work' });
    }
    const late = `A person approves it who has signed in within the last ${personHours} hours: sign in again.`;
    const elsewhere = `${isModel(door) ? 'A model may reject a document, not approve it.' : 'A program may not approve it.'} A person approves it in the console: ${links.document(documentId)}`;
    return new DomainError('forbidden', door === 'console' ? late : elsewhere, { code: 'person_required' });
  };

  /** The strictest rule that an approval of the document by the caller keeps; refused if that is not the one that is asked for. */
  return async (caller: Caller, documentId: string, required: Approver): Promise<Approver> => {
    const kept = await strictest(caller, documentId);
    if (!isAsStrict(kept, required)) throw refusal(caller, documentId, kept);
    return kept;
  };
};

export type Approvals = ReturnType<typeof approvals>;

import type { Door } from '../../domain/access.ts';
import type { Caller } from '../../domain/caller.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Approver, isAsStrict } from '../../domain/review.ts';
import type { Clock } from '../ports/runtime.ts';
import type { DocumentRepository } from '../ports/storage.ts';

interface Dependencies {
  readonly documents: Pick<DocumentRepository, 'isWorkOf'>;
  readonly clock: Clock;
  readonly links: { document(id: string): string };
  readonly settings: { readonly personHours: number };
}

const HOUR_MS = 3_600_000;

/** A call over a tool endpoint is its caller's own, but made by a model. */
const isModel = (door: Door) => door === 'mcp' || door === 'model';

/** Who may approve a document. */
export const approvals = ({ documents, clock, links, settings: { personHours } }: Dependencies) => {
  const isPresent = ({ door, signedInAt }: Caller) =>
    door === 'console' && signedInAt !== null && clock.now().getTime() - signedInAt.getTime() <= personHours * HOUR_MS;

  const strictest = async (caller: Caller, documentId: string): Promise<Approver> => {
    if (isModel(caller.door)) return 'anyone';
    if (!isPresent(caller)) return 'client';
    return (await documents.isWorkOf(documentId, caller.userId)) ? 'person' : 'other_person';
  };

  const refusal = ({ door }: Caller, documentId: string, kept: Approver): DomainError => {
    if (kept === 'person') {
      const own =
        'You started the run of this document, or changed it since it was approved last: another person has to approve it.';
      return new DomainError('forbidden', own, { code: 'own_work' });
    }
    const late = `A person approves it who has signed in within the last ${personHours} hours: sign in again.`;
    const elsewhere = `${isModel(door) ? 'A model may reject a document, not approve it.' : 'A program may not approve it.'} A person approves it in the console: ${links.document(documentId)}`;
    return new DomainError('forbidden', door === 'console' ? late : elsewhere, { code: 'person_required' });
  };

  /** The strictest rule that an approval of the document by the caller keeps; refused if that is not the one that is asked for. */
  return async (caller: Caller, documentId: string, asked: Approver): Promise<Approver> => {
    const kept = await strictest(caller, documentId);
    if (!isAsStrict(kept, asked)) throw refusal(caller, documentId, kept);
    return kept;
  };
};

export type Approvals = ReturnType<typeof approvals>;

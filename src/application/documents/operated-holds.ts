import { operator } from '../../domain/audit.ts';
import { withHold, withoutHold } from '../../domain/hold.ts';
import type { HoldRepository } from '../ports/holds.ts';
import type { DocumentHead } from '../ports/storage.ts';
import type { VisibleDocuments } from './visible-documents.ts';

interface Dependencies {
  readonly holds: HoldRepository;
  readonly visible: Pick<VisibleDocuments, 'update'>;
}

const by = { id: '', name: 'the operator', email: '' };

/** Holds for the operator, who sees every document. */
export const operatedHolds = ({ holds, visible }: Dependencies) => ({
  list: (limit: number) => holds.list(limit),

  set: (id: string, reason: string) => {
    const holding = (current: DocumentHead, now: Date) => withHold(current, { reason, by }, now);
    return visible.update(id, holding, undefined, { ...operator, action: 'document.held' });
  },

  release: (id: string) => visible.update(id, withoutHold, undefined, { ...operator, action: 'document.released' }),
});

export type OperatedHolds = ReturnType<typeof operatedHolds>;

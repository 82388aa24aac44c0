import { DomainError, notFound } from '../../domain/errors.ts';
import type { DocumentHead } from '../ports/storage.ts';

/** Whether the document is as the client read it. */
export type IsCurrent = (document: DocumentHead) => boolean;

/** Of requests that name no revision. */
export const anyRevision: IsCurrent = () => true;

/** Refuses what is about another revision than the client read; null: the client does not say which. */
export const mustBeCurrent = (document: DocumentHead, isCurrent: IsCurrent | null) => {
  if (document.status === 'trashed') throw notFound('document');
  if (isCurrent === null) {
    throw new DomainError(
      'precondition_required',
      'The request does not say which revision of the document it is about: send If-Match.',
    );
  }
  if (isCurrent(document)) return;
  const detail = 'The document is not as it was when it was read: read it again.';
  throw new DomainError('precondition_failed', detail, { extra: { revision: document.revision } });
};

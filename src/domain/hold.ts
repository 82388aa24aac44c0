import { DomainError, notFound } from './errors.ts';
import type { Reviewer } from './review.ts';

/** Why nothing of a document is deleted, who said so, and when; all null where it may be. */
export interface Hold {
  readonly holdReason: string | null;
  readonly heldBy: Reviewer | null;
  readonly heldAt: Date | null;
}

export const notHeld: Hold = { holdReason: null, heldBy: null, heldAt: null };

const isHeld = ({ heldAt }: Hold): boolean => heldAt !== null;

/** What is refused while documents are held. `of`: what is to be deleted, as the beginning of a sentence. */
export const held = (of: string) =>
  new DomainError('conflict', `${of} is held: an administrator has to lift the hold first.`, { code: 'held' });

/** Refuses what would delete something of the document. */
export const mustNotBeHeld = (document: Hold) => {
  if (isHeld(document)) throw held('The document');
};

interface Holdable extends Hold {
  readonly status: string;
  readonly updatedAt: Date;
}

interface NewHold {
  readonly reason: string;
  readonly by: Reviewer;
}

/** Keeps a document from being deleted by anybody, in place of an earlier hold. */
export const withHold = <D extends Holdable>(document: D, { reason, by }: NewHold, now: Date): D => {
  if (document.status === 'trashed') throw notFound('document');
  return { ...document, holdReason: reason, heldBy: by, heldAt: now, updatedAt: now };
};

/** Nothing happens without a hold. */
export const withoutHold = <D extends Holdable>(document: D, now: Date): D =>
  isHeld(document) ? { ...document, ...notHeld, updatedAt: now } : document;

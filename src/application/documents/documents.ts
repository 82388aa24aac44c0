import { type AuditAction, actOf, operator } from '../../domain/audit.ts';
import { type Caller, mustBeAdmin, mustWrite } from '../../domain/caller.ts';
import { correct, type Decision, decide, mustRest, reopen, restore, trash } from '../../domain/document.ts';
import { mustExist } from '../../domain/errors.ts';
import { withHold, withoutHold } from '../../domain/hold.ts';
import { stricterPolicy } from '../../domain/review.ts';
import type { JsonPatches } from '../ports/json-patch.ts';
import type { UserRepository } from '../ports/people.ts';
import type { SchemaValidator } from '../ports/runtime.ts';
import type { CursorPage, DocumentHead, DocumentRepository } from '../ports/storage.ts';
import { inSlices } from '../shared/async.ts';
import type { Approvals } from './approvals.ts';
import { type CorrectionRequest, patchedData, prepareCorrection } from './correction.ts';
import { anyRevision, type IsCurrent, mustBeCurrent } from './current.ts';
import { documentListing, type ListingServices } from './document-listing.ts';
import type { DocumentFindings } from './findings.ts';
import type { DocumentPosting } from './posting.ts';
import type { VisibleDocuments } from './visible-documents.ts';

interface Dependencies extends ListingServices {
  readonly visible: VisibleDocuments;
  readonly users: Pick<UserRepository, 'find'>;
  readonly findings: Pick<DocumentFindings, 'ofChanged'>;
  readonly approvals: Approvals;
  readonly posting: Pick<DocumentPosting, 'process' | 'rehearse'>;
  readonly patches: JsonPatches;
  readonly schemas: SchemaValidator;
}

type Change = Parameters<DocumentRepository['update']>[1];

/** The change of a document that is still as the client read it. */
const ifCurrent =
  (isCurrent: IsCurrent | null, change: Change): Change =>
  (current, now) => {
    mustBeCurrent(current, isCurrent);
    return change(current, now);
  };

export const documentService = (dependencies: Dependencies) => {
  const { visible, documents, agents, users, findings, approvals, posting } = dependencies;
  const { get, getHead, print: printOne, update, definitionOf } = visible;
  const change = (caller: Caller, id: string, action: AuditAction, to: Change) =>
    update(id, to, undefined, actOf(caller, { action }));

  const personOf = async ({ userId }: Caller) => {
    const { id, name, email } = mustExist(await users.find(userId), 'user');
    return { id, name, email };
  };

  /** Who may approve the document, by the stricter rule of its version and the live one. */
  const approverOf = async (caller: Caller, document: DocumentHead) => {
    const [{ review }, live] = await Promise.all([definitionOf(caller, document), agents.find(document.agentId)]);
    return stricterPolicy(review, live?.review ?? review).by;
  };

  return {
    get,
    getHead,
    printOne,
    process: posting.process,
    rehearse: posting.rehearse,
    ...documentListing(dependencies),

    /**
     * Makes the next revision of the data by a JSON Patch; a patch that changes nothing makes none. Like `decide` it is refused unless the
     * document is still as the client read it; null: the client does not say how that was.
     */
    async correct(caller: Caller, id: string, request: CorrectionRequest, isCurrent: IsCurrent | null) {
      mustWrite(caller);
      mustBeCurrent(await getHead(caller, id), isCurrent);
      const before = await get(caller, id);
      mustBeCurrent(before, isCurrent);
      mustRest(before);
      const definition = await definitionOf(caller, before);
      const patched = await patchedData(before, request.patch, definition.documentSchema ?? {}, caller, dependencies);
      const {
        data,
        conclude,
        changes: revised,
      } = await inSlices(prepareCorrection(before, patched, request.evidence, definition));
      if (revised.length === 0) return before;
      const changed = await findings.ofChanged(definition, { documentId: id, sharer: caller }, data);
      const correction = await inSlices(conclude(changed));
      const revise = ifCurrent(isCurrent, (current, now) => correct(current, correction, now));
      const revising = { userId: caller.userId, via: caller.door, changes: revised };
      return update(id, revise, revising, actOf(caller, { action: 'document.changed' }));
    },

    /** Approves or rejects the revision that the document has. */
    async decide(
      caller: Caller,
      id: string,
      { event, note }: Pick<Decision, 'event' | 'note'>,
      isCurrent: IsCurrent | null,
    ) {
      mustWrite(caller);
      const document = await getHead(caller, id);
      mustBeCurrent(document, isCurrent);
      const approvedAs = event === 'approve' ? await approvals(caller, id, await approverOf(caller, document)) : null;
      const decision = { event, approvedAs, reviewer: await personOf(caller), note, via: caller.door };
      const action = event === 'approve' ? 'document.approved' : 'document.rejected';
      return change(
        caller,
        id,
        action,
        ifCurrent(isCurrent, (current, now) => decide(current, decision, now)),
      );
    },

    /** Opens a review again that was decided. Every user who may reject may do this, because the document is not posted until the next approval. */
    async reopen(caller: Caller, id: string, isCurrent: IsCurrent | null) {
      mustWrite(caller);
      mustBeCurrent(await getHead(caller, id), isCurrent);
      return change(caller, id, 'document.reopened', ifCurrent(isCurrent, reopen));
    },

    /** Keeps the document from being deleted by anybody, in place of an earlier hold. */
    async hold(caller: Caller, id: string, reason: string) {
      mustBeAdmin(caller);
      await getHead(caller, id);
      const by = await personOf(caller);
      return change(caller, id, 'document.held', (current, now) => withHold(current, { reason, by }, now));
    },

    /** Lifts the hold; nothing happens without one. */
    async release(caller: Caller, id: string) {
      mustBeAdmin(caller);
      await getHead(caller, id);
      return change(caller, id, 'document.released', withoutHold);
    },

    async revisions(caller: Caller, id: string, page: CursorPage<number>) {
      await getHead(caller, id);
      return documents.revisions(id, page);
    },

    /** Stops what is under way and moves the document to trash; twice is once. */
    async remove(caller: Caller, id: string, isCurrent: IsCurrent = anyRevision) {
      mustWrite(caller);
      await visible.findHead(caller, id);
      return change(caller, id, 'document.trashed', (current, now) => {
        if (current.status !== 'trashed') mustBeCurrent(current, isCurrent);
        return trash(current, now);
      });
    },

    /** Brings a trashed document back. */
    async restore(caller: Caller, id: string) {
      mustWrite(caller);
      await visible.findHead(caller, id);
      return change(caller, id, 'document.restored', restore);
    },

    /** The same for the operator, who sees every document. */
    restoreAny: (id: string) => update(id, restore, undefined, { ...operator, action: 'document.restored' }),
  };
};

export type DocumentService = ReturnType<typeof documentService>;

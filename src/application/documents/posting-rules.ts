import type { AgentDefinition } from '../../domain/agent.ts';
import { documentMachine, requireReview } from '../../domain/document.ts';
import { busy, DomainError, mustExist } from '../../domain/errors.ts';
import { isSameJson, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { duplicateReasons, isAsStrict, type ReviewReason, reasonsFor, stricterPolicy } from '../../domain/review.ts';
import type { Sharer } from '../../domain/sharer.ts';
import type { KeyBackfills } from '../ports/key-backfills.ts';
import type { DocumentHead, DocumentRepository, FoundDuplicate, ShownDocument } from '../ports/storage.ts';
import { inSlices } from '../shared/async.ts';
import { confirmedBy, type DocumentFindings } from './findings.ts';

type Rules = Pick<
  AgentDefinition,
  'review' | 'checks' | 'duplicateKey' | 'requiredValues' | 'systemOfRecord' | 'documentSchema'
>;

interface Dependencies {
  readonly documents: Pick<DocumentRepository, 'update' | 'duplicatesOf' | 'hasFiles'>;
  readonly findings: Pick<DocumentFindings, 'keyOf' | 'checksOf' | 'missingOf'>;
  readonly keyBackfills: Pick<KeyBackfills, 'isUnderWay'>;
}

/** Refuses where what was found of the document may not be so of it any more. */
export const mustBeAsFound = (current: DocumentHead, { revision, reviewStatus }: DocumentHead): void => {
  if (current.revision === revision && current.reviewStatus === reviewStatus) return;
  throw new DomainError('conflict', 'The document has changed while it was looked at: try again.', {
    code: 'document_busy',
  });
};

/** A delivery that may have written its row goes on to its end: nothing can be decided of the document before that. */
const canBeHeld = ({ status, attemptedRevision, reviewStatus }: DocumentHead) =>
  documentMachine.allows(status, 'process') &&
  attemptedRevision === null &&
  ['not_required', 'approved'].includes(reviewStatus);

/** One that waits for a decision, or was rejected, is not processed itself. */
const free = (duplicates: readonly FoundDuplicate[]) => duplicates.filter(({ isHeld }) => !isHeld);

const has = <T extends object>(all: readonly T[], wanted: T): boolean =>
  all.some((each) => isSameJson(each as unknown as JsonValue, wanted as unknown as JsonValue));

const without = <T extends object>(all: readonly T[], known: readonly T[]): readonly T[] =>
  all.filter((each) => !has(known, each));

/** What a document has to pass before it is posted: the rules of its version, and those of the live one. */
export const postingRules = ({ documents, findings, keyBackfills }: Dependencies) => {
  /** The copies by its own key, once all that was posted has the live one: before that, a copy of it would be posted. */
  const ownCopies = async (document: ShownDocument, { duplicateKey }: Rules) => {
    if (duplicateKey.length > 0 && (await keyBackfills.isUnderWay(document.agentId)))
      throw busy('The documents that this agent has posted are still compared by its new `duplicate_key`');
    // Those of the document are as they were when it was read, and the newest alone, which may all be held.
    return free(await documents.duplicatesOf(document.id, document.duplicateKey));
  };

  /** From then on it is found by the key of the live version, too: the answer, null if it has none beside its own. */
  const claim = async (document: ShownDocument, live: Rules, data: JsonObject): Promise<string | null> => {
    const laterKey = await findings.keyOf(live, data);
    if (laterKey === null || laterKey === document.duplicateKey) return null;
    await documents.update(document.id, (current) =>
      current.revision === document.revision ? { ...current, laterKey } : current,
    );
    return laterKey;
  };

  const ofBoth = async (
    sharer: Sharer,
    document: ShownDocument,
    own: Rules,
    live: Rules,
  ): Promise<readonly ReviewReason[]> => {
    const policy = stricterPolicy(own.review, live.review);
    const data = document.documentData as JsonObject;
    // Also where no review is asked for: one may be later, when this document is posted and only its copies are looked at.
    const laterKey = await claim(document, live, data);
    if (policy.when === 'never') return [];
    const before = await ownCopies(document, live);
    const all = [...own.checks, ...without(live.checks, own.checks)];
    const checked = await findings.checksOf({ checks: all }, { documentId: document.id, sharer }, data);
    const checks = checked.map(({ result }) => result);
    const checkedBy = (rules: Rules) =>
      all.flatMap((check, index) => (has(rules.checks, check) ? checked.slice(index, index + 1) : []));
    const missingOf = (rules: Rules) => findings.missingOf(rules, data, checkedBy(rules));
    const missing = missingOf(own);
    const hasFiles = await documents.hasFiles(document.id);
    const later = free(laterKey === null ? [] : await documents.duplicatesOf(document.id, laterKey));
    const facts = { ...document, data, hasFiles, schema: own.documentSchema, confirmed: confirmedBy(data, checked) };
    const ownFindings = { ...facts, checks: checks.slice(0, own.checks.length), missing, duplicates: before };
    const allFindings = {
      ...facts,
      checks,
      missing: [...new Set([...missing, ...missingOf(live)])],
      duplicates: [...before, ...without(later, before)],
    };
    const known = await inSlices(reasonsFor(policy.when, ownFindings));
    const reasons = await inSlices(reasonsFor(policy.when, allFindings));
    if (document.reviewStatus === 'not_required' || !isAsStrict(document.approvedAs ?? 'anyone', policy.by))
      return reasons;
    const unseen = without(without(reasons, known), document.reviewReasons);
    return unseen.length === 0 ? [] : [...document.reviewReasons, ...unseen];
  };

  /** A copy may have come since the document became ready, or at the same moment: one of the two waits for a decision. */
  const copiesOf = async (document: ShownDocument, rules: Rules): Promise<readonly ReviewReason[]> => {
    if (document.reviewStatus !== 'not_required' || rules.review.when === 'never') return [];
    return duplicateReasons(await ownCopies(document, rules));
  };

  /** The document as it is once it waits for a decision if it has to. `own` is its version, `live` the same one where that is live. */
  return async (sharer: Sharer, document: ShownDocument, own: Rules, live: Rules): Promise<DocumentHead> => {
    if (document.documentData === null || !canBeHeld(document)) return document;
    const reasons = own === live ? await copiesOf(document, own) : await ofBoth(sharer, document, own, live);
    if (reasons.length === 0) return document;
    const hold = (current: DocumentHead, now: Date) => {
      mustBeAsFound(current, document);
      return requireReview(current, reasons, now);
    };
    return mustExist(await documents.update(document.id, hold), 'document');
  };
};

export type PostingRules = ReturnType<typeof postingRules>;

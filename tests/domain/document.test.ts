import { expect } from 'chai';
import {
  beginDelivery,
  correct,
  type DeliveryOutcome,
  type Document,
  type DocumentStatus,
  decide,
  endDelivery,
  heldFor,
  reopen,
  requireReview,
  restore,
  trash,
} from '../../src/domain/document.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { noReview } from '../../src/domain/review.ts';
import { unreviewed } from '../support/builders.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 20, 9, 30, seconds));

const aDocument = (over: Partial<Document> = {}): Document => ({
  id: 'd1',
  workspaceId: 'w1',
  runId: 'r1',
  agentId: 'a1',
  conversationId: 'c1',
  name: 'invoice.pdf',
  status: 'ready',
  documentData: { total: 12 },
  evidence: {},
  coverage: null,
  ...unreviewed,
  error: null,
  externalReference: null,
  fence: 4,
  leaseExpiresAt: null,
  trashedFrom: null,
  createdAt: at(0),
  updatedAt: at(0),
  processedAt: null,
  ...over,
});

const refused = (work: () => unknown): DomainError => {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError) return error;
  }
  throw new Error('it was not refused');
};

describe('beginning a delivery', () => {
  it('takes the document, with a new fence, until the lease runs out', () => {
    const taken = beginDelivery(aDocument(), at(1), at(31));
    expect(taken).to.include({ status: 'processing', fence: 5, error: null });
    expect(taken.leaseExpiresAt).to.deep.equal(at(31));
    expect(taken.updatedAt).to.deep.equal(at(1));
  });

  it('takes one that was rejected before, and forgets the reason', () => {
    expect(beginDelivery(aDocument({ status: 'error', error: 'no such supplier' }), at(1), at(31))).to.include({
      status: 'processing',
      error: null,
    });
  });

  it('finds a document busy that is extracted or delivered', () => {
    expect(
      refused(() => beginDelivery(aDocument({ status: 'extracting', documentData: null }), at(1), at(31))),
    ).to.include({
      code: 'document_busy',
    });
    const held = aDocument({ status: 'processing', leaseExpiresAt: at(2) });
    expect(refused(() => beginDelivery(held, at(1), at(31)))).to.include({ kind: 'conflict', code: 'document_busy' });
  });

  it('takes over a delivery the moment its lease is over', () => {
    const held = aDocument({ status: 'processing', leaseExpiresAt: at(2) });
    expect(beginDelivery(held, at(2), at(32))).to.include({ status: 'processing', fence: 5 });
  });

  it('refuses a document without data and a processed one, and knows nothing of a trashed one', () => {
    expect(
      refused(() => beginDelivery(aDocument({ status: 'error', documentData: null, revision: 0 }), at(1), at(31))),
    ).to.include({
      code: 'document_without_data',
    });
    expect(refused(() => beginDelivery(aDocument({ status: 'processed' }), at(1), at(31)))).to.include({
      kind: 'conflict',
    });
    expect(refused(() => beginDelivery(aDocument({ status: 'trashed' }), at(1), at(31)))).to.include({
      kind: 'not_found',
    });
  });
});

describe('ending a delivery', () => {
  const taken = aDocument({ status: 'processing', fence: 5, leaseExpiresAt: at(31) });

  it('that was accepted keeps the reference and the time', () => {
    const ended = endDelivery(taken, 5, { event: 'accept', reference: 'invoices/7' }, at(2));
    expect(ended).to.include({
      status: 'processed',
      externalReference: 'invoices/7',
      error: null,
      leaseExpiresAt: null,
    });
    expect(ended.processedAt).to.deep.equal(at(2));
  });

  it('that was rejected keeps the reason', () => {
    const ended = endDelivery(taken, 5, { event: 'reject', reason: 'no such supplier' }, at(2));
    expect(ended).to.include({
      status: 'error',
      error: 'no such supplier',
      externalReference: null,
      leaseExpiresAt: null,
      processedAt: null,
    });
  });

  it('that never reached the other side leaves the document ready again', () => {
    expect(endDelivery(taken, 5, { event: 'postpone', isUncertain: true, failure: null }, at(2))).to.include({
      status: 'ready',
      error: null,
      leaseExpiresAt: null,
    });
  });

  it('changes nothing by one that was deposed, or whose document was trashed meanwhile', () => {
    const accepted = { event: 'accept', reference: 'invoices/7' } as const;
    expect(endDelivery(taken, 4, accepted, at(2))).to.equal(taken);
    const gone = trash(taken, at(1));
    expect(endDelivery(gone, 5, accepted, at(2))).to.equal(gone);
    expect(endDelivery(aDocument({ fence: 5 }), 5, accepted, at(2)).status).to.equal('ready');
  });
});

describe('a delivery and the review', () => {
  it('does not begin before a revision is approved', () => {
    expect(refused(() => beginDelivery(aDocument({ reviewStatus: 'pending' }), at(1), at(31)))).to.include({
      code: 'review_required',
    });
    expect(refused(() => beginDelivery(aDocument({ reviewStatus: 'rejected' }), at(1), at(31)))).to.include({
      code: 'review_rejected',
    });
    expect(beginDelivery(aDocument({ reviewStatus: 'approved', revision: 3 }), at(1), at(31))).to.include({
      attemptedRevision: 3,
    });
  });

  it('leaves behind which revision it may have written, unless its end is known', () => {
    const taken = beginDelivery(aDocument({ revision: 3 }), at(1), at(31));
    const ended = (outcome: DeliveryOutcome) => endDelivery(taken, 5, outcome, at(2)).attemptedRevision;
    expect(ended({ event: 'accept', reference: '1' })).to.equal(null);
    expect(ended({ event: 'reject', reason: 'No.' })).to.equal(null);
    expect(ended({ event: 'postpone', isUncertain: false, failure: null })).to.equal(null);
    expect(ended({ event: 'postpone', isUncertain: true, failure: null })).to.equal(3);
    expect(restore(trash(taken, at(2)), at(3))).to.include({ status: 'ready', attemptedRevision: 3 });
  });
});

describe('a correction and a decision', () => {
  const correction = {
    data: { total: 13 },
    evidence: {},
    contradictions: [],
    checks: [],
    duplicateKey: null,
    reasons: [],
  };
  const ada = { id: 'u1', name: 'Ada', email: 'ada@example.com' };
  const acts: Readonly<Record<string, (document: Document) => Document>> = {
    'a correction': (document) => correct(document, correction, at(1)),
    'a decision': (document) =>
      decide(document, { event: 'approve', approvedAs: 'client', reviewer: ada, note: null, via: 'console' }, at(1)),
  };

  for (const [name, act] of Object.entries(acts)) {
    it(`are refused under a delivery, after one, and while its end is not known: ${name}`, () => {
      for (const [over, code] of [
        [{ status: 'extracting' }, 'document_busy'],
        [{ status: 'processing', leaseExpiresAt: at(0) }, 'document_busy'],
        [{ status: 'processed' }, 'document_processed'],
        [{ status: 'trashed' }, 'not_found'],
        [{ attemptedRevision: 1 }, 'document_busy'],
      ] as const) {
        expect(
          refused(() => act(aDocument(over))),
          JSON.stringify(over),
        ).to.include({ code });
      }
      expect(act(aDocument({ status: 'ready' })).status).to.equal('ready');
      const isCorrected = name === 'a correction';
      expect(act(aDocument({ status: 'error' })).status).to.equal(isCorrected ? 'ready' : 'error');
    });
  }

  it('make the next revision, and take the decision of the one before back', () => {
    const approved = decide(
      aDocument(),
      { event: 'approve', approvedAs: 'client', reviewer: ada, note: 'So.', via: 'console' },
      at(1),
    );
    expect(approved).to.deep.include({
      reviewStatus: 'approved',
      reviewer: ada,
      reviewNote: 'So.',
      decidedAt: at(1),
      decidedVia: 'console',
      revision: 1,
    });
    const corrected = correct(approved, correction, at(2));
    expect(corrected).to.deep.include({
      documentData: { total: 13 },
      revision: 2,
      reviewStatus: 'pending',
      reviewer: null,
      reviewNote: null,
    });
    expect([corrected.decidedAt, corrected.decidedVia]).to.deep.equal([null, null]);
    expect(correct(aDocument(), correction, at(2)).reviewStatus).to.equal('not_required');
  });

  it('are one for each revision', () => {
    const rejected = decide(
      aDocument(),
      { event: 'reject', approvedAs: null, reviewer: ada, note: null, via: 'console' },
      at(1),
    );
    expect(
      refused(() =>
        decide(rejected, { event: 'approve', approvedAs: 'client', reviewer: ada, note: null, via: 'console' }, at(2)),
      ),
    ).to.include({
      code: 'conflict',
    });
    const again = decide(
      correct(rejected, correction, at(2)),
      { event: 'approve', approvedAs: 'client', reviewer: ada, note: null, via: 'console' },
      at(3),
    );
    expect(again).to.include({ reviewStatus: 'approved', revision: 2 });
  });

  it('decide on nothing that has no data', () => {
    const empty = aDocument({ status: 'error', documentData: null, revision: 0 });
    expect(refused(() => acts['a decision']?.(empty))).to.include({ code: 'document_without_data' });
    expect(correct(empty, correction, at(1))).to.include({ revision: 1, status: 'ready', error: null });
  });
});

describe('a decision that is taken back', () => {
  const approved = aDocument({
    reviewStatus: 'approved',
    reviewReasons: [{ code: 'always', pointer: null, message: 'So.' }],
    reviewer: { id: 'u1', name: 'Ada', email: 'ada@example.com' },
    reviewNote: 'So.',
    approvedAs: 'client',
    decidedAt: at(1),
    decidedVia: 'console',
  });

  it('leaves the review as it was before', () => {
    expect(reopen(approved, at(2))).to.deep.equal({
      ...approved,
      ...noReview,
      reviewStatus: 'pending',
      reviewReasons: approved.reviewReasons,
      approvedAs: null,
      reopened: true,
      updatedAt: at(2),
    });
  });

  it('is one that was made, of a document that is not posted', () => {
    for (const reviewStatus of ['not_required', 'pending'] as const)
      expect(refused(() => reopen(aDocument({ reviewStatus }), at(2)))).to.include({ code: 'conflict' });
    for (const [over, code] of [
      [{ status: 'processing' }, 'document_busy'],
      [{ status: 'processed' }, 'document_processed'],
      [{ status: 'trashed' }, 'not_found'],
      [{ attemptedRevision: 1 }, 'document_busy'],
    ] as const)
      expect(
        refused(() => reopen({ ...approved, ...over }, at(2))),
        code,
      ).to.include({ code });
  });

  it('can be one of a person in the console, for whom the document is held', () => {
    expect([heldFor(approved, at(1)), heldFor(approved, at(10)), heldFor(approved, at(12))]).to.deep.equal([
      10_000, 1000, 0,
    ]);
    for (const over of [{ decidedVia: 'api_key' }, { reviewStatus: 'rejected' }] as const)
      expect(heldFor({ ...approved, ...over }, at(1))).to.equal(0);
  });
});

describe('the trash', () => {
  it('takes a document in any state, and deposes who works on it', () => {
    for (const status of ['extracting', 'ready', 'processing', 'processed', 'error'] as const) {
      const gone = trash(aDocument({ status, leaseExpiresAt: at(9) }), at(1));
      expect(gone, status).to.include({ status: 'trashed', trashedFrom: status, fence: 5, leaseExpiresAt: null });
    }
  });

  it('is the same twice', () => {
    const gone = trash(aDocument(), at(1));
    expect(trash(gone, at(2))).to.equal(gone);
  });

  it('gives a document back where it rested', () => {
    const rests: readonly (readonly [DocumentStatus, DocumentStatus])[] = [
      ['ready', 'ready'],
      ['processed', 'processed'],
      ['error', 'error'],
      ['processing', 'ready'],
      ['extracting', 'error'],
    ];
    for (const [before, after] of rests) {
      const back = restore(trash(aDocument({ status: before }), at(1)), at(2));
      expect(back, before).to.include({ status: after, trashedFrom: null });
      expect(back.updatedAt).to.deep.equal(at(2));
    }
  });

  it('says of one trashed before it was extracted that it has nothing', () => {
    expect(restore(trash(aDocument({ status: 'extracting', documentData: null }), at(1)), at(2)).error).to.match(
      /before it was extracted/,
    );
  });

  it('gives back only what is in it', () => {
    expect(refused(() => restore(aDocument(), at(1)))).to.include({ kind: 'conflict' });
  });
});

describe('a document that the workers post', () => {
  const automatic = (over: Partial<Document> = {}) => aDocument({ automatic: true, postAt: at(0), ...over });
  const correction = {
    data: { total: 13 },
    reasons: [],
    evidence: {},
    contradictions: [],
    checks: [],
    duplicateKey: null,
  };
  const approval = {
    event: 'approve',
    approvedAs: 'client',
    reviewer: { id: 'u1', name: 'Ada', email: 'ada@example.com' },
    note: null,
  } as const;
  const begun = (over: Partial<Document> = {}) => beginDelivery(automatic(over), at(1), at(31), 'policy');
  const failure = { reason: 'The system is away.', retry: { firstSeconds: 5, chance: 0.5 } };

  it('is theirs ten seconds after a person has approved or corrected it, by every door', () => {
    const pending = automatic({ reviewStatus: 'pending', postAt: null });
    for (const via of ['console', 'api_key', 'oauth', 'command', 'mcp', 'model'] as const)
      expect(decide(pending, { ...approval, via }, at(5)).postAt, via).to.deep.equal(at(15));
    expect(correct(automatic(), correction, at(5)).postAt).to.deep.equal(at(15));
  });

  it('is not theirs while it waits for a decision, after a rejection, or in the trash', () => {
    const approved = decide(
      automatic({ reviewStatus: 'pending', postAt: null }),
      { ...approval, via: 'console' },
      at(5),
    );
    expect(reopen(approved, at(6)).postAt).to.equal(null);
    const rejection = { ...approval, event: 'reject', approvedAs: null, via: 'console' } as const;
    expect(decide(automatic({ reviewStatus: 'pending' }), rejection, at(5)).postAt).to.equal(null);
    expect(correct(approved, correction, at(6)).postAt, 'the approval was of other data').to.equal(null);
    const reasons = [{ code: 'duplicate', pointer: null, message: 'It is there twice.' }] as const;
    expect(requireReview(automatic(), reasons, at(1)).postAt).to.equal(null);
    const trashed = trash(approved, at(6));
    expect(trashed.postAt).to.equal(null);
    expect(restore(trashed, at(7)).postAt).to.deep.equal(at(17));
  });

  it('says who began its last delivery', () => {
    expect(begun().postedBy).to.equal('policy');
    expect(beginDelivery(automatic(), at(1), at(31)).postedBy).to.equal('client');
    expect(endDelivery(begun(), 5, { event: 'accept', reference: 'x' }, at(2))).to.include({
      postedBy: 'policy',
      postAt: null,
    });
  });

  it('waits for a person once it was refused, or may be there', () => {
    const refused = endDelivery(begun(), 5, { event: 'reject', reason: 'No.' }, at(2));
    expect(refused).to.include({ status: 'error', error: 'No.', postAt: null, postError: null });
    const unknown = endDelivery(begun(), 5, { event: 'postpone', isUncertain: true, failure }, at(2));
    expect(unknown).to.include({ status: 'ready', attemptedRevision: 1, postAt: null, postError: failure.reason });
    expect(restore(trash(unknown, at(3)), at(4)).postAt).to.equal(null);
  });

  it('is theirs again once what was refused is corrected, and approved where it has to be', () => {
    const refused = endDelivery(begun(), 5, { event: 'reject', reason: 'No.' }, at(2));
    expect(correct(refused, correction, at(3))).to.deep.include({ status: 'ready', error: null, postAt: at(13) });
    const approved = { ...refused, reviewStatus: 'approved' } as const;
    const corrected = correct(approved, correction, at(3));
    expect(corrected).to.include({ status: 'ready', reviewStatus: 'pending', postAt: null });
    expect(decide(corrected, { ...approval, via: 'console' }, at(5)).postAt).to.deep.equal(at(15));
    const again = decide(reopen(approved, at(3)), { ...approval, via: 'console' }, at(5));
    expect(again, 'the same data').to.include({ status: 'error', postAt: null });
  });

  it('is tried again after an outage, which a new revision or decision forgets', () => {
    const later = endDelivery(begun(), 5, { event: 'postpone', isUncertain: false, failure }, at(2));
    expect(later).to.include({ status: 'ready', attemptedRevision: null, postFailures: 1, postError: failure.reason });
    expect([later.postAt, later.postFailingSince]).to.deep.equal([at(7), at(2)]);
    expect(correct(later, correction, at(3))).to.include({ postFailures: 0, postFailingSince: null, postError: null });
  });

  it('stays theirs where a delivery was only stopped, or a person found the system away', () => {
    const stopped = endDelivery(begun(), 5, { event: 'postpone', isUncertain: false, failure: null }, at(2));
    expect([stopped.postAt, stopped.postFailures]).to.deep.equal([at(0), 0]);
    const byHand = { reason: failure.reason, retry: null };
    const tried = endDelivery(
      beginDelivery(automatic(), at(1), at(31)),
      5,
      { event: 'postpone', isUncertain: false, failure: byHand },
      at(2),
    );
    expect([tried.postAt, tried.postFailures]).to.deep.equal([at(0), 0]);
  });

  it('is never theirs by a version that is manual', () => {
    const pending = aDocument({ reviewStatus: 'pending' });
    expect(decide(pending, { ...approval, via: 'console' }, at(5)).postAt).to.equal(null);
    const delivery = beginDelivery(aDocument(), at(1), at(31));
    const tried = endDelivery(delivery, 5, { event: 'postpone', isUncertain: true, failure }, at(2));
    expect([tried.postAt, tried.postError]).to.deep.equal([null, null]);
  });
});

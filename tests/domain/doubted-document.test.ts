import { expect } from 'chai';
import { doubted, type PartDocument } from '../../src/domain/routing/doubted-document.ts';
import { unreviewed } from '../support/builders.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 20, 9, 30, seconds));
const doubt = { code: 'unassigned_pages', message: 'Nobody reads a.pdf, page 3: it is in no part.' } as const;
const flag = { ...doubt, pointer: null };
const other = { code: 'missing_value', pointer: '/total', message: 'The value is missing.' } as const;

const aDocument = (over: Partial<PartDocument> = {}): PartDocument => ({
  ...unreviewed,
  status: 'ready',
  trashedFrom: null,
  updatedAt: at(0),
  coverage: { complete: true, unread: [], doubts: [] },
  ...over,
});
const flagged = (over: Partial<PartDocument> = {}) =>
  aDocument({
    coverage: { complete: true, unread: [], doubts: [doubt] },
    reviewStatus: 'pending',
    reviewReasons: [flag],
    ...over,
  });
const cleared = (over: Partial<PartDocument> = {}) => doubted(flagged(over), null, 'when_flagged', at(9));

describe('a document of a part', () => {
  it('waits for a review once pages are in no part, and does not any more once they are', () => {
    const after = doubted(aDocument({ automatic: true, postAt: at(1) }), doubt, 'when_flagged', at(9));
    expect(after).to.deep.equal(flagged({ automatic: true, postAt: null, updatedAt: at(9) }));
    expect(doubted(after, null, 'when_flagged', at(20))).to.deep.equal(
      aDocument({ automatic: true, postAt: at(30), updatedAt: at(20) }),
    );
  });

  it('names the pages that are in no part now', () => {
    const now = { ...doubt, message: 'Nobody reads a.pdf, page 4: it is in no part.' };
    expect(doubted(flagged(), now, 'when_flagged', at(9)).reviewReasons).to.deep.equal([{ ...now, pointer: null }]);
    const same = flagged();
    expect(doubted(same, doubt, 'when_flagged', at(9))).to.equal(same);
  });

  it('keeps its other reasons', () => {
    expect(cleared({ reviewReasons: [other, flag] })).to.deep.include({
      reviewStatus: 'pending',
      reviewReasons: [other],
    });
    expect(doubted(flagged(), null, 'always', at(9)).reviewStatus).to.equal('not_required');
  });

  it('still waits for a person who has changed its data or opened its review again', () => {
    for (const touched of [{ revision: 2 }, { reopened: true }])
      expect(cleared(touched)).to.deep.include({ reviewStatus: 'pending', reviewReasons: [] });
  });

  it('keeps what a person has decided, but a later correction finds what is so by then', () => {
    for (const reviewStatus of ['approved', 'rejected'] as const) {
      const after = cleared({ reviewStatus });
      expect(after).to.deep.include({ reviewStatus, reviewReasons: [flag] });
      expect(after.coverage?.doubts).to.deep.equal([]);
    }
  });

  it('is not flagged where no review is asked for', () => {
    const after = doubted(aDocument(), doubt, 'never', at(9));
    expect(after).to.deep.include({ reviewStatus: 'not_required', reviewReasons: [] });
    expect(after.coverage?.doubts).to.deep.equal([doubt]);
  });

  it('stays as it is while it is posted, or may be, and where nothing was read', () => {
    const sent: readonly Partial<PartDocument>[] = [
      { status: 'processing' },
      { status: 'processed' },
      { status: 'trashed', trashedFrom: 'processed' },
      { attemptedRevision: 1 },
      { status: 'error', coverage: null },
    ];
    for (const over of sent) {
      const document = flagged(over);
      expect(doubted(document, null, 'when_flagged', at(9))).to.equal(document);
    }
    expect(cleared({ status: 'trashed', trashedFrom: 'ready', automatic: true })).to.deep.include({
      reviewStatus: 'not_required',
      postAt: null,
    });
  });
});

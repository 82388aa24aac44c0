import { expect } from 'chai';
import { documentTag } from '../../src/adapters/http/tags.ts';
import type { ShownDocument } from '../../src/application/ports/storage.ts';
import { exampleDocument } from '../../src/wire/document.ts';
import { anId } from '../support/builders.ts';

const later = new Date('2027-01-01T00:00:00.000Z');

describe('the ETag', () => {
  it('of a document changes with all that changes of it', () => {
    const changes: readonly Partial<ShownDocument>[] = [
      { revision: 7 },
      { status: 'processing' },
      { error: 'no' },
      { externalReference: 'row 1' },
      { updatedAt: later },
      { processedAt: later },
      { reviewStatus: 'rejected' },
      { reviewNote: 'no' },
      { decidedAt: later },
      { reviewer: { id: anId(), name: 'Bo', email: 'bo@x.example' } },
      { checks: [{ name: 'sum', status: 'failed', message: 'is off' }] },
      { duplicates: [{ documentId: anId(), reason: 'key', isHeld: false }] },
    ] as readonly Partial<ShownDocument>[];
    const tags = changes.map((change) => documentTag({ ...exampleDocument, ...change }));
    expect(new Set([documentTag(exampleDocument), ...tags])).to.have.property('size', changes.length + 1);
    expect(documentTag({ ...exampleDocument })).to.equal(documentTag(exampleDocument));
  });

  it('of a document is made without reading its data', () => {
    const unread = Object.defineProperties(
      { ...exampleDocument },
      {
        documentData: { get: () => expect.fail('the data is read') },
        evidence: { get: () => expect.fail('the evidence is read') },
      },
    );
    expect(documentTag(unread)).to.equal(documentTag(exampleDocument));
  });
});

import { expect } from 'chai';
import { subjectOf } from '../../src/adapters/postgres/events.ts';
import { documentEvent } from '../../src/wire/document.ts';
import { eventLogContract } from '../contracts/event-log.ts';
import { anId } from '../support/builders.ts';
import { eventStage } from '../support/events.ts';
import { onEveryPostgres } from '../support/postgres.ts';

/** As the database wrote it of a document before there were reviews. */
const earlier = {
  id: anId(),
  runId: anId(),
  agentId: anId(),
  conversationId: anId(),
  name: 'a.pdf',
  status: 'ready',
  evidence: {},
  error: null,
  externalReference: null,
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_000_001,
  processedAt: null,
};

describe('the log of events in PostgreSQL', () => {
  it('shows an event from before there were reviews as of a document that needs none', () => {
    const subject = subjectOf({ documentId: earlier.id, data: earlier as never, agentVersion: 1, model: 'offline' });
    const document = subject.kind === 'document' ? documentEvent.encode(subject.document) : expect.fail();
    expect(document)
      .to.deep.include({ revision: 1, checks: [], created_at: '2023-11-14T22:13:20.000Z' })
      .and.not.have.property('duplicates');
    expect(document).to.have.deep.property('review', {
      status: 'not_required',
      reasons: [],
      reviewer: null,
      note: null,
      decided_at: null,
      decided_via: null,
    });
  });

  onEveryPostgres((postgres) => eventLogContract(() => eventStage(postgres)));
});

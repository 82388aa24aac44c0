import { expect } from 'chai';
import type {
  DocumentFilter,
  DocumentHead,
  DocumentRepository,
  ShownDocument,
  Viewer,
} from '../../src/application/ports/storage.ts';
import type { Document } from '../../src/domain/document.ts';
import { beginDelivery, endDelivery, evidenceOf, restore, trash } from '../../src/domain/document.ts';
import { ofDocuments, parseFilter } from '../../src/domain/filter.ts';
import { jsonNumber } from '../../src/domain/json-number.ts';
import { listedDocument, document as wireDocument } from '../../src/wire/document.ts';
import { anId, someEvidence } from '../support/builders.ts';

export interface DocumentHarness {
  readonly documents: DocumentRepository;
  /** A ready document with data, whose agent is visible to `ada` alone; `bob` is of the same workspace, `eve` is not. */
  arrange(
    over?: Partial<Document>,
  ): Promise<{ readonly document: ShownDocument; readonly ada: Viewer; readonly bob: Viewer; readonly eve: Viewer }>;
  removeAgent(id: string): Promise<void>;
  /** Makes a run one that was created so many minutes ago. */
  setRun(
    id: string,
    run: { readonly trial: boolean; readonly minutesAgo: number; readonly isOver: boolean },
  ): Promise<void>;
}

const inAMinute = (now: Date) => new Date(now.getTime() + 60_000);

/** Every DocumentRepository passes this, or it is not one. */
export const documentRepositoryContract = (harness: () => DocumentHarness) => {
  const arrange = async (over: Partial<Document> = {}) => ({
    documents: harness().documents,
    ...(await harness().arrange(over)),
  });

  it('returns a document as it was stored, trashed ones too', async () => {
    const full: Partial<Document> = {
      documentData: {
        total: 12.5,
        exact: jsonNumber('123456789012345678.90123456789'),
        lines: [{ sku: 'a' }, null],
        zeta: 'ünï ☃ \u0000',
        alpha: {},
      },
      evidence: { '/total': someEvidence({ quote: '12,50 €', fileName: 'a.pdf', page: 2 }) },
      coverage: {
        pagesRead: 1,
        pagesTotal: 2,
        charactersRead: 10,
        charactersTotal: 30,
        complete: false,
        unread: [{ fileName: 'a.pdf', page: 2, what: 'a "stamp"' }],
        doubts: [],
      },
      error: 'It was refused.',
      externalReference: 'public.invoices id=7',
      fence: 3,
      processedAt: new Date('2026-03-01T10:00:00.123Z'),
      status: 'trashed',
      trashedFrom: 'error',
    };
    const { document, documents, ada } = await arrange(full);
    for (const found of [await documents.find(document.id), await documents.findVisible(ada, document.id)]) {
      expect(found).to.deep.equal(document);
      expect(JSON.stringify(found?.documentData), 'in the order of its keys').to.equal(
        JSON.stringify(document.documentData),
      );
    }
  });

  it('shows a document to whoever sees its agent', async () => {
    const { document, documents, ada, bob, eve } = await arrange();
    expect(await documents.findVisible(ada, document.id)).to.deep.equal(document);
    expect(await documents.findVisible(bob, document.id)).to.equal(null);
    expect(await documents.findVisible(eve, document.id)).to.equal(null);
    await harness().removeAgent(document.agentId);
    expect(await documents.findVisible(ada, document.id)).to.equal(null);
    expect(await documents.find(document.id)).to.deep.equal(document);
  });

  it('finds a document without its data and evidence, for those who see its agent', async () => {
    const { document, documents, ada, bob } = await arrange();
    const { documentData, evidence, ...head } = document;
    expect(await documents.findVisibleHead(ada, document.id)).to.deep.equal(head);
    expect(await documents.findVisibleHead(bob, document.id)).to.equal(null);
  });

  it('prints data and evidence as the API answers them, of the revision that is asked for', async () => {
    const documentData = {
      '/a,"fileName":': jsonNumber('123456789012345678.90123456789'),
      text: ',"fileName": \u0000 ☃ 😀',
    };
    const quoted = evidenceOf({
      quote: 'x,"fileName":',
      fileName: '{"fileName":',
      page: 2,
      support: 'exact',
      source: 'text',
    });
    const evidence = { '/~1a,"fileName":': quoted, '/text': someEvidence({ confidence: 0.1234567890123456 }) };
    const { document, documents } = await arrange({ documentData, evidence });
    const printed = await documents.printContents(document);
    expect(printed?.documentData).to.equal(JSON.stringify(documentData));
    const { evidence: wire } = wireDocument.encode(document) as { readonly evidence: object };
    expect(JSON.parse(printed?.evidence ?? '')).to.deep.equal(wire);
    expect(await documents.printContents({ ...document, revision: document.revision + 1 })).to.equal(null);
  });

  it('prints null for data that is not there yet', async () => {
    const { document, documents } = await arrange({ documentData: null, evidence: {}, revision: 0 });
    expect(await documents.printContents(document)).to.deep.equal({ documentData: 'null', evidence: '{}' });
  });

  it('answers null for an unknown id and for what is no id', async () => {
    const { documents, ada } = await arrange();
    for (const id of [anId(), '', 'x', '\0']) {
      expect(await documents.findVisibleHead(ada, id)).to.equal(null);
      expect(await documents.find(id)).to.equal(null);
      expect(await documents.findVisible(ada, id)).to.equal(null);
      expect(await documents.update(id, (document) => document)).to.equal(null);
    }
  });

  it('stores what a change made of the document, and returns it', async () => {
    const { document, documents } = await arrange();
    const taken = await documents.update(document.id, (it, now) => beginDelivery(it, now, inAMinute(now)));
    expect(taken).to.include({ status: 'processing', fence: 1 });
    expect(await documents.find(document.id)).to.deep.equal({ ...document, ...taken });
    const done = await documents.update(document.id, (it, now) =>
      endDelivery(it, 1, { event: 'accept', reference: 'public.t id=1' }, now),
    );
    expect(done).to.include({ status: 'processed', externalReference: 'public.t id=1', leaseExpiresAt: null });
    expect(await documents.find(document.id)).to.deep.equal({ ...document, ...done });
    const contents = { documentData: { ...document.documentData, zeta: { nested: [1] } }, evidence: {} };
    const changed = await documents.update(document.id, (it) => ({ ...it, ...contents }));
    expect(await documents.find(document.id)).to.deep.equal({ ...changed, ...contents });
  });

  it('reads neither data nor evidence for a change, and leaves them as they are', async () => {
    const { document, documents } = await arrange();
    const changed = await documents.update(document.id, (it) => {
      expect(it).not.to.have.any.keys('documentData', 'evidence');
      return { ...it, name: 'b.pdf' };
    });
    expect(changed).to.include({ name: 'b.pdf' }).and.not.to.have.any.keys('documentData', 'evidence');
    expect(await documents.find(document.id)).to.deep.equal({ ...document, ...changed });
  });

  it('keeps every digit of a number, whatever becomes of the document', async () => {
    const documentData = {
      id: jsonNumber('9007199254740993'),
      lines: [{ amount: jsonNumber('-1234567890123456789012345678.0000000001') }],
    };
    const { document, documents } = await arrange({ documentData });
    await documents.update(document.id, (it, now) => beginDelivery(it, now, inAMinute(now)));
    await documents.update(document.id, (it, now) =>
      endDelivery(it, 1, { event: 'postpone', isUncertain: true, failure: null }, now),
    );
    const corrected = { ...documentData, id: jsonNumber('9007199254740995') };
    await documents.update(document.id, (it) => ({ ...it, documentData: corrected }));
    expect((await documents.find(document.id))?.documentData).to.deep.equal(corrected);
  });

  it('moves through trash and back', async () => {
    const { document, documents } = await arrange();
    await documents.update(document.id, trash);
    expect(await documents.find(document.id)).to.include({ status: 'trashed', trashedFrom: 'ready' });
    await documents.update(document.id, restore);
    expect(await documents.find(document.id)).to.include({ status: 'ready', trashedFrom: null });
  });

  it('gives a change a time that never goes back, in whole milliseconds', async () => {
    const { document, documents } = await arrange();
    const times: number[] = [];
    const note = (it: DocumentHead, now: Date) => {
      times.push(now.getTime());
      return { ...it, updatedAt: now };
    };
    for (let i = 0; i < 5; i += 1) {
      await documents.update(document.id, note);
      expect((await documents.find(document.id))?.updatedAt.getTime()).to.equal(times.at(-1));
    }
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
  });

  it('lets exactly one of ten deliveries at once begin', async () => {
    const { document, documents } = await arrange();
    const begin = () => documents.update(document.id, (it, now) => beginDelivery(it, now, inAMinute(now)));
    const results = await Promise.allSettled(Array.from({ length: 10 }, begin));
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect((await documents.find(document.id))?.fence).to.equal(1);
  });

  it('loses none of ten changes at once', async () => {
    const { document, documents } = await arrange();
    await Promise.all(
      Array.from({ length: 10 }, () => documents.update(document.id, (it) => ({ ...it, fence: it.fence + 1 }))),
    );
    expect((await documents.find(document.id))?.fence).to.equal(10);
  });

  it('records a change of the data as the revision that it makes, with its author', async () => {
    const { document, documents, ada } = await arrange();
    const exact = jsonNumber('9007199254740993');
    for (const total of [exact, 3]) {
      const changes = [{ pointer: '/total', from: 1, to: total }];
      const revise = (it: DocumentHead, now: Date) => ({
        ...it,
        documentData: { total },
        revision: it.revision + 1,
        updatedAt: now,
      });
      const changed = await documents.update(document.id, revise, { userId: ada.userId, via: 'command', changes });
      const [newest] = (await documents.revisions(document.id, { after: null, limit: 1 })).revisions;
      expect(newest).to.deep.equal({
        revision: changed?.revision,
        createdAt: changed?.updatedAt,
        by: { type: 'user', name: 'Ada', via: 'command' },
        changes,
      });
    }
    const page = async (after: number | null, limit: number) => {
      const { revisions, next } = await documents.revisions(document.id, { after, limit });
      return [revisions.map(({ revision }) => revision), next];
    };
    expect(await page(null, 10)).to.deep.equal([[3, 2], null]);
    expect(await page(null, 1)).to.deep.equal([[3], 3]);
    expect(await page(3, 10)).to.deep.equal([[2], null]);
    for (const id of [anId(), '', '\0'])
      expect(await documents.revisions(id, { after: null, limit: 10 })).to.deep.equal({ revisions: [], next: null });
  });

  it('knows the work of a user: the run, and revisions since the one that was approved last', async () => {
    const { document, documents, ada, bob } = await arrange();
    const revise = (who: Viewer) =>
      documents.update(document.id, (it) => ({ ...it, revision: it.revision + 1 }), {
        userId: who.userId,
        via: 'api_key',
        changes: [],
      });
    const isOf = (who: Viewer) => documents.isWorkOf(document.id, who.userId);
    expect([await isOf(ada), await isOf(bob)], 'Ada started the run').to.deep.equal([true, false]);
    await revise(bob);
    expect([await isOf(ada), await isOf(bob)]).to.deep.equal([true, true]);
    await documents.update(document.id, (it) => ({ ...it, approvedRevision: it.revision }));
    expect([await isOf(ada), await isOf(bob)]).to.deep.equal([true, false]);
    await revise(bob);
    expect(await isOf(bob)).to.equal(true);
    expect(await documents.isWorkOf(anId(), bob.userId)).to.equal(false);
  });

  it('stores no revision without an author, nor the author of a change that fails', async () => {
    const { document, documents, ada } = await arrange();
    const next = (it: DocumentHead) => ({ ...it, revision: it.revision + 1 });
    const fail = () => {
      throw new Error('no');
    };
    const outcomes = await Promise.allSettled([
      documents.update(document.id, next),
      documents.update(document.id, fail, { userId: ada.userId, via: 'api_key', changes: [] }),
    ]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(await documents.find(document.id)).to.deep.equal(document);
    expect((await documents.revisions(document.id, { after: null, limit: 10 })).revisions).to.deep.equal([]);
  });

  it('makes each of ten revisions at once from the one before', async () => {
    const { document, documents, ada } = await arrange();
    const next = (it: DocumentHead) => ({ ...it, revision: it.revision + 1 });
    await Promise.all(
      Array.from({ length: 10 }, () =>
        documents.update(document.id, next, { userId: ada.userId, via: 'api_key', changes: [] }),
      ),
    );
    const { revisions } = await documents.revisions(document.id, { after: null, limit: 100 });
    expect(revisions.map(({ revision }) => revision)).to.deep.equal([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  });

  describe('a list', () => {
    const all: DocumentFilter = { agentId: null, runId: null, status: null, review: null, q: null, where: null };
    const many = { limit: 10, after: null };

    it('has what the viewer sees, without data and evidence, and not what is in the trash', async () => {
      const { document, documents, ada, bob, eve } = await arrange({ reviewStatus: 'pending', revision: 4 });
      const { documentData, evidence, ...listed } = document;
      expect(await documents.listVisible(ada, all, many)).to.deep.equal({
        documents: [{ ...listed, values: {} }],
        next: null,
      });
      for (const other of [bob, eve])
        expect((await documents.listVisible(other, all, many)).documents).to.deep.equal([]);
      await documents.update(document.id, trash);
      expect((await documents.listVisible(ada, all, many)).documents).to.deep.equal([]);
    });

    it('is printed as the API answers it, every member and digit', async () => {
      const { document, documents, ada, bob } = await arrange({
        name: 'A "quoted" \\ ☃ name.pdf',
        coverage: {
          pagesRead: 1,
          pagesTotal: 2,
          charactersRead: 10,
          charactersTotal: 30,
          complete: false,
          unread: [{ fileName: 'a.pdf', page: 2, what: 'a "stamp"' }],
          doubts: [],
        },
        reviewStatus: 'approved',
        reviewReasons: [{ code: 'check_failed', pointer: null, message: 'It is "wrong".' }],
        reviewer: { id: anId(), name: 'Ada', email: 'ada@example.com' },
        reviewNote: 'So\nbe it.',
        decidedAt: new Date('2026-03-01T10:00:00.120Z'),
        checks: [{ name: 'sum', status: 'failed', message: null }],
        error: 'It was refused.',
        externalReference: 'public.invoices id=7',
        processedAt: new Date('2026-03-01T10:00:00.000Z'),
      });
      const { documentData, evidence, ...listed } = document;
      const { documents: texts, next } = await documents.printVisible(ada, all, many);
      expect([texts.map((text) => JSON.parse(text)), next]).to.deep.equal([
        [listedDocument.encode({ ...listed, values: {} })],
        null,
      ]);
      expect(await documents.printVisible(bob, all, many)).to.deep.equal({ documents: [], next: null });
      const plain = await arrange();
      const [text = ''] = (await documents.printVisible(plain.ada, all, many)).documents;
      expect(JSON.parse(text)).to.deep.equal(listedDocument.encode({ ...plain.document, values: {} }));
    });

    it('has what every filter selects, and nothing of what one does not', async () => {
      const { document, documents, ada } = await arrange({
        name: 'Invoice 4711.pdf',
        documentData: { total: 12 },
        reviewStatus: 'approved',
      });
      const own = { agentId: document.agentId, runId: document.runId };
      const where = (text: string) => parseFilter(text, 'where', ofDocuments);
      for (const filter of [
        own,
        { status: 'ready' },
        { review: 'approved' },
        { q: 'invoice 47' },
        { where: where('{"/total":12}') },
      ] as const) {
        const found = await documents.listVisible(ada, { ...all, ...filter }, many);
        expect(
          found.documents.map(({ id }) => id),
          JSON.stringify(filter),
        ).to.deep.equal([document.id]);
      }
      const others = [
        { agentId: anId() },
        { runId: anId() },
        { agentId: 'x' },
        { status: 'error' },
        { review: 'pending' },
        { q: 'receipt' },
        { where: where('{"/total":13}') },
      ] as const;
      for (const filter of others) {
        const found = await documents.listVisible(ada, { ...all, ...filter } as DocumentFilter, many);
        expect(found, JSON.stringify(filter)).to.deep.equal({ documents: [], next: null });
      }
    });

    it('is read whole, with the data and every digit of it', async () => {
      const documentData = { exact: jsonNumber('123456789012345678.90123456789') };
      const { document, documents, ada, bob } = await arrange({ documentData });
      const read = async (viewer: Viewer) => {
        const found: unknown[] = [];
        for await (const page of documents.readAll(viewer, all)) found.push(...page);
        return found;
      };
      const { evidence, ...found } = document;
      expect(await read(ada)).to.deep.equal([found]);
      expect(await read(bob)).to.deep.equal([]);
    });
  });

  it('leaves the document alone when the change throws', async () => {
    const { document, documents } = await arrange();
    const error = new Error('no');
    const thrown = await documents
      .update(document.id, () => {
        throw error;
      })
      .catch((error: unknown) => error);
    expect(thrown).to.equal(error);
    expect(await documents.find(document.id)).to.deep.equal(document);
  });

  it('tells the time by which changes are dated', async () => {
    const { documents, document } = await arrange();
    const times = [await documents.now()];
    await documents.update(document.id, (current, now) => {
      times.push(now);
      return current;
    });
    times.push(await documents.now());
    const inMilliseconds = times.map((time) => time.getTime());
    expect(inMilliseconds).to.deep.equal(inMilliseconds.toSorted((a, b) => a - b));
  });

  it('moves what a trial has left to the trash once, when its time is over, and nothing that is being posted', async () => {
    const ended = { trial: true, minutesAgo: 16, isOver: true };
    const tried = async (over: Partial<Document>, run: Partial<typeof ended> = {}) => {
      const made = await arrange(over);
      await harness().setRun(made.document.runId, { ...ended, ...run });
      return made;
    };
    const [ready, failed] = [await tried({}), await tried({ status: 'error' })];
    const others = [
      await tried({}, { minutesAgo: 14 }),
      await tried({}, { trial: false }),
      await tried({}, { isOver: false }),
      await tried({ status: 'processing', leaseExpiresAt: inAMinute(new Date()) }),
    ];
    const { documents } = ready;
    expect(await documents.trashTried()).to.equal(2);
    for (const [{ document }, trashedFrom] of [
      [ready, 'ready'],
      [failed, 'error'],
    ] as const)
      expect(await documents.find(document.id)).to.include({ status: 'trashed', trashedFrom });
    for (const { document } of others) expect(await documents.find(document.id)).to.deep.equal(document);
    await documents.update(ready.document.id, (current, now) => restore(current, now));
    expect(await documents.trashTried(), 'a person wants it').to.equal(0);
  });

  it('brings back documents whose delivery was lost, and no others', async () => {
    const past = new Date(Date.now() - 1000);
    const lost = await arrange({ status: 'processing', fence: 1, leaseExpiresAt: past });
    const held = await arrange({ status: 'processing', fence: 1, leaseExpiresAt: inAMinute(new Date()) });
    const trashed = await arrange({ status: 'trashed', trashedFrom: 'processing' });
    expect(await lost.documents.recoverDeliveries()).to.equal(1);
    expect(await lost.documents.find(lost.document.id)).to.include({
      status: 'ready',
      leaseExpiresAt: null,
      attemptedRevision: 1,
    });
    expect(await held.documents.find(held.document.id)).to.deep.equal(held.document);
    expect(await trashed.documents.find(trashed.document.id)).to.deep.equal(trashed.document);
    expect(await lost.documents.recoverDeliveries()).to.equal(0);
    const late = (it: DocumentHead, now: Date) => endDelivery(it, 1, { event: 'accept', reference: 'x' }, now);
    expect(await lost.documents.update(lost.document.id, late)).to.include({
      status: 'ready',
      externalReference: null,
    });
  });
};

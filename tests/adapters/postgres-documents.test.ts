import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Database } from '../../src/adapters/postgres/connection/database.ts';
import { documentRepository } from '../../src/adapters/postgres/repositories/document-repository.ts';
import { runRepository } from '../../src/adapters/postgres/repositories/run-repository.ts';
import type { DocumentHead } from '../../src/application/ports/storage.ts';
import type { Evidence } from '../../src/domain/document.ts';
import type { DomainError } from '../../src/domain/errors.ts';
import { type DocumentHarness, documentRepositoryContract } from '../contracts/document-repository.ts';
import { aNewRun, aUser, aWorkspace, someEvidence, storeUser } from '../support/builders.ts';
import { aDocument, storeDocument } from '../support/documents.ts';
import { onEveryPostgres } from '../support/postgres.ts';

describe('documents in PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    const harness = (): DocumentHarness => ({
      documents: documentRepository(postgres.database),
      async arrange(over = {}) {
        const { user: ada, agent } = await aWorkspace(postgres.database);
        const bob = aUser({ workspaceId: agent.workspaceId });
        await storeUser(postgres.database, bob);
        await postgres.database.pool.query('update agents set visible_to = $2 where id = $1', [agent.id, [ada.id]]);
        const run = aNewRun(agent, ada);
        await runRepository(postgres.database).create(run, null);
        const { user: eve } = await aWorkspace(postgres.database);
        const document = aDocument({ workspaceId: agent.workspaceId, agentId: agent.id, runId: run.id, ...over });
        await storeDocument(postgres, document, ada.id);
        const viewer = (user: typeof ada) => ({ userId: user.id, workspaceId: user.workspaceId });
        return {
          document: { ...document, duplicates: [], agentVersion: 1, model: agent.model },
          ada: viewer(ada),
          bob: viewer(bob),
          eve: viewer(eve),
        };
      },
      async setRun(id, { trial, minutesAgo, isOver }) {
        await postgres.database.pool.query(
          `update runs set trial = $2, created_at = now() - make_interval(mins => $3), status = $4, completed_at = case when $4 = 'completed' then now() end
           where id = $1`,
          [id, trial, minutesAgo, isOver ? 'completed' : 'running'],
        );
      },
      removeAgent: async (id) =>
        void (await postgres.database.pool.query('update agents set removed_at = now() where id = $1', [id])),
    });
    documentRepositoryContract(harness);

    it('reads as many documents with their data at a time as have room in a page, at least one', async () => {
      const { documents, arrange } = harness();
      const { document, ada } = await arrange({ createdAt: new Date(0), documentData: null });
      const { workspaceId, agentId, runId } = document;
      for (const [index, letters] of [1, 3_000_000, 3_000_000, 5_000_000, 1, 3_000_000].entries()) {
        const documentData = { text: 'x'.repeat(letters) };
        const createdAt = new Date(index + 1);
        const stored = aDocument({ workspaceId, agentId, runId, createdAt, documentData });
        await storeDocument(postgres, stored, ada.userId);
      }
      const pages: number[][] = [];
      const all = { agentId: null, runId: null, status: null, review: null, q: null, where: null };
      for await (const page of documents.readAll(ada, all))
        pages.push(page.map(({ createdAt }) => createdAt.getTime()));
      expect(pages).to.deep.equal([[6, 5], [4], [3], [2, 1, 0]]);
    });

    it('reads what is long on no connection that others wait for', async () => {
      const { arrange } = harness();
      const { database } = postgres;
      const shared: number[] = [];
      const documents = documentRepository({
        ...database,
        async read<Row extends object>(...asked: Parameters<Database['read']>) {
          const rows = await database.read<Row>(...asked);
          shared.push(JSON.stringify(rows).length);
          return rows;
        },
      });
      const words = Array.from({ length: 10_000 }, () => randomUUID());
      const long = await arrange({ documentData: { words } });
      for (const document of [
        await documents.find(long.document.id),
        await documents.findVisible(long.ada, long.document.id),
      ])
        expect(document?.documentData).to.deep.equal({ words });
      const printed = await documents.printContents(long.document);
      expect(printed?.documentData).to.equal(JSON.stringify({ words }));
      expect(Math.max(...shared)).to.be.below(10_000);
      expect(shared).to.have.lengthOf(5);
    });

    it('reads three long documents at a time, so that connections are left for others', async () => {
      const { arrange } = harness();
      const { database } = postgres;
      const [now, most] = [new Set<symbol>(), { reading: 0 }];
      const documents = documentRepository({
        ...database,
        async query<Row extends object>(...asked: Parameters<Database['query']>) {
          const reading = Symbol('reading');
          now.add(reading);
          most.reading = Math.max(most.reading, now.size);
          return database.query<Row>(...asked).finally(() => now.delete(reading));
        },
      });
      const { document } = await arrange({
        documentData: { words: Array.from({ length: 10_000 }, () => randomUUID()) },
      });
      const found = await Promise.all(Array.from({ length: 12 }, () => documents.printContents(document)));
      expect(new Set(found.map((each) => each?.documentData))).to.deep.equal(
        new Set([JSON.stringify(document.documentData)]),
      );
      expect(most.reading).to.equal(3);
    });

    it('lets a thousand of them wait, and refuses more as busy', async () => {
      const { arrange } = harness();
      const { database } = postgres;
      const gate = Promise.withResolvers<void>();
      const documents = documentRepository({
        ...database,
        query: async <Row extends object>(...asked: Parameters<Database['query']>) => {
          await gate.promise;
          return database.query<Row>(...asked);
        },
      });
      const { document } = await arrange({
        documentData: { words: Array.from({ length: 4000 }, () => randomUUID()) },
      });
      const kinds: string[] = [];
      const reads = Array.from({ length: 3 + 1000 + 7 }, () =>
        documents.printContents(document).then(
          () => void kinds.push('read'),
          (error: DomainError) => {
            kinds.push(error.kind);
            if (kinds.length === 7) gate.resolve();
          },
        ),
      );
      await Promise.all(reads);
      expect(kinds.filter((kind) => kind === 'busy')).to.have.lengthOf(7);
      expect(kinds.filter((kind) => kind === 'read')).to.have.lengthOf(1003);
    });

    it('gives others their turn while it reads and writes the evidence of many rows', async () => {
      const { arrange } = harness();
      const { database } = postgres;
      const rows = Array.from({ length: 40_000 }, (_, row) => [
        `/rows/${row}/sku`,
        someEvidence({ quote: `S-${row}` }),
      ]);
      const evidence: Record<string, Evidence> = Object.fromEntries(rows);
      const { document, ada } = await arrange({ evidence });
      const turns = { afterReading: 0 };
      const count = () => {
        turns.afterReading += 1;
        counting = setImmediate(count);
      };
      let counting: NodeJS.Immediate | undefined;
      const documents = documentRepository({
        ...database,
        async query<Row extends object>(...asked: Parameters<Database['query']>) {
          const found = await database.query<Row>(...asked);
          counting = setImmediate(count);
          return found;
        },
      });
      const found = await documents.find(document.id);
      clearImmediate(counting);
      expect(turns.afterReading).to.be.greaterThan(0);
      expect(JSON.stringify(found?.evidence)).to.equal(JSON.stringify(evidence));
      const changed = { ...evidence, '/rows/7/sku': someEvidence({ quote: '"},"/' }) };
      const revised = (it: DocumentHead) => ({ ...it, evidence: changed, revision: it.revision + 1 });
      await documents.update(document.id, revised, { userId: ada.userId, via: 'api_key', changes: [] });
      const { rows: stored } = await database.pool.query('select evidence::text from documents where id = $1', [
        document.id,
      ]);
      expect(stored).to.deep.equal([{ evidence: JSON.stringify(changed) }]);
    });

    it('sends what it writes as parameters, outside of the text of its statements', async () => {
      const { documents, arrange } = harness();
      const { document, ada } = await arrange();
      const texts: string[] = [];
      const client = await postgres.database.pool.connect();
      const { query } = client;
      client.query = ((asked: string | { readonly text: string }, ...rest: unknown[]) => {
        texts.push(typeof asked === 'string' ? asked : asked.text);
        return Reflect.apply(query, client, [asked, ...rest]);
      }) as typeof query;
      client.release();
      const documentData = { total: 'written' };
      const changes = [{ pointer: '/total', from: 12, to: 'written' }];
      const revised = (it: DocumentHead) => ({ ...it, documentData, revision: it.revision + 1 });
      await documents.update(document.id, revised, { userId: ada.userId, via: 'api_key', changes });
      client.query = query;
      expect(texts.join('\n')).to.contain('update documents').and.not.to.contain('written');
      expect((await documents.find(document.id))?.documentData).to.deep.equal(documentData);
      const { revisions } = await documents.revisions(document.id, { after: null, limit: 1 });
      expect(revisions[0]?.changes).to.deep.equal(changes);
    });

    it('searches without compiling the statement, which takes longer than the search', async () => {
      const { rows } = await postgres.database.pool.query('show jit');
      expect(rows).to.deep.equal([{ jit: 'off' }]);
    });

    it('tells who listens that a document has moved', async () => {
      const { documents, arrange } = harness();
      const { document } = await arrange();
      const client = await postgres.database.pool.connect();
      const heard = new Promise((resolve) => client.once('notification', ({ payload }) => resolve(payload)));
      await client.query('listen portico_documents');
      await documents.update(document.id, (it) => ({ ...it, name: 'b.pdf' }));
      await documents.update(document.id, (it, now) => ({
        ...it,
        status: 'trashed',
        trashedFrom: 'ready',
        updatedAt: now,
      }));
      const payload = String(await heard);
      client.release(true);
      expect(payload.split(' ').slice(0, 2)).to.deep.equal([document.id, 'trashed']);
    });
  });
});

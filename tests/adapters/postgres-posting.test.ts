import { expect } from 'chai';
import { statements } from '../../src/adapters/postgres/connection/database.ts';
import { postingDepth, postingQueue } from '../../src/adapters/postgres/repositories/posting-queue.ts';
import { runRepository } from '../../src/adapters/postgres/repositories/run-repository.ts';
import { type PostingHarness, postingQueueContract } from '../contracts/posting-queue.ts';
import { aNewRun, anAgent, aWorkspace, type Cast, storeAgent } from '../support/builders.ts';
import { aDocument, storeDocument } from '../support/documents.ts';
import { onEveryPostgres, usePostgres } from '../support/postgres.ts';

describe('the queue of documents that workers post', () => {
  onEveryPostgres((postgres) => {
    const casts: Cast[] = [];
    const timeOf = async (id: string, column: string) => {
      const text = `select ${column} as time from documents where id = $1`;
      return (await postgres.database.pool.query<{ time: Date | null }>(text, [id])).rows[0]?.time ?? null;
    };
    const harness = (): PostingHarness => ({
      queue: postingQueue(postgres.database),
      async agent(workspaceId) {
        const beside = casts.find(({ agent }) => agent.workspaceId === workspaceId);
        const cast = beside
          ? { user: beside.user, agent: anAgent({ workspaceId: beside.agent.workspaceId }) }
          : await aWorkspace(postgres.database);
        if (beside) await storeAgent(postgres.database, cast.agent);
        casts.push(cast);
        return cast.agent;
      },
      async document(agentId, dueSecondsAgo, over = {}) {
        const cast = casts.find(({ agent }) => agent.id === agentId);
        if (!cast) throw new Error(`no agent ${agentId}`);
        const run = aNewRun(cast.agent, cast.user);
        await runRepository(postgres.database).create(run, null);
        const postAt = new Date(Date.now() - dueSecondsAgo * 1000);
        const of = { workspaceId: cast.agent.workspaceId, agentId, runId: run.id };
        const document = aDocument({ automatic: true, postAt, ...of, ...over });
        await storeDocument(postgres, document, cast.user.id);
        return document.id;
      },
      dueAt: (id) => timeOf(id, 'post_at'),
      delivery: (id) => timeOf(id, 'lease_expires_at'),
      empty: async () => void (await postgres.database.pool.query('update documents set post_at = null')),
    });
    postingQueueContract(harness);

    it('says how many wait, and since when the oldest could have been posted', async () => {
      const { agent, document, empty } = harness();
      await empty();
      const depth = postingDepth(postgres.database);
      expect(await depth()).to.deep.equal({ waiting: 0, oldestSeconds: 0 });
      const { id } = await agent();
      await document(id, -60);
      expect(await depth(), 'a person may take it back').to.deep.equal({ waiting: 1, oldestSeconds: 0 });
      await document(id, 100);
      await document(id, 200, { status: 'processed' });
      expect((await depth()).waiting).to.equal(2);
      expect((await depth()).oldestSeconds).to.be.within(100, 160);
      await document(id, -60, { postFailures: 3, postFailingSince: new Date(Date.now() - 1_000_000) });
      expect((await depth()).waiting).to.equal(3);
      expect((await depth()).oldestSeconds, 'tried again later').to.be.within(1000, 1060);
    });
  });

  describe('among many documents', () => {
    const postgres = usePostgres();

    it('is read by its index alone, at two probes an agent', async () => {
      const { pool } = postgres.database;
      const cast = await aWorkspace(postgres.database);
      const run = aNewRun(cast.agent, cast.user);
      await runRepository(postgres.database).create(run, null);
      const document = aDocument({ workspaceId: cast.agent.workspaceId, agentId: cast.agent.id, runId: run.id });
      await storeDocument(postgres, document, cast.user.id);
      await pool.query(
        `insert into documents (id, workspace_id, run_id, agent_id, conversation_id, name, status, document_data, automatic, post_at)
         select gen_random_uuid(), d.workspace_id, d.run_id, d.agent_id, d.conversation_id, 'a.pdf',
           case when n % 2 = 0 then 'ready' else 'processed' end, '{}', true, case when n % 2 = 0 then now() + make_interval(secs => n) end
         from documents d, generate_series(1, 4000) n where d.id = $1`,
        [document.id],
      );
      await pool.query('vacuum analyze documents');
      const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: unknown }[] }>(
        `explain (analyze, buffers, format json) ${(statements.get('posting_lease')?.text ?? '')
          .replaceAll('$1', '16')
          .replaceAll('$2', '30')
          .replaceAll(/\$[34]::uuid\[\]/g, `'{}'::uuid[]`)}`,
      );
      const plan = JSON.stringify(rows[0]?.['QUERY PLAN']);
      expect(plan).to.include('documents_to_post').and.not.include('Seq Scan');
      const blocks =
        Number(/"Shared Hit Blocks": ?(\d+)/.exec(plan)?.[1]) + Number(/"Shared Read Blocks": ?(\d+)/.exec(plan)?.[1]);
      expect(blocks).to.be.lessThan(60);
    });
  });
});

import { expect } from 'chai';
import { approvalRepository } from '../../src/adapters/postgres/repositories/approval-repository.ts';
import { conversationRepository } from '../../src/adapters/postgres/repositories/conversation-repository.ts';
import { conversationTurns } from '../../src/adapters/postgres/repositories/conversation-turns.ts';
import { operator } from '../../src/domain/audit.ts';
import type { Conversation } from '../../src/domain/conversation.ts';
import { type ConversationHarness, conversationRepositoryContract } from '../contracts/conversation-repository.ts';
import { conversationTurnsContract } from '../contracts/conversation-turns.ts';
import { aConversation, anId, aUser, aWorkspace, storeUser } from '../support/builders.ts';
import { onEveryPostgres } from '../support/postgres.ts';
import { aLeasedRun, postgresStage } from '../support/runs.ts';

const created = new Date('2026-01-01T00:00:00.000Z');

const insertMessage = `
insert into messages (conversation_id, seq, id, role, content, tool_calls, tool_call_id, attachments, created_at, author_id, provenance)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

describe('conversations in PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    const harness = (): ConversationHarness => ({
      conversations: conversationRepository(postgres.database),
      async arrange(messages = []) {
        const { pool } = postgres.database;
        const { user: ada, agent } = await aWorkspace(postgres.database);
        const bob = aUser({ workspaceId: agent.workspaceId });
        await storeUser(postgres.database, bob);
        await pool.query('update agents set visible_to = $2 where id = $1', [agent.id, [ada.id]]);
        const { user: eve } = await aWorkspace(postgres.database);
        const { workspaceId } = agent;
        const common = {
          id: anId(),
          workspaceId,
          agentId: agent.id,
          runId: null,
          userId: ada.id,
          createdAt: created,
          updatedAt: created,
        };
        const conversation: Conversation = { ...common, status: 'idle', waitingFor: null };
        await pool.query(
          `insert into conversations (id, workspace_id, agent_id, run_id, user_id, created_at, updated_at, status)
           values ($1, $2, $3, $4, $5, $6, $7, 'idle')`,
          Object.values(common),
        );
        for (const [index, message] of messages.entries()) {
          const { id, role, content, toolCalls, toolCallId, attachments, createdAt, authorId, provenance } = message;
          await pool.query(insertMessage, [
            conversation.id,
            index + 1,
            id,
            role,
            content,
            JSON.stringify(toolCalls),
            toolCallId,
            JSON.stringify(attachments),
            createdAt,
            authorId,
            provenance && JSON.stringify(provenance),
          ]);
        }
        const viewer = (user: typeof ada) => ({ userId: user.id, workspaceId: user.workspaceId });
        return { conversation, ada: viewer(ada), bob: viewer(bob), eve: viewer(eve) };
      },
      removeAgent: async (id) =>
        void (await postgres.database.pool.query('update agents set removed_at = now() where id = $1', [id])),
    });
    conversationRepositoryContract(harness);

    it('knows of the calls that a run has begun in it', async () => {
      const stage = postgresStage(postgres);
      const work = await aLeasedRun(stage, await stage.cast());
      const { conversationId } = await stage.queue.beginUnit(work.lease, {
        index: 0,
        conversationId: anId(),
        documentId: anId(),
        documentName: null,
      });
      expect(await harness().conversations.begunCalls(conversationId)).to.deep.equal(new Set());
      await stage.queue.intend(work.lease, conversationId, ['c1', 'c2']);
      expect(await harness().conversations.begunCalls(conversationId)).to.deep.equal(new Set(['c1', 'c2']));
      const { conversation } = await harness().arrange();
      const stranger = await stage.queue.intend(work.lease, conversation.id, ['c3']).catch((error: Error) => error);
      expect(stranger).to.be.instanceOf(Error);
      await stage.close();
    });

    it('shows a conversation as idle once the lease of whoever responded is over', async () => {
      const { conversation, ada } = await harness().arrange();
      const { pool } = postgres.database;
      const hold = `update conversations set status = 'responding', lease_expires_at = now() + make_interval(secs => $2) where id = $1`;
      await pool.query(hold, [conversation.id, 60]);
      expect(await harness().conversations.findVisible(ada, conversation.id)).to.include({ status: 'responding' });
      await pool.query(hold, [conversation.id, -1]);
      expect(await harness().conversations.findVisible(ada, conversation.id)).to.include({ status: 'idle' });
      await pool.query('update conversations set lease_expires_at = null where id = $1', [conversation.id]);
      expect(await harness().conversations.findVisible(ada, conversation.id)).to.include({ status: 'responding' });
    });
  });
});

describe('turns of conversations in PostgreSQL', () => {
  onEveryPostgres((postgres) => {
    const sql = async <Row extends object>(text: string, id: string) =>
      (await postgres.database.pool.query<Row>(text, [id])).rows;
    conversationTurnsContract(() => ({
      turns: conversationTurns(postgres.database),
      arrange: () => aConversation(postgres.database).then(({ id }) => id),
      async decide(id, event) {
        const [{ workspaceId, digest }] = (await sql(
          'select workspace_id as "workspaceId", arguments_digest as digest from approvals where id = $1',
          id,
        )) as [{ workspaceId: string; digest: string }];
        const by = { id: anId(), name: 'Ada', email: 'ada@example.com' };
        const decision = { event, by, note: null, argumentsDigest: digest };
        await approvalRepository(postgres.database).decide(workspaceId, id, decision, operator);
      },
      async partiesOf(id) {
        const columns =
          'c.user_id as "userId", (select max(v.version) from agent_versions v where v.agent_id = c.agent_id) as "agentVersion"';
        const [parties] = await sql<{ userId: string; agentVersion: number }>(
          `select ${columns} from conversations c where c.id = $1`,
          id,
        );
        return parties ?? expect.fail();
      },
      expire: async (id) =>
        void (await sql(
          `update conversations set lease_expires_at = now() - interval '1 second' where id = $1 and lease_expires_at is not null`,
          id,
        )),
      giveToRun: async (id) =>
        void (await sql(`update conversations set status = 'responding', lease_expires_at = null where id = $1`, id)),
      async stored(id) {
        const messages = await sql<{ content: string }>(
          'select content from messages where conversation_id = $1 order by seq',
          id,
        );
        const [row] = await sql<{ status: string; input: number; output: number }>(
          'select status, input_tokens::int as input, output_tokens::int as output from conversations where id = $1',
          id,
        );
        return {
          contents: messages.map(({ content }) => content),
          usage: [row?.input ?? 0, row?.output ?? 0],
          status: row?.status ?? 'none',
        };
      },
    }));
  });
});

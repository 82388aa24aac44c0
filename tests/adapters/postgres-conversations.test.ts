import { conversationRepository } from '../../src/adapters/postgres/conversations.ts';
import type { Conversation } from '../../src/domain/conversation.ts';
import { type ConversationHarness, conversationRepositoryContract } from '../contracts/conversation-repository.ts';
import { anId, aUser, aWorkspace, storeUser } from '../support/builders.ts';
import { onEveryPostgres } from '../support/postgres.ts';

const created = new Date('2026-01-01T00:00:00.000Z');

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
        const common = { id: anId(), workspaceId, agentId: agent.id, runId: null, userId: ada.id, createdAt: created, updatedAt: created };
        const conversation: Conversation = { ...common, status: 'idle' };
        await pool.query(
          `insert into conversations (id, workspace_id, agent_id, run_id, user_id, created_at, updated_at, status)
           values ($1, $2, $3, $4, $5, $6, $7, 'idle')`,
          Object.values(common),
        );
        for (const [seq, { id, role, content, toolCalls, toolCallId, attachments, createdAt }] of messages.entries()) {
          await pool.query('insert into messages values ($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
            conversation.id,
            seq,
            id,
            role,
            content,
            JSON.stringify(toolCalls),
            toolCallId,
            JSON.stringify(attachments),
            createdAt,
          ]);
        }
        const viewer = (user: typeof ada) => ({ userId: user.id, workspaceId: user.workspaceId });
        return { conversation, ada: viewer(ada), bob: viewer(bob), eve: viewer(eve) };
      },
      removeAgent: async (id) => void (await postgres.database.pool.query('update agents set removed_at = now() where id = $1', [id])),
    });
    conversationRepositoryContract(harness);
  });
});

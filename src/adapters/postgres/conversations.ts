import type { ConversationRepository } from '../../application/ports/storage.ts';
import type { Conversation, Message } from '../../domain/conversation.ts';
import type { Database } from './database.ts';
import { isId } from './ids.ts';

const findVisible = {
  name: 'conversations_find_visible',
  text: `
select c.id, c.workspace_id as "workspaceId", c.agent_id as "agentId", c.run_id as "runId", c.user_id as "userId", c.status,
       c.created_at as "createdAt", c.updated_at as "updatedAt"
from conversations c join agents a on a.id = c.agent_id
where c.id = $1 and c.workspace_id = $2 and a.removed_at is null and (a.visible_to is null or $3 = any (a.visible_to))`,
};

const messages = {
  name: 'conversations_messages',
  text: `
select id, role, content, tool_calls as "toolCalls", tool_call_id as "toolCallId", attachments, created_at as "createdAt"
from messages where conversation_id = $1 order by seq`,
};

export const conversationRepository = (database: Pick<Database, 'read' | 'query'>): ConversationRepository => ({
  async findVisible(viewer, id) {
    if (!isId(id)) return null;
    const [found] = await database.read<Conversation>(findVisible, [id, viewer.workspaceId, viewer.userId]);
    return found ?? null;
  },
  // A conversation may be long: on a connection of its own it holds up no other read.
  messages: async (id) => (isId(id) ? database.query<Message>(messages, [id]) : []),
});

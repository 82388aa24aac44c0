import { SpanKind } from '@opentelemetry/api';
import type { ConversationTurns } from '../../application/ports/conversations.ts';
import type { Turn } from '../../application/turns/turn.ts';
import { currentScope } from './scope.ts';
import type { Watch } from './watch.ts';

/** An agent's answer, in a run or to a person: the span that its steps and calls are in. */
export const watchedTurn = (turn: Turn, watch: Watch): Turn => ({
  answer(question, signal) {
    const { agent, purpose } = question;
    const conversation = currentScope()?.conversationId;
    const attributes = {
      ...{ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.provider.name': agent.model.split('/')[0] ?? agent.model },
      ...{ 'gen_ai.agent.id': agent.id, 'gen_ai.agent.name': agent.name, 'portico.purpose': purpose },
      ...(conversation && { 'gen_ai.conversation.id': conversation }),
    };
    const task = { name: `invoke_agent ${agent.name}`, kind: SpanKind.INTERNAL, attributes };
    return watch.task(task, () => turn.answer(question, signal));
  },
});

/** Which conversation a request continues is known once it holds it. */
export const watchedConversations = (turns: ConversationTurns): ConversationTurns => ({
  ...turns,
  async begin(conversationId, leaseSeconds) {
    const lease = await turns.begin(conversationId, leaseSeconds);
    const scope = currentScope();
    if (lease && scope) {
      scope.conversationId = lease.conversationId;
      scope.fields.conversation_id = lease.conversationId;
    }
    return lease;
  },
});
